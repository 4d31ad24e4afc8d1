"""Wake-ups at known moments; those that lie close together are one."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from datetime import timedelta

# Seconds; a look at the queue costs about a millisecond.
GRID = 0.02


class Timers:
    def __init__(self, wake: Callable[[], None]) -> None:
        self._wake = wake
        self._set: set[float] = set()

    def wake_after(self, wait: timedelta) -> None:
        loop = asyncio.get_running_loop()
        at = math.ceil((loop.time() + wait.total_seconds()) / GRID) * GRID
        if at not in self._set:
            self._set.add(at)
            loop.call_at(at, self._ring, at)

    def _ring(self, at: float) -> None:
        self._set.discard(at)
        self._wake()
