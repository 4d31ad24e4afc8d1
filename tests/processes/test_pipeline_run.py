"""The loop of `find` and `demo`: a worker in this process, followed until nothing is left to do."""

from __future__ import annotations

import asyncio

import pytest
from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncEngine

from scrapersky.processes.pipeline_run import RunningPipeline, follow, running_pipeline
from scrapersky.queries.progress import StageProgress
from scrapersky.settings import load_settings
from scrapersky.tables import workers
from scrapersky.wiring import build_log


async def test_a_display_that_fails_does_not_leave_a_worker_behind(
    db: AsyncEngine, database_url: str
) -> None:
    """Somebody closes the terminal: the worker ends in order before its context does."""
    pipelines: list[RunningPipeline] = []

    async def count() -> dict[str, StageProgress]:
        return {"read_page": StageProgress(open=int(not pipelines[0].worker.ready.is_set()) + 1)}

    async def show_until_the_terminal_closes() -> None:
        async with running_pipeline(settings, db, build_log(settings)) as pipeline:
            pipelines.append(pipeline)
            async for progress in follow(pipeline, count, asyncio.Event(), timeout_seconds=60):
                if progress.counts["read_page"].open == 1:
                    raise BrokenPipeError

    settings = load_settings(env_file=None, environment={"DATABASE_URL": database_url, "LOG_LEVEL": "ERROR"})
    with pytest.raises(BrokenPipeError):
        await show_until_the_terminal_closes()
    async with db.connect() as connection:
        left = await connection.scalar(select(func.count()).select_from(workers))
    assert (len(pipelines), left) == (1, 0)
