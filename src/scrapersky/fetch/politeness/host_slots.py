"""Turns at hosts in the whole fleet: the host an item holds is ours, any other is borrowed."""

from __future__ import annotations

import sys
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from datetime import timedelta
from types import TracebackType
from typing import Any

from sqlalchemy import Interval, bindparam, func, or_, select, update
from sqlalchemy.dialects.postgresql import insert

from scrapersky import tables
from scrapersky.engine.database import Database, Statement
from scrapersky.fetch.errors import HostResting, as_clause
from scrapersky.fetch.politeness.slots import MemoryTurns, Pace

# Longer than any single fetch may take.
BORROWED = timedelta(seconds=90)
ASK_AGAIN = timedelta(seconds=5)
MOST_REMEMBERED = 10_000


class HostSlots:
    """One request at a time per host and the gap between them, on every machine that shares the database."""

    def __init__(self, database: Database, pace: Pace) -> None:
        self._database = database
        self._pace = pace
        # Which host is left alone after errors is decided in one place, the host's row.
        self._here = MemoryTurns(replace(pace, errors_before_rest=sys.maxsize))
        self._borrowed: dict[str, int] = {}
        self._delays: dict[str, float] = {}

    def turn(
        self, key: str, *, crawl_delay: float | None = None, held_host: str | None = None
    ) -> AbstractAsyncContextManager[None]:
        return _FleetTurn(self, key, crawl_delay, is_held=key == held_host)

    async def _borrow(self, key: str) -> int:
        """Hold a host that we were led to; somebody else's host is left to them.

        If nobody had it since we did, it is ours again at once and the gap is waited for here: one fetch
        often goes there twice, for robots.txt and for the page, and would never get past the first.
        """
        mine = self._borrowed.get(key, -1)
        rows = await self._ask(_BORROW, {"host": key, "mine": mine})
        if not rows:
            [host] = await self._ask(_WHY_NOT, {"name": key}) or [None]
            reason = host.rest_reason if host else None
            raise HostResting(as_clause(reason or "Another worker is calling this host"), wait=ASK_AGAIN)
        if len(self._borrowed) >= MOST_REMEMBERED:
            self._borrowed.clear()
        self._borrowed[key] = int(rows[0].lease_seq)
        return self._borrowed[key]

    async def _learn(self, key: str, delay: float) -> None:
        """Tell the fleet how long this host wants to be left alone between two requests."""
        if self._delays.get(key, 0.0) != delay:
            await self._ask(_LEARN, {"name": key, "delay": delay})
            if len(self._delays) >= MOST_REMEMBERED:
                self._delays.clear()
            self._delays[key] = delay

    async def _give_back(self, key: str, seq: int, gap: float) -> None:
        await self._ask(_GIVE_BACK, {"name": key, "seq": seq, "gap": timedelta(seconds=gap)})

    async def _ask(self, statement: Statement, values: dict[str, Any]) -> list[Any]:
        """A database that restarts is waited for: a host that is not given back is nobody's for long."""
        return await self._database.with_retry(lambda: self._database.fetch(statement, values))


class _FleetTurn:
    """One turn at a host, while it is entered."""

    def __init__(self, turns: HostSlots, key: str, crawl_delay: float | None, *, is_held: bool) -> None:
        self._turns, self._key, self._delay, self._is_held = turns, key, crawl_delay or 0.0, is_held
        self._here = turns._here.turn(key, crawl_delay=crawl_delay)
        self._seq: int | None = None

    async def __aenter__(self) -> None:
        turns, key = self._turns, self._key
        await turns._learn(key, min(self._delay, turns._pace.longest_crawl_delay))
        if self._is_held:
            return await self._here.__aenter__()
        self._seq = await turns._borrow(key)
        try:
            return await self._here.__aenter__()
        except BaseException:
            await self._give_back()
            raise

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            await self._here.__aexit__(kind, error, trace)
        finally:
            await self._give_back()

    async def _give_back(self) -> None:
        if self._seq is not None:
            await self._turns._give_back(self._key, self._seq, max(self._turns._pace.gap, self._delay))


def _borrow() -> Any:
    hosts = tables.hosts
    until: Any = func.now() + BORROWED
    statement = insert(hosts).values(host=bindparam("host"), next_allowed_at=until, lease_seq=1)
    return statement.on_conflict_do_update(
        index_elements=["host"],
        set_={"next_allowed_at": until, "lease_seq": hosts.c.lease_seq + 1, "worker": None},
        where=or_(hosts.c.next_allowed_at <= func.now(), hosts.c.lease_seq == bindparam("mine")),
    ).returning(hosts.c.lease_seq)


def _give_back() -> Any:
    hosts = tables.hosts
    mine = update(hosts).where(hosts.c.host == bindparam("name"), hosts.c.lease_seq == bindparam("seq"))
    return mine.values(next_allowed_at=func.now() + bindparam("gap", type_=Interval))


def _learn() -> Any:
    hosts = tables.hosts
    return update(hosts).where(hosts.c.host == bindparam("name")).values(delay_seconds=bindparam("delay"))


def _why_not() -> Any:
    hosts = tables.hosts.c
    resting = func.greatest(hosts.rest_until, hosts.next_allowed_at) > func.now()
    return select(hosts.rest_reason).where(hosts.host == bindparam("name"), resting)


# Made once: to make them takes longer than to run them.
_BORROW, _GIVE_BACK, _LEARN = Statement(_borrow()), Statement(_give_back()), Statement(_learn())
_WHY_NOT = Statement(_why_not())
