"""Slots at hosts: one request at a time, a delay between requests, a pause after repeated errors."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from datetime import timedelta
from types import TracebackType
from typing import Protocol

from scrapersky.fetch.errors import Failure, HostAbandoned, HostBusy, HostPaused, Throttled, as_clause


class HostSlotProvider(Protocol):
    """Grants slots at hosts."""

    def slot(
        self, key: str, *, crawl_delay: float | None = None, held_host: str | None = None
    ) -> AbstractAsyncContextManager[None]:
        """Wait for a slot at host `key`; an exception raised inside counts for or against the host.

        `held_host` is the host that the engine has leased for the running item; it needs no second lease.
        """
        ...


@dataclass(frozen=True, slots=True)
class RateLimit:
    """How often a host is called; times are seconds."""

    delay: float = 1.0
    max_crawl_delay: float = 30.0
    # A longer wait snoozes the item instead of keeping a worker busy.
    max_wait: float = 35.0
    errors_before_pause: int = 5
    pause: float = 300.0
    max_pauses: int = 3
    # How long a host is left alone after its last pause.
    abandon: float = 86_400.0


@dataclass(slots=True)
class _Host:
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    next_at: float = 0.0
    paused_until: float = 0.0
    errors: int = 0
    pauses: int = 0
    waiting: int = 0
    # Why it is paused.
    reason: str = ""


class LocalHostSlots:
    """The slots of one process, on the monotonic clock."""

    def __init__(
        self, limit: RateLimit | None = None, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._limit = limit or RateLimit()
        self._clock = clock
        self._hosts: dict[str, _Host] = {}

    def configure(self, limit: RateLimit) -> None:
        """Use another limit from the next slot on."""
        self._limit = limit

    def slot(
        self, key: str, *, crawl_delay: float | None = None, held_host: str | None = None
    ) -> AbstractAsyncContextManager[None]:
        return _Slot(self, key, self._delay(crawl_delay))

    async def _acquire(self, key: str, delay: float) -> _Host:
        """Wait for the slot and keep it until `_release`."""
        host = self._host(key)
        self._check_pause(host)
        self._check_waiting(host, delay)
        host.waiting += 1
        try:
            await host.lock.acquire()
            try:
                self._check_pause(host)
                await asyncio.sleep(max(0.0, host.next_at - self._clock()))
            except BaseException:
                host.lock.release()
                raise
        except BaseException:
            host.waiting -= 1
            raise
        return host

    def _release(self, host: _Host, delay: float, error: BaseException | None) -> None:
        if isinstance(error, Failure):
            self._record_failure(host, error)
        elif error is None:
            host.errors = host.pauses = 0
        host.next_at = self._clock() + delay
        host.lock.release()
        host.waiting -= 1

    def _host(self, key: str) -> _Host:
        known = self._hosts.get(key)
        if known is not None:
            return known
        if len(self._hosts) >= 10_000:
            now = self._clock()
            self._hosts = {name: host for name, host in self._hosts.items() if self._is_active(host, now)}
        return self._hosts.setdefault(key, _Host())

    @staticmethod
    def _is_active(host: _Host, now: float) -> bool:
        return bool(host.waiting or host.errors or max(host.next_at, host.paused_until) > now)

    def _delay(self, crawl_delay: float | None) -> float:
        requested = min(max(crawl_delay or 0.0, 0.0), self._limit.max_crawl_delay)
        return max(self._limit.delay, requested)

    def _check_pause(self, host: _Host) -> None:
        wait = host.paused_until - self._clock()
        if wait > 0 and host.pauses > self._limit.max_pauses:
            raise HostAbandoned(host.reason)
        if wait > self._limit.max_wait:
            raise HostPaused(host.reason, wait=timedelta(seconds=wait))
        if wait > 0:
            host.next_at = max(host.next_at, host.paused_until)

    def _check_waiting(self, host: _Host, delay: float) -> None:
        if host.waiting * delay > self._limit.max_wait:
            raise HostBusy(wait=timedelta(seconds=host.waiting * delay))

    def _record_failure(self, host: _Host, failure: Failure) -> None:
        if isinstance(failure, Throttled):
            host.paused_until = self._clock() + failure.wait.total_seconds()
            host.reason = as_clause(failure)
        if not failure.hurts_host:
            return
        host.errors += 1
        if host.errors >= self._limit.errors_before_pause:
            host.errors = 0
            host.reason = as_clause(failure)
            host.pauses += 1
            is_last = host.pauses > self._limit.max_pauses
            pause = self._limit.abandon if is_last else self._limit.pause
            host.paused_until = max(host.paused_until, self._clock() + pause)


class _Slot:
    """One slot at a host, while it is entered."""

    def __init__(self, slots: LocalHostSlots, key: str, delay: float) -> None:
        self._slots, self._key, self._delay = slots, key, delay

    async def __aenter__(self) -> None:
        self._host = await self._slots._acquire(self._key, self._delay)

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._slots._release(self._host, self._delay, error)
