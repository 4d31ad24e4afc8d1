"""A limit on the pages that wait in memory to be saved: imports wait while the database is behind."""

from __future__ import annotations

import asyncio
import weakref
from datetime import timedelta
from typing import TypeVar

# About 75 MB. The more pages are saved at once, the fewer times the same part of an index is written.
MAX_PAGES = 250_000
MAX_WAIT = timedelta(minutes=1)
_POLL_SECONDS = 0.05
Owner = TypeVar("Owner")


class MemoryLimit:
    """Counts pages until the object that holds them is gone: it was saved or abandoned."""

    def __init__(self, limit: int = MAX_PAGES, *, max_wait: timedelta = MAX_WAIT) -> None:
        self.limit, self.held = limit, 0
        self._polls = int(max_wait.total_seconds() / _POLL_SECONDS)

    async def wait(self) -> None:
        """Return when there is room, or after the maximum wait, so that work never stops."""
        for _ in range(self._polls):
            if self.held < self.limit:
                return
            await asyncio.sleep(_POLL_SECONDS)

    def hold(self, owner: Owner, pages: int) -> Owner:
        """Count so many pages for as long as their owner lives; returns the owner."""
        self.held += pages
        weakref.finalize(owner, self._release, pages)
        return owner

    def _release(self, pages: int) -> None:
        self.held -= pages
