"""Ordinary rows against the real database: meeting an old row never resets what people did."""

from __future__ import annotations

import asyncio
from typing import Any
from uuid import UUID, uuid4

import pytest
from sqlalchemy import insert, select, text
from sqlalchemy.ext.asyncio import AsyncEngine

from fakes import TENANT, USER, item
from product import add_domain, add_job, add_pages, job_row
from scrapersky import tables
from scrapersky.declarations import DEEP_SCAN, EXTRACT_DOMAIN, IMPORT_SITEMAP
from scrapersky.storage import LinkSitemapsToJob, Update, Upsert, save
from scrapersky.storage.upserts import UPSERT_RULES
from walking import finished

PLACE = {"source": "fake", "place_id": "p-1", "name": "Bakery Lune", "deep_scan_status": "Queued"}


async def store(engine: AsyncEngine, *rows: Any, **given: Any) -> int:
    """Save rows as the engine does: all in one transaction."""
    one = item(**given)
    async with engine.begin() as connection:
        return await save(connection, [(one, row) for row in rows])


async def all_of(engine: AsyncEngine, row: Any) -> list[Any]:
    async with engine.connect() as connection:
        return list(await connection.execute(select(row)))


def business(**more: Any) -> Upsert:
    known = {"source": "fake", "place_id": "p-1", "business_name": "Lune", "domain_extraction_status": None}
    return Upsert(tables.local_businesses, known | more)


@pytest.mark.parametrize("decision", ["Selected", "Maybe", "Rejected", "Archived"])
async def test_finding_a_place_again_keeps_curation_and_status(db: AsyncEngine, decision: str) -> None:
    await store(db, Upsert(tables.places_staging, PLACE))
    await finished(db, DEEP_SCAN, status=decision, notes="called them")

    await store(db, Upsert(tables.places_staging, PLACE | {"name": "Bakery Lune Ltd", "rating": 4.5}))

    [place] = await all_of(db, tables.places_staging)
    assert (place.status, place.deep_scan_status, place.notes) == (decision, "Completed", "called them")
    assert (place.name, place.rating) == ("Bakery Lune Ltd", 4.5)


async def test_a_second_deep_scan_does_not_reset_the_business(db: AsyncEngine) -> None:
    """Trap 61: curation went back to New and every column was overwritten."""
    await store(db, business(phone="+442079460018"))
    await finished(db, EXTRACT_DOMAIN, status="Selected", notes="ours", additional_json={"a": 1})

    await store(db, business(business_name="Lune Ltd", domain_extraction_status="Queued"))

    [found] = await all_of(db, tables.local_businesses)
    assert (found.status, found.domain_extraction_status, found.notes) == ("Selected", "Completed", "ours")
    assert found.additional_json == {"a": 1}
    assert found.business_name == "Lune Ltd"


def test_no_upsert_may_refresh_a_status_or_a_decision() -> None:
    """The tags of OpenStreetMap's elements are its own data; no person sets them."""
    for row, rule in UPSERT_RULES.items():
        for name in rule.refresh + rule.fill:
            is_sacred = name.endswith("status") or name in ("notes", "tags", "created_by")
            assert not is_sacred or (row, name) == (tables.osm_elements, "tags")


async def test_two_businesses_with_one_website_meet_in_one_domain(db: AsyncEngine) -> None:
    await store(db, business(), business(place_id="p-2", business_name="Florist"))
    first, second = [row.id for row in await all_of(db, tables.local_businesses)]

    for whose in (first, second):
        await store(
            db,
            Upsert(
                tables.domains, {"domain": "mall.co.uk", "host": "mall.co.uk", "local_business_id": whose}
            ),
        )

    [domain] = await all_of(db, tables.domains)
    assert (domain.local_business_id, domain.status) == (first, "pending")


@pytest.mark.req("R127")
async def test_extracting_a_domain_again_neither_resets_nor_adopts_it(db: AsyncEngine) -> None:
    await add_domain(db, "lune.co.uk", sitemap_curation_status="Rejected", notes="no", created_by=USER)
    await store(db, business())
    [owner] = [row.id for row in await all_of(db, tables.local_businesses)]

    await store(
        db, Upsert(tables.domains, {"domain": "lune.co.uk", "host": "lune.co.uk", "local_business_id": owner})
    )

    [domain] = await all_of(db, tables.domains)
    assert (domain.sitemap_curation_status, domain.notes, domain.created_by) == ("Rejected", "no", USER)
    assert domain.local_business_id == owner, "a domain that had no business gets its first"


async def test_many_rows_of_one_flush_meet_without_locking_each_other(db: AsyncEngine) -> None:
    """Two flushes with the same keys in opposite order: the second waits for the first, none is refused."""
    names = [f"shop-{number:03}.co.uk" for number in range(60)]
    rows = [Upsert(tables.domains, {"domain": name, "host": name}) for name in names]

    await asyncio.gather(*(store(db, *order) for order in (rows, rows[::-1], rows[::2] + rows[1::2]) * 3))

    assert len(await all_of(db, tables.domains)) == 60


async def test_a_bulk_insert_gives_every_row_a_typed_id(db: AsyncEngine) -> None:
    """Incident 10: bulk inserts failed where single ones worked."""
    await store(
        db, *(Upsert(tables.places_staging, PLACE | {"place_id": f"p-{number}"}) for number in range(500))
    )

    places = await all_of(db, tables.places_staging)
    assert len({place.id for place in places}) == 500
    assert all(isinstance(place.id, UUID) for place in places)


