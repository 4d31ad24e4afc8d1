"""Checks robots.txt before every page (RFC 9309); nothing is fetched from a host while its file fails."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Protocol
from weakref import WeakValueDictionary

from cachetools import LRUCache

from scrapersky.extract.robots import Robots, read_robots
from scrapersky.fetch.egress.url_policy import CheckedURL
from scrapersky.fetch.errors import (
    ROBOTS_RETRY,
    BadEncoding,
    BadRedirect,
    ConnectFailed,
    ConnectionReset,
    DNSFailed,
    EmptyReply,
    Failure,
    HostFailure,
    IncompleteBody,
    RedirectLoop,
    RobotsUnreachable,
    Throttled,
    TLSFailed,
    TooLarge,
    as_clause,
)
from scrapersky.fetch.page import Page, Permission

# RFC 9309 section 2.4.
FRESH = timedelta(hours=24)
CACHE_SIZE = 512
# Larger files are parsed in a thread, so that they do not block the event loop.
LARGE = 32 * 1024


@dataclass(frozen=True, slots=True)
class RobotsCopy:
    """A host's robots.txt as it was read: its text, nothing (the host has none), or unreachable."""

    outcome: str  # "rules", "none" or "unreachable"
    fetched_at: datetime
    text: bytes = b""
    status: int | None = None
    # Why it could not be read.
    error: str = ""
    is_network: bool = False
    # When an unreachable host is tried again.
    retry_at: datetime | None = None

    def is_fresh(self, now: datetime, lifetime: timedelta = FRESH) -> bool:
        until = self.retry_at if self.retry_at is not None else self.fetched_at + lifetime
        return self.fetched_at <= now + timedelta(minutes=5) and now < until


class RobotsStore(Protocol):
    """Where copies are stored, by host (with the port if it is not the default one)."""

    async def get(self, host: str) -> RobotsCopy | None: ...

    async def put(self, host: str, copy: RobotsCopy) -> None: ...


class MemoryRobotsStore:
    """The copies of one process."""

    def __init__(self, *, size: int = 10_000) -> None:
        self._copies: LRUCache[str, RobotsCopy] = LRUCache(size)

    async def get(self, host: str) -> RobotsCopy | None:
        return self._copies.get(host)

    async def put(self, host: str, copy: RobotsCopy) -> None:
        self._copies[host] = copy


# A copy, and its rules once they have been parsed.
_Known = tuple[RobotsCopy, Robots | None]


class RobotsCache:
    """Decides about URLs; concurrent pages of one host read its robots.txt once."""

    def __init__(
        self,
        store: RobotsStore,
        *,
        fetch: Callable[[str, str | None], Awaitable[Page]],
        agent: str,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        lifetime: timedelta = FRESH,
    ) -> None:
        self._store = store
        self._lifetime = lifetime
        self._fetch = fetch
        self._agent = agent
        self._clock = clock
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._known: LRUCache[str, _Known] = LRUCache(CACHE_SIZE)

    async def decision(self, url: CheckedURL, held_host: str | None = None) -> Permission:
        """Whether this URL may be fetched; raises RobotsUnreachable while the host's file cannot be read."""
        key = url.authority
        copy, robots = self._fresh(key) or await self._load(url, key, held_host)
        now = self._clock()
        if copy.outcome == "unreachable":
            wait = max((copy.retry_at or now) - now, timedelta(seconds=1))
            reason = f"{copy.error}; retry after {now + wait:%H:%M} UTC"
            raise RobotsUnreachable(reason, wait=wait, is_network=copy.is_network)
        age = max(0, int((now - copy.fetched_at).total_seconds()))
        if copy.outcome == "none":
            return Permission(True, f"no robots.txt ({copy.status or 'redirects'})", age)
        robots = robots or await self._parsed_copy(url, key, copy)
        verdict = robots.decide(url.href, self._agent)
        return Permission(verdict.is_allowed, verdict.reason, age, verdict.delay, robots.sitemaps)

    def _fresh(self, key: str) -> _Known | None:
        known = self._known.get(key)
        # For an unreachable file the store decides: a person may have requested another try.
        if known is None or known[0].outcome == "unreachable":
            return None
        return known if known[0].is_fresh(self._clock(), self._lifetime) else None

    async def _load(self, url: CheckedURL, key: str, held_host: str | None) -> _Known:
        lock = self._locks.get(key)
        if lock is None:
            lock = self._locks[key] = asyncio.Lock()
        async with lock:
            # The previous holder of the lock may have loaded it.
            if known := self._fresh(key):
                return known
            copy = await self._store.get(key)
            if copy is None or not copy.is_fresh(self._clock(), self._lifetime):
                copy = await self._read(url, held_host)
                await self._store.put(key, copy)
            return self._remember(key, copy)

    async def _download(self, url: str, held_host: str | None) -> Page:
        """The file; after one dropped connection it is tried again."""
        try:
            return await self._fetch(url, held_host)
        except (EmptyReply, ConnectionReset, IncompleteBody):
            return await self._fetch(url, held_host)

    async def _read(self, url: CheckedURL, held_host: str | None) -> RobotsCopy:
        try:
            page = await self._download(f"{url.scheme}://{url.authority}/robots.txt", held_host)
        except (DNSFailed, TLSFailed, ConnectFailed):
            # The page itself would fail in the same way, and this says why better than "no robots.txt".
            # Nothing is stored: a site without https has its robots.txt under http.
            raise
        except (RedirectLoop, BadRedirect):
            return RobotsCopy("none", self._clock())
        except (HostFailure, Throttled, TooLarge, BadEncoding) as failure:
            return self._unreachable(failure)
        if page.status >= 400:
            return RobotsCopy("none", self._clock(), status=page.status)
        return RobotsCopy("rules", self._clock(), page.body, page.status)

    def _unreachable(self, failure: Failure) -> RobotsCopy:
        now = self._clock()
        wait = max(failure.wait, ROBOTS_RETRY) if isinstance(failure, Throttled) else ROBOTS_RETRY
        error = f"robots.txt could not be fetched: {as_clause(failure)}"
        return RobotsCopy(
            "unreachable",
            now,
            status=failure.status,
            error=f"robots.txt returned HTTP {failure.status}" if failure.status else error,
            is_network=failure.is_network,
            retry_at=now + wait,
        )

    async def _parsed_copy(self, url: CheckedURL, key: str, copy: RobotsCopy) -> Robots:
        robots = read_robots(copy.text, url=f"{url.scheme}://{key}/robots.txt")
        if len(copy.text) > LARGE:
            # The first call parses the rules.
            await asyncio.to_thread(robots.delay, self._agent)
        self._remember(key, copy, robots)
        return robots

    def _remember(self, key: str, copy: RobotsCopy, robots: Robots | None = None) -> _Known:
        known = self._known[key] = (copy, robots)
        return known
