"""Jobs are asked for, found again by number or UUID, listed, and survive their workers."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from pydantic import BaseModel
from sqlalchemy import insert, select, update
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from product import TENANT, USER, WHO, add_job, ago, job_row, settled, statuses, working
from scrapersky import tables
from scrapersky.actions import cancel_job, retry_job, submit_job
from scrapersky.errors import Conflict, NotFound
from scrapersky.queries import JobQuery
from scrapersky.stage_context.jobs import JobRun, JobType


class Anything(BaseModel):
    pass


async def note(given: Anything, job: JobRun) -> dict[str, Any]:
    return {"noted": True}


NOTE = JobType("note", Anything, note)


@pytest.mark.req("R166")
async def test_a_submitted_job_exists_once_its_transaction_is_committed(db: AsyncEngine) -> None:
    data = {"domain": "shop.example", "max_pages": 7}
    async with db.begin() as connection:
        number, name = await submit_job(
            connection, tenant_id=TENANT, job_type="sitemap", data=data, created_by=USER
        )
        assert (await JobQuery(db, TENANT).newest()) == []

    shown = await JobQuery(db, TENANT).show(str(number))
    assert (shown["job_id"], shown["job_type"], shown["status"]) == (name, "sitemap", "pending")
    assert (shown["result_data"], shown["created_by"]) == (data, USER)


@pytest.mark.req("R227")
async def test_a_submission_that_is_rolled_back_leaves_no_job(db: AsyncEngine) -> None:
    async with db.connect() as connection:
        await submit_job(connection, tenant_id=TENANT, job_type="note", data={}, created_by=USER)
        await connection.rollback()

    assert await JobQuery(db, TENANT).newest() == []


@pytest.mark.req("R177", "R221", "R227")
async def test_a_job_is_found_by_number_by_uuid_and_as_the_latest(db: AsyncEngine) -> None:
    first = await add_job(db)
    last = await add_job(db)
    jobs = JobQuery(db, TENANT)
    name: UUID = (await jobs.show(str(first)))["job_id"]

    assert (await jobs.show(str(name)))["id"] == first
    assert (await jobs.show(name.hex.upper()))["id"] == first
    assert (await jobs.show("latest"))["id"] == last


@pytest.mark.parametrize(
    "which", ["0", "999999", "9" * 40, "-1", "²", "", "x'; --", str(UUID(int=7)), "latest"]
)
async def test_what_is_no_job_is_said_to_be_none(db: AsyncEngine, which: str) -> None:
    with pytest.raises(NotFound):
        await JobQuery(db, TENANT).show(which)


@pytest.mark.req("R167", "R168")
async def test_waiting_jobs_of_a_type_come_oldest_first_up_to_a_limit(db: AsyncEngine) -> None:
    for age in (1, 3, 2):
        await add_job(db, "sitemap", created_at=ago(minutes=age), host=f"h{age}.example")
    await add_job(db, "note", created_at=ago(hours=1))
    await add_job(db, "sitemap", status="complete", created_at=ago(hours=1))

    found = await JobQuery(db, TENANT).pending("sitemap", 2)

    assert [row["created_at"] for row in found] == sorted(row["created_at"] for row in found)
    assert [(await job_row(db, row["id"])).host for row in found] == ["h3.example", "h2.example"]
    for _ in range(9):
        await add_job(db, "sitemap")
    assert len(await JobQuery(db, TENANT).pending("sitemap")) == 10, "the default limit"


@pytest.mark.parametrize(
    ("change", "status", "error"),
    [
        (retry_job, "pending", "it is pending"),
        (cancel_job, "complete", "it is complete"),
        (cancel_job, "failed", "it is failed"),
        (cancel_job, "cancelled", "it is cancelled"),
    ],
)
async def test_what_a_jobs_state_does_not_allow_is_refused(
    db: AsyncEngine, change: Any, status: str, error: str
) -> None:
    reason = "broken" if status == "failed" else None
    number = await add_job(db, status=status, error=reason)

    with pytest.raises(Conflict, match=error.removeprefix("it ")):
        await change(db, WHO, str(number))

    assert (await statuses(db))[number] == status


async def test_a_cancelled_job_can_be_queued_again(db: AsyncEngine) -> None:
    number = await add_job(db, "note")
    await cancel_job(db, WHO, str(number))
    await retry_job(db, WHO, str(number))

    async with working(db, NOTE):
        assert await settled(db) == {number: "complete"}


@pytest.mark.req("R173")
async def test_a_job_survives_the_death_of_its_worker(db: AsyncEngine) -> None:
    """The status is in the database alone: another process, another connection, and it goes on."""
    dead = await dead_worker(db)
    number = await add_job(db, "note", status="running", worker=dead, lease_seq=1, lease_until=ago(minutes=1))
    another = create_async_engine(db.url)
    async with working(another, NOTE):
        await settled(db)
    await another.dispose()

    row = await job_row(db, number)
    assert (row.status, row.rescues, row.result_data["noted"]) == ("complete", 1, True)
    async with db.connect() as connection:
        zombie = (await connection.execute(select(tables.zombies))).one()
    assert (zombie.stage, zombie.table_name, zombie.row_id) == ("run_job", "jobs", str(number))
    assert (zombie.worker, zombie.reason) == (dead, "lease ran out")
    assert zombie.created_at is not None


async def dead_worker(db: AsyncEngine) -> int:
    row = insert(tables.workers).values(machine="gone", pid=1, heartbeat_at=ago(minutes=9))
    async with db.begin() as connection:
        number = await connection.scalar(row.returning(tables.workers.c.id))
    assert number
    return number


@pytest.mark.req("R161", "R163")
async def test_a_job_that_kills_its_workers_is_given_up(db: AsyncEngine) -> None:
    dead = await dead_worker(db)
    number = await add_job(
        db, "note", status="running", worker=dead, lease_seq=3, crashes=2, lease_until=ago(minutes=1)
    )
    async with db.begin() as connection:
        await connection.execute(update(tables.workers).values(alone=f"run_job:{number}:3"))
    async with working(db, NOTE):
        found = await settled(db)

    assert found == {number: "failed"}
    assert (await job_row(db, number)).error == "crashed worker"


@pytest.mark.req("R029", "R030", "R031", "R032", "R033")
async def test_the_five_figures_of_the_dashboard(db: AsyncEngine) -> None:
    old, now = ago(hours=3), ago()
    await add_job(db, created_at=ago(minutes=10), next_retry_at=ago(minutes=10))
    await add_job(db, created_at=now)
    for seconds in (10, 30):
        await add_job(db, status="complete", created_at=ago(seconds=seconds), finished_at=now)
    await add_job(db, status="complete", created_at=old, finished_at=old)
    await add_job(db, status="failed", error="no", created_at=ago(minutes=2), finished_at=now)
    await add_job(db, status="failed", error="no", created_at=old, finished_at=old)
    running = {"status": "running", "lease_until": now, "created_at": old}
    await add_job(db, **running, updated_at=ago(minutes=40))
    await add_job(db, **running, updated_at=now)

    figures = await JobQuery(db, TENANT).metrics(timedelta(minutes=5), timedelta(minutes=30))

    assert (figures["created"], figures["completed"], figures["failed"]) == (5, 2, 1)
    assert figures["stuck"] == 2
    assert figures["average_seconds"] == pytest.approx(20, abs=1)


async def test_the_figures_of_an_empty_table_are_noughts(db: AsyncEngine) -> None:
    figures = await JobQuery(db, TENANT).metrics(timedelta(minutes=5), timedelta(minutes=30))

    assert figures == {"created": 0, "completed": 0, "failed": 0, "average_seconds": None, "stuck": 0}


async def test_a_job_that_waits_for_its_retry_or_was_just_requeued_is_not_stuck(db: AsyncEngine) -> None:
    waits = await add_job(db, created_at=ago(hours=2), next_retry_at=ago(hours=-1), retry_count=2)
    again = await add_job(db, status="failed", error="no", created_at=ago(days=2))
    await retry_job(db, WHO, str(again))

    assert await JobQuery(db, TENANT).stuck(timedelta(minutes=5), timedelta(minutes=30)) == []
    assert await statuses(db) == {waits: "pending", again: "pending"}


@pytest.mark.req("R219")
async def test_listed_jobs_can_be_limited_to_a_status(db: AsyncEngine) -> None:
    number = await add_job(db, "note", result_data={"domain": "shop.example"})
    await add_job(db, status="complete")

    listed = await JobQuery(db, TENANT).newest(status="pending")

    assert [row["id"] for row in listed] == [number]
    assert listed[0]["result_data"] == {"domain": "shop.example"}
    assert isinstance(listed[0]["job_id"], UUID)
    assert [row["id"] for row in await JobQuery(db, TENANT).newest(limit=1)] == [number + 1]
    assert tables.jobs.c.id.type.python_type is int