def sitemap(domain: UUID, url: str = "https://lune.co.uk/a.xml", **more: Any) -> Upsert:
    known = {"domain_id": domain, "host": "lune.co.uk", "url": url, "sitemap_import_status": "Queued"}
    return Upsert(tables.sitemap_files, known | more)


async def test_scanning_a_domain_again_neither_doubles_nor_resets_its_sitemaps(db: AsyncEngine) -> None:
    """Trap 56: a second scan inserted everything again."""
    domain = await add_domain(db, "lune.co.uk")
    await store(db, sitemap(domain, url_count=7, created_by=USER))
    await finished(db, IMPORT_SITEMAP, sitemap_curation_status="Rejected", page_count=7)

    await store(db, sitemap(domain, url_count=9))

    [found] = await all_of(db, tables.sitemap_files)
    assert (found.sitemap_import_status, found.sitemap_curation_status) == ("Complete", "Rejected")
    assert (found.created_by, found.page_count) == (USER, 7)


async def test_a_child_that_was_imported_keeps_its_figures_when_it_is_found_again(db: AsyncEngine) -> None:
    """Discovery knows a child by name only: that must not overwrite what the import counted."""
    domain = await add_domain(db, "lune.co.uk")
    await store(db, sitemap(domain, sitemap_type="standard", url_count=0))
    await finished(db, IMPORT_SITEMAP, sitemap_type="image", url_count=120)

    await store(db, sitemap(domain, sitemap_type="standard", url_count=0))

    [found] = await all_of(db, tables.sitemap_files)
    assert (found.sitemap_type, found.url_count) == ("image", 120)


@pytest.mark.req("R002")
async def test_a_sitemap_without_status_is_queued_by_the_database(db: AsyncEngine) -> None:
    domain = await add_domain(db, "lune.co.uk")
    async with db.begin() as connection:
        values = {"tenant_id": TENANT, "domain_id": domain, "url": "https://lune.co.uk/x.xml"}
        await connection.execute(insert(tables.sitemap_files).values(values))

    assert [row.sitemap_import_status for row in await all_of(db, tables.sitemap_files)] == ["Queued"]


@pytest.mark.req("R171")
async def test_a_job_names_its_sitemaps_with_their_real_ids(db: AsyncEngine) -> None:
    domain = await add_domain(db, "lune.co.uk")
    number = await add_job(db, "sitemap", domain_id=domain, result_data={"domain": "lune.co.uk"})
    job = await job_row(db, number)
    of_job = {"job_id": job.job_id, "discovery_method": "robots_txt"}
    rows = [sitemap(domain, f"https://lune.co.uk/{name}.xml", url_count=3, **of_job) for name in "ab"]

    await store(db, *rows, LinkSitemapsToJob(), id=number, job_id=job.job_id)

    told = (await job_row(db, number)).result_data
    stored = {
        (str(row.id), row.url, row.sitemap_type, row.url_count)
        for row in await all_of(db, tables.sitemap_files)
    }
    assert {(one["id"], one["url"], one["type"], one["url_count"]) for one in told["sitemaps"]} == stored
    assert len(stored) == 2
    assert told["domain"] == "lune.co.uk"


@pytest.mark.req("R171")
async def test_a_job_without_sitemaps_has_an_empty_list(db: AsyncEngine) -> None:
    number = await add_job(db, "sitemap", result_data={"domain": "lune.co.uk"})
    job = await job_row(db, number)

    await store(db, LinkSitemapsToJob(), id=number, job_id=job.job_id)

    assert (await job_row(db, number)).result_data["sitemaps"] == []


async def test_a_change_reaches_only_its_own_row_and_tenant(db: AsyncEngine) -> None:
    mine, other = await add_domain(db, "a.co.uk"), await add_domain(db, "b.co.uk")
    stranger = item()
    stranger.tenant_id = uuid4()

    await store(db, Update(tables.domains, mine, {"total_sitemaps": 3}))
    async with db.begin() as connection:
        await save(connection, [(stranger, Update(tables.domains, other, {"total_sitemaps": 9}))])

    assert {row.domain: row.total_sitemaps for row in await all_of(db, tables.domains)} == {
        "a.co.uk": 3,
        "b.co.uk": None,
    }


async def test_a_page_body_is_replaced_by_the_newer_one(db: AsyncEngine) -> None:
    [page] = await add_pages(db, 1)
    body = {"page_id": page, "content_hash": b"1" * 32, "final_url": "u", "status_code": 200, "size_bytes": 1}

    await store(db, Upsert(tables.page_bodies, {**body, "body": b"old"}))
    await store(db, Upsert(tables.page_bodies, {**body, "body": b"newer"}))

    assert [row.body for row in await all_of(db, tables.page_bodies)] == [b"newer"]


@pytest.mark.req("R120")
async def test_a_failed_flush_leaves_nothing_behind(db: AsyncEngine) -> None:
    async def broken() -> None:
        await store(
            db,
            Upsert(tables.jobs, {"job_type": "sitemap"}),
            Upsert(tables.places_staging, PLACE | {"status": "Not a word"}),
        )

    with pytest.raises(Exception, match="status_allowed"):
        await broken()

    assert await all_of(db, tables.jobs) == await all_of(db, tables.places_staging) == []
    async with db.connect() as connection:
        open_ones = text(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
            " AND state LIKE 'idle in transaction%'"
        )
        assert (await connection.execute(open_ones)).scalar_one() == 0
