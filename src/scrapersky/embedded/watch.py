"""Keeps the private PostgreSQL running for as long as somebody uses it."""

from __future__ import annotations

import asyncio
from time import monotonic

from scrapersky.embedded.server import PrivateServer
from scrapersky.errors import StartupError
from scrapersky.log import Log

CHECK_SECONDS = 1.0


async def keep_running(server: PrivateServer, log: Log) -> None:
    """Start the server again whenever it has died, until cancelled.

    Every process that uses the server does this, so it does not matter which of them lives longest; the start
    lock lets one of them work, and the others find the server running.
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
            # A disk that is full, for example: it is tried again until it works, and said once.
            if str(error) != failure:
                failure = str(error)
                log.say("database_restart_failed", level="error", error=failure)
            continue
        failure = ""
        if restarted:
            log.say("database_restarted", level="warning", seconds=round(monotonic() - began, 1))
