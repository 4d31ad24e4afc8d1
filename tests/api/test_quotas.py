"""Quotas of requests and exports: refused with 429 and a time, and no other tenant is affected (C20)."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any
from uuid import UUID

import httpx
import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from operation_lab import add_rows
from people import add_session, cookie
from product import TENANT, WHO
from scrapersky.actions.accounts.api_keys import create_api_key
from scrapersky.actions.actor import Actor
from scrapersky.actions.installation.quotas import count_export
from scrapersky.actions.installation.tenants import TenantEditor
from scrapersky.api.quotas import QUOTA_SECONDS, Bucket, RequestLimits
from scrapersky.errors import TooManyRequests
from scrapersky.queries.installation.tenants import Quotas

PASSWORD = "correct-Horse-9-battery"
LISTED = "/api/v3/users"


async def tenant_with_key(db: AsyncEngine, name: str, **quotas: int) -> tuple[UUID, dict[str, str]]:
    """A tenant with an administrator, and the header of that one's key."""
    editor = TenantEditor(db, WHO, TENANT)
    tenant_id = await editor.add(name, quotas=Quotas(**quotas))
    user_id = await editor.add_admin(tenant_id, email=f"{name.lower()}@example.org", password=PASSWORD)
    return tenant_id, await key_of(db, tenant_id, user_id)


async def key_of(db: AsyncEngine, tenant_id: UUID, user_id: UUID) -> dict[str, str]:
    _, key = await create_api_key(
        db,
        Actor(tenant_id, user_id),
        user_id=user_id,
        name="test",
        scopes=["admin"],
        lifetime=timedelta(days=1),
    )
    return {"Authorization": f"Bearer {key}"}


async def statuses_of(api: httpx.AsyncClient, headers: dict[str, str], number: int) -> list[int]:
    return [(await api.get(LISTED, headers=headers)).status_code for _ in range(number)]


async def test_requests_beyond_the_quota_of_a_tenant_are_refused_and_others_are_served(
    api: httpx.AsyncClient, db: AsyncEngine
) -> None:
    _, north = await tenant_with_key(db, "North", requests_per_minute=3)
    _, south = await tenant_with_key(db, "South")
    assert await statuses_of(api, north, 5) == [200, 200, 200, 429, 429]
    assert await statuses_of(api, south, 5) == [200] * 5
    refused = await api.get(LISTED, headers=north)
    assert refused.headers["content-type"] == "application/problem+json"
    assert 1 <= int(refused.headers["Retry-After"]) <= 20
    assert refused.headers["RateLimit-Policy"] == '"tenant";q=3;w=60'
    assert refused.headers["RateLimit"].startswith('"tenant";r=0;t=')


@pytest.mark.parametrize("shown", ["key", "session"])
async def test_a_refused_caller_is_answered_without_the_database_until_there_is_a_token(
    api: httpx.AsyncClient, db: AsyncEngine, shown: str
) -> None:
    _, north = await tenant_with_key(db, "North", requests_per_minute=3)
    if shown == "session":
        async with db.connect() as connection:
            user_id = await connection.scalar(text("SELECT id FROM users WHERE email = 'north@example.org'"))
        north = cookie(await add_session(db, user_id))
    assert await statuses_of(api, north, 3) == [200] * 3
    async with db.begin() as connection:
        await connection.execute(text("UPDATE api_keys SET revoked_at = now()"))
        await connection.execute(text("DELETE FROM sessions"))
    # The last token is gone, so nobody has looked at the key or session again ...
    assert await statuses_of(api, north, 2) == [429, 429]
    # ... but only for that one, only in the API, and not for long.
    assert await statuses_of(api, {"Authorization": "Bearer ssky_another"}, 1) == [401]
    assert await statuses_of(api, cookie("another"), 1) == [401]
    assert (await api.get("/health/live", headers=north)).status_code == 200
    await asyncio.sleep(QUOTA_SECONDS + 0.1)
    assert await statuses_of(api, north, 1) == [401]


async def test_each_key_has_its_own_quota_and_does_not_use_up_that_of_the_tenant(
    api: httpx.AsyncClient, db: AsyncEngine
) -> None:
    tenant_id, first = await tenant_with_key(db, "North", key_requests_per_minute=2, requests_per_minute=5)
    async with db.connect() as connection:
        user_id = await connection.scalar(text("SELECT id FROM users WHERE email = 'north@example.org'"))
    second = await key_of(db, tenant_id, user_id)
    assert await statuses_of(api, first, 4) == [200, 200, 429, 429]
    assert await statuses_of(api, second, 3) == [200, 200, 429]
    answer = await api.get(LISTED, headers=await key_of(db, tenant_id, user_id))
    assert answer.status_code == 200
    assert answer.headers["RateLimit"] == '"tenant";r=0;t=0, "key";r=1;t=0'


async def test_without_a_quota_there_is_no_header(api: httpx.AsyncClient, db: AsyncEngine) -> None:
    _, headers = await tenant_with_key(db, "North")
    answer = await api.get(LISTED, headers=headers)
    assert "RateLimit" not in answer.headers


