"""The progress of jobs: written now and then, and the way a job learns that it is cancelled."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from product import TENANT, CountingDatabase, add_job, change, job_row
from scrapersky import tables
from scrapersky.engine.database import Database
from scrapersky.engine.stage import Item
from scrapersky.stage_context.job_progress import (
    MAX_STEPS,
    MIN_INTERVAL_SECONDS,
    JobCancelled,
    JobProgress,
    LeaseLost,
)


async def test_reports_in_quick_succession_are_skipped_except_the_last(db: AsyncEngine) -> None:
    number, now = await add_job(db), [0.0]
    database = CountingDatabase(db)
    progress = JobProgress(database, clock=lambda: now[0])
    item = Item(number, TENANT, SimpleNamespace(), seq=0, retries=0, crashes=0, max_retries=3)

    async def report(percent: int) -> tuple[int, int]:
        await progress.report(item, percent, f"{percent} of 100")
        return (await job_row(db, number)).progress_percent, database.statements

    assert await report(10) == (10, 1)
    assert await report(20) == (10, 1)
    now[0] += MIN_INTERVAL_SECONDS
    assert await report(30) == (30, 2)
    assert await report(100) == (100, 3)
    steps = (await job_row(db, number)).steps
    assert [step["message"] for step in steps] == ["10 of 100", "30 of 100", "100 of 100"]
    assert {step["run"] for step in steps} == {0}


async def test_a_job_keeps_a_limited_number_of_its_steps(db: AsyncEngine) -> None:
    step = {"at": "2026-01-01T00:00:00+00:00", "run": 1, "message": "x"}
    number = await add_job(db, steps=[step] * MAX_STEPS)
    item = Item(number, TENANT, SimpleNamespace(), seq=0, retries=0, crashes=0, max_retries=3)
    await JobProgress(Database(db)).report(item, 100, "done")
    assert len((await job_row(db, number)).steps) == MAX_STEPS


async def test_a_cancelled_job_ends_at_its_next_report(db: AsyncEngine) -> None:
    number, now = await add_job(db), [0.0]
    progress = JobProgress(Database(db), clock=lambda: now[0])
    item = Item(number, TENANT, SimpleNamespace(), seq=0, retries=0, crashes=0, max_retries=3)
    await progress.report(item, 10, "begun")
    await change(db, tables.jobs, tables.jobs.c.id == number, cancel_requested=True)
    now[0] += MIN_INTERVAL_SECONDS

    with pytest.raises(JobCancelled):
        await progress.report(item, 20, "going on")


async def test_a_job_that_another_worker_took_ends_at_its_next_report(db: AsyncEngine) -> None:
    number = await add_job(db)
    lost = Item(number, TENANT, SimpleNamespace(), seq=7, retries=0, crashes=0, max_retries=3)

    with pytest.raises(LeaseLost):
        await JobProgress(Database(db)).report(lost, 10, "begun")
    assert (await job_row(db, number)).progress_message is None
