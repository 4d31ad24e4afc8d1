"""A worker process: one runner per stage, heartbeat, rescue, wake-up, statistics, and an orderly end."""

from __future__ import annotations

import asyncio
import os
import platform
import traceback
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from sqlalchemy import Table, bindparam, delete, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from scrapersky.engine import settling
from scrapersky.engine.context import RunnerContext
from scrapersky.engine.database import Database
from scrapersky.engine.isolation import Isolation
from scrapersky.engine.network import NetworkMonitor
from scrapersky.engine.outcome import reason_of
from scrapersky.engine.runner import StageRunner
from scrapersky.engine.stage import EngineOptions, Item, Save, Stage, StageOptions, save_nothing
from scrapersky.engine.stats import DatabaseClock, save_stats
from scrapersky.engine.wakeup import Wakeup

HOUSEKEEPING = timedelta(seconds=2)
RESCUE_BATCH = 500


@dataclass(frozen=True, slots=True)
class EngineTables:
    """The tables in which the engine keeps its own books."""

    hosts: Table
    zombies: Table
    workers: Table
    stats: Table
    controls: Table


Report = Callable[[list[dict[str, Any]]], None]
Alert = Callable[[str, str], Awaitable[None]]
# How many rows wait, by the name of the work: counted by whoever owns the tables.
Waiting = Callable[[AsyncConnection], Awaitable[Mapping[str, int]]]


def report_nothing(lines: list[dict[str, Any]]) -> None:
    """The default for those who want no log."""


async def alert_nobody(kind: str, text: str) -> None:
    """The default for those who want no alerts."""


async def resolve_nothing(kind: str, subject: str) -> None:
    """The default for those who raise no alerts."""


async def count_nothing(connection: AsyncConnection) -> Mapping[str, int]:
    """The default for those who want no back-pressure."""
    return {}


async def _cancelled(tasks: list[asyncio.Task[None]]) -> None:
    """Cancel until all have ended; a library between us and the socket may swallow one cancellation."""
    left = set(tasks)
    while left:
        for task in left:
            task.cancel()
        _, left = await asyncio.wait(left, timeout=0.5)


