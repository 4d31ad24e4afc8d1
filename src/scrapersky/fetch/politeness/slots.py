"""Turns at a host: one request at a time, a gap between them, rest when it asks for it or keeps failing."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from datetime import timedelta
from types import TracebackType
from typing import Protocol

from scrapersky.fetch.errors import Failure, HostAbandoned, HostBusy, HostResting, Throttled, as_clause


class Turns(Protocol):
    """Whose turn it is at a host; in a fleet the engine's host lease sees that one worker asks at a time."""

    def turn(
        self, key: str, *, crawl_delay: float | None = None, held_host: str | None = None
    ) -> AbstractAsyncContextManager[None]:
        """Waits for the turn of `key`; what is raised inside tells how the host behaved.

        `held_host` is the host that the engine has leased for the running item.
        """
        ...


@dataclass(frozen=True, slots=True)
class Pace:
    """How often a host is asked; seconds."""

    gap: float = 1.0
    longest_crawl_delay: float = 30.0
    # A longer wait is given back to the queue instead of holding a worker's slot.
    patience: float = 35.0
    errors_before_rest: int = 5
    rest: float = 300.0
    rests: int = 3
    # How long a host that failed through all its rests is left alone.
    given_up: float = 86_400.0


@dataclass(slots=True)
class _Host:
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    next_at: float = 0.0
    resting_until: float = 0.0
    errors: int = 0
    rests: int = 0
    waiting: int = 0
    # Why it is left alone.
    reason: str = ""


class MemoryTurns:
    """Turns of one process, on the monotonic clock."""

    def __init__(self, pace: Pace | None = None, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._pace = pace or Pace()
        self._clock = clock
        self._hosts: dict[str, _Host] = {}

    def turn(
        self, key: str, *, crawl_delay: float | None = None, held_host: str | None = None
    ) -> AbstractAsyncContextManager[None]:
        return _Turn(self, key, self._gap(crawl_delay))

    async def _begin(self, key: str, gap: float) -> _Host:
        """Wait for the turn; the host is ours until `_end`."""
        host = self._host(key)
        self._refuse_long_wait(host)
        self._refuse_long_line(host, gap)
        host.waiting += 1
        try:
            await host.lock.acquire()
            try:
                self._refuse_long_wait(host)
                await asyncio.sleep(max(0.0, host.next_at - self._clock()))
            except BaseException:
                host.lock.release()
                raise
        except BaseException:
            host.waiting -= 1
            raise
        return host

    def _end(self, host: _Host, gap: float, error: BaseException | None) -> None:
        if isinstance(error, Failure):
            self._note_failure(host, error)
        elif error is None:
            host.errors = host.rests = 0
        host.next_at = self._clock() + gap
        host.lock.release()
        host.waiting -= 1

    def _host(self, key: str) -> _Host:
        known = self._hosts.get(key)
        if known is not None:
            return known
        if len(self._hosts) >= 10_000:
            now = self._clock()
            self._hosts = {name: host for name, host in self._hosts.items() if self._matters(host, now)}
        return self._hosts.setdefault(key, _Host())

    @staticmethod
    def _matters(host: _Host, now: float) -> bool:
        return bool(host.waiting or host.errors or max(host.next_at, host.resting_until) > now)

    def _gap(self, crawl_delay: float | None) -> float:
        asked = min(max(crawl_delay or 0.0, 0.0), self._pace.longest_crawl_delay)
        return max(self._pace.gap, asked)

    def _refuse_long_wait(self, host: _Host) -> None:
        wait = host.resting_until - self._clock()
        if wait > 0 and host.rests > self._pace.rests:
            raise HostAbandoned(host.reason)
        if wait > self._pace.patience:
            raise HostResting(host.reason, wait=timedelta(seconds=wait))
        if wait > 0:
            host.next_at = max(host.next_at, host.resting_until)

    def _refuse_long_line(self, host: _Host, gap: float) -> None:
        if host.waiting * gap > self._pace.patience:
            raise HostBusy(wait=timedelta(seconds=host.waiting * gap))

    def _note_failure(self, host: _Host, failure: Failure) -> None:
        if isinstance(failure, Throttled):
            host.resting_until = self._clock() + failure.wait.total_seconds()
            host.reason = as_clause(failure)
        if not failure.hurts_host:
            return
        host.errors += 1
        if host.errors >= self._pace.errors_before_rest:
            host.errors = 0
            host.reason = as_clause(failure)
            host.rests += 1
            last = host.rests > self._pace.rests
            rest = self._pace.given_up if last else self._pace.rest
            host.resting_until = max(host.resting_until, self._clock() + rest)


class _Turn:
    """One turn at a host, while it is entered."""

    def __init__(self, turns: MemoryTurns, key: str, gap: float) -> None:
        self._turns, self._key, self._gap = turns, key, gap

    async def __aenter__(self) -> None:
        self._host = await self._turns._begin(self._key, self._gap)

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._turns._end(self._host, self._gap, error)
