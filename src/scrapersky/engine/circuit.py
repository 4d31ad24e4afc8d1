"""A circuit breaker: a dependency that keeps failing is left alone for a while, then tried once."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from types import TracebackType

from scrapersky.engine.signals import GiveUp, Later


class Circuit:
    """`async with circuit:` around calls to one dependency; while open it raises Later and calls nobody."""

    def __init__(self, name: str, *, failures: int = 5, rest: timedelta = timedelta(minutes=1)) -> None:
        self.name, self.most, self.rest = name, failures, rest
        self.failures = 0
        self._opened_at: float | None = None
        self._trying = False

    @property
    def is_open(self) -> bool:
        return self._left() > 0 or self._trying

    def _left(self) -> float:
        if self._opened_at is None:
            return 0.0
        return self._opened_at + self.rest.total_seconds() - asyncio.get_running_loop().time()

    async def __aenter__(self) -> None:
        if self.is_open:
            wait = timedelta(seconds=max(self._left(), 1.0))
            raise Later(f"{self.name} keeps failing and is left alone for now", wait=wait)
        self._trying = self._opened_at is not None

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._trying = False
        # That somebody is busy or refuses one request does not mean that they are broken.
        if error is None or isinstance(error, Later | GiveUp | asyncio.CancelledError):
            if error is None:
                self.failures, self._opened_at = 0, None
            return
        self.failures += 1
        if self.failures >= self.most:
            self._opened_at = asyncio.get_running_loop().time()
