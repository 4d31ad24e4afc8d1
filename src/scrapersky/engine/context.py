"""What the stage runners of one process share, and how they reach one another."""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from scrapersky.engine.database import Database, Statement
from scrapersky.engine.network import NetworkMonitor
from scrapersky.engine.outcome import reason_of
from scrapersky.engine.rescue import Isolation
from scrapersky.engine.stage import EngineOptions, Item, Save, Stage
from scrapersky.engine.stats import DatabaseClock
from scrapersky.log import Report

if TYPE_CHECKING:
    from scrapersky.engine.runner import StageRunner

# The kind of an alert, and its text or its subject.
Alert = Callable[[str, str], Awaitable[None]]

NOTE_ISOLATED_CLAIM = "UPDATE workers SET alone = :claim WHERE id = :worker"


@dataclass(slots=True, eq=False)
class RunnerContext:
    """What the stage runners of one process share."""

    database: Database
    options: EngineOptions
    # Handed to the functions of the stages.
    stage_context: Any
    save: Save
    report: Report
    alert: Alert
    resolve: Alert
    network: NetworkMonitor
    # The columns of the hosts table that say since when rows wait, of the stages in this process.
    host_columns: Sequence[str] = ()
    # The number of this worker; together with the number of a claim it fences.
    worker: int = 0
    isolation: Isolation = field(default_factory=Isolation)
    clock: DatabaseClock = field(default_factory=DatabaseClock)
    runners: dict[str, StageRunner] = field(default_factory=dict)
    failing: set[str] = field(default_factory=set)
    # Held while visits claim what they continue with.
    following: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def report_error(self, name: str, error: Exception) -> None:
        """Log with the traceback and raise an alert."""
        trace, reason = "".join(traceback.format_exception(error)), reason_of(error)
        line = {"event": "task_failed", "level": "error", "where": name, "error": reason, "trace": trace}
        self.report([line])
        if await self.send(self.alert, "scheduler_failure", f"{name}: {reason}"):
            self.failing.add(name)

    async def report_recovery(self, name: str) -> None:
        """End the alert of what failed and works again; if that is impossible, the next run tries again."""
        if name in self.failing and await self.send(self.resolve, "scheduler_failure", name):
            self.failing.discard(name)

    async def send(self, channel: Alert, kind: str, text: str) -> bool:
        """Raise or resolve an alert; a broken channel is logged and must not stop the work."""
        try:
            await channel(kind, text)
        except Exception as error:  # noqa: BLE001 - see above.
            self.report([{"event": "alert_failed", "level": "error", "error": reason_of(error)}])
            return False
        return True

    def wake_after(self, wait: timedelta, host_columns: Sequence[str]) -> None:
        """Nothing notifies us when a host is free again, so the runners with rows for it look then."""
        for runner in self.runners.values():
            if runner.stage.queue.waiting_since in host_columns:
                runner.timers.wake_after(wait)

    async def isolate(self, stage: Stage, item: Item) -> None:
        """Before a suspect row runs alone: hold nothing else, and note which row it is."""
        for runner in self.runners.values():
            await runner.clear()
        values = {"claim": f"{stage.name}:{item.id}:{item.seq}", "worker": self.worker}
        statement = Statement(NOTE_ISOLATED_CLAIM)
        await self.database.with_retry(lambda: self.database.fetch(statement, values))
