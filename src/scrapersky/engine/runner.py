"""One stage in one process: claim rows, run the function on each, hand the outcomes to the writer, repeat."""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections import deque
from dataclasses import replace
from datetime import timedelta
from time import perf_counter
from typing import Any

from scrapersky.engine.claims import Claim, Claims, Host, HostBatch
from scrapersky.engine.context import RunnerContext
from scrapersky.engine.outcome import DONE, RELEASED, Outcome, OutcomeKind, outcome_of, reason_of
from scrapersky.engine.rescue import is_suspect
from scrapersky.engine.stage import RUNNING_ITEM, Item, Stage, StageOptions
from scrapersky.engine.stats import Stats
from scrapersky.engine.throttle import Throttle
from scrapersky.engine.visits import Visit
from scrapersky.engine.wakeup import Timers
from scrapersky.engine.writer import WriteBuffer

# After our own network was unavailable; the stage itself waits until it is back.
NETWORK_WAIT = timedelta(seconds=5)
# After a fault of the engine itself, which is not the row's.
ENGINE_WAIT = timedelta(seconds=5)


class StageRunner:
    def __init__(self, stage: Stage, options: StageOptions, context: RunnerContext) -> None:
        self.stage, self.options, self.context = stage, options, context
        self.stats = Stats(stage.name, context.clock)
        self.timers = Timers(self.wake)
        self.claims = Claims(
            stage,
            context.database,
            context.worker,
            context.options,
            ids=options.ids,
            host_columns=context.host_columns,
        )
        self.buffer = WriteBuffer(stage, self.claims, context, self.stats, self._wake_if_full)
        self.held = self.buffer.held
        self.throttle = None if options.continuous else self._throttle()
        self.paused = self.congested = self.stopping = False
        # How many rows may still be claimed, and the share of the batch that back-pressure leaves.
        self.left = options.limit
        self.relief = 1.0
        self.poll_longest = context.options.poll_longest
        self._batches: set[HostBatch] = set()
        # Those that began here, wherever they are.
        self._visits: set[Visit] = set()
        self._waiting: deque[HostBatch] = deque()
        self._tasks: set[asyncio.Task[None]] = set()
        self._woken, self._polled = asyncio.Event(), asyncio.Event()
        self._claiming = asyncio.Lock()
        # Whether the last claim took all that there was capacity for.
        self._is_full = True
        self._run_began: float | None = None
        self._totals_before = dict(self.stats.totals)

    async def configure(self, options: StageOptions) -> None:
        """Use other options from the next claim on; which rows may be claimed at all stays as it is."""
        self.claims.options = self.context.options
        options = replace(options, limit=self.options.limit, ids=self.options.ids)
        if options == self.options:
            return
        async with self._claiming:
            self.options = options
            if self.throttle:
                self.throttle.configure(self.options)
            elif not self.options.continuous:
                self.throttle = self._throttle()
        self.wake()

    def _throttle(self) -> Throttle:
        context = self.context
        lease, wake_after = context.options.lease, self.timers.wake_after
        return Throttle(self.stage, self.options, context.database, context.worker, lease, wake_after)

    def wake(self) -> None:
        self._woken.set()

    def _wake_if_full(self) -> None:
        """There is capacity again; who found less than it had capacity for would find nothing now either."""
        if self._is_full or self.throttle or not self.held:
            self.wake()

    @property
    def is_idle(self) -> bool:
        """We hold nothing: no row, no host, nothing unwritten."""
        return self.buffer.is_empty and not (self._batches or self._visits)

    async def tick(self) -> None:
        """The schedule's safety net: look at the queue now, whether or not there was a notification."""
        self._polled.clear()
        self.wake()
        await self._polled.wait()

    # ---- claim

    async def claim_forever(self) -> None:
        """Claim while there is capacity; otherwise, and when nothing is due, sleep until woken."""
        wait = self.context.options.poll_first
        while not self.stopping:
            self._woken.clear()
            async with self._claiming:
                claimed = await self._claim_and_start()
            self._polled.set()
            if claimed:
                wait = self.context.options.poll_first
                continue
            if not self.held:
                self._end_run()
            await self._sleep(wait)
            wait = min(wait * 2, self.poll_longest)

    async def _sleep(self, wait: timedelta) -> None:
        # Jitter keeps idle workers from polling at the same moment.
        seconds = wait.total_seconds() * (0.75 + random.random() / 2)  # noqa: S311
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._woken.wait(), seconds)

    def _may_claim(self) -> bool:
        # While our own network is unavailable nothing is claimed that could only fail.
        offline = self.stage.queue.host and self.context.network.is_away
        blocked = len(self.buffer.blocked) >= self.options.concurrency
        return self.context.isolation.is_open and not (self.paused or self.congested or offline or blocked)

    def _capacity(self) -> int:
        """How many rows (or hosts) to claim: what fits, and what should take about the target time."""
        # What waits for a lock to be written does not count as busy.
        busy = self._busy_hosts() if self.stage.queue.host else len(self.held) - len(self.buffer.blocked)
        free = self.options.concurrency - busy
        return min(free, self.batch()) if free >= max(1, self.options.concurrency // 4) else 0

    def _busy_hosts(self) -> int:
        """A visit counts where it began; the batches of visits that began elsewhere do not."""
        return len(self._visits) + sum(batch.visit is None for batch in self._batches)

    def batch(self) -> int:
        """At most the configured size; less when rows take long or the next stage falls behind."""
        options, mean = self.options, self.stats.mean_ms()
        batch = options.batch * self.relief
        if mean:
            batch = min(batch, options.target.total_seconds() * 1000 * options.concurrency / mean)
        return min(options.batch, max(options.batch_floor, int(batch)))

    def apply_back_pressure(self, waiting: int) -> None:
        """Between its two water marks a stage stays as it was, with smaller batches the more rows wait."""
        options = self.options
        room = (options.high_water - waiting) / max(1, options.high_water - options.low_water)
        self.relief = min(1.0, max(0.0, room))
        if not self.congested and waiting > options.high_water:
            self.congested = True
        elif self.congested and waiting < options.low_water:
            self.congested = False
            self.wake()

    async def _claim(self) -> list[HostBatch]:
        """Claim what there is capacity for, within the limit of all rows or of this interval."""
        throttle = None if self.options.continuous else self.throttle
        run = await throttle.open() if throttle else None
        left = run.left if run else 0 if throttle else self.left
        capacity, per_host = self._capacity(), self.options.per_host
        if left is not None:
            per_host = min(per_host, left) if self.stage.queue.host else 1
            capacity = min(capacity, max(1, left // per_host)) if left else 0
        batches = await self.claims.take(capacity, per_host) if capacity else []
        self._is_full = len(batches) >= capacity
        number = sum(len(batch.items) for batch in batches)
        if run:
            run.left -= number
        if self.left is not None:
            self.left -= number
        return batches

    async def _claim_and_start(self) -> int:
        """Claim and start what there is capacity for; returns the number of rows or hosts."""
        if self.throttle:
            await self.throttle.end({claim.run for claim in self.held.values()})
        batches = await self._claim() if self._may_claim() else []
        for batch in batches:
            self._take(batch)
            if batch.host and batch.items and self.context.options.visits and self._is_unlimited:
                self._begin_visit(batch, batch.host)
        self._waiting.extend(batches)
        if self.stopping:
            self.release_waiting()
            await self.buffer.flush()
        else:
            self._spawn()
        return len(batches)

    def _take(self, batch: HostBatch) -> None:
        """The rows of the batch are ours from now on."""
        now, run = perf_counter(), self.throttle.run if self.throttle else None
        self._drop_older_claims(batch)
        for item in batch.items:
            self.held[item.id] = Claim(item, now, run=run)
        if self._run_began is None:
            self._run_began, self._totals_before = now, dict(self.stats.totals)
        self._batches.add(batch)

    # ---- visits

    @property
    def _is_unlimited(self) -> bool:
        """Whether any row may be run at any time; who asks for some rows of a stage wants no others."""
        return self.options.continuous and self.left is None and self.options.ids is None

    def _begin_visit(self, batch: HostBatch, host: Host) -> None:
        visit = Visit(host, self, self, batch)
        visit.enter(self, batch)
        if visit.pending:
            batch.visit = visit
            self._visits.add(visit)

    def end_visit(self, visit: Visit) -> None:
        self._visits.discard(visit)
        self.wake()

    def may_be_visited(self) -> bool:
        """Whether visits of this process may continue in this stage."""
        return self._is_unlimited and not self.stopping and self._may_claim()

    def accept(self, visit: Visit, items: list[Item]) -> None:
        """Continue a visit with these rows, before anything that was claimed for a new one."""
        batch = HostBatch(items, visit.host, visit)
        visit.enter(self, batch)
        self._take(batch)
        self._waiting.appendleft(batch)
        if self.stopping or not self.context.isolation.is_open:
            self.release_waiting()
        else:
            self._spawn()

    # ---- run

    def _spawn(self) -> None:
        """Start a task; it spawns the next one as soon as it has to wait, so short work needs one task."""
        if self._waiting and len(self._tasks) < self.options.concurrency:
            task = asyncio.create_task(self._run_batches())
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _run_batches(self) -> None:
        asyncio.get_running_loop().call_soon(self._spawn)
        task = asyncio.current_task()
        while self._waiting:
            batch = self._waiting.popleft()
            while batch.items:
                claim = self.held[batch.items.pop(0).id]
                if batch.host and batch.host.backoff:
                    self.buffer.add(claim, self._snoozed_with(batch.host, batch.host.backoff))
                elif claim.lost or not self.context.isolation.is_open:
                    # While a suspect runs alone we may hold nothing else: it could be blamed for the crash.
                    self.buffer.add(claim, RELEASED)
                else:
                    claim.task = task
                    await self._run(claim, batch)
            self._end_batch(batch)

    def _snoozed_with(self, host: Host, wait: timedelta) -> Outcome:
        reason = f"{host.reason.rstrip('.')}; the host is paused"
        return Outcome(OutcomeKind.SNOOZED, reason=reason, wait=wait)

    def _end_batch(self, batch: HostBatch) -> None:
        self._batches.discard(batch)
        if batch.host:
            self.buffer.add_host(batch)

    async def _run(self, claim: Claim, batch: HostBatch) -> None:
        run = self._run_alone if is_suspect(claim.item) else self._run_beside_others
        try:
            outcome = await run(claim, batch)
        except Exception as error:  # noqa: BLE001 - a task that dies would hold its row and host for ever.
            await self.context.report_error(self.stage.name, error)
            outcome = Outcome(OutcomeKind.SNOOZED, reason=reason_of(error), wait=ENGINE_WAIT)
        claim.task = None
        self.buffer.add(claim, outcome)

    async def _run_beside_others(self, claim: Claim, batch: HostBatch) -> Outcome:
        self.context.isolation.enter()
        try:
            return await self._attempt(claim, batch)
        finally:
            self.context.isolation.leave()

    async def _run_alone(self, claim: Claim, batch: HostBatch) -> Outcome:
        try:
            async with self.context.isolation.alone():
                await self.context.isolate(self.stage, claim.item)
                return await self._attempt(claim, batch)
        except asyncio.CancelledError:
            # Cancelled before its turn came.
            _uncancel()
            return RELEASED

    async def _attempt(self, claim: Claim, batch: HostBatch) -> Outcome:
        """Run the function and turn whatever happens into an outcome; the one place that catches errors."""
        claim.began = perf_counter()
        RUNNING_ITEM.set(claim.item)
        error: Exception
        try:
            result = await self.stage.run(claim.item, self.context.stage_context)
            if batch.host and self.stage.queue.host:
                batch.host.record(None, self.context.options)
                self.context.network.succeeded()
            return DONE if result is None else Outcome(OutcomeKind.DONE, result=result)
        except asyncio.CancelledError as cancelled:
            if _uncancel() and not claim.overdue:
                return RELEASED
            limit = f"took longer than {self.options.timeout.total_seconds():g} s"
            error = TimeoutError(limit if claim.overdue else "cancelled from inside")
            # Its traceback says what was waited for.
            error.__cause__ = cancelled
        except Exception as caught:  # noqa: BLE001 - an item's error is its own; its neighbours continue.
            error = caught
        finally:
            claim.ms = (perf_counter() - claim.began) * 1000
        return await self._outcome_of(error, claim.item, batch)

    async def _outcome_of(self, error: Exception, item: Item, batch: HostBatch) -> Outcome:
        """A failure is the item's and its host's, unless our own network is unavailable."""
        is_last_try = item.retries >= item.max_retries
        try:
            is_ours = self.stage.queue.host and await self.context.network.is_ours(
                error, item.host, is_last_try=is_last_try
            )
        except asyncio.CancelledError:
            # Cancelled during the probe, so nobody knows whose failure it was.
            _uncancel()
            return RELEASED
        if is_ours:
            reason = f"Our own network or DNS is unavailable: {reason_of(error)}"
            name = type(error).__name__
            return Outcome(OutcomeKind.SNOOZED, reason=reason, wait=NETWORK_WAIT, error_class=name)
        if batch.host and self.stage.queue.host:
            batch.host.record(error, self.context.options)
        return outcome_of(error, item, self.context.options, chance=random.random())  # noqa: S311

    async def watch_timeouts(self) -> None:
        """Cancel what runs too long. One look at all of them is cheaper than a timer for each."""
        while True:
            limit = self.options.timeout.total_seconds()
            await asyncio.sleep(min(1.0, limit / 4))
            now = perf_counter()
            for claim in list(self.held.values()):
                if claim.task and claim.began and now - claim.began > limit and not claim.overdue:
                    claim.overdue = True
                    claim.task.cancel()

    # ---- leases

    async def renew(self) -> None:
        """Extend the leases of what we have held for a while; drop what is no longer ours.

        That includes finished items that could not be written yet: another worker would run them again.
        """
        old = perf_counter() - self.context.options.heartbeat.total_seconds() * 0.9
        claims = [claim for claim in self.held.values() if claim.since <= old]
        if claims:
            items = [claim.item for claim in claims]
            ours = await self.buffer.writer.renew(items, self.context.options.lease)
            for claim in claims:
                if claim.item.id not in ours and not claim.is_finished:
                    self._lose(claim)
        own = {batch.host: batch for batch in self._batches if batch.host and not batch.visit}
        visits = {visit.host: visit for visit in self._visits}
        hosts = [host for host in (*own, *visits) if host.since <= old]
        if hosts:
            names = await self.claims.renew_hosts(hosts)
            for host in hosts:
                if host.name in names:
                    continue
                if host in visits:
                    visits[host].leave()
                else:
                    self.leave_host(own[host], host.name)

    def _lose(self, claim: Claim) -> None:
        claim.lost = True
        if claim.task:
            claim.task.cancel()

    def leave_host(self, batch: HostBatch, host: str) -> None:
        """The host is leased to another worker now: stop calling it and release its rows."""
        self._release_items(batch)
        for claim in self.held.values():
            if claim.item.host == host and claim.task:
                claim.task.cancel()

    def _drop_older_claims(self, batch: HostBatch) -> None:
        """What we claim again was lost while we slept: whoever still works on it here must stop."""
        lost = [self.held.pop(item.id) for item in batch.items if item.id in self.held]
        for claim in lost:
            self._lose(claim)
        for older in self._batches if lost or batch.host else ():
            older.items = [item for item in older.items if item.id in self.held]
            if older.host and batch.host and older.host.name == batch.host.name:
                self.leave_host(older, older.host.name)

    # ---- release and stop

    async def clear(self) -> None:
        """Hold nothing but what runs: no claim under way, nothing waiting, nothing unwritten."""
        async with self._claiming:
            async with self.context.following:
                self.release_waiting()
            await self.buffer.flush()

    def release_waiting(self) -> None:
        """Release every row that has not started."""
        waiting = list(self._waiting)
        self._waiting.clear()
        for batch in self._batches:
            self._release_items(batch)
        for batch in waiting:
            self._end_batch(batch)

    def _release_items(self, batch: HostBatch) -> None:
        while batch.items:
            self.buffer.add(self.held[batch.items.pop(0).id], RELEASED)

    async def stop(self, grace: float) -> None:
        """Claim no more, release what has not started, let the rest end in time, then cancel it."""
        deadline = perf_counter() + grace
        self.stopping = True
        self.wake()
        self.release_waiting()
        await self.buffer.flush()
        with contextlib.suppress(TimeoutError):
            # A claim under way must return, or its rows would stay leased to nobody.
            async with asyncio.timeout(grace), self._claiming, self.context.following:
                pass
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=max(0.0, deadline - perf_counter()))
        self.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=2)
        await self.buffer.flush()
        shutting_down = self.context.database.shutting_down
        # Three conditions, once in the life of a process.
        while (  # noqa: ASYNC110
            self.buffer.has_unwritten and perf_counter() < deadline and not shutting_down.is_set()
        ):
            await asyncio.sleep(0.05)
        if self.throttle:
            await self.throttle.close()

    def cancel(self) -> None:
        for task in self._tasks:
            task.cancel()

    def _end_run(self) -> None:
        """The queue is empty: the run is over and is logged with its counts."""
        if self._run_began is None:
            return
        ms = (perf_counter() - self._run_began) * 1000
        self._run_began = None
        self.stats.run(ms)
        counts = {
            kind: self.stats.totals[kind] - self._totals_before[kind]
            for kind in ("done", "failed", "retried")
        }
        line: dict[str, Any] = {"event": "run_finished", "stage": self.stage.name, "success": counts["done"]}
        line |= {"failed": counts["failed"], "total": sum(counts.values()), "ms": round(ms, 1)}
        self.context.report([line])


def _uncancel() -> bool:
    """Whether the current task was cancelled from outside; if so it is cancelled no longer."""
    task = asyncio.current_task()
    if task is None or not task.cancelling():
        return False
    task.uncancel()
    return True
