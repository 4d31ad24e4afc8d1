"""Dead letters by HTTP: listed, shown with their traceback, requeued, discarded, investigated."""

from __future__ import annotations

import json
from base64 import b64encode
from typing import Any
from uuid import UUID, uuid4

import httpx
import pytest
from sqlalchemy import insert, select
from sqlalchemy.ext.asyncio import AsyncEngine

from fakes import FakeWeb
from product import TENANT, USER, WHO, add_job, add_pages, ago
from scrapersky import tables
from scrapersky.actions.submissions import SubmissionOptions, submit_pages
from small_web import worked

OTHER = UUID(int=99)
LETTERS = "/api/v3/dead-letters"


async def add_letter(db: AsyncEngine, minutes: int, **figures: Any) -> str:
    dead = {"page_processing_status": "Error", "page_processing_error": "HTTP 500"}
    [page] = await add_pages(
        db, 1, **{**dead, "page_processing_finished_at": ago(minutes=minutes), **figures}
    )
    return str(page)


async def note_failure(db: AsyncEngine, row_id: str, *, error_class: str, domain: str) -> None:
    values = {"tenant_id": TENANT, "stage": "read_page", "row_id": row_id, "domain": domain, "attempts": 4}
    failure = {**values, "error_class": error_class, "reason": "HTTP 500", "traceback": "Traceback …"}
    async with db.begin() as connection:
        await connection.execute(insert(tables.failures).values(failure))


async def page_status(db: AsyncEngine, row_id: str) -> str | None:
    pages = tables.pages.c
    async with db.connect() as connection:
        status: str | None = await connection.scalar(
            select(pages.page_processing_status).where(pages.id == UUID(row_id))
        )
        return status


@pytest.mark.req("R162")
async def test_pages_of_dead_letters_of_all_stages_follow_one_another(
    api: httpx.AsyncClient, db: AsyncEngine
) -> None:
    pages = [await add_letter(db, minutes) for minutes in (5, 4, 2, 1)]
    job = await add_job(db, status="failed", error="no", finished_at=ago(minutes=3))

    seen: list[str] = []
    after: str | None = None
    while True:
        params = {"limit": 2} | ({"after": after} if after else {})
        answer = (await api.get(LETTERS, params=params)).json()
        seen += [letter["id"] for letter in answer["items"]]
        assert (answer["total"], answer["total_exact"]) == (5, True)
        if not (after := answer["next"]):
            break

    assert seen == [pages[3], pages[2], str(job), pages[1], pages[0]]


async def test_a_cursor_that_we_did_not_issue_is_refused(api: httpx.AsyncClient, db: AsyncEngine) -> None:
    """API-02."""
    for minutes in (3, 2, 1):
        await add_letter(db, minutes)
    cursor = (await api.get(LETTERS, params={"limit": 1})).json()["next"]
    assert (await api.get(LETTERS, params={"limit": 1, "after": cursor})).status_code == 200
    positions = (
        ["2026-01-01T00:00:00+00:00", "read_page", "x"],
        ["2026-01-01T00:00:00+00:00", "\ud800", "x"],
        ["0001-01-01T00:00:00+14:00", "read_page", "x"],
        ["9999-12-31T23:59:59-14:00", "read_page", "x"],
    )
    forged = [b64encode(json.dumps(position).encode()).decode() for position in positions]
    changed = f"{'B' if cursor[0] == 'A' else 'A'}{cursor[1:]}"
    for wrong in ("garbage", "e30", "", f"{cursor}x", cursor[:-4], changed, *forged):
        assert (await api.get(LETTERS, params={"after": wrong})).status_code == 422, wrong
    of_another_list = {"after": cursor, "stage": "read_page"}
    assert (await api.get(LETTERS, params=of_another_list)).status_code == 422


async def test_dead_letters_are_filtered_by_stage_class_domain_state_and_reason(
    api: httpx.AsyncClient, db: AsyncEngine
) -> None:
    first, second, crashed = [await add_letter(db, minutes) for minutes in (3, 2, 1)]
    await note_failure(db, first, error_class="Timeout", domain="slow.example")
    await note_failure(db, second, error_class="KeyError", domain="odd.example")
    async with db.begin() as connection:
        row = tables.pages.update().where(tables.pages.c.id == UUID(crashed))
        await connection.execute(
            row.values(page_processing_crashes=3, page_processing_error="crashed worker")
        )
    await api.put(f"{LETTERS}/read_page/{second}/investigation", json={"state": "investigating"})

    async def found(**params: str) -> list[str]:
        answer = await api.get(LETTERS, params=params)
        assert answer.status_code == 200, answer.text
        return [letter["id"] for letter in answer.json()["items"]]

    assert await found(stage="read_page") == [crashed, second, first]
    assert await found(stage="run_job") == []
    assert await found(error_class="Timeout") == [first]
    assert await found(error_class="WorkerCrashed") == [crashed], "there is no exception to name"
    assert await found(domain="ODD.ex") == [second]
    assert await found(state="investigating") == [second]
    assert await found(state="open") == [crashed, first]
    assert await found(contains="crashed") == [crashed]
    assert (await api.get(LETTERS, params={"stage": "nothing"})).status_code == 422


