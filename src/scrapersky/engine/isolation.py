"""Who may run in this process right now: everybody, or one suspect row alone."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from scrapersky.engine.stage import Item

# A row that was in the hands of this many lost workers is run alone: only then is a crash surely its own.
SUSPECT_RESCUES = 2


def is_suspect(item: Item) -> bool:
    return item.crashes > 0 or item.rescues >= SUSPECT_RESCUES


class Isolation:
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
