"""A worker process: one runner per stage, heartbeat, rescue, wake-up, statistics, and a graceful stop."""

from __future__ import annotations

import asyncio
import os
import platform
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from datetime import timedelta
from typing import Any
from uuid import UUID

import orjson
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from scrapersky.engine.context import Alert, RunnerContext
from scrapersky.engine.database import Database, Statement
from scrapersky.engine.network import NetworkMonitor
from scrapersky.engine.rescue import crash_line, rescue_statement
from scrapersky.engine.runner import StageRunner
from scrapersky.engine.stage import EngineOptions, Save, Stage, StageOptions, save_nothing
from scrapersky.engine.stats import SAVE_STATS, SAVE_TOTALS
from scrapersky.engine.wakeup import Listener
from scrapersky.log import Report, report_nothing

HOUSEKEEPING_INTERVAL = timedelta(seconds=2)
RESCUE_BATCH = 500

# A number that no other worker ever had.
REGISTER = Statement("""
INSERT INTO workers (machine, pid, stages) VALUES (:machine, :pid, :stages::text[]) RETURNING id""")
HEARTBEAT = Statement("""
UPDATE workers SET heartbeat_at = now(), scheduled_jobs = :jobs::text[] WHERE id = :worker""")
UNREGISTER = Statement("DELETE FROM workers WHERE id = :worker")
TIME_AND_PAUSED_STAGES = Statement("""
SELECT now() AS now, ARRAY(SELECT stage FROM stage_controls WHERE paused) AS paused""")
SAVE_MINUTES, SAVE_LIFETIME = Statement(SAVE_STATS), Statement(SAVE_TOTALS)

# How many rows wait, by the name of the queue: counted by whoever owns the tables.
CountWaiting = Callable[[AsyncConnection], Awaitable[Mapping[str, int]]]


async def send_no_alert(kind: str, text: str) -> None:
    """The default for workers without alerts."""


async def count_nothing(connection: AsyncConnection) -> Mapping[str, int]:
    """The default for workers without back-pressure."""
    return {}


async def refresh_nothing() -> None:
    """The default for workers whose options never change."""


