"""Whether another page of a domain is worth a request, for many domains in one statement."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import insert
from sqlalchemy.ext.asyncio import AsyncEngine

from product import TENANT, CountingDatabase, add_domain
from scrapersky import tables
from scrapersky.stage_context import StageLimits
from scrapersky.stage_context.crawl_budget import CrawlBudget


async def add_read_pages(db: AsyncEngine, domain: Any, *contacts: str, priority: int = 2) -> None:
    """Pages of a domain that were read, the last one first, with the address that each brought first."""
    rows = [
        {
            "id": uuid4(),
            "tenant_id": TENANT,
            "domain_id": domain,
            "url": f"https://shop.example/{number}/{domain}",
            "page_processing_status": "Complete",
            "page_processing_finished_at": datetime.now(UTC) - timedelta(minutes=number),
            "contact_scrape_status": "ContactFound",
            "priority_level": priority,
        }
        for number in range(len(contacts))
    ]
    found = [
        {
            "tenant_id": TENANT,
            "domain_id": domain,
            "page_id": row["id"],
            "email": email,
            "source_url": row["url"],
        }
        for row, email in zip(rows, contacts, strict=True)
        if email
    ]
    async with db.begin() as connection:
        await connection.execute(insert(tables.pages), rows)
        if found:
            await connection.execute(insert(tables.contacts), found)


async def test_what_was_just_read_counts_before_it_is_stored(db: AsyncEngine) -> None:
    shop, jobs, offer, other = uuid4(), uuid4(), uuid4(), uuid4()
    budget = CrawlBudget(CountingDatabase(db), StageLimits(stop_after_empty_pages=2))

    async def after(page: UUID, *contacts: str, is_ordinary: bool = True) -> str | None:
        budget.record(shop, page, contacts, is_ordinary=is_ordinary)
        return await budget.exhausted(shop)

    for _ in range(3):
        assert await after(uuid4(), "info@shop.example", is_ordinary=False) is None
    assert await after(offer, "info@shop.example") is None
    assert await after(jobs, "info@shop.example", "jobs@shop.example") is None
    assert await after(offer, "info@shop.example") is None
    # A page that is read again is worth as much as the first time.
    assert await after(jobs, "jobs@shop.example") is None
    assert await after(offer, "info@shop.example") is None
    assert await after(other) == "the last 2 ordinary pages brought no new contact"
    assert await budget.exhausted(shop, ignore_empty_pages=True) is None
    assert await budget.exhausted(uuid4()) is None


async def test_the_budgets_of_many_domains_are_one_statement(db: AsyncEngine) -> None:
    fruitful, fruitless, used_up, new = [await add_domain(db) for _ in range(4)]
    await add_read_pages(db, fruitful, "", "jobs@shop.example", "")
    await add_read_pages(db, fruitless, "", "", "info@shop.example")
    await add_read_pages(db, used_up, *(f"{number}@shop.example" for number in range(5)))
    # Pages that promise contacts are read anyway and say nothing about the others.
    await add_read_pages(db, new, "", "", "", priority=1)
    database = CountingDatabase(db)
    budget = CrawlBudget(database, StageLimits(stop_after_empty_pages=2, page_budget=5))

    asked = (fruitful, fruitless, used_up, new, fruitless, uuid4())
    reasons = await asyncio.gather(*(budget.exhausted(one) for one in asked))

    few = "the last 2 ordinary pages brought no new contact"
    assert reasons == [None, few, "the budget of 5 pages is used up", None, few, None]
    assert database.statements == 1
    asked = (fruitless, used_up)
    reasons = [await budget.exhausted(one, ignore_empty_pages=True) for one in asked]
    assert reasons == [None, "the budget of 5 pages is used up"]
