"""What running items look up of their domains and hosts: each its own answer, all in one statement."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any
from uuid import uuid4

import pytest
from sqlalchemy import insert
from sqlalchemy.ext.asyncio import AsyncEngine

from product import TENANT, add_domain, add_job, change, job_row
from scrapersky import tables
from scrapersky.engine.database import Database, Statement
from scrapersky.engine.stage import Item
from scrapersky.fetch.politeness.robots_cache import RobotsCopy
from scrapersky.fetch.politeness.robots_store import DatabaseRobotsStore
from scrapersky.stage_context.country_lookup import CountryLookup
from scrapersky.stage_context.crawl_budget import CrawlBudget
from scrapersky.stage_context.job_progress import MIN_INTERVAL_SECONDS, JobCancelled, JobProgress
from scrapersky.stage_context.limits import StageLimits


class Counted(Database):
    """Counts the statements."""

    statements = 0

    async def fetch(self, prepared: Statement, values: Mapping[str, Any]) -> list[Any]:
        self.statements += 1
        return await super().fetch(prepared, values)


async def add_read_pages(db: AsyncEngine, domain: Any, *outcomes: str) -> None:
    """Pages of a domain that were read, the last one first."""
    rows = [
        {
            "tenant_id": TENANT,
            "domain_id": domain,
            "url": f"https://shop.example/{number}/{domain}",
            "page_processing_status": "Complete",
            "page_processing_finished_at": datetime.now(UTC) - timedelta(minutes=number),
            "contact_scrape_status": outcome,
        }
        for number, outcome in enumerate(outcomes)
    ]
    async with db.begin() as connection:
        await connection.execute(insert(tables.pages), rows)


async def test_each_domain_has_its_own_reason_to_stop_from_one_statement(db: AsyncEngine) -> None:
    fruitful, fruitless, used_up, new = [await add_domain(db) for _ in range(4)]
    await add_read_pages(db, fruitful, "NoContactFound", "ContactFound", "NoContactFound")
    await add_read_pages(db, fruitless, "NoContactFound", "NoContactFound", "ContactFound")
    await add_read_pages(db, used_up, *["ContactFound"] * 5)
    database = Counted(db)
    budget = CrawlBudget(database, StageLimits(stop_after_empty_pages=2, page_budget=5))

    asked = (fruitful, fruitless, used_up, new, fruitless, uuid4())
    reasons = await asyncio.gather(*(budget.exhausted(one) for one in asked))

    few = "the last 2 pages brought no contact"
    assert reasons == [None, few, "the budget of 5 pages is used up", None, few, None]
    assert database.statements == 1


async def test_the_countries_of_many_domains_are_one_statement_and_remembered(db: AsyncEngine) -> None:
    named = [await add_domain(db, country=country) for country in ("gb", "Deutschland", None)]
    asked = [*named, named[0], uuid4()]
    database = Counted(db)
    countries = CountryLookup(database)

    for _ in range(2):
        told = await asyncio.gather(*(countries.country_of(one) for one in asked))
        assert told == ["GB", None, None, "GB", None]
    assert database.statements == 1


async def test_what_another_worker_read_of_many_hosts_is_one_statement(db: AsyncEngine) -> None:
    now = datetime.now(UTC)
    first = DatabaseRobotsStore(Database(db))
    await first.put("a.example", RobotsCopy("rules", now, b"User-agent: *\nDisallow: /x", 200))
    await first.put("b.example", RobotsCopy("none", now, status=404))
    database = Counted(db)
    second = DatabaseRobotsStore(database)

    copies = await asyncio.gather(*(second.get(f"{name}.example") for name in "abc"))

    assert [one and (one.outcome, one.text) for one in copies] == [
        ("rules", b"User-agent: *\nDisallow: /x"),
        ("none", b""),
        None,
    ]
    assert database.statements == 1


async def test_progress_that_follows_quickly_is_told_once_but_the_end_always(db: AsyncEngine) -> None:
    number, now = await add_job(db), [0.0]
    database = Counted(db)
    progress = JobProgress(database, clock=lambda: now[0])
    item = Item(number, TENANT, SimpleNamespace(), seq=0, retries=0, crashes=0, max_retries=3)

    async def told(percent: int) -> tuple[int, int]:
        await progress.report(item, percent, f"{percent} of 100")
        return (await job_row(db, number)).progress_percent, database.statements

    assert await told(10) == (10, 1)
    assert await told(20) == (10, 1)
    now[0] += MIN_INTERVAL_SECONDS
    assert await told(30) == (30, 2)
    assert await told(100) == (100, 3)


async def test_a_cancelled_job_ends_at_its_next_word_that_is_told(db: AsyncEngine) -> None:
    number, now = await add_job(db), [0.0]
    progress = JobProgress(Database(db), clock=lambda: now[0])
    item = Item(number, TENANT, SimpleNamespace(), seq=0, retries=0, crashes=0, max_retries=3)
    await progress.report(item, 10, "begun")
    await change(db, tables.jobs, tables.jobs.c.id == number, cancel_requested=True)
    now[0] += MIN_INTERVAL_SECONDS

    with pytest.raises(JobCancelled):
        await progress.report(item, 20, "going on")