@pytest.mark.req("R162", "R252")
async def test_the_traceback_of_the_log_is_shown_beside_the_dead_letter(
    api: httpx.AsyncClient, db: AsyncEngine
) -> None:
    await submit_pages(db, WHO, "https://lune.co.uk/team", SubmissionOptions(priority=1))
    lines = await worked(db, FakeWeb({"https://lune.co.uk/team": KeyError("no such thing")}))
    [logged] = [line for line in lines if line.get("state") == "failed"]

    shown = (await api.get(f"{LETTERS}/read_page/{logged['id']}")).json()

    assert (logged["level"], logged["domain"]) == ("error", "lune.co.uk")
    assert (shown["traceback"], shown["error_class"]) == (logged["trace"], "KeyError")
    assert (shown["attempts"], shown["status"], shown["row"]["url"]) == (
        4,
        "Error",
        "https://lune.co.uk/team",
    )


@pytest.mark.req("R252")
async def test_a_row_that_killed_its_workers_says_what_is_known(
    api: httpx.AsyncClient, db: AsyncEngine
) -> None:
    letter = await add_letter(db, 1, page_processing_crashes=3, page_processing_rescues=5)
    async with db.begin() as connection:
        crash = {"stage": "read_page", "table_name": "pages", "row_id": letter, "tenant_id": TENANT}
        crash |= {"worker": 7, "crashes": 3, "reason": "crashed worker"}
        await connection.execute(insert(tables.zombies).values(crash))

    shown = (await api.get(f"{LETTERS}/read_page/{letter}")).json()

    assert (shown["error_class"], shown["attempts"]) == ("WorkerCrashed", 5)
    assert "3 worker processes died" in shown["traceback"]
    assert [(crash["worker"], crash["reason"]) for crash in shown["crashes"]] == [(7, "crashed worker")]


@pytest.mark.req("R060", "R162")
async def test_dead_letters_are_requeued_and_discarded_with_an_audit_entry(
    api: httpx.AsyncClient, db: AsyncEngine
) -> None:
    again, gone, rest = [await add_letter(db, minutes) for minutes in (3, 2, 1)]

    requeued = await api.post(f"{LETTERS}/requeue", json={"stage": "read_page", "ids": [again]})
    discarded = await api.post(f"{LETTERS}/discard", json={"stage": "read_page", "ids": [gone]})

    assert (requeued.json(), discarded.json()) == ({"updated_count": 1}, {"updated_count": 1})
    assert [await page_status(db, row) for row in (again, gone, rest)] == ["Queued", None, "Error"]
    assert (await api.post(f"{LETTERS}/requeue", json={"stage": "read_page"})).status_code == 422
    everything = await api.post(f"{LETTERS}/requeue", json={"stage": "read_page", "all": True})
    assert everything.json() == {"updated_count": 1}
    log = tables.audit_log.c
    async with db.connect() as connection:
        entries = (await connection.execute(select(log.action, log.row_id).order_by(log.number))).all()
    assert [tuple(entry) for entry in entries] == [
        ("dead_letter.requeue", again),
        ("dead_letter.discard", gone),
        ("dead_letter.requeue", None),
    ]


@pytest.mark.req("R263")
async def test_a_dead_letter_is_investigated(api: httpx.AsyncClient, db: AsyncEngine) -> None:
    letter = await add_letter(db, 1)
    path = f"{LETTERS}/read_page/{letter}"
    before = (await api.get(path)).json()["investigation"]
    assert (before["state"], before["note"], before["owner_id"]) == ("open", "", None)

    notes = {"state": "investigating", "note": "the host sends HTML", "owner_id": str(USER)}
    answer = await api.put(f"{path}/investigation", json=notes)
    assert answer.status_code == 200, answer.text
    assert notes.items() <= (await api.get(path)).json()["investigation"].items()
    resolved = await api.put(f"{path}/investigation", json={"state": "resolved", "note": "fixed"})
    assert resolved.json()["state"] == "resolved"
    async with db.connect() as connection:
        [row] = (await connection.execute(select(tables.investigations))).all()
    assert (row.tenant_id, row.stage, row.row_id, row.note) == (TENANT, "read_page", letter, "fixed")

    for wrong in ({"state": "done"}, {"state": "open", "owner_id": str(uuid4())}):
        assert (await api.put(f"{path}/investigation", json=wrong)).status_code == 422
    nothing = f"{LETTERS}/read_page/{uuid4()}/investigation"
    assert (await api.put(nothing, json={"state": "open"})).status_code == 404


async def test_the_dead_letters_of_others_are_not_there(api: httpx.AsyncClient, db: AsyncEngine) -> None:
    async with db.begin() as connection:
        await connection.execute(insert(tables.tenants).values(id=OTHER, name="other"))
        job = {"tenant_id": OTHER, "job_type": "greet", "status": "failed", "error": "theirs"}
        number = await connection.scalar(insert(tables.jobs).values(job).returning(tables.jobs.c.id))

    assert (await api.get(LETTERS)).json()["items"] == []
    assert (await api.get(f"{LETTERS}/run_job/{number}")).status_code == 404
    changed = await api.post(f"{LETTERS}/requeue", json={"stage": "run_job", "all": True})
    assert changed.json() == {"updated_count": 0}
