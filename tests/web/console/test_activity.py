"""Activity in the console: operations in words, one operation, and the audit log with its chain."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any
from uuid import uuid4

import httpx
from sqlalchemy import insert, text
from sqlalchemy.ext.asyncio import AsyncEngine

from product import TENANT, USER, WHO, add_job, add_pages, ago
from scrapersky import tables
from scrapersky.actions.curation import curate
from scrapersky.queries.rows.entities import ENTITIES
from scrapersky.queries.rows.filters import Filters
from scrapersky.web.console.activity import describe_filters

OpenConsole = Callable[..., AbstractAsyncContextManager[httpx.AsyncClient]]
PAGE = ENTITIES["page"]


async def decide(db: AsyncEngine, status: str = "Maybe", **choice: Any) -> str:
    result = await curate(db, WHO, PAGE, status, **choice)
    return str(result.operation_id)


async def test_operations_are_told_in_words_with_their_undo(
    console: httpx.AsyncClient, db: AsyncEngine
) -> None:
    pages = await add_pages(db, 3)
    picked = await decide(db, ids=pages[:2])
    filtered = await decide(db, "Rejected", filters=Filters(curation_status="New"))

    shown = (await console.get("/activity")).text

    first, second = (
        shown.split(f'data-operation="{each}"')[1].split("</tr>")[0] for each in (filtered, picked)
    )
    assert "Set to Rejected" in first
    assert "curation status is New" in first
    assert "2 picked rows" in second
    assert f'action="/operations/{picked}/undo"' in second
    answer = await console.post(f"/operations/{picked}/undo", data={"back": "/activity"})
    assert (answer.status_code, answer.headers["location"]) == (303, "/activity")
    again = (await console.get("/activity")).text
    assert f"/operations/{picked}/undo" not in again, "once"
    assert "undone" in again
    assert again.count("the rows of the decision that it undoes") == 1


async def test_operations_are_filtered_by_person_action_list_status_and_period(
    console: httpx.AsyncClient, db: AsyncEngine
) -> None:
    [page] = await add_pages(db, 1)
    mine = await decide(db, ids=[page])
    old = str(uuid4())
    values = {"id": old, "tenant_id": TENANT, "action": "run", "table_name": "domains", "status": "failed"}
    async with db.begin() as connection:
        moments = {"created_at": ago(days=3), "started_at": ago(days=3), "finished_at": ago(days=3)}
        await connection.execute(insert(tables.operations).values(**values, **moments, error="no", actor="x"))

    async def found(query: str) -> set[str]:
        answer = await console.get(f"/activity?{query}")
        assert answer.status_code == 200, answer.text
        return {each for each in (mine, old) if f'data-operation="{each}"' in answer.text}

    assert await found("") == {mine, old}
    assert await found(f"person={USER}") == {mine}
    assert await found("action=run") == {old}
    assert await found("entity=page&status=&person=&period=") == {mine}
    assert await found("status=failed") == {old}
    assert await found("period=24h") == {mine}
    assert await found("period=7d") == {mine, old}
    for wrong in ("person=x", "action=odd", "entity=odd", "status=odd", "period=1y", "after=x"):
        assert (await console.get(f"/activity?{wrong}")).status_code == 422, wrong


async def test_one_operation_leads_to_its_list_and_to_a_rule(
    console: httpx.AsyncClient, db: AsyncEngine
) -> None:
    await add_pages(db, 2)
    operation = await decide(db, "Selected", filters=Filters(priority_level=3))

    shown = (await console.get(f"/activity/{operation}")).text
    fragment = (await console.get(f"/activity/{operation}", headers={"HX-Request": "true"})).text

    assert "<dt>Who</dt>" in shown
    assert "100 %" in shown
    assert "/pages?priority_level=3" in shown
    assert "/views/rules/new?list=pages&amp;decision=Selected&amp;priority_level=3" in shown
    assert fragment.lstrip().startswith('<div id="operation"')
    assert (await console.get(f"/activity/{uuid4()}")).status_code == 404


async def test_an_operation_about_picked_rows_cannot_become_a_rule(
    console: httpx.AsyncClient, db: AsyncEngine
) -> None:
    operation = await decide(db, ids=await add_pages(db, 1))

    assert "/views/rules/new" not in (await console.get(f"/activity/{operation}")).text


async def test_what_an_operation_left_alone_has_reasons(console: httpx.AsyncClient, db: AsyncEngine) -> None:
    pages = await add_pages(db, 1)
    operation = await decide(db, ids=[*pages, uuid4()])

    assert "No longer there" in (await console.get(f"/activity/{operation}")).text


def test_filters_are_words() -> None:
    assert describe_filters({}, None) == "all rows"
    assert describe_filters({"page_type": ["contact", "team"]}, None) == "page type is contact or team"
    assert describe_filters({}, 1) == "one picked row"


async def test_the_audit_log_shows_values_and_verifies_its_chain(
    console: httpx.AsyncClient, db: AsyncEngine
) -> None:
    number = await add_job(db, status="failed", error="no")
    await console.post(f"/jobs/{number}/requeue", data={})

    page = (await console.get("/activity/audit?verify=true")).text
    assert "job.requeue" in page
    assert "<del>failed</del> → pending" in page
    assert "The chain is intact: 1 entries" in page
    assert (
        "job.requeue" not in (await console.get("/activity/audit?action=job.cancel")).text.split("<main")[1]
    )

    async with db.begin() as connection:
        await connection.execute(text("ALTER TABLE audit_log DISABLE TRIGGER USER"))
        await connection.execute(text("UPDATE audit_log SET actor = 'somebody else'"))
        await connection.execute(text("ALTER TABLE audit_log ENABLE TRIGGER USER"))
    broken = (await console.get("/activity/audit?verify=true")).text
    assert "The chain is broken" in broken
    assert "the entry was changed" in broken


async def test_only_admins_read_the_audit_log(open_console: OpenConsole, db: AsyncEngine) -> None:
    operation = await decide(db, ids=await add_pages(db, 1))
    async with open_console("viewer") as viewer, open_console("operator") as operator:
        for person in (viewer, operator):
            assert (await person.get("/activity/audit")).status_code == 403
            assert "/activity/audit" not in (await person.get("/activity")).text
        assert f"/operations/{operation}/undo" not in (await viewer.get("/activity")).text
        answer = await viewer.post(f"/operations/{operation}/undo", data={})
    assert answer.status_code == 403