class Worker:
    """`context` is handed to the functions of the stages; `save` stores the rows that they return.

    `refresh` is called before the first claim and every few seconds; it may call `configure`.
    """

    def __init__(
        self,
        engine: AsyncEngine,
        stages: Sequence[tuple[Stage, StageOptions]],
        *,
        options: EngineOptions | None = None,
        context: Any = None,
        save: Save = save_nothing,
        report: Report = report_nothing,
        alert: Alert = send_no_alert,
        resolve: Alert = send_no_alert,
        waiting: CountWaiting = count_nothing,
        network: NetworkMonitor | None = None,
        refresh: Callable[[], Awaitable[None]] = refresh_nothing,
    ) -> None:
        self.stages, self.options = stages, options or EngineOptions()
        self.database, self.network = Database(engine), network or NetworkMonitor()
        self.network.on_change = self._network_changed
        self.context = RunnerContext(
            self.database, self.options, context, save, report, alert, resolve, self.network,
            host_columns=[stage.queue.waiting_since for stage, _ in stages if stage.queue.host],
        )  # fmt: skip
        self.ready = asyncio.Event()
        # The jobs that the schedule of this process will run again; whoever owns the schedule sets it.
        self.scheduled_jobs: Callable[[], list[str]] = list
        self._hold_reason = ""
        self._tasks: list[asyncio.Task[None]] = []
        self._rescues = {stage.name: rescue_statement(stage) for stage, _ in stages}
        self._count_waiting, self._refresh = waiting, refresh

    @property
    def id(self) -> int:
        return self.context.worker

    @property
    def runners(self) -> dict[str, StageRunner]:
        return self.context.runners

    # ---- start

    async def run(self, stop: asyncio.Event, force: asyncio.Event | None = None) -> None:
        """Work until `stop` is set, then stop gracefully; `force` ends the grace period."""
        force = force or asyncio.Event()
        started = asyncio.create_task(self._start())
        stopped = asyncio.create_task(stop.wait())
        await asyncio.wait({started, stopped}, return_when=asyncio.FIRST_COMPLETED)
        if not stopped.done():
            await started
            await stopped
        await self._stop(started, force)

    async def _start(self) -> None:
        await self._register()
        for stage, options in self.stages:
            self.runners[stage.name] = StageRunner(stage, options, self.context)
        # The time and the paused stages are known before the first claim.
        await self.database.with_retry(self.housekeeping)
        for name, runner in self.runners.items():
            buffer = runner.buffer
            loops = (buffer.flush_forever, buffer.write_blocked_forever, runner.watch_timeouts)
            for loop in (runner.claim_forever, *loops):
                self._begin(self._restart_on_error(loop, name))
        self._begin(self._repeat(self.heartbeat, self.options.heartbeat))
        self._begin(self._repeat(self.rescue, self.options.sweep))
        self._begin(self._repeat(self.housekeeping, HOUSEKEEPING_INTERVAL))
        # What died before this start does not wait for the first sweep.
        self._begin(self._restart_on_error(lambda: self.database.with_retry(self.rescue), "rescue"))
        if self.options.listen:
            listener = Listener(self.database.engine, self._queued, self._listening_changed)
            self._begin(self._restart_on_error(listener.listen_forever, "wakeup"))
        self.ready.set()

    def _begin(self, work: Any) -> None:
        self._tasks.append(asyncio.create_task(work))

    async def _register(self) -> None:
        names = [stage.name for stage, _ in self.stages]
        values = {"machine": platform.node(), "pid": os.getpid(), "stages": names}
        rows = await self.database.with_retry(lambda: self.database.fetch(REGISTER, values))
        self.context.worker = rows[0].id

    async def _restart_on_error(self, call: Callable[[], Awaitable[None]], name: str) -> None:
        """Run `call`; if it fails, report the error and start it again a little later."""
        while True:
            try:
                await call()
            except Exception as error:  # noqa: BLE001 - a fault of the loop itself must surface and not end it.
                await self.context.report_error(name, error)
                await asyncio.sleep(1)
            else:
                return

    async def _repeat(self, call: Callable[[], Awaitable[None]], every: timedelta) -> None:
        name = getattr(call, "__name__", "repeated")
        while True:
            await asyncio.sleep(every.total_seconds())
            await self._restart_on_error(lambda: self.database.with_retry(call), name)
            await self.context.report_recovery(name)

    async def configure(self, options: EngineOptions, stages: Mapping[str, StageOptions]) -> None:
        """Use other options from now on: of hosts and of stages; intervals of our own loops stay."""
        self.options = self.context.options = options
        for name, runner in self.runners.items():
            await runner.configure(stages[name])

    def rest(self, stage: str, tenants: Collection[UUID]) -> None:
        """Claim no rows of these tenants in a stage, until it is called again without them."""
        if runner := self.runners.get(stage):
            runner.claims.resting = sorted(tenants)

    # ---- what others ask or report

    def in_flight(self) -> list[tuple[str, str | None]]:
        """What runs at this moment: stage and host of each row."""
        return [
            (name, claim.item.host)
            for name, runner in self.runners.items()
            for claim in runner.held.values()
            if claim.task
        ]

    def hold(self, reason: str) -> None:
        """Claim nothing while there is a reason outside of the queues; an empty one lets work resume."""
        self._hold_reason = reason
        if reason:
            for runner in self.runners.values():
                runner.paused = True

    async def _network_changed(self, is_available: bool) -> None:
        """Stages that call hosts wait while our own network is unavailable, and resume with it."""
        stages = [name for name, runner in self.runners.items() if runner.stage.queue.host]
        event, level = ("network_available", "info") if is_available else ("network_unavailable", "error")
        self.context.report([{"event": event, "level": level, "stages": stages}])
        machine = platform.node()
        if is_available:
            await self.context.send(self.context.resolve, "network_unavailable", machine)
        else:
            paused = "no connection can be made from this machine; stages that fetch are paused"
            await self.context.send(self.context.alert, "network_unavailable", f"{machine}: {paused}")
        for runner in self.runners.values():
            runner.wake()

    def _queued(self, stage: str) -> None:
        if runner := self.runners.get(stage):
            runner.wake()

    def _listening_changed(self, is_listening: bool) -> None:
        # Rows that become due without a notification, and notifications that are lost, are found by polling.
        longest = self.options.poll_listening if is_listening else self.options.poll_longest
        for runner in self.runners.values():
            runner.poll_longest = longest
            runner.wake()
        self.context.report([{"event": "listening_changed", "listening": is_listening}])

    # ---- what runs beside the stages

    async def heartbeat(self) -> None:
        await self.database.fetch(HEARTBEAT, {"worker": self.id, "jobs": self.scheduled_jobs()})
        for runner in self.runners.values():
            await runner.renew()

    async def rescue(self) -> None:
        """Give back to the queue what dead workers held. Every worker does it."""
        options = self.options
        values: dict[str, Any] = {"limit": RESCUE_BATCH, "worker": self.id, "lease": options.lease}
        values |= {"wait": options.retry_base, "max_wait": options.retry_cap}
        values["max_crashes"] = options.max_crashes
        for name, statement in self._rescues.items():
            count = RESCUE_BATCH
            while count == RESCUE_BATCH:
                held = list(self.runners[name].held)
                rows = await self.database.fetch(statement, {**values, "held": held})
                count = len(rows)
                if count:
                    self.runners[name].stats.count("rescued", by=count)
                    self.context.report([{"event": "rows_rescued", "stage": name, "rows": count}])
                    self.context.report([crash_line(name, row) for row in rows if row.is_fatal])

    async def housekeeping(self) -> None:
        """Learn the time and the paused stages; write statistics; see which stages have to wait."""
        await self._refresh()
        [row] = await self.database.fetch(TIME_AND_PAUSED_STAGES, {})
        self.context.clock.set(row.now)
        minutes = [minute for runner in self.runners.values() for minute in runner.stats.rows(self.id)]
        if minutes:
            await self.database.fetch(SAVE_MINUTES, {"rows": orjson.dumps(minutes).decode()})
            active = dict.fromkeys(minute["stage"] for minute in minutes)
            totals = [self.runners[name].stats.total_row(self.id) for name in active]
            await self.database.fetch(SAVE_LIFETIME, {"rows": orjson.dumps(totals).decode()})
        for name, runner in self.runners.items():
            runner.stats.forget(minutes)
            was_paused = runner.paused
            runner.paused = name in row.paused or bool(self._hold_reason)
            if was_paused and not runner.paused:
                runner.wake()
        await self._apply_back_pressure()

    async def _apply_back_pressure(self) -> None:
        """Pause the stages whose next stage has too much to do; one count serves all of them."""
        feeding = [
            (runner, runner.stage.feeds)
            for runner in self.runners.values()
            if runner.stage.feeds and runner.options.high_water
        ]
        if feeding:
            waiting = await self.database.in_transaction(self._count_waiting)
            for runner, queue in feeding:
                runner.apply_back_pressure(waiting.get(queue.name, 0))

    # ---- stop

    async def _stop(self, started: asyncio.Task[None], force: asyncio.Event) -> None:
        if not started.done():
            started.cancel()
            await asyncio.wait({started})
            return
        forced = asyncio.create_task(self._when_forced(force))
        grace = self.options.grace.total_seconds()
        # An unavailable database is not waited for longer than the work itself; leases cover the rest.
        asyncio.get_running_loop().call_later(grace + 1, self.database.shutting_down.set)
        await asyncio.gather(*(self._stop_runner(runner, grace) for runner in self.runners.values()))
        forced.cancel()
        await _cancel_all([*self._tasks, forced])
        await self.network.close()
        await self._unregister()

    async def _when_forced(self, force: asyncio.Event) -> None:
        await force.wait()
        self.database.shutting_down.set()
        for runner in self.runners.values():
            runner.cancel()

    async def _stop_runner(self, runner: StageRunner, grace: float) -> None:
        try:
            await runner.stop(grace)
        except Exception as error:  # noqa: BLE001 - the others must still stop in order; leases cover this one.
            await self.context.report_error(runner.stage.name, error)

    async def _unregister(self) -> None:
        self.database.shutting_down.set()
        try:
            await self.housekeeping()
            await self.database.fetch(UNREGISTER, {"worker": self.id})
        except Exception as error:  # noqa: BLE001 - the database may be away; the rescue by others covers it.
            await self.context.report_error("unregister", error)


async def _cancel_all(tasks: list[asyncio.Task[None]]) -> None:
    """Cancel until all have ended; a library between us and the socket may swallow one cancellation."""
    left = set(tasks)
    while left:
        for task in left:
            task.cancel()
        _, left = await asyncio.wait(left, timeout=0.5)
