"""Scans by HTTP: the job exists before the answer, with the caller and the domain."""

from __future__ import annotations

import io
from uuid import UUID, uuid4

import httpx
import orjson
import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from product import TENANT, add_job, change, job_row
from scrapersky import tables
from scrapersky.log import Log

SCAN = "/api/v3/sitemap/scan"
ENDED = {"status": "complete", "progress": 1.0}


async def count(db: AsyncEngine, table: str) -> int:
    async with db.connect() as connection:
        return int(await connection.scalar(text(f"SELECT count(*) FROM {table}")) or 0)


@pytest.mark.req("R165", "R166", "R177")
async def test_a_scan_is_a_job_before_the_answer(api: httpx.AsyncClient, db: AsyncEngine) -> None:
    answer = await api.post(SCAN, json={"base_url": "crystalcm.co.uk", "max_pages": 100})
    assert answer.status_code == 202, answer.text
    submitted = answer.json()
    job = await job_row(db, submitted["id"])
    assert str(job.job_id) == submitted["job_id"]
    assert (job.job_type, job.status) == ("sitemap", "pending")
    assert job.result_data == {"domain": "crystalcm.co.uk", "max_pages": 100}
    assert job.created_by is not None
    for which in (submitted["job_id"], str(submitted["id"])):
        status = (await api.get(f"/api/v3/sitemap/status/{which}")).json()
        assert status["status"] == "pending"
        assert status["domain"] == "crystalcm.co.uk"
        assert status["metadata"] == {"sitemaps": []}
    assert (await api.get(submitted["status_url"])).json()["id"] == submitted["id"]


async def test_the_commands_of_the_brief_may_leave_out_the_number_of_pages(
    api: httpx.AsyncClient, db: AsyncEngine
) -> None:
    answer = await api.post(SCAN, json={"base_url": "https://www.Example.com/shop"})
    job = await job_row(db, answer.json()["id"])
    assert job.result_data == {"domain": "example.com", "max_pages": 1_000}


@pytest.mark.req("R171", "R172")
async def test_the_status_shows_sitemaps_and_errors(api: httpx.AsyncClient, db: AsyncEngine) -> None:
    found = [{"id": str(uuid4()), "url": "https://a.com/sitemap.xml", "type": "index", "url_count": 3}]
    done = await add_job(db, "sitemap", result_data={"domain": "a.com", "sitemaps": found}, **ENDED)
    failed = await add_job(db, "sitemap", result_data={"domain": "b.com"}, status="failed", error="no answer")
    shown = (await api.get(f"/api/v3/sitemap/status/{done}")).json()
    assert (shown["status"], shown["progress"], shown["metadata"]) == ("complete", 1.0, {"sitemaps": found})
    shown = (await api.get(f"/api/v3/sitemap/status/{failed}")).json()
    assert (shown["status"], shown["error"]) == ("failed", "no answer")
    other = await add_job(db, "greet")
    assert (await api.get(f"/api/v3/sitemap/status/{other}")).status_code == 404


@pytest.mark.req("R262")
async def test_a_line_of_the_log_names_domain_job_and_user(
    api: httpx.AsyncClient, db: AsyncEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = api._transport.app.state.api.log  # type: ignore[attr-defined]
    stream = io.StringIO()
    monkeypatch.setattr(log, "stream", stream)
    monkeypatch.setattr(log, "as_text", False)
    assert isinstance(log, Log)
    number = (await api.post(SCAN, json={"base_url": "lune.co.uk"})).json()["id"]
    lines = [orjson.loads(line) for line in stream.getvalue().splitlines()]
    [line] = [line for line in lines if line["event"] == "job_created"]
    assert (line["domain"], line["id"]) == ("lune.co.uk", number)
    assert UUID(line["user"]) == (await job_row(db, number)).created_by


@pytest.mark.parametrize(
    "body",
    [
        {"base_url": "localhost"},
        {"base_url": "127.0.0.1"},
        {"base_url": "http://example.com@127.0.0.1/"},
        {"base_url": "file:///etc/passwd"},
        {"base_url": "co.uk"},
        {"base_url": "facebook.com/acme"},
        {"base_url": ""},
        {"base_url": "a" * 1_000_000},
        {"base_url": "'; DROP TABLE domains;--"},
        {"base_url": "example.com", "max_pages": 0},
        {"base_url": "example.com", "max_pages": 10**9},
        {"base_url": "example.com", "status": "complete"},
        {},
    ],
)
async def test_a_bad_scan_is_refused_and_leaves_nothing(
    api: httpx.AsyncClient, db: AsyncEngine, body: dict[str, object]
) -> None:
    answer = await api.post(SCAN, json=body)
    assert answer.status_code == 422, answer.text
    assert answer.headers["content-type"].startswith("application/problem+json")
    assert await count(db, "jobs") == await count(db, "domains") == 0


async def test_only_the_own_tenant_may_be_named(api: httpx.AsyncClient, db: AsyncEngine) -> None:
    body = {"base_url": "example.com", "tenant_id": str(uuid4())}
    assert (await api.post(SCAN, json=body)).status_code == 404
    assert await count(db, "jobs") == 0
    assert (await api.post(SCAN, json={**body, "tenant_id": str(TENANT)})).status_code == 202


async def test_a_rejected_domain_is_not_scanned(api: httpx.AsyncClient, db: AsyncEngine) -> None:
    await api.post(SCAN, json={"base_url": "example.com"})
    await change(
        db, tables.domains, tables.domains.c.domain == "example.com", sitemap_curation_status="Rejected"
    )
    assert (await api.post(SCAN, json={"base_url": "example.com"})).status_code == 409
    assert await count(db, "jobs") == 1
