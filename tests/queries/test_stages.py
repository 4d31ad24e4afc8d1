"""The lines of the status: what waits, runs and failed, what was done in the last hour, and by whom."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel
from sqlalchemy import insert
from sqlalchemy.ext.asyncio import AsyncEngine

from product import WHO, add_job, ago, settled, until, working
from scrapersky import actions, tables
from scrapersky.engine.outcome import Discard
from scrapersky.errors import NotFound
from scrapersky.pipeline import STAGES
from scrapersky.queries import StageQuery, TableQuery
from scrapersky.queries.stages import StageStatus
from scrapersky.stage_context.jobs import JobRun, JobType


class Anything(BaseModel):
    fails: bool = False


async def note(given: Anything, job: JobRun) -> dict[str, Any]:
    if given.fails:
        raise Discard("no")
    return {}


async def job_line(db: AsyncEngine) -> StageStatus:
    return next(line for line in await StageQuery(db).statuses() if line.stage == "run_job")


async def test_the_lines_come_in_the_order_of_the_pipeline(db: AsyncEngine) -> None:
    assert [line.stage for line in await StageQuery(db).statuses()] == [stage.name for stage in STAGES]


@pytest.mark.req("R203")
async def test_the_queue_is_counted(db: AsyncEngine) -> None:
    oldest = ago(minutes=3)
    await add_job(db, next_retry_at=oldest)
    await add_job(db)
    await add_job(db, "sitemap")
    await add_job(db, status="running", lease_until=ago(minutes=-1))
    await add_job(db, "sitemap", status="running", lease_until=ago(minutes=-1))
    await add_job(db, status="failed", error="no")
    await add_job(db, status="complete")

    line = await job_line(db)

    assert (line.waiting, line.failed, line.oldest) == (2, 1, oldest)
    assert line.running == 1


@pytest.mark.req("R202", "R213")
async def test_what_a_stage_did_and_how_long_it_took_is_measured(db: AsyncEngine) -> None:
    for number in range(6):
        await add_job(db, "note", result_data={"fails": number == 0})
    async with working(db, JobType("note", Anything, note)):
        await settled(db)

        async def run_is_over() -> bool:
            return (await job_line(db)).runs > 0

        await until(run_is_over)

    line = await job_line(db)
    assert (line.done_hour, line.failed_hour) == (5, 1)
    assert line.mean_ms > 0
    assert line.run_ms_last > 0
    assert line.run_ms_max >= line.run_ms_mean > 0


@pytest.mark.req("R202")
async def test_last_average_and_longest_run_come_from_all_workers(db: AsyncEngine) -> None:
    columns = ("worker", "minute", "runs", "run_ms_sum", "run_ms_max", "run_ms_last")
    figures = [
        (1, ago(minutes=5), 2, 30, 20, 10),
        (2, ago(minutes=2), 1, 60, 60, 60),
        (2, ago(hours=2), 9, 9e9, 9e9, 1),
    ]
    rows = [dict(zip(columns, one, strict=True)) for one in figures]
    async with db.begin() as connection:
        await connection.execute(insert(tables.stage_stats), [{"stage": "run_job", **row} for row in rows])

    line = await job_line(db)

    assert (line.runs, line.run_ms_last, line.run_ms_mean, line.run_ms_max) == (3, 60.0, 30.0, 60.0)


async def test_workers_count_while_their_heart_beats(db: AsyncEngine) -> None:
    async with db.begin() as connection:
        for pid, seconds in ((1, 0), (2, 50), (3, 70)):
            values = {"machine": "m", "pid": pid, "stages": ["run_job"], "heartbeat_at": ago(seconds=seconds)}
            await connection.execute(insert(tables.workers).values(values))

    assert (await job_line(db)).workers == 2


async def test_a_paused_stage_claims_nothing_until_it_is_resumed(db: AsyncEngine) -> None:
    await actions.pause_stage(db, WHO, "run_job", "the tax office is on the phone")
    assert (await job_line(db)).paused
    async with working(db, JobType("note", Anything, note)) as (worker, _):
        await worker.housekeeping()
        number = await add_job(db, "note", result_data={})
        await worker.runners["run_job"].tick()
        assert (await job_line(db)).waiting == 1

        await actions.resume_stage(db, WHO, "run_job")
        assert await settled(db) == {number: "complete"}

    assert not (await job_line(db)).paused


@pytest.mark.parametrize("change", [actions.pause_stage, actions.resume_stage])
async def test_an_unknown_stage_cannot_be_paused_or_resumed(db: AsyncEngine, change: Any) -> None:
    with pytest.raises(NotFound, match=r"Invalid stage 'run_jbo'; expected one of .*run_job"):
        await change(db, WHO, "run_jbo")


@pytest.mark.req("R225")
async def test_tables_and_their_rows_can_be_looked_at(db: AsyncEngine) -> None:
    number = await add_job(db, "note")
    look = TableQuery(db)

    assert {row["table"] for row in await look.tables()} == set(tables.metadata.tables)
    assert [row["id"] for row in await look.rows_of("jobs", 5)] == [number]
    with pytest.raises(NotFound):
        await look.rows_of("jobs; DROP TABLE jobs", 5)
    with pytest.raises(NotFound):
        await look.rows_of("pg_authid", 5)


async def test_inspection_never_shows_what_is_secret(db: AsyncEngine) -> None:
    look = TableQuery(db)

    for table in ("users", "api_keys", "destinations"):
        for row in await look.rows_of(table, 5):
            shown = {value for name, value in row.items() if "password" in name or "secret" in name}
            assert shown <= {None, "***"}
