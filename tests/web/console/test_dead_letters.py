"""Dead letters in the console: listed, inspected, investigated, requeued and discarded."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any
from uuid import UUID

import httpx
import pytest
from sqlalchemy import insert, select
from sqlalchemy.ext.asyncio import AsyncEngine

from product import TENANT, add_job, add_pages, ago, job_row
from scrapersky import tables

OpenConsole = Callable[..., AbstractAsyncContextManager[httpx.AsyncClient]]

LETTERS = "/dead-letters"


async def add_letters(db: AsyncEngine, number: int = 1, **figures: Any) -> list[str]:
    dead = {"page_processing_status": "Error", "page_processing_error": "HTTP 500"}
    values = {**dead, "page_processing_finished_at": ago(minutes=5), **figures}
    return [str(page) for page in await add_pages(db, number, **values)]


async def note_failure(db: AsyncEngine, row_id: str, **values: Any) -> None:
    known = {"tenant_id": TENANT, "stage": "read_page", "row_id": row_id, "attempts": 4, "reason": "HTTP 500"}
    failure = {"error_class": "Timeout", "domain": "slow.example", "traceback": "Traceback …"}
    async with db.begin() as connection:
        await connection.execute(insert(tables.failures).values({**known, **failure, **values}))


async def page_statuses(db: AsyncEngine) -> dict[str, str | None]:
    pages = tables.pages.c
    async with db.connect() as connection:
        rows = await connection.execute(select(pages.id, pages.page_processing_status))
        return {str(row.id): row.page_processing_status for row in rows}


@pytest.mark.req("R162")
async def test_dead_letters_of_all_stages_are_listed_and_filtered(
    console: httpx.AsyncClient, db: AsyncEngine
) -> None:
    [page] = await add_letters(db)
    await note_failure(db, page)
    job = await add_job(db, status="failed", error="<script>alert(1)</script>", finished_at=ago(minutes=3))

    async def found(query: str) -> set[str]:
        answer = await console.get(f"{LETTERS}?{query}")
        assert answer.status_code == 200, answer.text
        assert "<script>alert" not in answer.text
        return {
            each for each in (f"read_page/{page}", f"run_job/{job}") if f"{LETTERS}/{each}" in answer.text
        }

    both = {f"read_page/{page}", f"run_job/{job}"}
    assert await found("") == both
    assert await found("stage=read_page&state=&contains=&domain=") == {f"read_page/{page}"}
    assert await found("contains=script") == {f"run_job/{job}"}
    assert await found("domain=slow.ex") == {f"read_page/{page}"}
    assert await found("error_class=Timeout") == {f"read_page/{page}"}
    assert await found("state=open") == both
    assert await found("state=resolved") == set()
    assert (await console.get(f"{LETTERS}?state=odd")).status_code == 422
    assert (await console.get(f"{LETTERS}?stage=odd")).status_code == 422


@pytest.mark.req("R162", "R252", "R263")
async def test_one_dead_letter_shows_traceback_attempts_and_crashes(
    console: httpx.AsyncClient, db: AsyncEngine
) -> None:
    [page] = await add_letters(db)
    await note_failure(db, page, traceback="Traceback:\n  <module>")
    crash = {
        "stage": "read_page",
        "table_name": "pages",
        "row_id": page,
        "worker": 7,
        "reason": "out of memory",
        "tenant_id": TENANT,
    }
    async with db.begin() as connection:
        await connection.execute(insert(tables.zombies).values(crash))

    shown = (await console.get(f"{LETTERS}/read_page/{page}")).text

    assert "Traceback:\n  &lt;module&gt;</pre>" in shown
    assert "<dt>Attempts</dt><dd>4</dd>" in shown
    assert "out of memory" in shown
    assert 'aria-label="Copy the traceback"' in shown
    assert (await console.get(f"{LETTERS}/read_page/{UUID(int=5)}")).status_code == 404


@pytest.mark.req("R263")
async def test_people_note_what_they_know(console: httpx.AsyncClient, db: AsyncEngine) -> None:
    [page] = await add_letters(db)
    path = f"{LETTERS}/read_page/{page}"

    form = {"state": "investigating", "note": "the <i>proxy</i> is down", "owner_id": ""}
    answer = await console.post(f"{path}/investigation", data=form)

    assert (answer.status_code, answer.headers["location"]) == (303, path)
    async with db.connect() as connection:
        saved = (await connection.execute(select(tables.investigations))).one()
    assert (saved.state, saved.note, saved.row_id) == ("investigating", "the <i>proxy</i> is down", page)
    assert "the &lt;i&gt;proxy&lt;/i&gt; is down" in (await console.get(path)).text
    assert "investigating" in (await console.get(LETTERS)).text.split("<tbody>")[1]
    for wrong in (
        {"state": "odd"},
        {"state": "open", "owner_id": "x"},
        {"state": "open", "note": "x" * 4_001},
    ):
        assert (await console.post(f"{path}/investigation", data=wrong)).status_code == 422


@pytest.mark.req("R060", "R162")
async def test_picked_dead_letters_are_queued_again(console: httpx.AsyncClient, db: AsyncEngine) -> None:
    first, second = await add_letters(db, 2)
    job = await add_job(db, status="failed", error="no", finished_at=ago(minutes=3))

    form = {"pick": [f"read_page:{first}", f"run_job:{job}"], "back": f"{LETTERS}?state=open"}
    answer = await console.post(f"{LETTERS}/requeue", data=form)

    assert (answer.status_code, answer.headers["location"]) == (303, f"{LETTERS}?state=open")
    assert await page_statuses(db) == {first: "Queued", second: "Error"}
    assert (await job_row(db, job)).status == "pending"
    assert (await console.post(f"{LETTERS}/requeue", data={})).status_code == 422
    assert (await console.post(f"{LETTERS}/requeue", data={"pick": "odd:1"})).status_code == 404


@pytest.mark.req("R162")
async def test_a_discarded_dead_letter_leaves_its_queue(console: httpx.AsyncClient, db: AsyncEngine) -> None:
    first, second = await add_letters(db, 2)
    job = await add_job(db, status="failed", error="no", finished_at=ago(minutes=3))

    await console.post(f"{LETTERS}/discard", data={"pick": [f"read_page:{first}", f"run_job:{job}"]})

    assert await page_statuses(db) == {first: None, second: "Error"}
    assert (await job_row(db, job)).status == "failed", "jobs are pruned, not discarded"
    listed = (await console.get(LETTERS)).text
    assert first not in listed
    assert "jobs cannot be discarded" in listed


async def test_more_than_twenty_are_discarded_after_a_question(
    console: httpx.AsyncClient, db: AsyncEngine
) -> None:
    letters = await add_letters(db, 22)
    form: dict[str, Any] = {"pick": [f"read_page:{row_id}" for row_id in letters]}

    question = await console.post(f"{LETTERS}/discard", data=form)
    assert question.status_code == 200
    assert "Discard 22 dead letters?" in question.text
    assert set((await page_statuses(db)).values()) == {"Error"}

    answer = await console.post(f"{LETTERS}/discard", data={**form, "confirmed": "22"})
    assert answer.status_code == 303
    assert set((await page_statuses(db)).values()) == {None}


async def test_all_that_match_are_discarded_only_after_a_question(
    console: httpx.AsyncClient, db: AsyncEngine
) -> None:
    await add_letters(db, 2)

    question = await console.post(f"{LETTERS}/discard", data={"all": "2"})

    assert "Discard 2 dead letters?" in question.text
    assert set((await page_statuses(db)).values()) == {"Error"}


async def test_all_that_match_are_queued_again_if_they_are_as_many_as_was_shown(
    console: httpx.AsyncClient, db: AsyncEngine
) -> None:
    slow = await add_letters(db, 55, page_processing_error="timeout")
    [other] = await add_letters(db)

    form = {"contains": "timeout", "all": "54"}
    assert (await console.post(f"{LETTERS}/requeue", data=form)).status_code == 409
    answer = await console.post(f"{LETTERS}/requeue", data={**form, "all": "55"})

    assert answer.status_code == 303
    now = await page_statuses(db)
    assert {now[row_id] for row_id in slow} == {"Queued"}
    assert now[other] == "Error"


async def test_one_dead_letter_is_requeued_or_discarded_from_its_page(
    console: httpx.AsyncClient, db: AsyncEngine
) -> None:
    first, second = await add_letters(db, 2)

    await console.post(f"{LETTERS}/read_page/{first}/requeue")
    await console.post(f"{LETTERS}/read_page/{second}/discard")

    assert await page_statuses(db) == {first: "Queued", second: None}
    assert "no dead letter any more" in (await console.get(f"{LETTERS}/read_page/{first}")).text


async def test_a_viewer_reads_and_changes_nothing(open_console: OpenConsole, db: AsyncEngine) -> None:
    [page] = await add_letters(db)
    path = f"{LETTERS}/read_page/{page}"
    async with open_console("viewer") as viewer:
        assert "Requeue" not in (await viewer.get(LETTERS)).text
        assert "<textarea" not in (await viewer.get(path)).text
        for target, form in (
            (f"{LETTERS}/requeue", {"pick": f"read_page:{page}"}),
            (f"{LETTERS}/discard", {"pick": f"read_page:{page}"}),
            (f"{path}/requeue", {}),
            (f"{path}/discard", {}),
            (f"{path}/investigation", {"state": "resolved"}),
        ):
            assert (await viewer.post(target, data=form)).status_code == 403
    assert await page_statuses(db) == {page: "Error"}
