"""All stages with the real engine and database, on a web of a few made-up pages."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from typing import Any

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from fakes import FakeWeb, context
from product import FEW, QUICK
from scrapersky.engine.database import Database
from scrapersky.engine.worker import Worker
from scrapersky.pipeline import STAGES
from scrapersky.queries import ProgressQuery, is_finished
from scrapersky.stage_context.country_lookup import CountryLookup
from scrapersky.stage_context.crawl_budget import CrawlBudget
from scrapersky.stage_context.job_progress import JobProgress
from scrapersky.storage import save

# Nobody crashes here, so leases are long: a busy machine must not look like a dead worker.
OPTIONS = replace(
    QUICK, lease=timedelta(minutes=1), host_delay=timedelta(0), retry_base=timedelta(milliseconds=10)
)


@asynccontextmanager
async def working(engine: AsyncEngine, web: FakeWeb, **changes: Any) -> AsyncIterator[list[dict[str, Any]]]:
    """A worker for all stages while the block runs, and the lines of its log."""
    database, lines = Database(engine), list[dict[str, Any]]()
    made = context(web, settings=changes, progress=JobProgress(database))
    made.budget = CrawlBudget(database, made.limits)
    made.countries = CountryLookup(database)
    stages = [(stage, FEW) for stage in STAGES]
    worker = Worker(engine, stages, options=OPTIONS, context=made, save=save, report=lines.extend)
    stop = asyncio.Event()
    task = asyncio.create_task(worker.run(stop))
    try:
        await worker.ready.wait()
        yield lines
    finally:
        stop.set()
        await task


async def worked(engine: AsyncEngine, web: FakeWeb, **changes: Any) -> list[dict[str, Any]]:
    """Work until nothing is left to do; gives the log."""
    progress = ProgressQuery(engine)
    async with working(engine, web, **changes) as lines, asyncio.timeout(30):
        while not is_finished(await progress.of_everything()):  # noqa: ASYNC110 - it is in the database.
            await asyncio.sleep(0.05)
    return lines


async def rows(engine: AsyncEngine, query: str) -> list[Any]:
    async with engine.connect() as connection:
        return list(await connection.execute(text(query)))
