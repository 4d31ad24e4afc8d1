"""A PostgreSQL of a test's own that survives crashes, and the means to crash it."""

from __future__ import annotations

import asyncio
from pathlib import Path

from scrapersky.embedded import PrivateServer
from scrapersky.embedded.account import server_account
from scrapersky.embedded.binaries import reachable_binaries

# Everything that was acknowledged must be there after a crash.
DURABLE = {"fsync": "on", "synchronous_commit": "on", "shared_buffers": "32MB", "max_wal_size": "256MB"}


class Crashing:
    def __init__(self, folder: Path, **options: str) -> None:
        self.folder, self.options = folder, {**DURABLE, **options}
        self.server = PrivateServer(folder, options=self.options)

    async def start(self) -> None:
        await asyncio.to_thread(self.server.start)

    async def crash(self) -> None:
        """End it as a power cut would: no checkpoint, no goodbye to anybody."""
        await asyncio.to_thread(self._pg_ctl, "stop", "-m", "immediate")
        self.server.stop()

    def _pg_ctl(self, *what: str) -> None:
        account = server_account()
        cluster = self.server.cluster
        command = [reachable_binaries(account) / "pg_ctl", *what, "-w", "-D", cluster]
        told = account.run(command, cwd=cluster)
        assert told.returncode == 0, told.stdout

    @property
    def url(self) -> str:
        return self.server.url()