async def test_the_key_of_a_disabled_tenant_is_refused_until_it_is_enabled(
    api: httpx.AsyncClient, db: AsyncEngine
) -> None:
    tenant_id, headers = await tenant_with_key(db, "North")
    editor = TenantEditor(db, WHO, TENANT)
    assert (await api.get(LISTED, headers=headers)).status_code == 200
    await editor.edit(tenant_id, {"is_active": False})
    assert (await api.get(LISTED, headers=headers)).status_code == 401
    login = {"email": "north@example.org", "password": PASSWORD}
    assert (await api.post("/api/v3/session", json=login)).status_code == 401
    await editor.edit(tenant_id, {"is_active": True})
    assert (await api.get(LISTED, headers=headers)).status_code == 200


@pytest.mark.parametrize("path", ["/api/v3/settings", "/api/v3/tenants", f"/api/v3/tenants/{TENANT}"])
async def test_an_admin_of_another_tenant_manages_neither_settings_nor_tenants(
    api: httpx.AsyncClient, db: AsyncEngine, path: str
) -> None:
    _, headers = await tenant_with_key(db, "North")
    assert (await api.get(path, headers=headers)).status_code == 403
    change: dict[str, Any] = {"json": {"value": True}, "headers": headers}
    assert (await api.put("/api/v3/settings/AUTO_DEEP_SCAN", **change)).status_code == 403
    body = {"json": {"name": "x"}, "headers": headers}
    assert (await api.post("/api/v3/tenants", **body)).status_code == 403
    assert (await api.patch(f"/api/v3/tenants/{TENANT}", **body)).status_code == 403
    async with db.connect() as connection:
        assert await connection.scalar(text("SELECT count(*) FROM setting_overrides")) == 0


async def test_exports_of_a_day_are_counted_and_refused_beyond_the_quota(db: AsyncEngine) -> None:
    tenant_id, _ = await tenant_with_key(db, "North", exports_per_day=2)
    await count_export(db, tenant_id)
    await count_export(db, tenant_id)
    with pytest.raises(TooManyRequests, match="2 exports a day") as refused:
        await count_export(db, tenant_id)
    assert 1 <= refused.value.retry_after <= 86_400
    await count_export(db, TENANT)
    async with db.connect() as connection:
        rows = await connection.execute(text("SELECT tenant_id, exports FROM tenant_usage"))
        assert {row.tenant_id: row.exports for row in rows} == {tenant_id: 2, TENANT: 1}


async def test_an_export_by_http_is_counted_and_refused(api: httpx.AsyncClient, db: AsyncEngine) -> None:
    tenant_id, headers = await tenant_with_key(db, "North", exports_per_day=1)
    first = await api.get("/api/v3/domains/export", headers=headers)
    assert first.status_code == 200, first.text
    refused = await api.get("/api/v3/contacts/export", headers=headers)
    assert (refused.status_code, refused.json()["quota"]) == (429, "exports_per_day")
    assert int(refused.headers["Retry-After"]) > 0
    async with db.connect() as connection:
        rows = await connection.execute(text("SELECT tenant_id, exports FROM tenant_usage"))
        assert [tuple(row) for row in rows] == [(tenant_id, 1)]


async def test_an_export_quota_of_zero_allows_none(db: AsyncEngine) -> None:
    tenant_id, _ = await tenant_with_key(db, "North", exports_per_day=0)
    with pytest.raises(TooManyRequests):
        await count_export(db, tenant_id)


def test_a_bucket_fills_continuously_up_to_its_limit() -> None:
    bucket = Bucket(tokens=0, filled_at=0.0)
    assert bucket.fill(60, 0.5) == pytest.approx(0.5)
    assert bucket.fill(60, 1.0) == 0
    bucket.fill(60, 10_000.0)
    assert bucket.tokens == 60
    assert Bucket(0, 0.0).fill(0, 1.0) == 60


def test_limits_forget_the_oldest_buckets() -> None:
    limits = RequestLimits(lambda: 0.0)
    assert limits.bucket("a", 3) is limits.bucket("a", 3)
    assert limits.bucket("a", 3) is not limits.bucket("b", 3)


async def test_neither_validations_nor_dead_letters_exceed_the_quota_of_the_queues(
    api: httpx.AsyncClient, db: AsyncEngine
) -> None:
    contacts = await add_rows(db, "contact", 3)
    failed = {"page_processing_status": "Error", "page_processing_error": "HTTP 500"}
    await add_rows(db, "page", 3, **failed)
    await TenantEditor(db, WHO, TENANT).edit(TENANT, {"quotas": {"queued_items": 2}})
    ids = [str(contact) for contact in contacts]
    refused = [
        await api.post("/api/v3/contacts/validate", json={"contact_ids": ids}),
        await api.post("/api/v3/contacts/validate/all", json={}),
        await api.post("/api/v3/dead-letters/requeue", json={"stage": "read_page", "all": True}),
    ]
    assert [answer.status_code for answer in refused] == [429, 429, 429]
    assert {answer.json()["quota"] for answer in refused} == {"queued_items"}
    few = await api.post("/api/v3/contacts/validate", json={"contact_ids": ids[:2]})
    assert (few.status_code, few.json()["queued_count"]) == (202, 2)
