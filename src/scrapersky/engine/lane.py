"""One stage in one process: claims rows, runs the function on each, settles them, and begins again."""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import timedelta
from time import perf_counter
from typing import Any
from uuid import UUID

from sqlalchemy import Row, Table

from scrapersky.engine import claims
from scrapersky.engine.database import Database
from scrapersky.engine.gate import SUSPECT_CRASHES, Gate
from scrapersky.engine.outcome import DONE, GIVEN_BACK, Outcome, outcome_of
from scrapersky.engine.settler import Entry, Settler
from scrapersky.engine.signals import RetryAfter
from scrapersky.engine.stage import Item, Options, Save, Stage, Tuning
from scrapersky.engine.stats import Stats


@dataclass(frozen=True, slots=True)
class Core:
    """What all lanes of a process share. `report` takes one dictionary for each line of the log."""

    database: Database
    hosts: Table
    zombies: Table
    me: int
    options: Options
    tools: Any
    save: Save
    gate: Gate
    report: Callable[[list[dict[str, Any]]], None]
    clear_decks: Callable[[], Any]


@dataclass(slots=True, eq=False)
class Host:
    """A host that is ours for now: nobody else in the whole fleet calls it."""

    name: str
    seq: int
    gap: timedelta
    errors: int
    since: float
    rest: timedelta | None = None

    def judge(self, error: Exception | None, options: Options) -> None:
        """Remember faults of the host itself; too many in a row, or a wait it asked for, send it to rest."""
        if error is None:
            self.errors = 0
        elif getattr(error, "host_fault", False):
            self.errors += 1
            if isinstance(error, RetryAfter):
                self.rest = max(self.gap, error.wait)
            elif self.errors >= options.host_errors:
                times = min(self.errors // options.host_errors - 1, 2)
                self.rest = options.host_rest * options.host_rest_factor**times


@dataclass(slots=True, eq=False)
class Visit:
    """Items that run one after another: one row, or the rows of one host."""

    items: deque[Item]
    host: Host | None = None


@dataclass(slots=True, eq=False)
class Held:
    """An item that is ours from its claim until it is settled."""

    item: Item
    since: float
    task: asyncio.Task[None] | None = None
    lost: bool = False
    entry: Entry | None = field(default=None)


class Lane:
    def __init__(self, stage: Stage, tuning: Tuning, core: Core) -> None:
        self.stage, self.tuning, self.core = stage, tuning, core
        self.stats = Stats(stage.name)
        self.settler = Settler(stage, core.database, core.me, core.save)
        self.held: dict[Any, Held] = {}
        self.visits: set[Visit] = set()
        self.paused = self.congested = self.stopping = False
        self.poll_longest = core.options.poll_longest
        self.looks = 0
        self._waiting: deque[Visit] = deque()
        self._runners: set[asyncio.Task[None]] = set()
        self._settled: list[Entry] = []
        self._released: list[Host] = []
        self._woken, self._some, self._full = asyncio.Event(), asyncio.Event(), asyncio.Event()
        self._looked = asyncio.Event()
        self._after: Any = UUID(int=0)
        self._claim = claims.claim_hosts(stage, core.hosts) if stage.work.host else claims.claim(stage)
        self._lock_hosts = claims.lock_hosts(core.hosts)
        self._release: Any = claims.release_host(stage, core.hosts) if stage.work.host else None
        self._run_began: float | None = None
        self._run_from = dict(self.stats.totals)

    # ---- being told

    def wake(self) -> None:
        self._woken.set()

    async def tick(self) -> None:
        """The schedule's safety net: look at the queue now, whether or not anybody said that it has work."""
        self._looked.clear()
        self.wake()
        await self._looked.wait()

    # ---- the loop

    async def loop(self) -> None:
        """Claim while there is room; sleep when there is none or nothing to do; until told to stop."""
        flusher = asyncio.create_task(self._flush_often())
        wait = self.core.options.poll_first
        try:
            while not self.stopping:
                self._woken.clear()
                room = self._room()
                took = await self._take(room) if room and self._may_claim() else 0
                self.looks += 1
                self._looked.set()
                if took:
                    wait = self.core.options.poll_first
                elif self.held:
                    await self._sleep(self.core.options.poll_first)
                else:
                    self._end_run()
                    await self._sleep(wait)
                    wait = min(wait * 2, self.poll_longest)
        finally:
            flusher.cancel()

    def _may_claim(self) -> bool:
        return not (self.paused or self.congested) and self.core.gate.is_open

    def _room(self) -> int:
        """How many rows (or hosts) to ask for: a batch that should take about the target time."""
        taken = len(self.visits)
        free = self.tuning.at_once - taken
        if free < max(1, self.tuning.at_once // 4):
            return 0
        return min(free, self.batch())

    def batch(self) -> int:
        minute = self.stats.mean_ms()
        if not minute:
            return self.tuning.batch
        fitting = self.tuning.target.total_seconds() * 1000 * self.tuning.at_once / minute
        return max(1, min(self.tuning.batch, int(fitting)))

    async def _sleep(self, wait: timedelta) -> None:
        try:
            await asyncio.wait_for(self._woken.wait(), wait.total_seconds() * (0.75 + random.random() / 2))  # noqa: S311
        except TimeoutError:
            return

    # ---- claiming

    async def _take(self, room: int) -> int:
        """Claim and start up to `room` rows or hosts; says how many it got."""
        visits = await (self._take_hosts(room) if self.stage.work.host else self._take_rows(room))
        if visits and self._run_began is None:
            self._run_began, self._run_from = perf_counter(), dict(self.stats.totals)
        if self.stopping:
            for visit in visits:
                self._give_back(visit)
            return 0
        self._start(visits)
        return len(visits)

    async def _ask(self, **values: Any) -> list[Row[Any]]:
        values |= {"lease": self.core.options.lease, "me": self.core.me}
        return await self.core.database.patiently(lambda: self.core.database.rows(self._claim, values))

    async def _take_rows(self, room: int) -> list[Visit]:
        """Tenants take turns; one that has nothing due passes its turn on, until all were asked."""
        first = None
        while rows := await self._ask(n=room, after=self._after):
            self._after = rows[0].turn
            if rows[0].id is not None:
                return [Visit(deque((self._item(row._mapping),))) for row in rows]
            if first == self._after:
                break
            first = first or self._after
        return []

    async def _take_hosts(self, room: int) -> list[Visit]:
        rows = await self._ask(k=room, m=self.tuning.per_host)
        visits: dict[str, Visit] = {}
        now = perf_counter()
        best = sorted(
            rows,
            key=lambda row: tuple(row._mapping.get(n) or 0 for n in self._order_names()) if row.id else (),
        )
        for row in best:
            given = row._mapping
            visit = visits.get(given["held_host"])
            if visit is None:
                gap = self.core.options.host_gap
                if given["held_delay"] is not None:
                    gap = max(gap, timedelta(seconds=given["held_delay"]))
                host = Host(given["held_host"], given["held_seq"], gap, given["held_errors"], now)
                visit = visits[host.name] = Visit(deque(), host)
            if given["id"] is not None:
                visit.items.append(self._item(given))
        for visit in visits.values():
            if not visit.items and visit.host:
                visit.host.gap = timedelta(0)
        return list(visits.values())

    def _order_names(self) -> tuple[str, ...]:
        work = self.stage.work
        return (work.priority,) if work.priority else ()

    def _item(self, given: Any) -> Item:
        work = self.stage.work
        item = Item(
            id=given["id"],
            tenant_id=given["tenant_id"],
            row=given,
            seq=given[work.column("lease_seq")],
            retries=given[work.column("retries")],
            crashes=given[work.column("crashes")],
            max_retries=given[work.max_retries] if work.max_retries else self.core.options.max_retries,
            host=given[work.host] if work.host else None,
        )
        self.held[item.id] = Held(item, perf_counter())
        return item

    def _start(self, visits: Iterable[Visit]) -> None:
        for visit in visits:
            self.visits.add(visit)
            self._waiting.append(visit)
        for _ in range(min(len(self._waiting), self.tuning.at_once - len(self._runners))):
            task = asyncio.create_task(self._run_visits())
            self._runners.add(task)
            task.add_done_callback(self._runners.discard)

    # ---- running

    async def _run_visits(self) -> None:
        while self._waiting:
            visit = self._waiting.popleft()
            while visit.items:
                held = self.held[visit.items.popleft().id]
                if visit.host and visit.host.rest:
                    self._settle(held, Outcome("later", reason="the host rests", wait=visit.host.rest), visit)
                elif not held.lost:
                    await self._run(held, visit)
            self._end_visit(visit)

    async def _run(self, held: Held, visit: Visit) -> None:
        gate, began = self.core.gate, perf_counter()
        held.task = asyncio.current_task()
        if held.item.crashes >= SUSPECT_CRASHES:
            async with gate.alone():
                await self.core.clear_decks()
                outcome = await self._attempt(held, visit)
        else:
            if gate.is_open:
                gate.running += 1
            else:
                await gate.enter()
            try:
                outcome = await self._attempt(held, visit)
            finally:
                gate.leave()
        held.task = None
        self._settle(held, outcome, visit, ms=(perf_counter() - began) * 1000)

    async def _attempt(self, held: Held, visit: Visit) -> Outcome:
        """Run it and turn whatever happens into an outcome; the one place that catches everything."""
        limit = asyncio.timeout(self.tuning.timeout.total_seconds())
        error: Exception
        try:
            async with limit:
                done = await self.stage.run(held.item, self.core.tools)
            if visit.host:
                visit.host.judge(None, self.core.options)
            return DONE if done is None else Outcome("done", done=done)
        except asyncio.CancelledError:
            if not (held.lost or self.stopping):
                raise
            task = asyncio.current_task()
            if held.lost and task:
                task.uncancel()
            return GIVEN_BACK
        except Exception as caught:  # noqa: BLE001 - an item's error is its own; its neighbours go on.
            seconds = self.tuning.timeout.total_seconds()
            error = TimeoutError(f"took longer than {seconds:g} s") if limit.expired() else caught
        if visit.host:
            visit.host.judge(error, self.core.options)
        return outcome_of(error, held.item, self.core.options, chance=random.random())  # noqa: S311

    # ---- settling

    def _settle(self, held: Held, outcome: Outcome, visit: Visit, *, ms: float = 0.0) -> None:
        if held.lost:
            self._drop(held)
            return
        held.entry = Entry(held.item, outcome, ms)
        self._settled.append(held.entry)
        self._hurry()

    def _hurry(self) -> None:
        self._some.set()
        waiting = len(self._settled)
        if waiting >= self.core.options.flush_items or waiting >= len(self.held):
            self._full.set()

    def _end_visit(self, visit: Visit) -> None:
        if visit.host:
            self._released.append(visit.host)
            self._hurry()
        self.visits.discard(visit)

    def _drop(self, held: Held) -> None:
        self.held.pop(held.item.id, None)
        self.stats.count("lease_lost")
        self.core.report([self._line(held.item, "lease_lost", 0.0, None)])

    async def _flush_often(self) -> None:
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
        entries, self._settled = self._settled, []
        hosts, self._released = self._released, []
        if entries:
            kept, rows_out = await self._write(entries)
            self._count(entries, kept, rows_out)
        if hosts:
            await self.core.database.patiently(lambda: self._let_go(hosts))
        self._woken.set()

    async def _write(self, entries: list[Entry]) -> tuple[set[Any], int]:
        """Write a batch; if one item's results cannot be stored, write each alone, so that it fails alone."""
        database = self.core.database
        try:
            return await database.patiently(lambda: self.settler.write(entries))
        except Exception as error:  # noqa: BLE001 - the error is settled as the outcome of its own item below.
            if len(entries) == 1:
                return await self._refuse(entries[0], error)
        kept: set[Any] = set()
        rows_out = 0
        for entry in entries:
            one, rows = await self._write([entry])
            kept |= one
            rows_out += rows
        return kept, rows_out

    async def _refuse(self, entry: Entry, error: Exception) -> tuple[set[Any], int]:
        outcome = outcome_of(error, entry.item, self.core.options, chance=random.random())  # noqa: S311
        entry.outcome = outcome
        return await self.core.database.patiently(lambda: self.settler.write([entry]))

    def _count(self, entries: list[Entry], kept: set[Any], rows_out: int) -> None:
        kinds: dict[str, int] = {"rows_out": rows_out}
        lines = []
        for entry in entries:
            self.held.pop(entry.item.id, None)
            kind = entry.outcome.kind if entry.item.id in kept else "lease_lost"
            kinds[kind] = kinds.get(kind, 0) + 1
            lines.append(self._line(entry.item, kind, entry.ms, entry.outcome))
        self.stats.items(kinds, [entry.ms for entry in entries])
        self.core.report(lines)

    def _line(self, item: Item, kind: str, ms: float, outcome: Outcome | None) -> dict[str, Any]:
        line = {"event": "item", "stage": self.stage.name, "id": item.id, "state": kind}
        line |= {"attempt": item.retries + item.crashes + 1, "ms": round(ms, 2)}
        if item.host:
            line["host"] = item.host
        if outcome and outcome.reason:
            line |= {"error": outcome.reason, "class": outcome.error_class}
        return line

    # ---- hosts

    async def _let_go(self, hosts: list[Host]) -> None:
        """Lock, then decide in a second statement: in one, work queued meanwhile would be overlooked."""
        names, seqs = [host.name for host in hosts], [host.seq for host in hosts]
        locked = {"hosts": names, "seqs": seqs, "me": self.core.me}
        async with self.core.database.engine.begin() as connection:
            ours = {row.host for row in await connection.execute(self._lock_hosts, locked)}
            for host in hosts:
                if host.name in ours:
                    wait = host.gap if host.rest is None else host.rest
                    values = {"name": host.name, "wait": wait, "errors": host.errors}
                    await connection.execute(self._release, values)

    # ---- keeping and giving back

    async def renew(self) -> None:
        """Extend the lease of what has been running for a while; drop what is no longer ours."""
        options, now = self.core.options, perf_counter()
        old = now - options.heartbeat.total_seconds() * 0.9
        kept = [held for held in self.held.values() if held.since <= old and held.entry is None]
        if kept:
            ours = await self.settler.renew([held.item for held in kept], options.lease)
            for held in kept:
                if held.item.id not in ours:
                    self._lose(held)
        hosts = [visit.host for visit in self.visits if visit.host and visit.host.since <= old]
        if hosts:
            values = {"hosts": [h.name for h in hosts], "seqs": [h.seq for h in hosts]}
            values |= {"me": self.core.me, "lease": options.lease}
            await self.core.database.rows(claims.renew_hosts(self.core.hosts), values)

    def _lose(self, held: Held) -> None:
        if held.entry is None and not held.lost:
            held.lost = True
            if held.task:
                held.task.cancel()

    def give_back_waiting(self) -> None:
        """Return everything that has not started."""
        for visit in list(self._waiting):
            self._give_back(visit)
            self._end_visit(visit)
        self._waiting.clear()
        for visit in self.visits:
            self._give_back(visit)

    def _give_back(self, visit: Visit) -> None:
        while visit.items:
            self._settle(self.held[visit.items.popleft().id], GIVEN_BACK, visit)

    async def stop(self, grace: float) -> None:
        """Claim no more, give back what has not started, let the rest end in time, then cut it off."""
        self.stopping = True
        self.wake()
        self.give_back_waiting()
        await self.flush()
        if self._runners:
            await asyncio.wait(self._runners, timeout=grace)
        self.cut_off()
        if self._runners:
            await asyncio.wait(self._runners, timeout=2)
        await self.flush()

    def cut_off(self) -> None:
        for task in self._runners:
            task.cancel()

    def _end_run(self) -> None:
        """The queue is empty: one run is over, and says what it did."""
        if self._run_began is None:
            return
        ms = (perf_counter() - self._run_began) * 1000
        self._run_began = None
        now, before = self.stats.totals, self._run_from
        success, failed = now["done"] - before["done"], now["failed"] - before["failed"]
        total = success + failed + now["retried"] - before["retried"]
        self.stats.run(ms)
        line = {"event": "run", "stage": self.stage.name, "success": success, "failed": failed}
        self.core.report([{**line, "total": total, "ms": round(ms, 1)}])
