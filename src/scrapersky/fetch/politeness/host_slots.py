"""Slots at hosts for all workers: an item keeps the host that it holds and borrows any other."""

from __future__ import annotations

import sys
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from datetime import timedelta
from types import TracebackType
from typing import Any

from cachetools import LRUCache
from sqlalchemy import Interval, and_, bindparam, case, false, func, or_, select, true, update
from sqlalchemy.dialects.postgresql import insert

from scrapersky import tables
from scrapersky.engine.database import Database, Statement
from scrapersky.fetch.errors import HostPaused, as_clause
from scrapersky.fetch.politeness.slots import LocalHostSlots, RateLimit

# Longer than any single fetch may take.
LEASE = timedelta(seconds=90)
RETRY_AFTER = timedelta(seconds=5)
RETRY_PAUSED_AFTER = timedelta(minutes=10)
CACHE_SIZE = 10_000
PAUSED_BY_PERSON = "a person has paused this host"


class HostSlots:
    """One request at a time per host and a delay between requests, over all workers of a database."""

    def __init__(self, database: Database, limit: RateLimit) -> None:
        self._database = database
        self._limit = limit
        self._local = LocalHostSlots(_without_pauses(limit))
        self._leases: LRUCache[str, int] = LRUCache(CACHE_SIZE)
        self._delays: LRUCache[str, float] = LRUCache(CACHE_SIZE)

    def configure(self, limit: RateLimit) -> None:
        """Use another limit from the next slot on."""
        self._limit = limit
        self._local.configure(_without_pauses(limit))

    def slot(
        self, key: str, *, crawl_delay: float | None = None, held_host: str | None = None
    ) -> AbstractAsyncContextManager[None]:
        return _HostSlot(self, key, crawl_delay, is_held=key == held_host)

    async def _borrow(self, key: str) -> int:
        """Lease a host that a redirect or a link led to, unless another worker has it.

        A host that nobody has leased since our last lease is ours again at once, and the delay is waited for
        here: one fetch often calls a host twice, for robots.txt and for the page.
        """
        rows = await self._execute(_BORROW, {"host": key, "mine": self._leases.get(key, -1)})
        if not rows:
            [host] = await self._execute(_PAUSE, {"name": key})
            if host.is_paused:
                raise HostPaused(PAUSED_BY_PERSON, wait=RETRY_PAUSED_AFTER)
            reason = host.backoff_reason or "Another worker is calling this host"
            raise HostPaused(as_clause(reason), wait=RETRY_AFTER)
        lease = self._leases[key] = int(rows[0].lease_seq)
        return lease

    async def _save_delay(self, key: str, delay: float) -> None:
        """Store the host's crawl delay for all workers."""
        if self._delays.get(key, 0.0) != delay:
            await self._execute(_SAVE_DELAY, {"name": key, "delay": delay})
            self._delays[key] = delay

    async def _release(self, key: str, lease: int, delay: float) -> None:
        await self._execute(_RELEASE, {"name": key, "seq": lease, "gap": timedelta(seconds=delay)})

    async def _execute(self, statement: Statement, values: dict[str, Any]) -> list[Any]:
        """Retry while the database restarts: a host that is not released stays leased for a long time."""
        return await self._database.with_retry(lambda: self._database.fetch(statement, values))


def _without_pauses(limit: RateLimit) -> RateLimit:
    """Pauses after errors are decided in one place, the host's row."""
    return replace(limit, errors_before_pause=sys.maxsize)


class _HostSlot:
    """One slot at a host, while it is entered."""

    def __init__(self, slots: HostSlots, key: str, crawl_delay: float | None, *, is_held: bool) -> None:
        self._slots, self._key, self._delay, self._is_held = slots, key, crawl_delay or 0.0, is_held
        self._local = slots._local.slot(key, crawl_delay=crawl_delay)
        self._lease: int | None = None

    async def __aenter__(self) -> None:
        slots, key = self._slots, self._key
        await slots._save_delay(key, min(self._delay, slots._limit.max_crawl_delay))
        if self._is_held:
            return await self._local.__aenter__()
        self._lease = await slots._borrow(key)
        try:
            return await self._local.__aenter__()
        except BaseException:
            await self._release()
            raise

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            await self._local.__aexit__(kind, error, trace)
        finally:
            await self._release()

    async def _release(self) -> None:
        if self._lease is not None:
            await self._slots._release(self._key, self._lease, max(self._slots._limit.delay, self._delay))


def _borrow() -> Any:
    hosts = tables.hosts
    until: Any = func.now() + LEASE
    statement = insert(hosts).values(host=bindparam("host"), next_allowed_at=until, lease_seq=1)
    return statement.on_conflict_do_update(
        index_elements=["host"],
        set_={"next_allowed_at": until, "lease_seq": hosts.c.lease_seq + 1, "worker": None},
        where=and_(
            or_(hosts.c.next_allowed_at <= func.now(), hosts.c.lease_seq == bindparam("mine")),
            func.coalesce(hosts.c.paused_until <= func.now(), true()),
        ),
    ).returning(hosts.c.lease_seq)


def _release() -> Any:
    hosts = tables.hosts
    mine = update(hosts).where(hosts.c.host == bindparam("name"), hosts.c.lease_seq == bindparam("seq"))
    return mine.values(next_allowed_at=func.now() + bindparam("gap", type_=Interval))


def _save_delay() -> Any:
    hosts = tables.hosts
    return update(hosts).where(hosts.c.host == bindparam("name")).values(delay_seconds=bindparam("delay"))


def _pause() -> Any:
    """Whether a person has paused the host, or why else it is left alone."""
    hosts = tables.hosts.c
    is_resting = func.greatest(hosts.backoff_until, hosts.next_allowed_at) > func.now()
    return select(
        func.coalesce(hosts.paused_until > func.now(), false()).label("is_paused"),
        case((is_resting, hosts.backoff_reason)).label("backoff_reason"),
    ).where(hosts.host == bindparam("name"))


# Built once: building a statement takes longer than running it.
_BORROW, _RELEASE, _SAVE_DELAY = Statement(_borrow()), Statement(_release()), Statement(_save_delay())
_PAUSE = Statement(_pause())
