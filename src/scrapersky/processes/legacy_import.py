"""Brings over an original ScraperSky database, here and now, with its progress."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy.ext.asyncio import AsyncEngine

from scrapersky.actions.actor import Actor
from scrapersky.actions.installation.legacy_imports import import_legacy_database
from scrapersky.declarations import ENDED_JOBS, RUN_JOB
from scrapersky.processes.drain import drain_stage
from scrapersky.queries import JobQuery
from scrapersky.secret_key import load_secret_key
from scrapersky.settings import Settings
from scrapersky.stage_context.legacy.source import ROWS as TABLES

POLL_SECONDS = 0.5
# A job that is due later than this waits for another attempt after a failure.
SOON = timedelta(seconds=10)


async def import_legacy(
    settings: Settings, engine: AsyncEngine, actor: Actor, url: str, show: Callable[[str], None]
) -> dict[str, Any]:
    """The job when it has ended, or when it waits for another attempt."""
    job = await import_legacy_database(engine, actor, load_secret_key(settings), url)
    return await run_here(settings, JobQuery(engine, actor.tenant_id), job["id"], show)


async def run_here(
    settings: Settings, jobs: JobQuery, number: int, show: Callable[[str], None]
) -> dict[str, Any]:
    """Run a job that continues many times; other workers may run parts of it, or all."""
    watching = asyncio.create_task(_watch(jobs, number, show))
    try:
        while True:
            await drain_stage(settings, RUN_JOB.name, ids=[number])
            job = await jobs.show(str(number))
            if job["status"] in ENDED_JOBS or job["next_retry_at"] > datetime.now(UTC) + SOON:
                return job
            await asyncio.sleep(POLL_SECONDS)
    finally:
        watching.cancel()


async def _watch(jobs: JobQuery, number: int, show: Callable[[str], None]) -> None:
    last_line = ""
    while True:
        job = await jobs.show(str(number))
        line = f"job {number}: {job['progress_percent']} %  {job['progress_message'] or job['status']}"
        if line != last_line:
            show(line)
            last_line = line
        await asyncio.sleep(POLL_SECONDS)


def is_complete(job: dict[str, Any]) -> bool:
    return bool(job["status"] == RUN_JOB.statuses.done)


def report_lines(result: dict[str, Any]) -> list[dict[str, Any]]:
    """One line for each table of the source: what became of its rows, and the rows here before and after."""
    before, after = result["before"], result["after"]
    return [
        {"table": name, **counts, "here_before": before.get(name), "here_after": after.get(name)}
        for name in TABLES
        if (counts := result["tables"].get(name))
    ]
