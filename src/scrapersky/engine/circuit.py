"""A circuit breaker: a dependency that keeps failing is left alone for a while, then tried once."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from types import TracebackType
from typing import Any

from scrapersky.engine.outcome import Discard, Snooze


def is_failure(error: BaseException) -> bool:
    """That somebody is busy or refuses one request does not mean that they are broken."""
    return not isinstance(error, Snooze | Discard | asyncio.CancelledError)


async def tell_nobody(circuit: Circuit) -> None:
    return None


class Circuit:
    """`async with circuit:` around calls to one dependency; while open it raises Later and calls nobody.

    `counts` says which errors are the dependency's fault; `on_change` is told when the circuit opens, when a
    trial fails, and when it closes again.
    """

    def __init__(
        self,
        name: str,
        *,
        failures: int = 5,
        rest: timedelta = timedelta(minutes=1),
        counts: Callable[[BaseException], bool] = is_failure,
        on_change: Callable[[Circuit], Awaitable[Any]] = tell_nobody,
    ) -> None:
        self.name, self.limit, self.rest = name, failures, rest
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
        return self._opened_at + self.rest.total_seconds() - asyncio.get_running_loop().time()

    def check(self) -> None:
        """Raise Later while the circuit is open, before anything is spent on a call."""
        if self.is_open:
            why = f" ({self.reason})" if self.reason else ""
            wait = timedelta(seconds=max(self._left(), 1.0))
            raise Snooze(f"{self.name} keeps failing and is left alone for now{why}", wait=wait)

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
