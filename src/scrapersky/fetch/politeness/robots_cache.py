"""Asks robots.txt before every page (RFC 9309): read once a day per host, closed while it cannot be read."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Protocol
from weakref import WeakValueDictionary

from scrapersky.extract.robots import Robots, read_robots
from scrapersky.fetch.egress.url_policy import CheckedURL
from scrapersky.fetch.errors import (
    ROBOTS_REST,
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
MAX_KNOWN = 512
# Parsing a file above this size would be felt by everything else on the event loop.
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
    # Until when an unreachable host is left alone.
    retry_at: datetime | None = None

    def is_fresh(self, now: datetime, lifetime: timedelta = FRESH) -> bool:
        until = self.retry_at if self.retry_at is not None else self.fetched_at + lifetime
        return self.fetched_at <= now + timedelta(minutes=5) and now < until


class RobotsStore(Protocol):
    """Where copies are kept, by host (with the port when it is an unusual one)."""

    async def get(self, host: str) -> RobotsCopy | None: ...

    async def put(self, host: str, copy: RobotsCopy) -> None: ...


class MemoryRobots:
    """The copies of one process."""

    def __init__(self, *, size: int = 10_000) -> None:
        self._copies: OrderedDict[str, RobotsCopy] = OrderedDict()
        self._size = size

    async def get(self, host: str) -> RobotsCopy | None:
        return self._copies.get(host)

    async def put(self, host: str, copy: RobotsCopy) -> None:
        self._copies[host] = copy
        self._copies.move_to_end(host)
        while len(self._copies) > self._size:
            self._copies.popitem(last=False)


# A copy, and its rules once they have been asked.
_Known = tuple[RobotsCopy, Robots | None]


class RobotsCache:
    """Decides about URLs; two pages of one host never read its robots.txt twice at once."""

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
        self._known: OrderedDict[str, _Known] = OrderedDict()

    async def decision(self, url: CheckedURL, *, held_host: str | None = None) -> Permission:
        """May this URL be fetched; raises RobotsUnreachable while the host's file cannot be read."""
        key = url.authority
        copy, robots = self._fresh(key) or await self._found(url, key, held_host)
        now = self._clock()
        if copy.outcome == "unreachable":
            wait = max((copy.retry_at or now) - now, timedelta(seconds=1))
            raise RobotsUnreachable(copy.error, wait=wait, is_network=copy.is_network)
        age = max(0, int((now - copy.fetched_at).total_seconds()))
        if copy.outcome == "none":
            return Permission(True, f"no robots.txt ({copy.status or 'redirects'})", age)
        robots = robots or await self._parsed_copy(url, key, copy)
        verdict = robots.decide(url.href, self._agent)
        return Permission(verdict.is_allowed, verdict.reason, age, verdict.delay, robots.sitemaps)

    def _fresh(self, key: str) -> _Known | None:
        known = self._known.get(key)
        # Whether a file is still unreadable is asked of the store: a person may want it tried again now.
        if known is None or known[0].outcome == "unreachable":
            return None
        return known if known[0].is_fresh(self._clock(), self._lifetime) else None

    async def _found(self, url: CheckedURL, key: str, held_host: str | None) -> _Known:
        lock = self._locks.get(key)
        if lock is None:
            lock = self._locks[key] = asyncio.Lock()
        async with lock:
            # Who held the lock before us may have found it already.
            if found := self._fresh(key):
                return found
            copy = await self._store.get(key)
            if copy is None or not copy.is_fresh(self._clock(), self._lifetime):
                copy = await self._read(url, held_host)
                await self._store.put(key, copy)
            return self._remember(key, copy)

    async def _asked(self, url: str, held_host: str | None) -> Page:
        """The file; one dropped connection is not held against the host."""
        try:
            return await self._fetch(url, held_host)
        except (EmptyReply, ConnectionReset, IncompleteBody):
            return await self._fetch(url, held_host)

    async def _read(self, url: CheckedURL, held_host: str | None) -> RobotsCopy:
        try:
            page = await self._asked(f"{url.scheme}://{url.authority}/robots.txt", held_host)
        except (DNSFailed, TLSFailed, ConnectFailed):
            # The page itself would fail in the same way, and this says why better than "no robots.txt".
            # Nothing is remembered: a site that speaks http alone has robots.txt under that scheme.
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
        wait = max(failure.wait, ROBOTS_REST) if isinstance(failure, Throttled) else ROBOTS_REST
        return RobotsCopy(
            "unreachable",
            now,
            status=failure.status,
            error=as_clause(failure),
            is_network=failure.is_network,
            retry_at=now + wait,
        )

    async def _parsed_copy(self, url: CheckedURL, key: str, copy: RobotsCopy) -> Robots:
        robots = read_robots(copy.text, url=f"{url.scheme}://{key}/robots.txt")
        if len(copy.text) > LARGE:
            # The first question parses the rules.
            await asyncio.to_thread(robots.delay, self._agent)
        self._remember(key, copy, robots)
        return robots

    def _remember(self, key: str, copy: RobotsCopy, robots: Robots | None = None) -> _Known:
        known = self._known[key] = (copy, robots)
        while len(self._known) > MAX_KNOWN:
            self._known.popitem(last=False)
        return known
