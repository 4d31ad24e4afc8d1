"""A circuit breaker: a service that keeps failing is not called for a while, then called once as a trial."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from types import TracebackType
from typing import Any

from scrapersky.engine.outcome import Discard, Snooze


def is_failure(error: BaseException) -> bool:
    """A service that is busy or refuses one request is not broken."""
    return not isinstance(error, Snooze | Discard | asyncio.CancelledError)


async def ignore_change(circuit: CircuitBreaker) -> None:
    return None


class CircuitBreaker:
    """`async with circuit:` around calls to one service; while it is open it raises Snooze instead.

    `counts` decides which errors are the service's fault; `on_change` is called when the circuit opens, when
    a trial fails, and when it closes again.
    """

    def __init__(
        self,
        name: str,
        *,
        failures: int = 5,
        open_for: timedelta = timedelta(minutes=1),
        counts: Callable[[BaseException], bool] = is_failure,
        on_change: Callable[[CircuitBreaker], Awaitable[Any]] = ignore_change,
    ) -> None:
        self.name, self.limit, self.open_for = name, failures, open_for
        self.failures = 0
        self.reason = ""
        self._counts, self._on_change = counts, on_change
        self._opened_at: float | None = None
        self._trying = False

    @property
    def is_open(self) -> bool:
        return self._left() > 0 or self._trying

    def _left(self) -> float:
        if self._opened_at is None:
            return 0.0
        return self._opened_at + self.open_for.total_seconds() - asyncio.get_running_loop().time()

    def check(self) -> None:
        """Raise Snooze while the circuit is open, before anything is spent on a call."""
        if self.is_open:
            why = f" ({self.reason})" if self.reason else ""
            wait = timedelta(seconds=max(self._left(), 1.0))
            raise Snooze(f"{self.name} keeps failing and is not called for now{why}", wait=wait)

    async def __aenter__(self) -> None:
        self.check()
        self._trying = self._opened_at is not None

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._trying = False
        if error is None:
            await self._close()
        elif self._counts(error):
            await self._count(error)

    async def _close(self) -> None:
        was_open = self._opened_at is not None
        self.failures, self.reason, self._opened_at = 0, "", None
        if was_open:
            await self._on_change(self)

    async def _count(self, error: BaseException) -> None:
        self.failures += 1
        self.reason = str(error) or type(error).__name__
        if self.failures >= self.limit:
            self._opened_at = asyncio.get_running_loop().time()
            await self._on_change(self)
