"""How many pages may wait in memory to be saved: who reads faster than the database writes has to wait."""

from __future__ import annotations

import asyncio
import weakref
from datetime import timedelta
from typing import TypeVar

# About 75 MB. The more are saved at once, the fewer times the same part of an index is written.
MAX_PAGES = 250_000
LONGEST_WAIT = timedelta(minutes=1)
_LOOK = 0.05
Owner = TypeVar("Owner")


class MemoryLimit:
    """Counts what is held, until the holding object is gone; that is when it was saved or given up."""

    def __init__(self, most: int = MAX_PAGES, *, longest: timedelta = LONGEST_WAIT) -> None:
        self.most, self.held = most, 0
        self._looks = int(longest.total_seconds() / _LOOK)

    async def wait(self) -> None:
        """Come back when there is room; or after the longest wait, because work has to go on."""
        for _ in range(self._looks):
            if self.held < self.most:
                return
            await asyncio.sleep(_LOOK)

    def hold(self, owner: Owner, number: int) -> Owner:
        """Count so many pages for as long as their owner lives; gives the owner back."""
        self.held += number
        weakref.finalize(owner, self._give_back, number)
        return owner

    def _give_back(self, number: int) -> None:
        self.held -= number
