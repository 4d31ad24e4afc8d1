"""Operations by HTTP: the list, progress, cancel and undo."""

from __future__ import annotations

import uuid
from typing import Any

import httpx
import pytest
from sqlalchemy import text, update
from sqlalchemy.ext.asyncio import AsyncEngine

from operation_lab import add_rows, operation_row, snapshot
from product import WHO
from scrapersky import tables
from scrapersky.actions.operations import Decision, create_operation
from scrapersky.queries.rows.entities import ENTITIES
from scrapersky.queries.rows.filters import Filters

API = "/api/v3"
PAGE = ENTITIES["page"]


async def decide(api: httpx.AsyncClient, ids: list[uuid.UUID], decision: str) -> str:
    body = {"ids": [str(row_id) for row_id in ids], "decision": decision}
    answer = await api.post(f"{API}/pages/decisions", json=body)
    assert answer.status_code == 200, answer.text
    return str(answer.json()["operation_id"])


async def test_an_undo_puts_rows_back_and_says_which_it_left(api: httpx.AsyncClient, db: AsyncEngine) -> None:
    ids = await add_rows(db, "page", 60)
    before = await snapshot(db, PAGE)
    operation_id = await decide(api, ids, "Selected")
    async with db.begin() as connection:
        claimed: dict[str, Any] = {"page_processing_status": "Processing", "page_processing_lease_seq": 1}
        claimed["page_processing_lease_until"] = text("now() + interval '1 hour'")
        taken = tables.pages.c.id.in_(ids[:2])
        await connection.execute(update(tables.pages).where(taken).values(claimed))
    answer = await api.post(f"{API}/operations/{operation_id}/undo")
    assert answer.status_code == 200, answer.text
    assert answer.json()["message"] == "58 of 60 put back; 2 already processed"
    assert answer.json()["skipped"] == {"taken": 2}
    after = await snapshot(db, PAGE)
    assert {row_id for row_id in ids if after[row_id] != before[row_id]} == set(ids[:2])
    again = await api.post(f"{API}/operations/{operation_id}/undo")
    assert (again.status_code, again.json()["detail"]) == (409, "The operation is undone already")
    undone = (await api.get(f"{API}/operations/{operation_id}")).json()
    assert undone["status"] == "undone"
    undo = (await api.get(f"{API}/operations/{answer.json()['operation_id']}")).json()
    assert (undo["action"], undo["undo_of"], undo["changed"]) == ("undo", operation_id, 58)


async def test_operations_are_listed_newest_first_and_by_state(
    api: httpx.AsyncClient, db: AsyncEngine
) -> None:
    ids = await add_rows(db, "page", 3)
    made = [await decide(api, [row_id], "Maybe") for row_id in ids]
    answer = (await api.get(f"{API}/operations", params={"limit": 2})).json()
    assert ([item["id"] for item in answer["items"]], answer["total"]) == (made[:0:-1], 3)
    rest = (await api.get(f"{API}/operations", params={"after": answer["next"]})).json()
    assert ([item["id"] for item in rest["items"]], rest["next"]) == ([made[0]], None)
    item = rest["items"][0]
    assert (item["entity"], item["action"], item["value"], item["number_of_ids"]) == (
        "page",
        "curate",
        "Maybe",
        1,
    )
    await api.post(f"{API}/operations/{made[0]}/undo")
    undone = (await api.get(f"{API}/operations", params={"status": "undone"})).json()
    assert [item["id"] for item in undone["items"]] == [made[0]]
    assert (await api.get(f"{API}/operations", params={"entity": "domain"})).json()["items"] == []


async def test_an_operation_that_waits_is_cancelled_at_once(api: httpx.AsyncClient, db: AsyncEngine) -> None:
    await add_rows(db, "page", 3)
    decision = Decision(entity=PAGE, value="Maybe", filters=Filters())
    operation = await create_operation(db, WHO, decision, matched=3, is_leased=False)
    refused = await api.post(f"{API}/operations/{operation.id}/undo")
    assert refused.status_code == 409
    assert "still running" in refused.json()["detail"]
    answer = await api.post(f"{API}/operations/{operation.id}/cancel")
    assert (answer.status_code, answer.json()["status"]) == (200, "cancelled"), answer.text
    assert (await operation_row(db, operation.id)).finished_at is not None
    assert (await api.post(f"{API}/operations/{operation.id}/cancel")).status_code == 409
    assert {row["page_curation_status"] for row in (await snapshot(db, PAGE)).values()} == {"New"}


@pytest.mark.parametrize("method", ["GET", "cancel", "undo"])
async def test_an_unknown_operation_is_not_found(api: httpx.AsyncClient, method: str) -> None:
    path = f"{API}/operations/{uuid.uuid4()}"
    answer = await (api.get(path) if method == "GET" else api.post(f"{path}/{method}"))
    assert answer.status_code == 404
