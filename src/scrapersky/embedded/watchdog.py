"""Restarts the private PostgreSQL when it dies while it is in use."""

from __future__ import annotations

import asyncio
from time import monotonic

from scrapersky.embedded.server import PrivateServer
from scrapersky.errors import StartupError
from scrapersky.log import Log

CHECK_SECONDS = 1.0


async def keep_running(server: PrivateServer, log: Log) -> None:
    """Restart the server whenever it has died, until cancelled.

    Every process that uses the server does this, so it does not depend on any of them; with the start lock
    one of them restarts it, and the others find it running.
    """
    failure = ""
    while True:
        await asyncio.sleep(CHECK_SECONDS)
        if not await asyncio.to_thread(server.has_died):
            continue
        began = monotonic()
        try:
            restarted = await asyncio.to_thread(server.restart)
        except (StartupError, OSError) as error:
            # A full disk, for example: retried until it works, logged once.
            if str(error) != failure:
                failure = str(error)
                log.event("database_restart_failed", level="error", error=failure)
            continue
        failure = ""
        if restarted:
            log.event("database_restarted", level="warning", seconds=round(monotonic() - began, 1))
