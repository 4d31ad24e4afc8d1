"""Stages and statistics by HTTP: figures, pause, resume and run, with what they change in the database."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import httpx
import pytest
from sqlalchemy import insert, select
from sqlalchemy.ext.asyncio import AsyncEngine

from product import TENANT, add_job, add_pages, ago
from scrapersky import tables
from scrapersky.actions.accounts.api_keys import create_api_key
from scrapersky.actions.actor import Actor
from scrapersky.declarations import DECLARATIONS
from scrapersky.engine.stats import BUCKETS
from scrapersky.queries.statistics import quantile

OTHER = UUID(int=99)


async def add_minute(db: AsyncEngine, stage: str, **figures: Any) -> None:
    values = {"stage": stage, "minute": datetime.now(UTC).replace(second=0, microsecond=0), "worker": 1}
    async with db.begin() as connection:
        await connection.execute(insert(tables.stage_stats).values({**values, **figures}))


async def audited(db: AsyncEngine) -> list[str]:
    async with db.connect() as connection:
        return list((await connection.scalars(select(tables.audit_log.c.action))).all())


@pytest.mark.req("R202", "R203", "R213")
async def test_a_stage_shows_rows_speed_failures_and_the_settings_it_runs_with(
    api: httpx.AsyncClient, db: AsyncEngine
) -> None:
    await add_pages(db, 3, page_processing_status="Queued", page_processing_due_at=ago(minutes=9))
    await add_pages(db, 1, page_processing_status="Error", page_processing_error="no")
    buckets = [0, 0, 0, 0, 8, 0, 0, 0, 0, 2, 0]
    figures = {"done": 8, "failed": 2, "buckets": buckets, "errors": {"Timeout": 2}, "runs": 3}
    await add_minute(db, "read_page", **figures, run_ms_sum=900, run_ms_max=600, run_ms_last=100)

    listed = (await api.get("/api/v3/stages")).json()["items"]
    shown = (await api.get("/api/v3/stages/read_page")).json()

    assert [stage["stage"] for stage in listed] == [stage.name for stage in DECLARATIONS]
    assert (shown["waiting"], shown["failed"], shown["done_last_hour"]) == (3, 1, 8)
    assert datetime.fromisoformat(shown["oldest_waiting_at"]) < ago(minutes=8)
    assert shown["errors_last_hour"] == {"Timeout": 2}
    assert (30 < shown["p50_ms"] <= 100, 10_000 < shown["p95_ms"] <= 30_000) == (True, True)
    assert (shown["run_ms_last"], shown["run_ms_mean"], shown["run_ms_max"]) == (100, 300, 600)
    assert [minute["done"] for minute in shown["throughput"]] == [8]
    assert shown["settings"]["batch_size"] > 0
    assert (await api.get("/api/v3/stages/nothing")).status_code == 404


def test_quantiles_are_inside_their_bucket() -> None:
    assert quantile([], 0.5) is None
    assert quantile([4, *[0] * len(BUCKETS)], 0.5) == 0.5
    assert quantile([0] * len(BUCKETS) + [1], 0.95) == BUCKETS[-1], "the last bucket is open"


async def test_a_stage_is_paused_and_resumed_for_the_whole_fleet(
    api: httpx.AsyncClient, db: AsyncEngine
) -> None:
    paused = await api.post("/api/v3/stages/run_job/pause", json={"reason": "maintenance"})
    assert (paused.status_code, paused.json()["paused"]) == (200, True)
    async with db.connect() as connection:
        [row] = (await connection.execute(select(tables.stage_controls))).all()
    assert (row.stage, row.paused, row.reason) == ("run_job", True, "maintenance")
    assert row.updated_by is not None
    refused = await api.post("/api/v3/stages/run_job/run")
    assert refused.status_code == 409

    resumed = await api.post("/api/v3/stages/run_job/resume")
    assert resumed.json()["paused"] is False
    assert await audited(db) == ["stage.pause", "stage.resume"]
    assert (await api.post("/api/v3/stages/run_jbo/pause", json={})).status_code == 404


async def test_run_makes_rows_due_that_wait_for_a_retry_and_frees_their_hosts(
    api: httpx.AsyncClient, db: AsyncEngine
) -> None:
    later = datetime(2100, 1, 1, tzinfo=UTC)
    ids = await add_pages(db, 3, page_processing_status="Queued", page_processing_due_at=later)
    await add_pages(db, 1, page_processing_status="Complete", page_processing_due_at=later)

    answer = await api.post("/api/v3/stages/read_page/run")

    assert (answer.status_code, answer.json()) == (202, {"stage": "read_page", "queued_count": 3})
    pages, hosts = tables.pages.c, tables.hosts.c
    async with db.connect() as connection:
        due = (await connection.scalars(select(pages.page_processing_due_at).where(pages.id.in_(ids)))).all()
        waiting = (await connection.scalars(select(hosts.read_page_waiting_since))).all()
    assert all(moment < later for moment in due)
    assert all(moment < later for moment in waiting if moment)
    assert await audited(db) == ["stage.run"]
    assert (await api.post("/api/v3/stages/read_page/run")).json()["queued_count"] == 0


@pytest.mark.req("R029", "R030", "R031", "R032", "R033", "R034")
async def test_statistics_count_jobs_by_state_and_stages_by_day(
    api: httpx.AsyncClient, db: AsyncEngine
) -> None:
    await add_job(db, status="complete", created_at=ago(minutes=10), finished_at=ago(minutes=9))
    await add_job(db, status="failed", error="no", created_at=ago(hours=3), finished_at=ago(minutes=1))
    await add_job(db, created_at=ago(hours=2), next_retry_at=ago(hours=2))
    await add_minute(db, "run_job", done=1, failed=1, ms_sum=60)

    answer = (await api.get("/api/v3/statistics")).json()

    jobs = answer["jobs"]
    assert jobs["by_state"] == {"complete": 1, "failed": 1, "pending": 1}
    assert (jobs["created"], jobs["completed"], jobs["failed"], jobs["stuck"]) == (1, 1, 1, 1)
    assert (jobs["success_rate"], jobs["average_seconds"]) == (0.5, pytest.approx(60, abs=1))
    assert jobs["oldest_waiting_seconds"] == pytest.approx(7200, abs=60)
    [day] = answer["stages"]
    assert (day["stage"], day["done"], day["failed"], day["mean_ms"]) == ("run_job", 1, 1, 30)
    assert (await api.get("/api/v3/statistics", params={"days": 0})).status_code == 422


@pytest.mark.req("R061", "R062", "R063")
async def test_the_progress_of_a_job_is_readable(api: httpx.AsyncClient, db: AsyncEngine) -> None:
    number = await add_job(db, progress_percent=40, progress=0.4, progress_message="checking /sitemap.xml")

    job = (await api.get(f"/api/v3/jobs/{number}")).json()

    assert (job["progress_percent"], job["progress_message"]) == (40, "checking /sitemap.xml")


@pytest.mark.req("R265")
async def test_credits_are_summed_by_day_domain_and_job(api: httpx.AsyncClient, db: AsyncEngine) -> None:
    async with db.begin() as connection:
        await connection.execute(insert(tables.tenants).values(id=OTHER, name="other"))
        today = datetime.now(UTC).date()
        for tenant, domain, job, spent in (
            (TENANT, "a.example", 0, 5),
            (TENANT, "a.example", 7, 10),
            (TENANT, "b.example", 7, 1),
            (OTHER, "secret.example", 8, 100),
        ):
            use = {"tenant_id": tenant, "day": today, "domain": domain, "job_id": job, "spent": spent}
            await connection.execute(insert(tables.credit_uses).values(use))

    answer = (await api.get("/api/v3/credits")).json()

    assert answer == {
        "total": 16,
        "days": [{"day": today.isoformat(), "spent": 16}],
        "domains": [{"domain": "a.example", "spent": 15}, {"domain": "b.example", "spent": 1}],
        "jobs": [{"job_id": 7, "spent": 11}],
    }


async def test_alerts_are_listed_acknowledged_and_resolved(api: httpx.AsyncClient, db: AsyncEngine) -> None:
    async with db.begin() as connection:
        for subject in ("run_job", "read_page"):
            alert = {"kind": "stuck", "subject": subject, "message": "m"}
            await connection.execute(insert(tables.alerts).values(alert))

    first = (await api.get("/api/v3/alerts", params={"limit": 1})).json()
    second = (await api.get("/api/v3/alerts", params={"limit": 1, "after": first["next"]})).json()
    alerts = [*first["items"], *second["items"]]
    assert {alert["subject"] for alert in alerts} == {"run_job", "read_page"}
    assert second["next"] is None

    path = f"/api/v3/alerts/{alerts[0]['id']}"
    seen = (await api.post(f"{path}/acknowledge")).json()
    assert (seen["acknowledged_at"] is not None, seen["resolved_at"]) == (True, None)
    assert (await api.post(f"{path}/resolve")).json()["resolved_at"] is not None
    assert (await api.post(f"{path}/resolve")).status_code == 409
    opened = (await api.get("/api/v3/alerts", params={"state": "open"})).json()["items"]
    assert [alert["id"] for alert in opened] == [alerts[1]["id"]]
    assert (await api.get(f"/api/v3/alerts/{uuid4()}")).status_code == 404
    assert await audited(db) == ["alert.acknowledge", "alert.resolve"]


@pytest.mark.req("R225")
async def test_admins_inspect_tables_columns_and_their_own_rows(
    api: httpx.AsyncClient, db: AsyncEngine
) -> None:
    number = await add_job(db)
    async with db.begin() as connection:
        await connection.execute(insert(tables.tenants).values(id=OTHER, name="other"))
        theirs = {"tenant_id": OTHER, "job_type": "greet"}
        await connection.execute(insert(tables.jobs).values(theirs))

    listed = (await api.get("/api/v3/database/tables")).json()["items"]
    columns = (await api.get("/api/v3/database/tables/jobs/columns")).json()["items"]
    rows = (await api.get("/api/v3/database/tables/jobs/rows")).json()["rows"]

    assert {table["table"] for table in listed} == set(tables.metadata.tables)
    assert {column["column"]: column["nullable"] for column in columns} == {
        column.name: column.nullable for column in tables.jobs.c
    }
    assert [row["id"] for row in rows] == [number], "rows of other tenants are not there"
    users = (await api.get("/api/v3/database/tables/users/rows")).json()["rows"]
    assert {row["password_hash"] for row in users} <= {None, "***"}
    for name in ("jobs; DROP TABLE jobs", "pg_authid"):
        assert (await api.get(f"/api/v3/database/tables/{name}/rows")).status_code == 404


async def test_every_table_is_shown_or_refused(api: httpx.AsyncClient) -> None:
    paths = {name: f"/api/v3/database/tables/{name}/rows" for name in tables.metadata.tables}
    answers = {name: (await api.get(path)).status_code for name, path in paths.items()}
    assert answers == dict.fromkeys(paths, 200) | dict.fromkeys(
        ("daily_calls", "login_failures", "setup_links"), 403
    )


async def test_what_concerns_all_tenants_is_for_the_default_tenant(
    db: AsyncEngine, open_api: Callable[..., Any]
) -> None:
    async with db.begin() as connection:
        await connection.execute(insert(tables.tenants).values(id=OTHER, name="other"))
        users = [{"tenant_id": OTHER, "email": "a@example.com", "role": "admin", "password_hash": "x"}]
        user_id = await connection.scalar(insert(tables.users).values(users).returning(tables.users.c.id))
    other = Actor(OTHER, user_id, "a@example.com")
    _, key = await create_api_key(
        db, other, user_id=other.user_id, name="monitor", scopes=["admin"], lifetime=timedelta(days=1)
    )
    headers = {"Authorization": f"Bearer {key}"}
    async with open_api() as client:
        for path in ("/api/v3/alerts", "/metrics", "/api/v3/database/tables/workers/rows"):
            assert (await client.get(path, headers=headers)).status_code == 403, path
        paused = await client.post("/api/v3/stages/run_job/pause", json={}, headers=headers)
        assert paused.status_code == 403
        sizes = (await client.get("/api/v3/database/tables", headers=headers)).json()["items"]
        assert {table["rows"] for table in sizes} == {None}
        assert (await client.get("/api/v3/database/tables/jobs/rows", headers=headers)).status_code == 200
