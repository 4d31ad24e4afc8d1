"""Jobs as a stage: checked input, progress, result, retries, time limit, cancelling."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict
from sqlalchemy.ext.asyncio import AsyncEngine

from product import QUICK, TENANT, USER, WHO, add_job, change, job_row, settled, statuses, until, working
from scrapersky import tables
from scrapersky.actions import cancel_job, retry_job
from scrapersky.engine.stage import StageOptions
from scrapersky.queries import JobQuery
from scrapersky.stage_context.jobs import JobRun, JobType


class Greeting(BaseModel):
    model_config = ConfigDict(strict=True)

    name: str
    times: int = 1


async def greet(given: Greeting, job: JobRun) -> dict[str, Any]:
    return {"greetings": [f"Hello {given.name}"] * given.times}


GREET = JobType("greet", Greeting, greet)


@pytest.mark.req("R171")
async def test_a_job_keeps_its_input_and_gets_its_result(db: AsyncEngine) -> None:
    number = await add_job(db, result_data={"name": "Ada", "times": 2})

    async with working(db, GREET):
        await settled(db)

    row = await job_row(db, number)
    assert (row.status, row.progress, row.progress_percent, row.error) == ("complete", 1.0, 100, None)
    assert row.result_data["greetings"] == ["Hello Ada", "Hello Ada"]
    assert row.result_data["name"] == "Ada"


async def test_a_finished_job_can_be_run_again(db: AsyncEngine) -> None:
    """The result must not have taken the place of the input."""
    number = await add_job(db)
    async with working(db, GREET):
        await settled(db)
        await retry_job(db, WHO, str(number))
        await settled(db)

    assert (await job_row(db, number)).status == "complete"


@pytest.mark.req("R169", "R183")
@pytest.mark.parametrize(
    ("job_type", "data", "reason"),
    [
        ("no_such_type", {}, "Invalid job type 'no_such_type'"),
        ("greet", {}, "name: Field required"),
        ("greet", {"name": None}, "name: Input should be a valid string"),
        ("greet", {"name": "Ada", "times": "twice"}, "times: Input should be a valid integer"),
        ("greet", [1, 2], "input: Input should be a valid dictionary"),
        ("greet", "text", "input: Input should be a valid dictionary"),
    ],
)
async def test_a11_a_job_that_cannot_be_run_fails_with_its_reason(
    db: AsyncEngine, job_type: str, data: Any, reason: str
) -> None:
    bad = await add_job(db, job_type, result_data=data)
    good = await add_job(db)

    async with working(db, GREET):
        found = await settled(db)

    assert found == {bad: "failed", good: "complete"}
    row = await job_row(db, bad)
    assert reason in row.error
    assert row.retry_count == 0


@pytest.mark.req("R172", "R181", "R227")
async def test_one_jobs_error_is_stored_and_stops_no_other(db: AsyncEngine) -> None:
    async def fall(given: Greeting, job: JobRun) -> dict[str, Any]:
        raise RuntimeError("the roof fell in")

    bad = await add_job(db, "fall", max_retries=0)
    good = [await add_job(db) for _ in range(20)]
    async with working(db, GREET, JobType("fall", Greeting, fall)):
        found = await settled(db)

    assert {found[one] for one in good} == {"complete"}
    row = await job_row(db, bad)
    assert (row.status, row.error) == ("failed", "the roof fell in")
    assert row.finished_at is not None


async def test_a_result_that_cannot_be_stored_fails_alone(db: AsyncEngine) -> None:
    async def odd(given: Greeting, job: JobRun) -> dict[str, Any]:
        return {"text": "a\x00b"}

    bad = await add_job(db, "odd", max_retries=0)
    good = [await add_job(db) for _ in range(5)]
    async with working(db, GREET, JobType("odd", Greeting, odd)):
        found = await settled(db)

    assert found[bad] == "failed"
    assert {found[one] for one in good} == {"complete"}


@pytest.mark.req("R061", "R063")
async def test_progress_is_written_while_the_job_runs(db: AsyncEngine) -> None:
    go_on = asyncio.Event()

    async def walk(given: Greeting, job: JobRun) -> dict[str, Any]:
        await job.report_progress(30, "checking /sitemap.xml")
        await go_on.wait()
        return {}

    number = await add_job(db, "walk")
    before = await job_row(db, number)
    assert (before.progress_percent, before.progress_message) == (0, None)

    async with working(db, JobType("walk", Greeting, walk)):

        async def told() -> bool:
            return (await JobQuery(db, TENANT).show(str(number)))["progress_percent"] == 30

        await until(told)
        shown = await JobQuery(db, TENANT).show(str(number))
        go_on.set()
        await settled(db)

    assert shown["progress_message"] == "checking /sitemap.xml"
    assert (shown["status"], round(shown["progress"], 2)) == ("running", 0.3)


@pytest.mark.parametrize(("told", "stored"), [(-5, 0), (250, 100), (33.6, 34), (99.4, 99)])
async def test_progress_stays_between_0_and_100_whatever_is_told(
    db: AsyncEngine, told: float, stored: int
) -> None:
    async def walk(given: Greeting, job: JobRun) -> dict[str, Any]:
        await job.report_progress(told, "\x00\ud800" + "x" * 5_000)
        raise RuntimeError("end here, so that the figure stays")

    number = await add_job(db, "walk", max_retries=0)
    async with working(db, JobType("walk", Greeting, walk)):
        await settled(db)

    row = await job_row(db, number)
    assert (row.progress_percent, row.error) == (stored, "end here, so that the figure stays")
    assert len(row.progress_message) == 1_000


async def test_a_job_that_lost_its_lease_ends_at_its_next_sign_of_progress(db: AsyncEngine) -> None:
    lost, reached = asyncio.Event(), []

    async def walk(given: Greeting, job: JobRun) -> dict[str, Any]:
        await lost.wait()
        await job.report_progress(50, "half")
        reached.append("end")
        return {}

    number = await add_job(db, "walk")
    async with working(db, JobType("walk", Greeting, walk)) as (_, lines):

        async def runs() -> bool:
            return (await statuses(db))[number] == "running"

        await until(runs)
        await change(db, tables.jobs, tables.jobs.c.id == number, lease_seq=99, worker=99)
        lost.set()

        async def noticed() -> bool:
            return any(line.get("state") == "lease_lost" for line in lines)

        await until(noticed)

    assert reached == []
    assert (await job_row(db, number)).progress_percent == 0


@pytest.mark.req("R052", "R053", "R054", "R055", "R056", "R057")
async def test_a_failing_job_is_retried_with_doubling_waits_and_then_fails(
    db: AsyncEngine,
) -> None:
    async def fall(given: Greeting, job: JobRun) -> dict[str, Any]:
        raise ConnectionError(f"try {job.item.retries + 1}")

    number = await add_job(db, "fall")
    fresh = await job_row(db, number)
    assert (fresh.retry_count, fresh.max_retries) == (0, 3)
    assert fresh.next_retry_at.tzinfo is not None

    waits = []
    options = replace(QUICK, retry_base=timedelta(minutes=1), retry_jitter=0.0)
    async with working(db, JobType("fall", Greeting, fall), options=options):
        for used in (1, 2, 3):

            async def waits_again(used: int = used) -> bool:
                row = await job_row(db, number)
                return row.status == "pending" and row.retry_count == used

            await until(waits_again)
            row = await job_row(db, number)
            waits.append(round((row.next_retry_at - row.updated_at).total_seconds()))
            assert row.error == f"try {used}"
            await change(db, tables.jobs, tables.jobs.c.id == number, next_retry_at=row.updated_at)
        await settled(db)

    row = await job_row(db, number)
    assert waits == [60, 120, 240]
    assert (row.status, row.retry_count, row.error) == ("failed", 3, "try 4")


@pytest.mark.req("R058")
async def test_a_job_whose_time_has_not_come_is_not_taken(db: AsyncEngine) -> None:
    early = await add_job(db)
    row = await job_row(db, early)
    await change(
        db, tables.jobs, tables.jobs.c.id == early, next_retry_at=row.created_at + timedelta(hours=1)
    )
    due = await add_job(db)

    async with working(db, GREET) as (worker, _):

        async def due_is_done() -> bool:
            return (await statuses(db))[due] == "complete"

        await until(due_is_done)
        await worker.runners["run_job"].tick()

    assert await statuses(db) == {early: "pending", due: "complete"}


@pytest.mark.req("R059")
async def test_a_success_after_a_retry_is_complete(db: AsyncEngine) -> None:
    async def second_time(given: Greeting, job: JobRun) -> dict[str, Any]:
        if not job.item.retries:
            raise ConnectionResetError("the line is dead")
        return {"at": "the second try"}

    number = await add_job(db, "second_time")
    async with working(db, JobType("second_time", Greeting, second_time)):
        await settled(db)

    row = await job_row(db, number)
    assert (row.status, row.retry_count, row.error) == ("complete", 1, None)


@pytest.mark.req("R060")
async def test_a_failed_job_is_requeued_by_hand_with_fresh_tries(db: AsyncEngine) -> None:
    number = await add_job(db, "no_such_type", retry_count=3)
    async with working(db, GREET):
        await settled(db)

    after = await retry_job(db, WHO, str(number))

    assert (after["status"], after["retry_count"], after["error"]) == ("pending", 0, None)


@pytest.mark.req("R185")
async def test_a_job_that_takes_too_long_is_cut_off(db: AsyncEngine) -> None:
    async def dawdle(given: Greeting, job: JobRun) -> dict[str, Any]:
        await asyncio.sleep(60)
        return {}

    own_limit = await add_job(db, "dawdle", timeout_seconds=1, max_retries=0)
    stages_limit = await add_job(db, "dawdle", max_retries=0)
    tuning = StageOptions(batch=10, concurrency=10, timeout=timedelta(seconds=1.5))
    async with working(db, JobType("dawdle", Greeting, dawdle), tuning=tuning):
        found = await settled(db)

    assert found == {own_limit: "failed", stages_limit: "failed"}
    assert (await job_row(db, own_limit)).error == "took longer than 1 s"
    assert (await job_row(db, stages_limit)).error == "took longer than 1.5 s"


async def test_a_waiting_job_is_cancelled_at_once_and_never_runs(db: AsyncEngine) -> None:
    number = await add_job(db)
    assert (await cancel_job(db, WHO, str(number)))["status"] == "cancelled"

    async with working(db, GREET) as (worker, _):
        await worker.runners["run_job"].tick()

    assert await statuses(db) == {number: "cancelled"}


async def test_a_running_job_is_cancelled_at_its_next_sign_of_progress(db: AsyncEngine) -> None:
    async def walk(given: Greeting, job: JobRun) -> dict[str, Any]:
        for step in range(10_000):
            await job.report_progress(step / 100, f"step {step}")
            await asyncio.sleep(0.02)
        return {}

    number = await add_job(db, "walk")
    async with working(db, JobType("walk", Greeting, walk)):

        async def runs() -> bool:
            return (await statuses(db))[number] == "running"

        await until(runs)
        assert (await cancel_job(db, WHO, str(number)))["status"] == "running"
        found = await settled(db)

    assert found == {number: "cancelled"}
    assert (await JobQuery(db, TENANT).show(str(number)))["progress_message"] == "cancelled by a person"


@pytest.mark.req("R182")
async def test_no_more_jobs_run_at_once_than_the_limit(db: AsyncEngine) -> None:
    running, most = 0, 0

    async def count(given: Greeting, job: JobRun) -> dict[str, Any]:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0.02)
        running -= 1
        return {}

    for _ in range(30):
        await add_job(db, "count")
    tuning = StageOptions(batch=10, concurrency=3, timeout=timedelta(seconds=5))
    async with working(db, JobType("count", Greeting, count), tuning=tuning):
        await settled(db)

    assert most == 3


@pytest.mark.req("R214")
async def test_the_log_line_of_a_job_names_it(db: AsyncEngine) -> None:
    number = await add_job(db)
    async with working(db, GREET) as (_, lines):
        await settled(db)

    line = next(line for line in lines if line.get("event") == "item_processed")
    assert (line["id"], line["stage"], line["state"]) == (number, "run_job", "done")
    assert (await job_row(db, number)).created_by == USER
