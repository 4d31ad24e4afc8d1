"""The queues of a disabled tenant rest; others are not affected, and nothing is lost."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import insert, select, text
from sqlalchemy.ext.asyncio import AsyncEngine

from product import TENANT, WHO, add_job, ago, statuses
from scrapersky import tables
from scrapersky.actions.installation.tenants import TenantEditor
from scrapersky.log import Log
from scrapersky.processes.pipeline_run import running_pipeline
from scrapersky.queries.installation.tenants import Quotas, TenantQuery
from scrapersky.settings import Settings, load_settings

MAX_SECONDS = 10.0


def settings_of(url: str) -> Settings:
    closed = {
        "NETWORK_PROBE_HOSTS": "",
        "CONNECT_TO": "*:80:127.0.0.1:9,*:443:127.0.0.1:9",
        "MAX_RETRIES": "0",
    }
    return load_settings(env_file=None, environment={"DATABASE_URL": url, **closed})


def editor(db: AsyncEngine) -> TenantEditor:
    return TenantEditor(db, WHO, TENANT)


async def until(check: Callable[[], Awaitable[Any]]) -> None:
    end = time.monotonic() + MAX_SECONDS
    while not await check():
        assert time.monotonic() < end, "not within 10 seconds"
        await asyncio.sleep(0.05)


async def add_page(db: AsyncEngine, tenant_id: UUID, host: str, **values: Any) -> UUID:
    async with db.begin() as connection:
        domain = insert(tables.domains).values(
            tenant_id=tenant_id, domain=host, status="completed", sitemap_analysis_status="submitted"
        )
        domain_id = await connection.scalar(domain.returning(tables.domains.c.id))
        page = insert(tables.pages).values(
            tenant_id=tenant_id,
            domain_id=domain_id,
            url=f"http://{host}/",
            **{"page_processing_status": "Queued", **values},
        )
        return UUID(str(await connection.scalar(page.returning(tables.pages.c.id))))


async def page_status(db: AsyncEngine, page_id: UUID) -> str:
    pages = tables.pages.c
    async with db.connect() as connection:
        return str(await connection.scalar(select(pages.page_processing_status).where(pages.id == page_id)))


@pytest.mark.timed
async def test_the_work_of_a_disabled_tenant_rests_until_it_is_enabled(
    db: AsyncEngine, database_url: str
) -> None:
    resting = await editor(db).add("North")
    await editor(db).edit(resting, {"is_active": False})
    settings = settings_of(database_url)
    theirs = [await add_job(db, "unknown", tenant_id=resting) for _ in range(3)]
    ours = await add_job(db, "unknown")
    their_page = await add_page(db, resting, "theirs.example")
    our_page = await add_page(db, TENANT, "ours.example")

    async with running_pipeline(settings, db, Log(level="ERROR")) as running:
        await running.until_scheduled()

        async def is_ours_done() -> bool:
            return (await statuses(db))[ours] == "failed" and await page_status(db, our_page) != "Queued"

        await until(is_ours_done)
        await asyncio.sleep(0.5)
        assert [(await statuses(db))[number] for number in theirs] == ["pending"] * 3
        assert await page_status(db, their_page) == "Queued"

        await editor(db).edit(resting, {"is_active": True})

        async def is_theirs_done() -> bool:
            rows = await statuses(db)
            return {rows[number] for number in theirs} == {"failed"} and (
                await page_status(db, their_page) != "Queued"
            )

        await until(is_theirs_done)


@pytest.mark.timed
async def test_pages_beyond_those_of_the_day_wait_and_other_work_goes_on(
    db: AsyncEngine, database_url: str
) -> None:
    """C20: the fetch budget of one tenant is used up."""
    limited = await editor(db).add("North", quotas=Quotas(pages_per_day=0))
    theirs = await add_page(db, limited, "theirs.example")
    their_job = await add_job(db, "unknown", tenant_id=limited)
    ours = await add_page(db, TENANT, "ours.example")
    async with running_pipeline(settings_of(database_url), db, Log(level="ERROR")) as running:
        await running.until_scheduled()

        async def is_done() -> bool:
            return await page_status(db, ours) != "Queued" and (await statuses(db))[their_job] == "failed"

        await until(is_done)
        await asyncio.sleep(0.5)
        assert await page_status(db, theirs) == "Queued"


@pytest.mark.timed
async def test_a_host_that_a_resting_tenant_waits_for_still_serves_others(
    db: AsyncEngine, database_url: str
) -> None:
    resting = await editor(db).add("North")
    await editor(db).edit(resting, {"is_active": False})
    theirs = await add_page(db, resting, "shared.example", priority_level=1)
    ours = await add_page(db, TENANT, "shared.example", priority_level=3)
    async with running_pipeline(settings_of(database_url), db, Log(level="ERROR")) as running:
        await running.until_scheduled()

        async def is_done() -> bool:
            return await page_status(db, ours) != "Queued"

        await until(is_done)
        assert await page_status(db, theirs) == "Queued"

        async def is_left_alone() -> bool:
            """Nobody looks at the host again and again for rows that rest."""
            async with db.connect() as connection:
                query = "SELECT read_page_waiting_since > now() + interval '50 minutes' FROM hosts"
                return bool(await connection.scalar(text(query)))

        await until(is_left_alone)


async def test_a_tenant_that_has_read_its_pages_of_the_day_is_told_apart(db: AsyncEngine) -> None:
    """Pages of yesterday and pages of others do not count."""
    limited = await editor(db).add("North", quotas=Quotas(pages_per_day=2))
    query = TenantQuery(db)

    async def add_read_page(tenant_id: UUID, host: str, when: datetime) -> None:
        await add_page(
            db, tenant_id, host, page_processing_status="Complete", page_processing_finished_at=when
        )

    await add_read_page(TENANT, "ours.example", datetime.now(UTC))
    await add_read_page(limited, "n1.example", datetime.now(UTC))
    await add_read_page(limited, "n2.example", ago(hours=25))
    assert await query.without_pages_left() == set()
    await add_read_page(limited, "n3.example", datetime.now(UTC))
    assert await query.without_pages_left() == {limited}
    await editor(db).edit(limited, {"quotas": {"pages_per_day": 3}})
    assert await query.without_pages_left() == set()
