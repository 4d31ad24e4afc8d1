"""The loop of `find` and `demo`: a worker in this process, watched until nothing is left to do."""

from __future__ import annotations

import asyncio

import pytest
from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncEngine

from scrapersky import tables
from scrapersky.engine.worker import Worker
from scrapersky.processes.find import run_until
from scrapersky.settings import load_settings


async def test_a_display_that_fails_does_not_leave_a_worker_behind(
    db: AsyncEngine, database_url: str
) -> None:
    """Somebody closes the terminal: the worker ends in order before its tools do."""

    async def look() -> dict[str, dict[str, int]]:
        return {"read_page": {"open": int(not workers or not workers[0].ready.is_set()) + 1}}

    def show(counts: dict[str, dict[str, int]], seconds: float) -> None:
        if counts["read_page"]["open"] == 1:
            raise BrokenPipeError

    workers: list[Worker] = []
    settings = load_settings(env_file=None, environment={"DATABASE_URL": database_url, "LOG_LEVEL": "ERROR"})
    stop, force = asyncio.Event(), asyncio.Event()
    with pytest.raises(BrokenPipeError):
        await run_until(settings, db, look, stop, force, show, most_seconds=60, workers=workers)
    async with db.connect() as connection:
        left = await connection.scalar(select(func.count()).select_from(tables.workers))
    assert (len(workers), left) == (1, 0)
