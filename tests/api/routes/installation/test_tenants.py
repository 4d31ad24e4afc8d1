"""`/tenants`: added, limited, disabled and enabled by admins of the default tenant."""

from __future__ import annotations

from typing import Any
from uuid import UUID, uuid4

import httpx
import pytest
from sqlalchemy import select, text
from sqlalchemy.ext.asyncio import AsyncEngine

from product import TENANT, add_job
from scrapersky import tables

PATH = "/api/v3/tenants"


async def tenant_row(db: AsyncEngine, tenant_id: str) -> Any:
    table = tables.tenants
    async with db.connect() as connection:
        return (await connection.execute(select(table).where(table.c.id == UUID(tenant_id)))).one()


async def test_a_tenant_is_added_renamed_limited_and_disabled(
    api: httpx.AsyncClient, db: AsyncEngine
) -> None:
    answer = await api.post(PATH, json={"name": "North", "quotas": {"queued_items": 5}})
    assert answer.status_code == 201, answer.text
    added = answer.json()
    assert (added["name"], added["is_active"], added["quotas"]["queued_items"]) == ("North", True, 5)
    assert added["use"] == {"queued_items": 0, "exports_today": 0, "pages_today": 0}

    change = {"name": "South", "is_active": False, "quotas": {"queued_items": None, "pages_per_day": 7}}
    answer = await api.patch(f"{PATH}/{added['id']}", json=change)
    assert answer.status_code == 200, answer.text
    row = await tenant_row(db, added["id"])
    assert (row.name, row.is_active, row.quotas) == ("South", False, {"pages_per_day": 7})

    listed = (await api.get(PATH)).json()
    assert {item["name"]: item["is_active"] for item in listed["items"]} == {"Default": True, "South": False}
    async with db.connect() as connection:
        actions = await connection.scalars(text("SELECT action FROM audit_log ORDER BY number"))
        assert actions.all() == ["tenant.add", "tenant.edit"]


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"name": ""}, 422),
        ({"name": "Default"}, 409),
        ({"name": "x" * 201}, 422),
        ({"name": "a\u0000b"}, 422),
        ({"name": "North", "quotas": {"queued_items": -1}}, 422),
        ({"name": "North", "quotas": {"queued_items": 10**12}}, 422),
        ({"name": "North", "quotas": {"horses": 1}}, 422),
        ({"name": "North", "colour": "red"}, 422),
        ({}, 422),
    ],
)
async def test_a_wrong_tenant_is_refused(
    api: httpx.AsyncClient, db: AsyncEngine, body: dict[str, Any], status: int
) -> None:
    answer = await api.post(PATH, json=body)
    assert answer.status_code == status, answer.text
    async with db.connect() as connection:
        assert await connection.scalar(text("SELECT count(*) FROM tenants")) == 1


async def test_the_default_tenant_stays_and_an_unknown_one_is_not_found(api: httpx.AsyncClient) -> None:
    assert (await api.patch(f"{PATH}/{TENANT}", json={"is_active": False})).status_code == 409
    assert (await api.patch(f"{PATH}/{uuid4()}", json={"name": "x"})).status_code == 404
    assert (await api.get(f"{PATH}/{uuid4()}")).status_code == 404


async def test_the_use_of_a_tenant_is_counted(api: httpx.AsyncClient, db: AsyncEngine) -> None:
    await add_job(db)
    await add_job(db, status="failed", error="no")
    assert (await api.get(f"{PATH}/{TENANT}")).json()["use"]["queued_items"] == 1


async def test_a_quota_below_the_present_use_deletes_nothing_and_refuses_new_work(
    api: httpx.AsyncClient, db: AsyncEngine
) -> None:
    """SET-14."""
    first = await api.post(
        "/api/v3/domains/direct-submit",
        json={"domains": ["one-shop.com", "two-shop.com"], "auto_queue": True},
    )
    assert first.status_code < 300, first.text
    await api.patch(f"{PATH}/{TENANT}", json={"quotas": {"queued_items": 1}})
    refused = await api.post(
        "/api/v3/domains/direct-submit", json={"domains": ["three-shop.com"], "auto_queue": True}
    )
    assert refused.status_code == 429
    assert "1 queued items; 2 wait" in refused.json()["detail"]
    assert refused.json()["quota"] == "queued_items"
    assert int(refused.headers["Retry-After"]) > 0
    async with db.connect() as connection:
        names = (await connection.scalars(text("SELECT domain FROM domains ORDER BY domain"))).all()
    assert names == ["one-shop.com", "two-shop.com"]
    await api.patch(f"{PATH}/{TENANT}", json={"quotas": {"queued_items": None}})
    again = await api.post(
        "/api/v3/domains/direct-submit", json={"domains": ["three-shop.com"], "auto_queue": True}
    )
    assert again.status_code < 300, again.text
