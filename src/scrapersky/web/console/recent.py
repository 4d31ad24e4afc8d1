"""Values that take long to read, kept for a while, so that many open pages cost no more than one."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Hashable
from dataclasses import dataclass, field
from time import monotonic
from typing import TypeVar

T = TypeVar("T")
# What is read faster than this is always read again.
SLOW_SECONDS = 0.15
# A value is kept for this many times as long as it took to read, but not longer than the limit.
FACTOR, MAX_SECONDS = 20, 60.0
MAX_VALUES = 200


@dataclass(slots=True)
class _Kept:
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    until: float = 0.0
    value: object = None


@dataclass(slots=True)
class RecentValues:
    _kept: dict[Hashable, _Kept] = field(default_factory=dict)

    async def get(self, key: Hashable, read: Callable[[], Awaitable[T]]) -> T:
        """The value of the key, read at most once at a time."""
        kept = self._kept.setdefault(key, _Kept())
        async with kept.lock:
            if monotonic() >= kept.until:
                started = monotonic()
                kept.value = await read()
                ended = monotonic()
                cost = ended - started
                kept.until = ended + min(cost * FACTOR, MAX_SECONDS) if cost > SLOW_SECONDS else 0.0
            value: T = kept.value  # type: ignore[assignment]
        self._forget_oldest()
        return value

    def _forget_oldest(self) -> None:
        while len(self._kept) > MAX_VALUES:
            self._kept.pop(next(iter(self._kept)))
