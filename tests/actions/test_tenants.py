"""Nobody sees or changes the jobs and dead letters of another tenant."""

from __future__ import annotations

import uuid
from datetime import timedelta

import pytest
from sqlalchemy import insert
from sqlalchemy.ext.asyncio import AsyncEngine

from product import TENANT, USER, add_job, add_pages, ago, statuses
from scrapersky import tables
from scrapersky.actions import cancel_job, discard_dead_letters, requeue_dead_letters, retry_job
from scrapersky.actions.actor import Actor
from scrapersky.errors import NotFound
from scrapersky.queries import DeadLetterQuery, JobQuery

MINUTES = timedelta(minutes=5)


@pytest.fixture
async def stranger(db: AsyncEngine) -> Actor:
    other = uuid.uuid4()
    async with db.begin() as connection:
        await connection.execute(insert(tables.tenants).values(id=other, name="Other"))
    return Actor(other, USER)


async def test_a_strangers_jobs_are_not_listed_shown_or_counted(db: AsyncEngine, stranger: Actor) -> None:
    number = await add_job(db, "note", created_at=ago(minutes=9), next_retry_at=ago(minutes=9))
    theirs, ours = JobQuery(db, stranger.tenant_id), JobQuery(db, TENANT)

    for jobs, found in ((theirs, []), (ours, [number])):
        assert [row["id"] for row in await jobs.newest()] == found
        assert [row["id"] for row in await jobs.pending("note")] == found
        assert [row["id"] for row in await jobs.stuck(MINUTES, MINUTES)] == found
        figures = await jobs.metrics(MINUTES, MINUTES)
        assert (figures["created"], figures["stuck"]) == (len(found), len(found))
    for which in (str(number), str((await ours.show("latest"))["job_id"]), "latest"):
        with pytest.raises(NotFound):
            await theirs.show(which)


async def test_a_strangers_jobs_are_not_changed(db: AsyncEngine, stranger: Actor) -> None:
    waits = await add_job(db, "note")
    failed = await add_job(db, "note", status="failed", error="no")

    with pytest.raises(NotFound):
        await cancel_job(db, stranger, str(waits))
    with pytest.raises(NotFound):
        await retry_job(db, stranger, str(failed))
    assert await requeue_dead_letters(db, stranger, "run_job") == 0

    assert await statuses(db) == {waits: "pending", failed: "failed"}


async def test_a_strangers_dead_letters_are_not_seen_or_changed(db: AsyncEngine, stranger: Actor) -> None:
    [page] = await add_pages(db, 1, page_processing_status="Error", page_processing_error="HTTP 500")
    letters = DeadLetterQuery(db, stranger.tenant_id)

    assert await letters.newest("read_page") == []
    with pytest.raises(NotFound):
        await letters.show("read_page", str(page))
    assert await requeue_dead_letters(db, stranger, "read_page", [str(page)]) == 0
    assert await discard_dead_letters(db, stranger, "read_page") == 0
    assert [row["id"] for row in await DeadLetterQuery(db, TENANT).newest("read_page")] == [page]
