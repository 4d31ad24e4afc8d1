"""The numbers of the overview: every list, the flow in businesses, the throughput, and what pages bring."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import insert
from sqlalchemy.ext.asyncio import AsyncEngine

from pipeline_rows import add, add_business, add_contact, add_page, add_place, add_site, id_of
from product import TENANT, ago
from scrapersky import tables
from scrapersky.queries.rows.entities import ENTITIES
from scrapersky.queries.rows.filters import parse_filters
from scrapersky.queries.rows.lists import ListQuery
from scrapersky.queries.rows.overview import BUSINESSES, DOMAINS, PLACES, OverviewQuery, TimeSpan
from scrapersky.queries.rows.sorts import default_sort

HOUR = timedelta(hours=1)


def query(db: AsyncEngine, search_id: uuid.UUID | None = None) -> OverviewQuery:
    return OverviewQuery(db, TENANT, search_id)


# ---- spans


def test_a_span_ends_with_the_step_that_is_not_over() -> None:
    now = datetime(2026, 11, 18, 10, 20, tzinfo=UTC)
    span = TimeSpan.until_now(HOUR, 3, now)
    assert [moment.hour for moment in span.moments] == [8, 9, 10]
    assert span.place(now) == 2
    assert span.place(datetime(2026, 11, 18, 8, 59, tzinfo=UTC)) == 0


# ---- lists


async def test_lists_are_counted_by_status_and_by_the_time_of_their_rows(db: AsyncEngine) -> None:
    for status, hours in (("New", 0), ("New", 1), ("Selected", 1), ("Rejected", 50)):
        await add_place(db, status=status, id=id_of(ago(hours=hours)))
    site = await add_site(db)
    await add_contact(db, site)

    lists = await query(db).lists(TimeSpan.until_now(HOUR, 24))

    assert lists["place"].by_status == {"New": 2, "Selected": 1, "Rejected": 1}
    assert (lists["place"].total, lists["place"].to_review, sum(lists["place"].added)) == (4, 2, 3)
    assert (lists["place"].added[-1], lists["place"].added[-2]) == (1, 2)
    assert (lists["domain"].total, lists["contact"].total, lists["page"].total) == (1, 1, 0)


async def test_another_tenant_is_not_counted(db: AsyncEngine) -> None:
    await add_place(db)
    other = OverviewQuery(db, uuid.uuid4())
    assert (await other.lists(TimeSpan.until_now(HOUR, 2)))["place"].total == 0
    assert (await other.flow()).total(PLACES) == 0
    assert await other.is_empty()
    assert not await query(db).is_empty()


async def test_a_search_alone_is_not_nothing(db: AsyncEngine) -> None:
    assert await query(db).is_empty()
    await add(db, tables.place_searches, business_type="dentist", location="Porto")
    assert not await query(db).is_empty()
    [search] = await query(db).searches()
    assert (search["business_type"], search["location"]) == ("dentist", "Porto")


# ---- the flow


async def add_every_outcome(db: AsyncEngine) -> None:
    """Two places become businesses; every outcome of places and businesses occurs once."""
    await add_place(db, status="Rejected")
    await add_place(db, status="New")
    await add_place(db, status="Selected", deep_scan_status="Queued")
    await add_place(db, status="Selected", deep_scan_status="Error", deep_scan_error="x")
    scanned = [await add_place(db, status="Selected", deep_scan_status="Completed") for _ in range(2)]
    with_site = {"website_url": "https://x.example/"}
    found = await add_business(db, place_row_id=scanned[0], domain_extraction_status="Completed", **with_site)
    await add_business(db, place_row_id=scanned[1])
    await add_business(db, status="Rejected", **with_site)
    await add_business(db, **with_site)
    await add_business(db, domain_extraction_status="Queued", **with_site)
    await add_business(db, domain_extraction_status="Error", domain_extraction_error="x", **with_site)
    await add_business(db, domain_extraction_status="Completed", **with_site)
    site = await add_site(db, local_business_id=found)
    await add_contact(db, site, email_validation_result="valid")


async def test_places_and_businesses_are_counted_by_outcome(db: AsyncEngine) -> None:
    await add_every_outcome(db)

    flow = await query(db).flow()

    every = {"rejected": 1, "undecided": 1, "waiting": 1, "failed": 1}
    assert flow.outcomes[PLACES.name] == {**every, "business": 2}
    assert flow.outcomes[BUSINESSES.name] == {**every, "no_website": 1, "same_website": 1, "website": 1}
    assert (flow.without_place, flow.without_business) == (5, 0)


async def make_domain(db: AsyncEngine, name: str) -> None:
    status: dict[str, Any] = {
        "rejected": {"sitemap_curation_status": "Rejected"},
        "undecided": {"status": None},
        "waiting": {"status": "pending"},
        "failed": {"status": "error", "error": "timeout: the host took too long to respond"},
        "robots": {"status": "error", "error": "disallowed by robots.txt"},
    }.get(name, {})
    site = await add_site(db, **status)
    if name in ("unread", "no_contact"):
        await add_page(db, site, page_processing_status="Complete" if name == "no_contact" else None)
    contact: dict[str, Any] = {
        "contact_rejected": {"contact_curation_status": "Rejected", "email_validation_result": "valid"},
        "phone_only": {"phone_number": "+351210000000"},
        "not_valid": {"email_validation_result": "unknown"},
        "unchecked": {"email_validation_status": "Queued"},
        "verified": {"email_validation_result": "valid"},
        "delivered": {"email_validation_result": "valid"},
    }
    if name in contact:
        made = await add_contact(db, site, **contact[name])
        # A worse contact beside it changes nothing.
        await add_contact(db, site, contact_curation_status="Archived")
        if name == "delivered":
            destination = await add(db, tables.destinations, name="file", kind="csv")
            values = {"contact_id": made, "destination_id": destination, "status": "Complete"}
            await add(db, tables.deliveries, **values)


DOMAIN_OUTCOMES = (
    *("rejected", "undecided", "waiting", "failed", "robots", "no_pages", "unread", "no_contact"),
    *("contact_rejected", "phone_only", "not_valid", "unchecked", "verified", "delivered"),
)


async def test_domains_are_counted_by_how_far_they_came(db: AsyncEngine) -> None:
    for name in DOMAIN_OUTCOMES:
        await make_domain(db, name)

    flow = await query(db).flow()

    assert flow.outcomes[DOMAINS.name] == dict.fromkeys(DOMAIN_OUTCOMES, 1)
    assert flow.without_business == len(DOMAIN_OUTCOMES)
    assert (flow.reached(DOMAINS, "no_pages"), flow.reached(DOMAINS, "verified")) == (9, 2)


async def test_the_list_of_domains_shows_those_that_the_flow_counts(db: AsyncEngine) -> None:
    for name in DOMAIN_OUTCOMES:
        await make_domain(db, name)
    for name in DOMAIN_OUTCOMES:
        await _assert_listed(db, "domain", name)


async def test_the_lists_of_places_and_businesses_show_those_that_the_flow_counts(db: AsyncEngine) -> None:
    await add_every_outcome(db)
    for name in ("rejected", "undecided", "waiting", "failed"):
        await _assert_listed(db, "place", name)
        await _assert_listed(db, "business", name)
    for name in ("no_website", "same_website", "website"):
        await _assert_listed(db, "business", name)


async def _assert_listed(db: AsyncEngine, entity: str, name: str) -> None:
    kind = ENTITIES[entity]
    filters = parse_filters(kind, {"outcome": name})
    page = await ListQuery(db, TENANT).page(kind, filters, sort=default_sort(kind), limit=10)
    assert len(page.rows) == 1
    assert page.total.number == 1


async def test_a_business_with_two_domains_counts_once_by_the_better_one(db: AsyncEngine) -> None:
    business = await add_business(db, website_url="https://x.example/")
    await add_site(db, local_business_id=business, status="error", error="x")
    better = await add_site(db, local_business_id=business)
    await add_contact(db, better, email_validation_result="valid")

    flow = await query(db).flow()

    assert flow.outcomes[DOMAINS.name] == {"verified": 1}
    assert flow.outcomes[BUSINESSES.name] == {"website": 1}


async def test_a_search_has_a_flow_of_its_own(db: AsyncEngine) -> None:
    search = await add(db, tables.place_searches, business_type="dentist", location="Porto")
    place = await add_place(db, search_id=search, deep_scan_status="Completed")
    business = await add_business(db, place_row_id=place, website_url="https://x.example/")
    site = await add_site(db, local_business_id=business)
    await add_page(db, site)
    await add_every_outcome(db)

    flow = await query(db, search).flow()
    lists = await query(db, search).lists(TimeSpan.until_now(HOUR, 24))

    assert flow.outcomes[PLACES.name] == {"business": 1}
    assert flow.outcomes[BUSINESSES.name] == {"website": 1}
    assert flow.outcomes[DOMAINS.name] == {"unread": 1}
    assert (flow.without_place, flow.without_business) == (0, 0)
    assert [lists[name].total for name in ENTITIES] == [1, 1, 1, 0, 1, 0]
    assert sum(lists["page"].added) == 1


# ---- over time


@pytest.mark.req("R206")
async def test_throughput_is_summed_by_step(db: AsyncEngine) -> None:
    span = TimeSpan.until_now(timedelta(minutes=10), 6)
    rows = [("read_page", span.start, 1, 5, 1), ("read_page", span.start, 2, 4, 0)]
    rows += [("deep_scan", span.moments[2] + timedelta(minutes=3), 1, 7, 2)]
    rows += [("deep_scan", span.start - timedelta(minutes=1), 1, 100, 100)]
    names = ("stage", "minute", "worker", "done", "failed")
    async with db.begin() as connection:
        await connection.execute(
            insert(tables.stage_stats), [dict(zip(names, row, strict=True)) for row in rows]
        )

    throughput = await query(db).throughput(span)

    assert [(done, failed) for _, done, failed in throughput] == [
        (9, 1),
        (0, 0),
        (7, 2),
        (0, 0),
        (0, 0),
        (0, 0),
    ]
    assert [moment for moment, _, _ in throughput] == span.moments
    assert await query(db).stage_throughput(span) == {
        "read_page": [10, 0, 0, 0, 0, 0],
        "deep_scan": [0, 0, 9, 0, 0, 0],
    }


# ---- what reading brings


async def test_pages_and_contacts_are_counted_by_page_type(db: AsyncEngine) -> None:
    site = await add_site(db)
    read = {"page_processing_status": "Complete"}
    page = await add_page(db, site, page_type="team_root", contact_scrape_status="ContactFound", **read)
    await add_page(db, site, page_type="team_root", contact_scrape_status="NoContactFound", **read)
    await add_page(db, site, page_type="blog")
    await add_contact(db, site, page_id=page, confidence=0.95, email_validation_result="valid")
    await add_contact(db, site, page_id=page, confidence=1.0, phone_number="+351210000000")
    await add_contact(db, site, confidence=None)

    overview = query(db)

    assert await overview.page_yield() == [{"page_type": "team_root", "read": 2, "with_contact": 1}]
    assert await overview.contacts_by_page_type() == {"team_root": 2}
    assert await overview.confidence() == [
        {"step": 0, "result": "not checked", "number": 1},
        {"step": 9, "result": "phone only", "number": 1},
        {"step": 9, "result": "valid", "number": 1},
    ]
