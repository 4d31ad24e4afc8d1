"""Saved views by HTTP: own and shared ones, with checked parameters."""

from __future__ import annotations

import uuid
from typing import Any

import httpx
import pytest
from sqlalchemy import insert, select
from sqlalchemy.ext.asyncio import AsyncEngine

from product import TENANT
from scrapersky import tables
from scrapersky.actions.actor import Actor
from scrapersky.actions.presets.saved_views import create_view

VIEWS = "/api/v3/views"
VIEW: dict[str, Any] = {
    "name": "Logins",
    "entity": "page",
    "query": {"page_type": "login", "sort": "-created_at"},
}


async def stored(db: AsyncEngine) -> list[Any]:
    async with db.connect() as connection:
        return list(await connection.execute(select(tables.saved_views)))


async def add_user(db: AsyncEngine, tenant_id: uuid.UUID = TENANT) -> Actor:
    user = uuid.uuid4()
    async with db.begin() as connection:
        values = {"id": user, "tenant_id": tenant_id, "email": f"{user.hex}@example.org"}
        await connection.execute(insert(tables.users).values(values))
    return Actor(tenant_id, user)


async def test_a_view_is_saved_changed_and_deleted(api: httpx.AsyncClient, db: AsyncEngine) -> None:
    answer = await api.post(VIEWS, json=VIEW)
    assert answer.status_code == 201, answer.text
    view = answer.json()
    assert (view["entity"], view["is_own"], view["is_shared"]) == ("page", True, False)
    [row] = await stored(db)
    assert (row.table_name, row.query) == ("pages", {"page_type": ["login"], "sort": ["-created_at"]})
    assert (await api.post(VIEWS, json=VIEW)).status_code == 409
    changes = {"name": "Carts", "query": {"page_type": ["cart"]}, "is_shared": True}
    answer = await api.patch(f"{VIEWS}/{view['id']}", json=changes)
    assert (answer.status_code, answer.json()["query"]) == (200, {"page_type": ["cart"]}), answer.text
    [row] = await stored(db)
    assert (row.name, row.is_shared) == ("Carts", True)
    assert [item["name"] for item in (await api.get(VIEWS)).json()["items"]] == ["Carts"]
    assert (await api.get(VIEWS, params={"entity": "domain"})).json()["items"] == []
    assert (await api.delete(f"{VIEWS}/{view['id']}")).status_code == 204
    assert await stored(db) == []
    assert (await api.get(f"{VIEWS}/{view['id']}")).status_code == 404


async def test_views_of_others_are_seen_only_if_shared_and_never_changed(
    api: httpx.AsyncClient, db: AsyncEngine
) -> None:
    colleague = await add_user(db)
    other = uuid.uuid4()
    async with db.begin() as connection:
        await connection.execute(insert(tables.tenants).values(id=other, name="Other"))
    stranger = await add_user(db, other)
    shared = await create_view(db, colleague, name="Shared", entity="page", params={}, is_shared=True)
    private = await create_view(db, colleague, name="Private", entity="page", params={})
    foreign = await create_view(db, stranger, name="Foreign", entity="page", params={}, is_shared=True)
    items = (await api.get(VIEWS)).json()["items"]
    assert [(item["name"], item["is_own"]) for item in items] == [("Shared", False)]
    for view_id in (private, foreign):
        assert (await api.get(f"{VIEWS}/{view_id}")).status_code == 404
    for view_id in (shared, private, foreign):
        assert (await api.patch(f"{VIEWS}/{view_id}", json={"name": "Mine"})).status_code == 404
        assert (await api.delete(f"{VIEWS}/{view_id}")).status_code == 404
    assert sorted(row.name for row in await stored(db)) == ["Foreign", "Private", "Shared"]


@pytest.mark.parametrize(
    "changes",
    [
        {"query": {"colour": "red"}},
        {"query": {"sort": "colour"}},
        {"query": {"sort": ["created_at", "-created_at"]}},
        {"query": {"page_processing_status": "submitted"}},
        {"entity": "job"},
        {"name": ""},
        {"owner": "x"},
    ],
)
async def test_wrong_views_are_refused(
    api: httpx.AsyncClient, db: AsyncEngine, changes: dict[str, Any]
) -> None:
    assert (await api.post(VIEWS, json=VIEW | changes)).status_code == 422
    assert await stored(db) == []
