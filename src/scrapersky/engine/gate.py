"""Who may run in this process right now: everybody, or one suspect row alone."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

# A row that was in flight at this many crashes is run alone, so that a further crash is surely its own.
SUSPECT_CRASHES = 2


class Gate:
    def __init__(self) -> None:
        self.running = 0
        self._open = asyncio.Event()
        self._open.set()
        self._empty = asyncio.Event()
        self._one = asyncio.Lock()

    @property
    def is_open(self) -> bool:
        return self._open.is_set()

    def leave(self) -> None:
        self.running -= 1
        if not self.running:
            self._empty.set()

    @asynccontextmanager
    async def alone(self) -> AsyncIterator[None]:
        """Close the gate, wait until nothing runs, and open it again afterwards."""
        async with self._one:
            self._open.clear()
            try:
                while self.running:
                    self._empty.clear()
                    await self._empty.wait()
                yield
            finally:
                self._open.set()
