"""One stage in one process: claims rows, runs the function on each, settles them, and begins again."""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections import deque
from datetime import timedelta
from time import perf_counter
from typing import Any

from scrapersky.engine.context import RunnerContext
from scrapersky.engine.isolation import is_suspect
from scrapersky.engine.outcome import DONE, RELEASED, Outcome, OutcomeKind, outcome_of, reason_of
from scrapersky.engine.reporting import item_line
from scrapersky.engine.stage import Item, Stage, StageOptions
from scrapersky.engine.stats import Stats
from scrapersky.engine.throttle import Throttle
from scrapersky.engine.timers import Timers
from scrapersky.engine.visits import Claims, Host, HostBatch
from scrapersky.engine.writer import Held, Locked, Writer

# Seconds until the next try, when somebody else has locked a host or a row.
HOST_RETRY = 0.05
WRITE_RETRY = 0.5

# After our own network was unavailable; the stage itself waits until it is back.
NETWORK_WAIT = timedelta(seconds=5)
# After a fault of the engine itself, which is not the row's.
ENGINE_WAIT = timedelta(seconds=5)


class StageRunner:
    def __init__(self, stage: Stage, tuning: StageOptions, core: RunnerContext) -> None:
        self.stage, self.tuning, self.core = stage, tuning, core
        self.stats = Stats(stage.name, core.clock)
        self.settler = Writer(stage, core.database, core.me, core.save)
        self.claimer = Claims(stage, core.database, core.hosts, core.me, core.options, tuning.ids)
        self.held: dict[Any, Held] = {}
        self.paused = self.congested = self.stopping = False
        self.left = tuning.limit
        self.relief = 1.0
        self.poll_longest = core.options.poll_longest
        self._visits: set[HostBatch] = set()
        self._waiting: deque[HostBatch] = deque()
        self._tasks: set[asyncio.Task[None]] = set()
        self._settled: list[Held] = []
        self._blocked: list[Held] = []
        self._released: list[Host] = []
        self._woken, self._looked = asyncio.Event(), asyncio.Event()
        self.alarms = Timers(self.wake)
        self.throttle = None if tuning.continuous else self._make_throttle()
        self._some, self._full, self._some_blocked = asyncio.Event(), asyncio.Event(), asyncio.Event()
        self._taking, self._flushing = asyncio.Lock(), asyncio.Lock()
        self._run_began: float | None = None
        self._run_from = dict(self.stats.totals)

    def _make_throttle(self) -> Throttle:
        core = self.core
        return Throttle(
            self.stage, self.tuning, core.database, core.me, core.options.lease, self.alarms.wake_after
        )

    def wake(self) -> None:
        self._woken.set()

    @property
    def is_idle(self) -> bool:
        """Nothing is in our hands: no row, no host, nothing unwritten."""
        return not (self.held or self._visits or self._released or self._flushing.locked())

    async def tick(self) -> None:
        """The schedule's safety net: look at the queue now, whether or not anybody said that it has work."""
        self._looked.clear()
        self.wake()
        await self._looked.wait()

    # ---- claiming

    async def loop(self) -> None:
        """Claim while there is room; sleep when there is none or nothing to do; until told to stop."""
        wait = self.core.options.poll_first
        while not self.stopping:
            self._woken.clear()
            async with self._taking:
                took = await self._take()
            self._looked.set()
            if took:
                wait = self.core.options.poll_first
                continue
            if not self.held:
                self._end_run()
            await self._sleep(wait)
            wait = min(wait * 2, self.poll_longest)

    async def _sleep(self, wait: timedelta) -> None:
        # Jitter keeps idle workers from asking all at once.
        seconds = wait.total_seconds() * (0.75 + random.random() / 2)  # noqa: S311
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._woken.wait(), seconds)

    def _may_claim(self) -> bool:
        # While our own network is unavailable nothing is claimed that would only fail.
        cut_off = self.stage.queue.host and self.core.network.is_away
        held_up = self.paused or self.congested or cut_off or len(self._blocked) >= self.tuning.concurrency
        return self.core.gate.is_open and not held_up

    def _room(self) -> int:
        """How many rows (or hosts) to ask for: what fits, and what should take about the target time."""
        # What waits for a lock to be written keeps nobody from working.
        busy = len(self._visits) if self.stage.queue.host else len(self.held) - len(self._blocked)
        free = self.tuning.concurrency - busy
        return min(free, self.batch()) if free >= max(1, self.tuning.concurrency // 4) else 0

    def batch(self) -> int:
        """At most what the setting says; less when rows take long or the next stage falls behind."""
        tuning, mean = self.tuning, self.stats.mean_ms()
        batch = tuning.batch * self.relief
        if mean:
            batch = min(batch, tuning.target.total_seconds() * 1000 * tuning.concurrency / mean)
        return min(tuning.batch, max(tuning.batch_floor, int(batch)))

    async def _claim(self) -> list[HostBatch]:
        """Claim what there is room for, within what may be taken in all or in this interval."""
        run = await self.throttle.open() if self.throttle else None
        left = run.left if run else 0 if self.throttle else self.left
        room, per_host = self._room(), self.tuning.per_host
        if left is not None:
            per_host = min(per_host, left) if self.stage.queue.host else 1
            room = min(room, max(1, left // per_host)) if left else 0
        visits = await self.claimer.take(room, per_host) if room else []
        number = sum(len(visit.items) for visit in visits)
        if run:
            run.left -= number
        if self.left is not None:
            self.left -= number
        return visits

    async def _take(self) -> int:
        """Claim and start what there is room for; says how many rows or hosts that were."""
        if self.throttle:
            await self.throttle.end({held.run for held in self.held.values()})
        visits = await self._claim() if self._may_claim() else []
        run = self.throttle.run if self.throttle else None
        now = perf_counter()
        for visit in visits:
            self._leave_older(visit)
            for item in visit.items:
                self.held[item.id] = Held(item, now, run=run)
        if visits and self._run_began is None:
            self._run_began, self._run_from = now, dict(self.stats.totals)
        self._visits.update(visits)
        self._waiting.extend(visits)
        if self.stopping:
            self.give_back_waiting()
            await self.flush()
        else:
            self._spawn()
        return len(visits)

    # ---- running

    def _spawn(self) -> None:
        """Start a runner; it calls for the next as soon as it has to wait, so short work needs one task."""
        if self._waiting and len(self._tasks) < self.tuning.concurrency:
            task = asyncio.create_task(self._run_visits())
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _run_visits(self) -> None:
        asyncio.get_running_loop().call_soon(self._spawn)
        task = asyncio.current_task()
        while self._waiting:
            visit = self._waiting.popleft()
            while visit.items:
                held = self.held[visit.items.pop(0).id]
                if visit.host and visit.host.rest:
                    reason = f"{visit.host.reason.rstrip('.')}; the host is paused"
                    self._settle(held, Outcome(OutcomeKind.SNOOZED, reason=reason, wait=visit.host.rest))
                elif held.lost or not self.core.gate.is_open:
                    # While a suspect runs alone, nothing else may be in our hands: it could be blamed.
                    self._settle(held, RELEASED)
                else:
                    held.task = task
                    await self._run(held, visit)
            self._end_visit(visit)

    async def _run(self, held: Held, visit: HostBatch) -> None:
        run = self._run_alone if is_suspect(held.item) else self._run_beside_others
        try:
            outcome = await run(held, visit)
        except Exception as error:  # noqa: BLE001 - a runner that dies would hold its row and host for ever.
            await self.core.report_error(self.stage.name, error)
            outcome = Outcome(OutcomeKind.SNOOZED, reason=reason_of(error), wait=ENGINE_WAIT)
        held.task = None
        self._settle(held, outcome)

    async def _run_beside_others(self, held: Held, visit: HostBatch) -> Outcome:
        self.core.gate.running += 1
        try:
            return await self._attempt(held, visit)
        finally:
            self.core.gate.leave()

    async def _run_alone(self, held: Held, visit: HostBatch) -> Outcome:
        try:
            async with self.core.gate.alone():
                await self.core.isolate(self.stage, held.item)
                return await self._attempt(held, visit)
        except asyncio.CancelledError:
            # Cut off before its turn came.
            if task := asyncio.current_task():
                task.uncancel()
            return RELEASED

    async def _attempt(self, held: Held, visit: HostBatch) -> Outcome:
        """Run it and turn whatever happens into an outcome; the place that catches all its errors."""
        held.began = perf_counter()
        error: Exception
        try:
            done = await self.stage.run(held.item, self.core.stage_context)
            if visit.host:
                visit.host.judge(None, self.core.options)
                self.core.network.succeeded()
            return DONE if done is None else Outcome(OutcomeKind.DONE, result=done)
        except asyncio.CancelledError as cancelled:
            task = asyncio.current_task()
            cut_off = task is not None and task.cancelling() > 0
            if task and cut_off:
                task.uncancel()
            if cut_off and not held.overdue:
                return RELEASED
            limit = f"took longer than {self.tuning.timeout.total_seconds():g} s"
            error = TimeoutError(limit if held.overdue else "cancelled from inside")
            # Its traceback says what was waited for.
            error.__cause__ = cancelled
        except Exception as caught:  # noqa: BLE001 - an item's error is its own; its neighbours go on.
            error = caught
        finally:
            held.ms = (perf_counter() - held.began) * 1000
        return await self._judge(error, held.item, visit)

    async def _judge(self, error: Exception, item: Item, visit: HostBatch) -> Outcome:
        """What a failure means: it is the item's and its host's, unless our own network is unavailable."""
        try:
            is_ours = self.stage.queue.host and await self.core.network.is_ours(
                error, item.host, is_last_try=item.retries >= item.max_retries
            )
        except asyncio.CancelledError:
            # Cut off during the probe, so nobody knows whose failure it was.
            if task := asyncio.current_task():
                task.uncancel()
            return RELEASED
        if is_ours:
            reason = f"Our own network or DNS is unavailable: {reason_of(error)}"
            return Outcome(
                OutcomeKind.SNOOZED, reason=reason, wait=NETWORK_WAIT, error_class=type(error).__name__
            )
        if visit.host:
            visit.host.judge(error, self.core.options)
        return outcome_of(error, item, self.core.options, chance=random.random())  # noqa: S311

    async def watch_clock(self) -> None:
        """Cut off what runs too long. One look at all of them is cheaper than a timer for each."""
        limit = self.tuning.timeout.total_seconds()
        while True:
            await asyncio.sleep(min(1.0, limit / 4))
            now = perf_counter()
            for held in list(self.held.values()):
                if held.task and held.began and now - held.began > limit and not held.overdue:
                    held.overdue = True
                    held.task.cancel()

    # ---- settling

    def _settle(self, held: Held, outcome: Outcome) -> None:
        if held.lost:
            self._forget(held)
            self.stats.count("lease_lost")
            self.core.report([item_line(self.stage.name, held, "lease_lost")])
            return
        held.outcome = outcome
        self._settled.append(held)
        self._hurry()

    def _hurry(self) -> None:
        self._some.set()
        ready = len(self._settled)
        if ready >= self.core.options.flush_items or ready >= len(self.held) - len(self._blocked):
            self._full.set()

    def _end_visit(self, visit: HostBatch) -> None:
        self._visits.discard(visit)
        if visit.host:
            self._released.append(visit.host)
            self._hurry()

    async def flush_often(self) -> None:
        """Write what is settled when there is enough of it, or when the oldest has waited long enough."""
        while True:
            await self._some.wait()
            self._some.clear()
            if not self._full.is_set():
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self._full.wait(), self.core.options.flush_after.total_seconds())
            self._full.clear()
            await self.flush()

    async def flush(self) -> None:
        """Write the settled items in as few statements as can be, then let go of the hosts."""
        async with self._flushing:
            settled, self._settled = self._settled, []
            hosts, self._released = self._released, []
            try:
                if settled:
                    kept, rows_written = await self._write(settled)
                    written, settled = [held for held in settled if not held.blocked], []
                    self._count(written, kept, rows_written)
                if hosts:
                    await self._let_go(hosts)
            except BaseException as error:
                # What is unwritten keeps its lease for as long as we live, so it must not be forgotten.
                self._settled = [held for held in settled if not held.blocked] + self._settled
                if settled or isinstance(error, asyncio.CancelledError):
                    self._released = hosts + self._released
                    self._some.set()
                raise
        self._woken.set()

    async def _let_go(self, hosts: list[Host]) -> None:
        """Let others call the hosts; one that somebody else has locked is let go of a little later."""
        released, locked = await self.core.database.with_retry(lambda: self.claimer.let_go(hosts))
        for left in released:
            self.core.wake_in(left.free_in, left.awaiting)
        if locked:
            self._released += locked
            asyncio.get_running_loop().call_later(HOST_RETRY, self._hurry)

    async def _write(self, settled: list[Held]) -> tuple[set[Any], int]:
        """Write a batch; if one item's results cannot be stored, write each alone, so that it fails alone."""
        with_retry = self.core.database.with_retry
        try:
            return await with_retry(lambda: self.settler.write(settled))
        except Locked:
            return await self._write_around(settled)
        except Exception as error:  # noqa: BLE001 - it becomes the outcome of the item that caused it.
            if len(settled) == 1:
                chance = random.random()  # noqa: S311
                settled[0].outcome = outcome_of(error, settled[0].item, self.core.options, chance=chance)
                return await self._write_last(settled)
        kept: set[Any] = set()
        rows_written = 0
        for held in settled:
            one, rows = await self._write([held])
            kept |= one
            rows_written += rows
        return kept, rows_written

    async def _write_around(self, settled: list[Held]) -> tuple[set[Any], int]:
        """Somebody has locked one of them: set it aside, so that it holds up nobody, and write the rest."""
        free = await self.core.database.with_retry(lambda: self.settler.unlocked(settled))
        rest = [held for held in settled if held.item.id in free]
        if len(rest) == len(settled):
            # Their own rows are free, so the lock is on what is stored with one of them.
            rest = []
        for held in settled:
            if held not in rest:
                self._block(held)
        return await self._write(rest) if rest else (set(), 0)

    def _block(self, held: Held) -> None:
        if not held.blocked:
            held.blocked = True
            self._blocked.append(held)
            self._some_blocked.set()

    async def write_blocked(self) -> None:
        """Try again and again to write what waits for somebody else's lock, each row alone."""
        while True:
            await self._some_blocked.wait()
            self._some_blocked.clear()
            for held in list(self._blocked):
                self._blocked.remove(held)
                held.blocked = False
                try:
                    kept, rows_written = await self._write([held])
                except BaseException:
                    self._block(held)
                    raise
                if not held.blocked:
                    self._count([held], kept, rows_written)
                    self.wake()
            await asyncio.sleep(WRITE_RETRY)

    async def _write_last(self, settled: list[Held]) -> tuple[set[Any], int]:
        """Write a failure; if not even that can be written, the lease runs out and the rescue records it."""
        try:
            return await self.core.database.with_retry(lambda: self.settler.write(settled))
        except Locked:
            self._block(settled[0])
            return set(), 0
        except Exception as error:  # noqa: BLE001 - it must surface, and its neighbours go on.
            await self.core.report_error(self.stage.name, error)
            return set(), 0

    def _count(self, settled: list[Held], kept: set[Any], rows_written: int) -> None:
        kinds: dict[str, int] = {"rows_written": rows_written}
        lines = []
        for held in settled:
            self._forget(held)
            kind = held.outcome_.kind if held.item.id in kept else "lease_lost"
            kinds[kind] = kinds.get(kind, 0) + 1
            lines.append(item_line(self.stage.name, held, kind))
            if kind == "done" and held.outcome_.result:
                lines += held.outcome_.result.events
        errors = [held.outcome_.error_class for held in settled if held.outcome_.error_class]
        spans = [held.ms for held in settled if held.began]
        self.stats.items(kinds, spans, errors)
        self.core.report(lines)

    def _forget(self, held: Held) -> None:
        """Hold it no longer; a row that was lost may be in our hands again by a newer claim."""
        if self.held.get(held.item.id) is held:
            del self.held[held.item.id]

    # ---- keeping and giving back

    async def renew(self) -> None:
        """Extend the lease of what has been held for a while; drop what is no longer ours.

        That includes what has ended and could not be written yet: another worker would do it again.
        """
        old = perf_counter() - self.core.options.heartbeat.total_seconds() * 0.9
        items = [held for held in self.held.values() if held.since <= old]
        if items:
            ours = await self.settler.renew([held.item for held in items], self.core.options.lease)
            for held in items:
                if held.item.id not in ours and held.outcome is None:
                    held.lost = True
                    if held.task:
                        held.task.cancel()
        visits = [visit for visit in self._visits if visit.host and visit.host.since <= old]
        if visits:
            ours = await self.claimer.keep([visit.host for visit in visits if visit.host])
            for visit in visits:
                if visit.host and visit.host.name not in ours:
                    self._leave(visit, visit.host.name)

    def _leave(self, visit: HostBatch, host: str) -> None:
        """The host is somebody else's now: stop calling it and give its rows back."""
        while visit.items:
            self._settle(self.held[visit.items.pop(0).id], RELEASED)
        for held in self.held.values():
            if held.item.host == host and held.task:
                held.task.cancel()

    def _leave_older(self, visit: HostBatch) -> None:
        """What comes to us again was lost while we slept: whoever still works on it here must stop."""
        lost = [self.held.pop(item.id) for item in visit.items if item.id in self.held]
        for held in lost:
            held.lost = True
            if held.task:
                held.task.cancel()
        for older in self._visits if lost or visit.host else ():
            older.items = [item for item in older.items if item.id in self.held]
            if older.host and visit.host and older.host.name == visit.host.name:
                self._leave(older, older.host.name)

    async def clear(self) -> None:
        """Have nothing in hand but what runs: no claim under way, nothing waiting, nothing unwritten."""
        async with self._taking:
            self.give_back_waiting()
            await self.flush()

    def give_back_waiting(self) -> None:
        """Return everything that has not started."""
        waiting = list(self._waiting)
        self._waiting.clear()
        for visit in self._visits:
            while visit.items:
                self._settle(self.held[visit.items.pop(0).id], RELEASED)
        for visit in waiting:
            self._end_visit(visit)

    async def stop(self, grace: float) -> None:
        """Claim no more, give back what has not started, let the rest end in time, then cut it off."""
        ends = perf_counter() + grace
        self.stopping = True
        self.wake()
        self.give_back_waiting()
        await self.flush()
        with contextlib.suppress(TimeoutError):
            # A claim under way must come back, or its rows would stay leased to nobody.
            async with asyncio.timeout(grace), self._taking:
                pass
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=max(0.0, ends - perf_counter()))
        self.cut_off()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=2)
        await self.flush()
        # Three conditions, once in a process' life.
        while (  # noqa: ASYNC110
            self._unwritten() and perf_counter() < ends and not self.core.database.shutting_down.is_set()
        ):
            await asyncio.sleep(0.05)

        if self.throttle:
            await self.throttle.close()

    def _unwritten(self) -> bool:
        return bool(self._released) or any(held.outcome for held in self.held.values())

    def cut_off(self) -> None:
        for task in self._tasks:
            task.cancel()

    def _end_run(self) -> None:
        """The queue is empty: one run is over, and says what it did."""
        if self._run_began is None:
            return
        ms = (perf_counter() - self._run_began) * 1000
        self._run_began = None
        did = {kind: self.stats.totals[kind] - self._run_from[kind] for kind in ("done", "failed", "retried")}
        self.stats.run(ms)
        line = {
            "event": "run_finished",
            "stage": self.stage.name,
            "success": did["done"],
            "failed": did["failed"],
        }
        self.core.report([{**line, "total": sum(did.values()), "ms": round(ms, 1)}])
