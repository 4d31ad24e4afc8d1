"""`/metrics`: figures from the database, in few statements, for those who may see all tenants."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families
from sqlalchemy import event, insert, select
from sqlalchemy.ext.asyncio import AsyncEngine

from fakes import FakeWeb
from product import TENANT, WHO, add_job, add_sitemaps, ago
from scrapersky import tables
from scrapersky.actions.submissions import SubmissionOptions, submit_pages
from scrapersky.api import ApiContext
from scrapersky.fetch.errors import Timeout
from scrapersky.log import Log
from scrapersky.maintenance import queue_missed_sitemaps
from scrapersky.secret_key import load_secret_key
from scrapersky.settings import Settings
from small_web import worked

Browse = Callable[..., AbstractAsyncContextManager[httpx.AsyncClient]]
MAX_STATEMENTS = 10
ORDER = ("stage", "outcome", "class", "severity", "state", "le", "version")


def api_of(engine: AsyncEngine) -> ApiContext:
    return ApiContext(engine, Settings(), Log(), load_secret_key(Settings()))


async def scrape(db: AsyncEngine, browse: Browse) -> dict[tuple[str, ...], float]:
    async with browse(db, api=api_of(db)) as client:
        answer = await client.get("/metrics")
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"].startswith("text/plain")
    families = text_string_to_metric_families(answer.text)
    return {
        (
            sample.name.removeprefix("scrapersky_"),
            *(sample.labels[name] for name in ORDER if name in sample.labels),
        ): sample.value
        for family in families
        for sample in family.samples
    }


@pytest.mark.req("R007", "R065", "R203")
async def test_the_figures_of_real_work_are_counted_and_survive_the_worker(
    db: AsyncEngine, browse: Browse
) -> None:
    await submit_pages(db, WHO, "https://lune.co.uk/team", SubmissionOptions(priority=1))
    await worked(db, FakeWeb({"https://lune.co.uk/team": Timeout()}))
    await add_job(db, created_at=ago(minutes=5), next_retry_at=ago(minutes=5))
    async with db.begin() as connection:
        await connection.execute(insert(tables.credits).values(day=ago().date(), host="", spent=25))
        alert = {"kind": "stuck", "subject": "run_job", "message": "m"}
        await connection.execute(insert(tables.alerts).values(alert))

    figures = await scrape(db, browse)

    assert figures["items_total", "read_page", "failed"] == 1
    assert figures["items_total", "read_page", "retried"] == 3
    assert figures["errors_total", "read_page", "Timeout"] == 4
    assert figures["fetches_total", Timeout.failure_class] == 4
    assert figures["item_duration_seconds_count", "read_page"] == 4
    assert figures["dead_letters", "read_page"] == 1
    assert figures["queue_depth", "run_job"] == 1
    assert figures["oldest_waiting_seconds", "run_job"] == pytest.approx(300, abs=60)
    assert (figures[("credits_spent_total",)], figures["alerts_open", "error"]) == (25, 1)
    assert figures["pool_connections", "limit"] > 0
    async with db.connect() as connection:
        [row] = (await connection.execute(select(tables.stage_totals))).all()
    assert (row.stage, row.failed, row.tallies) == ("read_page", 1, {f"fetch:{Timeout.failure_class}": 4})


@pytest.mark.req("R007", "R065")
async def test_repairs_and_known_pages_are_metrics(db: AsyncEngine, browse: Browse) -> None:
    await add_sitemaps(db, 2, sitemap_import_status=None)
    async with db.begin() as connection:
        assert await queue_missed_sitemaps(connection) == 2
        total = {"stage": "import_sitemap", "worker": 7, "tallies": {"pages_existing": 5}}
        await connection.execute(insert(tables.stage_totals).values(total))

    figures = await scrape(db, browse)

    assert figures["rows_repaired_total", "import_sitemap"] == 2
    assert figures[("pages_existing_total",)] == 5


async def test_a_scrape_is_a_few_statements_and_names_no_host(db: AsyncEngine, browse: Browse) -> None:
    await submit_pages(db, WHO, "https://secret-client.example/team", SubmissionOptions(priority=1))
    statements: list[str] = []

    def note(_: Any, __: Any, statement: str, *___: Any) -> None:
        statements.append(statement)

    event.listen(db.sync_engine, "before_cursor_execute", note)
    async with browse(db, api=api_of(db)) as client:
        answer = await client.get("/metrics")

    assert len(statements) <= MAX_STATEMENTS
    assert "secret-client" not in answer.text
    assert str(TENANT) not in answer.text


async def test_metrics_are_closed_to_strangers_once_there_is_an_account(
    db: AsyncEngine, browse: Browse
) -> None:
    async with db.begin() as connection:
        user = {"tenant_id": TENANT, "email": "a@example.com", "role": "admin", "password_hash": "x"}
        await connection.execute(insert(tables.users).values(user))
    async with browse(db, api=api_of(db)) as client:
        assert (await client.get("/metrics")).status_code == 401
    async with browse(db) as client:
        assert (await client.get("/metrics")).status_code == 404
