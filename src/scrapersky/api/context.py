"""What every request may use."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy.ext.asyncio import AsyncEngine

from scrapersky.actions.operations.background import run_open_operations, watch_operations
from scrapersky.log import Log
from scrapersky.secret_key import SecretKey
from scrapersky.settings import Settings

PREFIX = "/api/v3"


@dataclass(frozen=True, slots=True)
class ApiContext:
    """The database as its owner sees it, the settings, the log and the key of this installation.

    A route takes its engine from the caller, never from here: only that one is confined to the tenant.
    """

    engine: AsyncEngine
    settings: Settings
    log: Log
    secret_key: SecretKey
    background: set[asyncio.Task[Any]] = field(default_factory=set)

    def run_operations(self) -> None:
        """Run the operations that wait, in this process, while requests are answered."""
        self._start(run_open_operations(self.engine, self.log.report))

    def watch_operations(self) -> None:
        """Continue the operations of processes that have died."""
        self._start(watch_operations(self.engine, self.log.report))

    def _start(self, work: Coroutine[Any, Any, Any]) -> None:
        task = asyncio.create_task(work)
        self.background.add(task)
        task.add_done_callback(self.background.discard)

    async def close(self) -> None:
        """End what runs in the background; another process continues it."""
        for task in list(self.background):
            task.cancel()
        await asyncio.gather(*self.background, return_exceptions=True)
