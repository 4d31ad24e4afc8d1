"""Jobs by HTTP: lists with filters, one job, cancel, requeue, prune."""

from __future__ import annotations

from uuid import uuid4

import httpx
import pytest
from sqlalchemy import insert
from sqlalchemy.ext.asyncio import AsyncEngine

from product import add_domain, add_job, ago, job_row, statuses
from scrapersky import tables

API = "/api/v3/jobs"


async def test_jobs_are_listed_by_status_type_and_domain(api: httpx.AsyncClient, db: AsyncEngine) -> None:
    domain = await add_domain(db, "lune.co.uk")
    scan = await add_job(db, "sitemap", domain_id=domain)
    failed = await add_job(db, "greet", status="failed", error="no")
    greet = await add_job(db, "greet")
    everything = (await api.get(API)).json()
    assert [item["id"] for item in everything["items"]] == [greet, failed, scan]
    assert (everything["total"], everything["total_exact"], everything["next"]) == (3, True, None)
    for params, expected in (
        ({"status": "failed"}, [failed]),
        ({"job_type": "greet"}, [greet, failed]),
        ({"domain": "LUNE"}, [scan]),
        ({"domain_id": str(domain)}, [scan]),
    ):
        answer = (await api.get(API, params=params)).json()
        assert [item["id"] for item in answer["items"]] == expected, params
    first = (await api.get(API, params={"limit": 2})).json()
    second = (await api.get(API, params={"limit": 2, "after": first["next"]})).json()
    assert [item["id"] for item in second["items"]] == [scan]
    for bad in ({"status": "fine"}, {"after": "forged"}, {"limit": "0"}, {"nothing": "x"}):
        assert (await api.get(API, params=bad)).status_code == 422


@pytest.mark.req("R177")
async def test_a_job_is_shown_by_number_or_uuid(api: httpx.AsyncClient, db: AsyncEngine) -> None:
    number = await add_job(db)
    job_id = (await job_row(db, number)).job_id
    for which in (number, job_id):
        assert (await api.get(f"{API}/{which}")).json()["id"] == number
    for unknown in ("999999", uuid4(), "nothing"):
        assert (await api.get(f"{API}/{unknown}")).status_code == 404


async def test_a_job_is_cancelled_and_requeued(api: httpx.AsyncClient, db: AsyncEngine) -> None:
    number = await add_job(db)
    assert (await api.post(f"{API}/{number}/requeue")).status_code == 409
    assert (await api.post(f"{API}/{number}/cancel")).json()["status"] == "cancelled"
    assert await statuses(db) == {number: "cancelled"}
    assert (await api.post(f"{API}/{number}/cancel")).status_code == 409
    assert (await api.post(f"{API}/{number}/requeue")).json()["status"] == "pending"
    assert await statuses(db) == {number: "pending"}
    assert (await api.post(f"{API}/999999/cancel")).status_code == 404


async def test_old_jobs_are_pruned(api: httpx.AsyncClient, db: AsyncEngine) -> None:
    await add_job(db, status="complete", created_at=ago(days=40))
    waiting = await add_job(db, created_at=ago(days=40))
    recent = await add_job(db, status="complete")
    answer = await api.post(f"{API}/prune", json={"older_than_days": 30})
    assert answer.json() == {"deleted_count": 1}
    assert set(await statuses(db)) == {waiting, recent}


async def test_a_job_of_another_tenant_does_not_exist(api: httpx.AsyncClient, db: AsyncEngine) -> None:
    other = uuid4()
    async with db.begin() as connection:
        await connection.execute(insert(tables.tenants).values(id=other, name="Other"))
    number = await add_job(db, tenant_id=other, created_by=None)
    assert (await api.get(API)).json()["items"] == []
    assert (await api.get(f"{API}/{number}")).status_code == 404
    for verb in ("cancel", "requeue"):
        assert (await api.post(f"{API}/{number}/{verb}")).status_code == 404
    await api.post(f"{API}/prune", json={"older_than_days": 0})
    assert await statuses(db) == {number: "pending"}
