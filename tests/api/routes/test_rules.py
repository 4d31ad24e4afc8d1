"""Rules by HTTP: create, preview, change, delete."""

from __future__ import annotations

import uuid
from typing import Any

import httpx
import pytest
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncEngine

from operation_lab import add_rows
from product import WHO
from scrapersky import tables
from scrapersky.actions.curation import curate
from scrapersky.queries.rows.entities import ENTITIES

RULES = "/api/v3/rules"
RULE: dict[str, Any] = {
    "name": "No logins",
    "entity": "page",
    "filter": {"page_type": "login"},
    "decision": "Rejected",
}


async def stored(db: AsyncEngine) -> list[Any]:
    async with db.connect() as connection:
        return list(await connection.execute(select(tables.rules)))


async def test_a_rule_is_created_changed_and_deleted(api: httpx.AsyncClient, db: AsyncEngine) -> None:
    answer = await api.post(RULES, json=RULE)
    assert answer.status_code == 201, answer.text
    rule = answer.json()
    assert (rule["filter"], rule["decision"], rule["is_enabled"]) == (
        {"page_type": ["login"]},
        "Rejected",
        True,
    )
    assert (await api.post(RULES, json=RULE)).status_code == 409
    [row] = await stored(db)
    assert (row.table_name, row.filters, row.decision) == ("pages", {"page_type": ["login"]}, "Rejected")
    changes = {"filter": {"page_type": ["login", "cart"]}, "is_enabled": False, "decision": "Archived"}
    answer = await api.patch(f"{RULES}/{rule['id']}", json=changes)
    assert (answer.status_code, answer.json()["is_enabled"]) == (200, False), answer.text
    [row] = await stored(db)
    assert (row.filters, row.decision) == ({"page_type": ["login", "cart"]}, "Archived")
    assert [item["id"] for item in (await api.get(RULES)).json()["items"]] == [rule["id"]]
    assert (await api.get(f"{RULES}/{rule['id']}")).json()["decision"] == "Archived"
    assert (await api.delete(f"{RULES}/{rule['id']}")).status_code == 204
    assert await stored(db) == []
    assert (await api.get(f"{RULES}/{rule['id']}")).status_code == 404
    assert (await api.delete(f"{RULES}/{uuid.uuid4()}")).status_code == 404


async def test_the_preview_counts_what_a_rule_would_have_matched(
    api: httpx.AsyncClient, db: AsyncEngine
) -> None:
    logins = await add_rows(db, "page", 3, page_type="login")
    await add_rows(db, "page", 2)
    await curate(db, WHO, ENTITIES["page"], "Maybe", ids=logins[:1])
    body = {"entity": "page", "filter": {"page_type": "login"}}
    answer = await api.post(f"{RULES}/preview", json=body)
    assert (answer.status_code, answer.json()) == (200, {"matching": 3, "new": 2}), answer.text
    assert await stored(db) == []


@pytest.mark.parametrize(
    "changes",
    [
        {"filter": {}},
        {"filter": {"colour": "red"}},
        {"decision": "x"},
        {"entity": "job"},
        {"name": " "},
        {"x": 1},
    ],
)
async def test_wrong_rules_are_refused_by_name(
    api: httpx.AsyncClient, db: AsyncEngine, changes: dict[str, Any]
) -> None:
    assert (await api.post(RULES, json=RULE | changes)).status_code == 422
    assert await stored(db) == []
