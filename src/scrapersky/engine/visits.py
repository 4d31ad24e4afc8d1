"""What a runner works through: single rows, or all rows of a host that is ours for now."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from operator import attrgetter
from time import perf_counter
from typing import Any
from uuid import UUID

from sqlalchemy import Table

from scrapersky.engine import claims
from scrapersky.engine.database import Database, Statement
from scrapersky.engine.outcome import RetryAfter, bounded_wait, reason_of
from scrapersky.engine.stage import EngineOptions, Item, Stage


@dataclass(slots=True, eq=False)
class Host:
    """A host that is ours for now: nobody else in the whole fleet calls it."""

    name: str
    seq: int
    gap: timedelta
    errors: int
    since: float
    rest: timedelta | None = None
    # Why it is left alone, and whether it asked for that itself.
    reason: str = ""
    asked: bool = False

    def judge(self, error: Exception | None, options: EngineOptions) -> None:
        """Remember faults of the host itself; too many in a row, or a wait it asked for, send it to rest."""
        if error is None:
            self.errors = 0
            return
        self.errors += bool(getattr(error, "hurts_host", False))
        if isinstance(error, RetryAfter):
            self.rest, self.asked = max(self.gap, bounded_wait(error.wait)), error.is_asked
            self.reason = reason_of(error)
        elif getattr(error, "hurts_host", False) and self.errors >= options.host_errors:
            times = min(self.errors // options.host_errors - 1, 2)
            self.rest, self.asked = options.host_backoff * options.host_backoff_factor**times, False
            self.reason = reason_of(error)


@dataclass(slots=True, eq=False)
class HostBatch:
    """Items that run one after another: one row, or the rows of one host."""

    items: list[Item]
    host: Host | None = None


class Claims:
    """Takes work for one stage: rows in tenants' turns, or hosts in the order in which they are due."""

    def __init__(
        self,
        stage: Stage,
        database: Database,
        hosts: Table,
        me: int,
        options: EngineOptions,
        ids: Sequence[Any] | None = None,
    ) -> None:
        queue, named = stage.queue, ids is not None
        self.stage, self.database, self.me, self.options = stage, database, me, options
        claim = (
            claims.claim_hosts(stage, hosts, named=named) if queue.host else claims.claim(stage, named=named)
        )
        self._claim = Statement(claim)
        self._ids = {} if ids is None else {"ids": list(ids)}
        if queue.host:
            self._ours = Statement(claims.our_hosts(hosts))
            self._lock = Statement(claims.lock_hosts(hosts))
            self._release = Statement(claims.release_hosts(stage, hosts))
            self._renew = Statement(claims.renew_hosts(hosts))
        self._after: Any = UUID(int=0)
        roles = ("lease_seq", "retries", "crashes", "rescues")
        self._parts = attrgetter("id", "tenant_id", *(queue.column(role) for role in roles))

    async def take(self, room: int, per_host: int) -> list[HostBatch]:
        return await (self._take_hosts(room, per_host) if self.stage.queue.host else self._take_rows(room))

    async def _ask(self, **values: Any) -> list[Any]:
        values |= {"lease": self.options.lease, "me": self.me, **self._ids}
        return await self.database.with_retry(lambda: self.database.fetch(self._claim, values))

    async def _take_rows(self, room: int) -> list[HostBatch]:
        """Tenants take turns; one that has nothing due passes its turn on, until all were asked."""
        first = None
        while rows := await self._ask(n=room, after=self._after):
            self._after = rows[0].turn
            if rows[0].id is not None:
                return [HostBatch([self._item(row)]) for row in rows]
            if first == self._after:
                break
            first = first or self._after
        return []

    async def _take_hosts(self, room: int, per_host: int) -> list[HostBatch]:
        visits: dict[str, HostBatch] = {}
        for row in await self._ask(k=room, m=per_host):
            visit = visits.get(row.held_host)
            if visit is None:
                visit = visits[row.held_host] = HostBatch([], self._host(row))
            if row.id is not None:
                visit.items.append(self._item(row))
        for visit in visits.values():
            visit.items.sort(key=self._rank)
        return list(visits.values())

    def _host(self, row: Any) -> Host:
        gap = max(self.options.host_delay, timedelta(seconds=row.held_delay or 0))
        # A host whose rows all wait for later was not called, so it owes nobody a pause.
        pause = gap if row.id is not None else timedelta(0)
        return Host(row.held_host, row.held_seq, pause, row.held_errors, perf_counter())

    def _rank(self, item: Item) -> tuple[Any, ...]:
        queue = self.stage.queue
        names = [queue.priority] if queue.priority else []
        return tuple(getattr(item.row, name) for name in [*names, queue.column("due_at")])

    def _item(self, row: Any) -> Item:
        queue = self.stage.queue
        most = getattr(row, queue.max_retries) if queue.max_retries else self.options.max_retries
        number, tenant, seq, retries, crashes, rescues = self._parts(row)
        host = getattr(row, queue.host) if queue.host else None
        return Item(number, tenant, row, seq, retries, crashes, most, host, rescues)

    async def let_go(self, hosts: Sequence[Host]) -> tuple[list[Any], list[Host]]:
        """Release the hosts; says for each how soon it may be called again and what awaits it.

        Lock, then decide in a second statement: in one, work queued meanwhile would be overlooked. Those
        that somebody else has locked are handed back, to be released later.
        """
        locked = {"host_list": [h.name for h in hosts], "seq_list": [h.seq for h in hosts], "me": self.me}
        async with self.database.engine.begin() as connection:
            ours = {row.host for row in await self._lock.run(connection, locked)}
            left = [host for host in hosts if host.name in ours]
            waits = [host.gap if host.rest is None else host.rest for host in left]
            values = {"host_list": [host.name for host in left], "wait_list": waits}
            values["errors_list"] = [host.errors for host in left]
            values["reason_list"] = [host.reason or None for host in left]
            values["own_list"] = [bool(host.rest and not host.asked) for host in left]
            released = await self._release.run(connection, values)
            if len(left) == len(hosts):
                return released, []
            still = {row.host for row in await self._ours.run(connection, locked)} - ours
            return released, [host for host in hosts if host.name in still]

    async def keep(self, hosts: Iterable[Host]) -> set[str]:
        """Hold on to hosts that take long; gives the names of those that still are ours."""
        names, seqs = zip(*((host.name, host.seq) for host in hosts), strict=True)
        values = {"host_list": list(names), "seq_list": list(seqs), "me": self.me}
        return {
            row.host
            for row in await self.database.fetch(self._renew, {**values, "lease": self.options.lease})
        }