class Worker:
    def __init__(
        self,
        engine: AsyncEngine,
        stages: Sequence[tuple[Stage, StageOptions]],
        tables: EngineTables,
        *,
        options: EngineOptions | None = None,
        context: Any = None,
        save: Save = save_nothing,
        report: Report = report_nothing,
        alert: Alert = alert_nobody,
        resolve: Alert = resolve_nothing,
        waiting: Waiting = count_nothing,
        network: NetworkMonitor | None = None,
    ) -> None:
        self.stages, self.tables, self.context = stages, tables, context
        self.options = options or EngineOptions()
        self.database = Database(engine)
        self.save, self.report, self.alert, self.resolve = save, report, alert, resolve
        self._failing: set[str] = set()
        self.network = network or NetworkMonitor()
        self.network.tell = self._tell_network
        self.gate, self.clock = Isolation(), DatabaseClock()
        self.me = 0
        self.runners: dict[str, StageRunner] = {}
        self.ready = asyncio.Event()
        self._held_back = ""
        self._tasks: list[asyncio.Task[None]] = []
        self._rescues = {
            stage.name: settling.rescue(stage, tables.zombies, tables.workers) for stage, _ in stages
        }
        self._waiting = waiting

    async def run(self, stop: asyncio.Event, force: asyncio.Event | None = None) -> None:
        """Work until `stop` is set, then end in order; `force` cuts the grace short."""
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
        core = RunnerContext(
            self.database, self.tables.hosts, self.me, self.options, self.context,
            self.save, self.gate, self.clock, self.network, self.report,
            self.report_error, self.isolate, self._wake_in,
        )  # fmt: skip
        self.runners = {stage.name: StageRunner(stage, tuning, core) for stage, tuning in self.stages}
        # What people have paused, and what time it is, is known before the first claim.
        await self.database.with_retry(self.housekeeping)
        repeated = [
            (self.heartbeat, self.options.heartbeat),
            (self.rescue, self.options.sweep),
            (self.housekeeping, HOUSEKEEPING),
        ]
        self._tasks = [
            asyncio.create_task(self._for_ever(call, runner.stage.name))
            for runner in self.runners.values()
            for call in (runner.loop, runner.flush_often, runner.write_blocked, runner.watch_clock)
        ]
        self._tasks += [asyncio.create_task(self._repeat(call, every)) for call, every in repeated]
        # What died before this start is not left until the first sweep.
        first_rescue = self._for_ever(lambda: self.database.with_retry(self.rescue), "rescue")
        self._tasks.append(asyncio.create_task(first_rescue))
        if self.options.listen:
            wakeup = Wakeup(self.database.engine, self._heard, self._hearing)
            self._tasks.append(asyncio.create_task(self._for_ever(wakeup.listen, "wakeup")))
        self.ready.set()

    async def _register(self) -> None:
        """Get a number that no other worker ever had; together with the claim's number it fences."""
        row = {
            "machine": platform.node(),
            "pid": os.getpid(),
            "stages": [stage.name for stage, _ in self.stages],
        }
        statement = insert(self.tables.workers).values(row).returning(self.tables.workers.c.id)
        rows = await self.database.with_retry(lambda: self.database.rows(statement))
        self.me = rows[0].id

    def in_flight(self) -> list[tuple[str, str | None]]:
        """What is being worked on at this moment: stage and host of each row."""
        return [
            (runner.stage.name, held.item.host)
            for runner in self.runners.values()
            for held in runner.held.values()
            if held.task
        ]

    def hold(self, reason: str) -> None:
        """Claim nothing while there is a reason outside of the queues; an empty one lets the work resume."""
        self._held_back = reason
        if reason:
            for runner in self.runners.values():
                runner.paused = True

    async def _tell_network(self, is_there: bool) -> None:
        """Stages that call hosts wait while our own network is unavailable, and resume with it."""
        stages = [runner.stage.name for runner in self.runners.values() if runner.stage.queue.host]
        event, level = ("network_available", "info") if is_there else ("network_unavailable", "error")
        self.report([{"event": event, "level": level, "stages": stages}])
        machine = platform.node()
        try:
            if is_there:
                await self.resolve("network_unavailable", machine)
            else:
                paused = "no connection can be made from this machine; stages that fetch are paused"
                await self.alert("network_unavailable", f"{machine}: {paused}")
        except Exception as failure:  # noqa: BLE001 - a broken alert channel must not break the work.
            self.report([{"event": "alert_failed", "level": "error", "error": reason_of(failure)}])
        for runner in self.runners.values():
            runner.wake()

    # ---- wake-up

    def _heard(self, stage: str) -> None:
        if runner := self.runners.get(stage):
            runner.wake()

    def _wake_in(self, wait: timedelta, awaiting: list[str]) -> None:
        """Nobody tells when a host may be called again, so the runners with work for it look then."""
        for runner in self.runners.values():
            if runner.stage.queue.waiting_since in awaiting:
                runner.alarms.wake_after(wait)

    def _hearing(self, hears: bool) -> None:
        # Rows whose time comes without a notification, and notifications that are lost, are found by polling.
        longest = self.options.poll_listening if hears else self.options.poll_longest
        for runner in self.runners.values():
            runner.poll_longest = longest
            runner.wake()
        self.report([{"event": "listening_changed", "listening": hears}])

    # ---- what runs beside the runners

    async def _for_ever(self, call: Callable[[], Awaitable[None]], name: str) -> None:
        """Run `call`; should it fail, say so with the traceback and start it again a little later."""
        while True:
            try:
                await call()
            except Exception as error:  # noqa: BLE001 - a fault of the loop itself must surface and not end it.
                await self.report_error(name, error)
                await asyncio.sleep(1)
            else:
                return

    async def report_error(self, name: str, error: Exception) -> None:
        """Log with the traceback and raise an alert; an alert that fails is logged too."""
        trace = "".join(traceback.format_exception(error))
        self.report(
            [
                {
                    "event": "task_failed",
                    "level": "error",
                    "where": name,
                    "error": reason_of(error),
                    "trace": trace,
                }
            ]
        )
        try:
            await self.alert("scheduler_failure", f"{name}: {reason_of(error)}")
            self._failing.add(name)
        except Exception as failure:  # noqa: BLE001 - a broken alert channel must not break the work.
            self.report([{"event": "alert_failed", "level": "error", "error": reason_of(failure)}])

    async def _recovered(self, name: str) -> None:
        """End the alert of what failed and has now done its work."""
        try:
            await self.resolve("scheduler_failure", name)
            self._failing.discard(name)
        except Exception as failure:  # noqa: BLE001 - as above; it is tried again after the next run.
            self.report([{"event": "alert_failed", "level": "error", "error": reason_of(failure)}])

    async def _repeat(self, call: Callable[[], Awaitable[None]], every: timedelta) -> None:
        name = getattr(call, "__name__", "repeated")
        while True:
            await asyncio.sleep(every.total_seconds())
            await self._for_ever(lambda: self.database.with_retry(call), name)
            if name in self._failing:
                await self._recovered(name)

    async def heartbeat(self) -> None:
        workers = self.tables.workers
        alive = update(workers).where(workers.c.id == self.me).values(heartbeat_at=func.now())
        await self.database.rows(alive)
        for runner in self.runners.values():
            await runner.renew()

    async def rescue(self) -> None:
        """Give back what dead workers held. Every worker does it."""
        options = self.options
        values = {
            "n": RESCUE_BATCH,
            "max_crashes": options.max_crashes,
            "me": self.me,
            "lease": options.lease,
        }
        values |= {"wait": options.retry_base, "longest_wait": options.retry_cap}
        for name, statement in self._rescues.items():
            while True:
                held = list(self.runners[name].held)
                rows = await self.database.rows(statement, {**values, "held": held})
                if rows:
                    self.runners[name].stats.count("rescued", by=len(rows))
                    self.report([{"event": "rows_rescued", "stage": name, "rows": len(rows)}])
                if len(rows) < RESCUE_BATCH:
                    break

    async def housekeeping(self) -> None:
        """Learn the time and what people paused; write statistics; see which stages have to wait."""
        controls = self.tables.controls
        stages = select(controls.c.stage).where(controls.c.paused).scalar_subquery()
        known = select(func.now().label("now"), func.array(stages).label("paused"))
        row = (await self.database.rows(known))[0]
        self.clock.set(row.now)
        rows = [row for runner in self.runners.values() for row in runner.stats.rows(self.me)]
        if rows:
            async with self.database.engine.begin() as connection:
                await connection.execute(save_stats(self.tables.stats), rows)
        for name, runner in self.runners.items():
            runner.stats.forget(rows)
            was = runner.paused
            runner.paused = name in row.paused or bool(self._held_back)
            if was and not runner.paused:
                runner.wake()
        await self._watch_congestion()

    async def _watch_congestion(self) -> None:
        """Pause the stages whose next stage has too much to do; one count serves all of them."""
        held_back = [
            runner for runner in self.runners.values() if runner.stage.feeds and runner.tuning.high_water
        ]
        if not held_back:
            return
        waiting = await self.database.in_transaction(self._waiting)
        for runner in held_back:
            self._hold_back(runner, waiting.get(runner.stage.feeds.name, 0) if runner.stage.feeds else 0)

    def _hold_back(self, runner: StageRunner, waiting: int) -> None:
        """Between its two water marks a stage stays as it was, with the smaller batches the more wait."""
        tuning = runner.tuning
        room = (tuning.high_water - waiting) / max(1, tuning.high_water - tuning.low_water)
        runner.relief = min(1.0, max(0.0, room))
        if not runner.congested and waiting > tuning.high_water:
            runner.congested = True
        elif runner.congested and waiting < tuning.low_water:
            runner.congested = False
            runner.wake()

    async def isolate(self, stage: Stage, item: Item) -> None:
        """Before a suspect runs alone: have nothing else in hand, and write down which row it is."""
        for runner in self.runners.values():
            await runner.clear()
        workers = self.tables.workers
        claim = f"{stage.name}:{item.id}:{item.seq}"
        statement = update(workers).where(workers.c.id == self.me).values(alone=claim)
        await self.database.with_retry(lambda: self.database.rows(statement))

    # ---- the end

    async def _stop(self, started: asyncio.Task[None], force: asyncio.Event) -> None:
        if not started.done():
            started.cancel()
            await asyncio.wait({started})
            return
        forced = asyncio.create_task(self._when_forced(force))
        grace = self.options.grace.total_seconds()
        # A database that is away is not waited for longer than the work itself; leases cover the rest.
        asyncio.get_running_loop().call_later(grace + 1, self.database.shutting_down.set)
        await asyncio.gather(*(self._stop_lane(runner, grace) for runner in self.runners.values()))
        forced.cancel()
        await _cancelled([*self._tasks, forced])
        await self.network.close()
        await self._sign_off()

    async def _when_forced(self, force: asyncio.Event) -> None:
        await force.wait()
        self.database.shutting_down.set()
        for runner in self.runners.values():
            runner.cut_off()

    async def _stop_lane(self, runner: StageRunner, grace: float) -> None:
        try:
            await runner.stop(grace)
        except Exception as error:  # noqa: BLE001 - the others must still end in order; leases cover this one.
            await self.report_error(runner.stage.name, error)

    async def _sign_off(self) -> None:
        self.database.shutting_down.set()
        gone = delete(self.tables.workers).where(self.tables.workers.c.id == bindparam("me"))
        try:
            await self.housekeeping()
            await self.database.rows(gone, {"me": self.me})
        except Exception as error:  # noqa: BLE001 - the database may be away; the rescue of the others covers it.
            await self.report_error("sign_off", error)
