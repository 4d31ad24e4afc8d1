"""Everything on one machine: the private database, migrated; the web application; the workers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from scrapersky.database import open_database
from scrapersky.processes.bind_rules import check_admin, check_bind_settings
from scrapersky.processes.serve import listen, running_web
from scrapersky.processes.setup_address import announce_setup
from scrapersky.processes.shutdown import first_of
from scrapersky.processes.worker import ONE_WORKER, build_supervisor
from scrapersky.settings import Settings
from scrapersky.wiring import apply_suppression_log, build_log


async def up(
    settings: Settings, stop: asyncio.Event, force: asyncio.Event, announce: Callable[[str], None]
) -> None:
    """Run everything until the shutdown; the web ends first, then the workers, then the database."""
    log = build_log(settings)
    check_bind_settings(settings)
    with listen(settings.host, settings.port) as listening:
        async with open_database(settings, migrated=True) as engine:
            await apply_suppression_log(settings, engine)
            await check_admin(settings, engine)
            supervisor = build_supervisor(settings, ONE_WORKER, settings.worker_processes)
            workers = asyncio.create_task(supervisor.run(stop, force))
            async with running_web(settings, engine, listening, log) as server:
                announce(f"ScraperSky is at http://{settings.host}:{settings.port}/  (Ctrl+C stops it)")
                await announce_setup(settings, engine, announce)
                await first_of(server, stop)
            stop.set()
            await workers
