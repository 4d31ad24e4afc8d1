"""Pages by the ten thousand: de-duplicated, linked to their sitemaps, counted right, safe together."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from time import perf_counter
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import func, select, update
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from fakes import item
from product import add_domain, add_sitemaps
from scrapersky import tables
from scrapersky.declarations import READ_PAGE
from scrapersky.storage import ListedPage, PageList, save
from walking import finished

SITE = "https://lune.co.uk"


def listed(*paths: str, status: str | None = "Queued", **more: Any) -> list[ListedPage]:
    return [ListedPage(f"{SITE}{path}", "unknown", 0.2, 2, 1, status, **more) for path in paths]


async def site(engine: AsyncEngine, files: int = 1) -> tuple[UUID, list[UUID]]:
    """A domain with sitemap files of its own."""
    domain = await add_domain(engine, "lune.co.uk")
    ids = await add_sitemaps(engine, files)
    async with engine.begin() as connection:
        await connection.execute(update(tables.sitemap_files).values(domain_id=domain))
    return domain, ids


async def store(engine: AsyncEngine, *lists: PageList) -> int:
    async with engine.begin() as connection:
        return await save(connection, [(item(), one) for one in lists])


async def count(engine: AsyncEngine, row: Any = tables.pages) -> int:
    async with engine.connect() as connection:
        return int((await connection.execute(select(func.count()).select_from(row))).scalar_one())


async def pages(engine: AsyncEngine) -> dict[str, Any]:
    async with engine.connect() as connection:
        return {row.url.removeprefix(SITE): row for row in await connection.execute(select(tables.pages))}


@pytest.mark.req("R064", "R067")
async def test_a_url_is_one_page_however_many_sitemaps_list_it(db: AsyncEngine) -> None:
    """D10: (domain, canonical URL); a link table says where it was listed."""
    domain, (first, second) = await site(db, 2)

    assert await store(db, PageList(domain, "lune.co.uk", listed("/a", "/b"), sitemap_id=first)) == 2
    assert await store(db, PageList(domain, "lune.co.uk", listed("/b", "/c"), sitemap_id=second)) == 1

    assert set(await pages(db)) == {"/a", "/b", "/c"}
    assert await count(db, tables.page_sitemaps) == 4


@pytest.mark.req("R064")
async def test_a_url_twice_in_one_file_is_one_page(db: AsyncEngine) -> None:
    domain, [one] = await site(db)

    assert await store(db, PageList(domain, "lune.co.uk", listed("/a", "/a", "/a"), sitemap_id=one)) == 1
    assert (await count(db), await count(db, tables.page_sitemaps)) == (1, 1)


@pytest.mark.req("R066")
async def test_importing_again_changes_nothing_people_or_workers_did(db: AsyncEngine) -> None:
    domain, [one] = await site(db)
    again = PageList(domain, "lune.co.uk", listed("/a"), sitemap_id=one)
    await store(db, again)
    await finished(db, READ_PAGE, page_curation_status="Rejected", title="A")

    assert await store(db, again) == 0

    page = (await pages(db))["/a"]
    assert (page.page_curation_status, page.page_processing_status, page.title) == (
        "Rejected",
        "Complete",
        "A",
    )


@pytest.mark.req("R065")
async def test_two_imports_of_overlapping_sitemaps_at_the_same_time(db: AsyncEngine) -> None:
    """Both transactions are open together: neither fails, no page is double, every link is there."""
    domain, files = await site(db, 4)
    paths = [f"/p{number}" for number in range(2_000)]
    parts = [paths[:1_500], paths[500:], paths[::-1], paths[::2]]

    counts = await asyncio.gather(
        *(
            store(db, PageList(domain, "lune.co.uk", listed(*part), sitemap_id=file))
            for part, file in zip(parts, files, strict=True)
        )
    )

    assert sum(counts) == await count(db) == 2_000
    assert await count(db, tables.page_sitemaps) == sum(map(len, parts))


@pytest.mark.req("R065")
async def test_the_second_of_two_imports_waits_for_the_first_and_finds_its_pages(
    db: AsyncEngine,
) -> None:
    domain, (first, second) = await site(db, 2)
    same = listed("/a", "/b")

    async def late(connection: AsyncConnection) -> int:
        return await save(connection, [(item(), PageList(domain, "lune.co.uk", same, sitemap_id=second))])

    async with db.connect() as one, db.connect() as two:
        await one.begin()
        await two.begin()
        await save(one, [(item(), PageList(domain, "lune.co.uk", same, sitemap_id=first))])
        waiting = asyncio.create_task(late(two))
        await asyncio.sleep(0.2)
        assert not waiting.done()
        await one.commit()
        assert await waiting == 0
        await two.commit()

    assert (await count(db), await count(db, tables.page_sitemaps)) == (2, 4)


@pytest.mark.timed
async def test_fifty_thousand_urls_go_in_at_once(db: AsyncEngine) -> None:
    """Trap 19: one INSERT with a parameter per value broke above 32,767 of them."""
    domain, [one] = await site(db)
    many = PageList(
        domain, "lune.co.uk", listed(*(f"/p{n}" for n in range(50_000)), status=None), sitemap_id=one
    )

    began = perf_counter()
    assert await store(db, many) == 50_000
    seconds = perf_counter() - began

    assert await count(db) == await count(db, tables.page_sitemaps) == 50_000
    assert seconds < 40
    assert await store(db, many) == 0


async def test_the_count_is_of_new_pages_over_several_lists_of_one_flush(db: AsyncEngine) -> None:
    """The staging table is one per connection: what the list before left in it is not counted again."""
    domain, (first, second) = await site(db, 2)

    number = await store(
        db,
        PageList(domain, "lune.co.uk", listed("/a", "/b", "/c"), sitemap_id=first),
        PageList(domain, "lune.co.uk", listed("/c", "/d"), sitemap_id=second),
        PageList(domain, "lune.co.uk", []),
    )

    assert number == await count(db) == 4
    assert await count(db, tables.page_sitemaps) == 5


async def test_pages_of_several_domains_in_one_flush_stay_apart(db: AsyncEngine) -> None:
    """Each page gets the domain, the source and the sitemap of the list it came in."""
    domain, [one] = await site(db)
    other = await add_domain(db, "another.com")
    same = listed("/a", "/b")

    number = await store(
        db,
        PageList(domain, "lune.co.uk", same, sitemap_id=one),
        PageList(other, "another.com", [*same, *listed("/c")], lead_source="home_page"),
    )

    async with db.connect() as connection:
        rows = list(await connection.execute(select(tables.pages).order_by(tables.pages.c.id)))
        links = [row.page_id for row in await connection.execute(select(tables.page_sitemaps))]
    assert number == len(rows) == 5
    assert {(row.domain_id, row.host, row.lead_source, row.url.removeprefix(SITE)) for row in rows} == {
        (domain, "lune.co.uk", "sitemap_import", "/a"),
        (domain, "lune.co.uk", "sitemap_import", "/b"),
        (other, "another.com", "home_page", "/a"),
        (other, "another.com", "home_page", "/b"),
        (other, "another.com", "home_page", "/c"),
    }
    assert sorted(links) == sorted(row.id for row in rows if row.domain_id == domain)


async def test_identifiers_rise_with_the_key_of_the_page(db: AsyncEngine) -> None:
    """Rows of one import lie side by side in every index."""
    domain, _ = await site(db)

    await store(db, PageList(domain, "lune.co.uk", listed(*(f"/p{n}" for n in range(50)))))

    found = sorted((await pages(db)).values(), key=lambda row: row.id)
    assert [row.url_hash for row in found] == sorted(row.url_hash for row in found)
    assert {row.id.version for row in found} == {7}


async def test_a_rolled_back_import_leaves_no_page(db: AsyncEngine) -> None:
    """A COPY before the transaction began would stay; it must not."""
    domain, [one] = await site(db)
    async with db.connect() as connection:
        await save(connection, [(item(), PageList(domain, "lune.co.uk", listed("/a"), sitemap_id=one))])
        await connection.rollback()
        number = await save(
            connection, [(item(), PageList(domain, "lune.co.uk", listed("/b"), sitemap_id=one))]
        )
        await connection.commit()

    assert (number, set(await pages(db))) == (1, {"/b"})


async def test_what_a_sitemap_says_of_a_page_is_kept_per_sitemap(db: AsyncEngine) -> None:
    domain, (first, second) = await site(db, 2)
    day = datetime(2024, 5, 6, tzinfo=UTC)

    await store(
        db,
        PageList(
            domain, "lune.co.uk", listed("/a", last_modified_at=day, priority_value=0.8), sitemap_id=first
        ),
    )
    await store(db, PageList(domain, "lune.co.uk", listed("/a", change_frequency="daily"), sitemap_id=second))

    async with db.connect() as connection:
        rows = {row.sitemap_file_id: row for row in await connection.execute(select(tables.page_sitemaps))}
    assert rows[first].last_modified_at == day
    assert (rows[second].last_modified_at, rows[second].change_frequency) == (None, "daily")


@pytest.mark.req("R144")
async def test_queued_pages_tell_their_host_that_work_awaits(db: AsyncEngine) -> None:
    """The hand-off is in the same transaction; NULL and Filtered hand nothing on (D8)."""
    domain, _ = await site(db)

    await store(
        db, PageList(domain, "lune.co.uk", listed("/a", status=None) + listed("/b", status="Filtered"))
    )
    async with db.connect() as connection:
        none = list(await connection.execute(select(tables.hosts.c.read_page_waiting_since)))
    await store(db, PageList(domain, "lune.co.uk", listed("/c")))
    async with db.connect() as connection:
        some = list(
            await connection.execute(select(tables.hosts.c.host, tables.hosts.c.read_page_waiting_since))
        )

    assert all(row.read_page_waiting_since is None for row in none)
    assert [row.host for row in some if row.read_page_waiting_since] == ["lune.co.uk"]
    assert {path: row.page_processing_status for path, row in (await pages(db)).items()} == {
        "/a": None,
        "/b": "Filtered",
        "/c": "Queued",
    }
