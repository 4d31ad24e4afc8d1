"""Dead letters are listed, looked at, queued again or discarded: some, all, or by their reason."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from time import perf_counter
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import func, insert, select
from sqlalchemy.ext.asyncio import AsyncEngine

from fakes import FakeWeb
from product import TENANT, WHO, add_job, add_pages, ago, statuses
from scrapersky import actions, tables
from scrapersky.actions.submissions import SubmissionOptions, submit_pages
from scrapersky.declarations import COLUMN_OWNERS
from scrapersky.declarations.queue import Queue
from scrapersky.errors import Conflict, NotFound
from scrapersky.queries import DeadLetterQuery, StageQuery
from small_web import worked

PAGES = tables.pages
DEAD = {"page_processing_status": "Error", "page_processing_error": "HTTP 500"}
QUEUES = [queue for queue in COLUMN_OWNERS if queue.table != "jobs"]
Make = Callable[..., Awaitable[dict[str, Any]]]


async def page_statuses(db: AsyncEngine) -> dict[str | None, int]:
    query = select(PAGES.c.page_processing_status, func.count()).group_by(PAGES.c.page_processing_status)
    async with db.connect() as connection:
        return {row[0]: row[1] for row in await connection.execute(query)}


@pytest.mark.req("R162")
async def test_dead_letters_are_listed_newest_first_with_their_reason(db: AsyncEngine) -> None:
    [old] = await add_pages(db, 1, **DEAD, page_processing_finished_at=ago(hours=2))
    [new] = await add_pages(
        db, 1, **DEAD, page_processing_finished_at=ago(hours=1), page_processing_retries=3
    )
    await add_pages(db, 1, page_processing_status="Queued")

    listed = await DeadLetterQuery(db, TENANT).newest("read_page")

    assert [row["id"] for row in listed] == [new, old]
    assert (listed[0]["reason"], listed[0]["retries"], listed[0]["stage"]) == ("HTTP 500", 3, "read_page")


@pytest.mark.parametrize(("contains", "number"), [("HTTP", 2), ("500", 1), ("50%", 1), ("_", 0), ("", 3)])
async def test_dead_letters_are_filtered_by_the_letters_of_their_reason(
    db: AsyncEngine, contains: str, number: int
) -> None:
    for reason in ("HTTP 500", "HTTP 404", "50% of it was missing"):
        await add_pages(db, 1, page_processing_status="Error", page_processing_error=reason)

    assert len(await DeadLetterQuery(db, TENANT).newest("read_page", contains=contains)) == number


@pytest.mark.req("R213", "R252")
async def test_the_traceback_of_a_failure_is_kept_beside_the_dead_letter(db: AsyncEngine) -> None:
    """And gone from view once the row is queued again; the class of the error is in the statistics."""
    await submit_pages(db, WHO, "https://lune.co.uk/team", SubmissionOptions(priority=1))
    lines = await worked(db, FakeWeb({"https://lune.co.uk/team": KeyError("no such thing")}))

    [dead] = await DeadLetterQuery(db, TENANT).newest("read_page")
    shown = await DeadLetterQuery(db, TENANT).show("read_page", str(dead["id"]))
    [logged] = [line for line in lines if line.get("state") == "failed"]
    assert (shown["error_class"], shown["attempts"]) == ("KeyError", 4)
    assert "in _answer" in shown["traceback"]
    assert logged["trace"] == shown["traceback"]
    assert (logged["level"], logged["domain"], logged["id"]) == ("error", "lune.co.uk", dead["id"])
    [line] = [one for one in await StageQuery(db).activity() if one.stage == "read_page"]
    assert line.errors == {"KeyError": 4}

    await actions.requeue_dead_letters(db, WHO, "read_page", [str(dead["id"])])
    assert "traceback" not in await DeadLetterQuery(db, TENANT).show("read_page", str(dead["id"]))


@pytest.mark.req("R162")
async def test_one_dead_letter_is_shown_whole_with_every_crash(db: AsyncEngine) -> None:
    [page] = await add_pages(db, 1, **DEAD)
    async with db.begin() as connection:
        for crashes in (1, 2):
            values = {
                "table_name": "pages",
                "row_id": str(page),
                "crashes": crashes,
                "reason": "lease ran out",
            }
            await connection.execute(insert(tables.zombies).values(stage="read_page", **values))

    shown = await DeadLetterQuery(db, TENANT).show("read_page", str(page))

    assert (shown["id"], shown["page_processing_error"]) == (page, "HTTP 500")
    assert [one["crashes"] for one in shown["crash_history"]] == [1, 2]
    with pytest.raises(NotFound):
        await DeadLetterQuery(db, TENANT).show("read_page", str(UUID(int=1)))


@pytest.mark.req("R060", "R162")
@pytest.mark.parametrize("queue", QUEUES, ids=[queue.name for queue in QUEUES])
async def test_dead_letters_of_every_queue_are_requeued_and_discarded(
    db: AsyncEngine, make: Make, queue: Queue
) -> None:
    table = tables.metadata.tables[queue.table]
    tried = {queue.column("retries"): 3, queue.column("crashes"): 2}
    again = await make(queue.table, **{queue.status: queue.statuses.failed, **tried})
    gone = await make(queue.table, **{queue.status: queue.statuses.failed, **tried})

    assert await actions.requeue_dead_letters(db, WHO, queue.name, [str(again["id"])]) == 1
    assert await actions.discard_dead_letters(db, WHO, queue.name, [str(gone["id"])]) == 1

    async with db.connect() as connection:
        rows = {row.id: row._mapping for row in await connection.execute(select(table))}
    first, second = rows[again["id"]], rows[gone["id"]]
    assert (first[queue.status], first[queue.error]) == (queue.statuses.queued, None)
    assert (first[queue.column("retries")], first[queue.column("crashes")]) == (0, 0)
    assert second[queue.status] is None


async def test_only_those_named_or_matching_are_requeued(db: AsyncEngine) -> None:
    named = await add_pages(db, 2, **DEAD)
    await add_pages(db, 3, page_processing_status="Error", page_processing_error="robots.txt forbids")
    await add_pages(db, 1, page_processing_status="Complete")

    assert await actions.requeue_dead_letters(db, WHO, "read_page", [str(named[0]), "no-such-id"]) == 1
    assert await page_statuses(db) == {"Queued": 1, "Error": 4, "Complete": 1}
    assert await actions.requeue_dead_letters(db, WHO, "read_page", contains="robots") == 3
    assert await actions.requeue_dead_letters(db, WHO, "read_page") == 1
    assert await actions.requeue_dead_letters(db, WHO, "read_page") == 0
    assert await page_statuses(db) == {"Queued": 5, "Complete": 1}


@pytest.mark.timed
async def test_a19_ten_thousand_dead_letters_are_requeued_in_seconds_and_twice_is_harmless(
    db: AsyncEngine,
) -> None:
    await add_pages(db, 10_000, **DEAD, page_processing_retries=3)

    began = perf_counter()
    both = await asyncio.gather(
        actions.requeue_dead_letters(db, WHO, "read_page"), actions.requeue_dead_letters(db, WHO, "read_page")
    )
    took = perf_counter() - began

    assert sum(both) == 10_000
    assert await actions.requeue_dead_letters(db, WHO, "read_page") == 0
    assert await page_statuses(db) == {"Queued": 10_000}
    assert took < 10


async def test_jobs_are_requeued_by_their_stage_alone(db: AsyncEngine) -> None:
    plain = await add_job(db, status="failed", error="no")
    sitemap = await add_job(db, "sitemap", status="failed", error="no")

    assert await actions.requeue_dead_letters(db, WHO, "run_job") == 1
    assert await statuses(db) == {plain: "pending", sitemap: "failed"}
    assert await actions.requeue_dead_letters(db, WHO, "discover_sitemaps") == 1


async def test_a_job_is_never_discarded(db: AsyncEngine) -> None:
    number = await add_job(db, status="failed", error="no")

    with pytest.raises(Conflict):
        await actions.discard_dead_letters(db, WHO, "run_job")

    assert await statuses(db) == {number: "failed"}


@pytest.mark.parametrize("change", [actions.requeue_dead_letters, actions.discard_dead_letters])
async def test_an_unknown_stage_is_named_with_those_that_exist(db: AsyncEngine, change: Any) -> None:
    with pytest.raises(NotFound, match=r"Invalid stage 'nope'; expected one of .*read_page"):
        await change(db, WHO, "nope")
