"""Rejected and Archived always win: what waits below such a domain is not worked, and comes back with it."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import Table, delete, insert, select, update
from sqlalchemy.ext.asyncio import AsyncEngine

from product import TENANT, USER, WHO, add_domain, add_job, job_row
from scrapersky import tables
from scrapersky.actions import requeue_dead_letters
from scrapersky.actions.actor import Actor
from scrapersky.actions.curation import curate, reset, run_now
from scrapersky.actions.operations.exclusions import EXCLUDED_REASON
from scrapersky.actions.submissions import submit_pages, submit_sitemaps
from scrapersky.maintenance import Maintenance, MaintenanceOptions
from scrapersky.queries import StageQuery
from scrapersky.queries.rows.entities import ENTITIES
from scrapersky.queries.rows.filters import Filters

PAGES, SITEMAPS, DOMAINS = tables.pages, tables.sitemap_files, tables.domains
DOMAIN = ENTITIES["domain"]


async def add_below(db: AsyncEngine, row: Table, domain: uuid.UUID, **given: Any) -> uuid.UUID:
    made = uuid.uuid4()
    values = {
        "id": made,
        "tenant_id": TENANT,
        "domain_id": domain,
        "url": f"https://shop.com/{made}",
        **given,
    }
    async with db.begin() as connection:
        await connection.execute(insert(row).values(values))
    return made


@pytest.fixture
async def shop(db: AsyncEngine) -> dict[str, Any]:
    """A domain with a page and a sitemap of every state, and jobs that wait and run."""
    domain = await add_domain(db, "shop.com", host="shop.com", status="completed")
    lease = datetime.now(UTC) + timedelta(minutes=1)
    page = {"host": "shop.com", "page_processing_status": "Queued"}
    in_work = {"page_processing_status": "Processing", "page_processing_lease_until": lease}
    return {
        "domain": domain,
        "page": await add_below(db, tables.pages, domain, **page),
        "chosen": await add_below(db, tables.pages, domain, **page, page_curation_status="Selected"),
        "worked": await add_below(db, tables.pages, domain, **{**page, **in_work}),
        "read": await add_below(db, tables.pages, domain, **{**page, "page_processing_status": "Complete"}),
        "sitemap": await add_below(
            db, tables.sitemap_files, domain, host="shop.com", sitemap_import_status="Queued"
        ),
        "job": await add_job(db, "sitemap", host="shop.com", domain_id=domain),
        "running": await add_job(
            db, "sitemap", host="shop.com", domain_id=domain, status="running", lease_until=lease
        ),
    }


async def states(db: AsyncEngine, shop: dict[str, Any]) -> dict[str, str | None]:
    async with db.connect() as connection:
        pages = await connection.execute(select(PAGES.c.id, PAGES.c.page_processing_status))
        files = await connection.execute(select(SITEMAPS.c.id, SITEMAPS.c.sitemap_import_status))
        found = {row.id: row[1] for row in [*pages, *files]}
    jobs = {name: (await job_row(db, shop[name])).status for name in ("job", "running")}
    return {name: found[one] for name, one in shop.items() if one in found} | jobs


async def waiting(db: AsyncEngine) -> dict[str, int]:
    return {line.stage: line.waiting for line in await StageQuery(db).statuses() if line.waiting}


WAITING = {
    "page": "Queued", "chosen": "Queued", "worked": "Processing", "read": "Complete", "sitemap": "Queued",
    "job": "pending", "running": "running",
}  # fmt: skip
EMPTY = WAITING | {"page": None, "chosen": None, "sitemap": None, "job": "cancelled"}


async def due_maintenance(db: AsyncEngine) -> Maintenance:
    """Maintenance whose tasks are due."""
    async with db.begin() as connection:
        await connection.execute(delete(tables.scheduler_slots))
    return Maintenance(db, MaintenanceOptions(), lambda lines: None)


@pytest.mark.parametrize("word", ["Rejected", "Archived", "Not a Fit"])
async def test_what_was_not_started_below_a_rejected_domain_leaves_its_queue(
    db: AsyncEngine, shop: dict[str, Any], word: str
) -> None:
    assert await states(db, shop) == WAITING

    await curate(db, WHO, DOMAIN, word, ids=[shop["domain"]])

    assert await states(db, shop) == EMPTY
    assert await waiting(db) == {}
    # Neither the safety net nor maintenance requeues it.
    assert await (await due_maintenance(db)).queue_missed_sitemaps() == 0
    assert await (await due_maintenance(db)).dequeue_rejected_domains() == 0
    assert await states(db, shop) == EMPTY


@pytest.mark.parametrize("word", ["Selected", "Maybe", "New"])
async def test_it_comes_back_when_the_domain_is_wanted_after_all(
    db: AsyncEngine, shop: dict[str, Any], word: str
) -> None:
    await curate(db, WHO, DOMAIN, "Rejected", ids=[shop["domain"]])

    await curate(db, WHO, DOMAIN, word, filters=Filters(curation_status="rejected"))

    assert await states(db, shop) == WAITING | {"job": "cancelled"}


async def test_a_reset_domain_gets_its_rows_back(db: AsyncEngine, shop: dict[str, Any]) -> None:
    await curate(db, WHO, DOMAIN, "Rejected", ids=[shop["domain"]])

    await reset(db, WHO, DOMAIN, ids=[shop["domain"]])

    assert await states(db, shop) == WAITING | {"job": "cancelled"}


async def test_other_decisions_and_other_domains_lose_nothing(db: AsyncEngine, shop: dict[str, Any]) -> None:
    other = await add_domain(db, "other.com", host="other.com")
    await add_below(db, tables.pages, other, host="other.com", page_processing_status="Queued")

    await curate(db, WHO, DOMAIN, "Maybe", ids=[shop["domain"]])
    await curate(db, WHO, DOMAIN, "Rejected", ids=[other])

    assert await states(db, shop) == WAITING


async def test_maintenance_dequeues_rows_queued_below_a_domain_after_its_rejection(
    db: AsyncEngine, shop: dict[str, Any]
) -> None:
    """A sitemap that was in work then still lists pages, and people queue rows with SQL."""
    await curate(db, WHO, DOMAIN, "Rejected", ids=[shop["domain"]])
    late = await add_below(db, tables.pages, shop["domain"], host="shop.com", page_processing_status="Queued")

    assert await (await due_maintenance(db)).dequeue_rejected_domains() == 1

    async with db.connect() as connection:
        row = (await connection.execute(select(PAGES).where(PAGES.c.id == late))).one()
    assert (row.page_processing_status, row.page_processing_error) == (None, EXCLUDED_REASON)
    assert await (await due_maintenance(db)).dequeue_rejected_domains() == 0


@pytest.mark.parametrize("name", ["page", "sitemap"])
async def test_rows_below_a_rejected_domain_cannot_be_queued_by_hand(
    db: AsyncEngine, shop: dict[str, Any], name: str
) -> None:
    await curate(db, WHO, DOMAIN, "Rejected", ids=[shop["domain"]])

    assert (await curate(db, WHO, ENTITIES[name], "Selected", ids=[shop[name]])).queued == 0
    assert (await run_now(db, WHO, ENTITIES[name], ids=[shop[name]])).queued == 0
    assert await states(db, shop) == EMPTY


async def test_a_stranger_changes_nothing_below_our_domains(db: AsyncEngine, shop: dict[str, Any]) -> None:
    other = uuid.uuid4()
    async with db.begin() as connection:
        await connection.execute(insert(tables.tenants).values(id=other, name="Other"))
    stranger = Actor(other, USER)
    async with db.begin() as connection:
        await connection.execute(update(DOMAINS).values(sitemap_curation_status="Rejected"))

    await curate(db, stranger, DOMAIN, "Rejected", ids=[shop["domain"]])
    assert await states(db, shop) == WAITING

    await curate(db, WHO, DOMAIN, "Rejected", ids=[shop["domain"]])
    await curate(db, stranger, DOMAIN, "Maybe", ids=[shop["domain"]])
    assert await states(db, shop) == EMPTY
    assert await requeue_dead_letters(db, stranger, "read_page") == 0


@pytest.mark.parametrize("submit", [submit_pages, submit_sitemaps])
async def test_what_is_submitted_below_a_rejected_domain_waits_for_another_decision(
    db: AsyncEngine, shop: dict[str, Any], submit: Any
) -> None:
    await curate(db, WHO, DOMAIN, "Rejected", ids=[shop["domain"]])

    for status in ("new", "known"):
        [line] = (
            await submit(db, WHO, ["https://shop.com/sitemap.xml", "https://free.com/sitemap.xml"])
        ).lines[:1]
        assert (line.status, line.queued) == (status, False)
    assert await (await due_maintenance(db)).queue_missed_sitemaps() == 0
    assert sum(number for stage, number in (await waiting(db)).items() if stage != "read_metadata") == 1

    await curate(db, WHO, DOMAIN, "Maybe", ids=[shop["domain"]])
    assert sum(number for stage, number in (await waiting(db)).items() if stage != "read_metadata") == 5
