"""A domain has no more pages and sitemap files than its limit, whoever stores them and when."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import select, update
from sqlalchemy.ext.asyncio import AsyncEngine

from fakes import FakeWeb, context, index, item, urlset
from product import FEW, QUICK, TENANT, USER, add_domain, add_sitemaps, job_row, until
from scrapersky import tables
from scrapersky.actions.actor import Actor
from scrapersky.actions.searches import continue_import, submit_scan
from scrapersky.engine.worker import Worker
from scrapersky.pipeline import STAGES
from scrapersky.storage import ListedPage, PageList, Upsert, save

SITE = "https://lune.co.uk"
WHO = Actor(TENANT, USER)


def pages(*paths: str, priority: int = 3) -> list[ListedPage]:
    return [ListedPage(f"{SITE}{path}", "unknown", 0.2, priority, 1, None) for path in paths]


async def all_of(db: AsyncEngine, row: Any) -> dict[str, Any]:
    table = row
    async with db.connect() as connection:
        rows = list(await connection.execute(select(table).order_by(table.c.id)))
    return {str(one.url).removeprefix(SITE): one for one in rows}


async def site(db: AsyncEngine, files: int = 1) -> tuple[UUID, list[UUID]]:
    domain, ids = await add_domain(db, "lune.co.uk"), await add_sitemaps(db, files)
    async with db.begin() as connection:
        await connection.execute(update(tables.sitemap_files).values(domain_id=domain))
    return domain, ids


async def store(db: AsyncEngine, *rows: Any) -> int:
    async with db.begin() as connection:
        return await save(connection, [(item(), row) for row in rows])


async def told(db: AsyncEngine, file: UUID) -> Any:
    async with db.connect() as connection:
        return (
            await connection.execute(select(tables.sitemap_files).where(tables.sitemap_files.c.id == file))
        ).one()


@pytest.mark.req("R170")
async def test_a_list_is_cut_to_the_limit_the_best_pages_first(db: AsyncEngine) -> None:
    domain, [file] = await site(db)
    found = [*pages("/a", "/b", "/c"), *pages("/contact", priority=1), *pages("/d", priority=2)]

    number = await store(db, PageList(domain, "lune.co.uk", found, sitemap_id=file, max_pages=3))

    assert number == 3
    assert {"/contact", "/d"} < set(await all_of(db, tables.pages))
    row = await told(db, file)
    assert (row.page_count, row.is_partial, row.left_out_pages, row.max_pages) == (3, True, 2, 3)


@pytest.mark.req("R170")
async def test_pages_that_are_there_count_and_are_linked_again(db: AsyncEngine) -> None:
    domain, [first, second] = await site(db, 2)
    await store(db, PageList(domain, "lune.co.uk", pages("/a", "/b"), sitemap_id=first, max_pages=3))

    again = PageList(domain, "lune.co.uk", pages("/b", "/c", "/d"), sitemap_id=second, max_pages=3)

    assert await store(db, again) == 1
    assert len(await all_of(db, tables.pages)) == 3
    assert (await told(db, second)).page_count == 2
    assert not (await told(db, first)).is_partial


@pytest.mark.req("R170")
async def test_files_of_one_flush_share_the_limit(db: AsyncEngine) -> None:
    domain, [first, second] = await site(db, 2)

    await store(
        db,
        PageList(domain, "lune.co.uk", pages("/a", "/b", "/c"), sitemap_id=first, max_pages=4),
        PageList(domain, "lune.co.uk", pages("/c", "/d", "/e"), sitemap_id=second, max_pages=4),
    )

    assert len(await all_of(db, tables.pages)) == 4
    assert (await told(db, second)).left_out_pages == 1


@pytest.mark.req("R170")
async def test_two_imports_at_the_same_time_do_not_go_beyond_the_limit_together(db: AsyncEngine) -> None:
    domain, files = await site(db, 4)
    lists = [
        PageList(
            domain, "lune.co.uk", pages(*(f"/{one}/{n}" for n in range(50))), sitemap_id=file, max_pages=120
        )
        for one, file in enumerate(files)
    ]

    counts = await asyncio.gather(*(store(db, one) for one in lists))

    assert sum(counts) == len(await all_of(db, tables.pages)) == 120


async def test_a_domain_has_no_more_sitemap_files_than_the_limit(db: AsyncEngine) -> None:
    domain, [parent] = await site(db)

    def child(name: str) -> Upsert:
        values = {"domain_id": domain, "host": "lune.co.uk", "url": f"{SITE}/{name}.xml", "parent_id": parent}
        return Upsert(tables.sitemap_files, values, max_files=4)

    await store(db, child("a"), child("b"))
    await store(db, child("b"), child("c"), child("d"), child("e"))

    assert {"/a.xml", "/b.xml", "/c.xml"} < set(found := await all_of(db, tables.sitemap_files))
    assert len(found) == 4
    row = await told(db, parent)
    assert (row.is_partial, row.left_out_files) == (True, 2)


@pytest.mark.req("R165", "R170")
async def test_a_scan_for_some_pages_stores_no_more_and_says_so(db: AsyncEngine) -> None:
    """From the request over the job and its sitemaps to the pages; and on, when more are asked for."""
    maps = {f"{SITE}/{one}.xml": urlset(*(f"{SITE}/{one}/{n}" for n in range(10))) for one in "ab"}
    web = FakeWeb({f"{SITE}/sitemap.xml": index(*maps), **maps})
    number, _ = await submit_scan(db, WHO, SITE, 15)
    names = ("discover_sitemaps", "import_sitemap")
    stages = [(stage, FEW) for stage in STAGES if stage.name in names]
    options = QUICK.__class__(lease=timedelta(seconds=20), host_delay=timedelta(0))
    worker = Worker(db, stages, options=options, context=context(web), save=save)

    async def imported() -> bool:
        rows = await all_of(db, tables.sitemap_files)
        return len(rows) == 3 and all(row.sitemap_import_status == "Complete" for row in rows.values())

    stop = asyncio.Event()
    running = asyncio.create_task(worker.run(stop))
    await until(imported)
    first = await all_of(db, tables.pages)
    partial = [row for row in (await all_of(db, tables.sitemap_files)).values() if row.is_partial]
    await continue_import(db, WHO, [row.id for row in partial], 100)
    await until(imported)
    stop.set()
    await running

    assert (await job_row(db, number)).status == "complete"
    assert len(first) == 15
    assert [row.left_out_pages for row in partial] == [5]
    assert len(await all_of(db, tables.pages)) == 20
    assert not any(row.is_partial for row in (await all_of(db, tables.sitemap_files)).values())


async def test_each_domain_of_a_flush_has_its_own_limit(db: AsyncEngine) -> None:
    first, [file] = await site(db)
    second = await add_domain(db, "soleil.fr")
    await store(db, PageList(second, "soleil.fr", [pages("/old")[0]._replace(url="https://soleil.fr/old")]))
    french = [one._replace(url=one.url.replace(SITE, "https://soleil.fr")) for one in pages("/a", "/b")]

    await store(
        db,
        PageList(first, "lune.co.uk", pages("/a", "/b", "/c"), sitemap_id=file, max_pages=2),
        PageList(second, "soleil.fr", french, max_pages=2),
        PageList(first, "lune.co.uk", pages("/free"), sitemap_id=file),
    )

    found = await all_of(db, tables.pages)
    assert sum(url.startswith("https://soleil.fr") for url in found) == 2
    assert len(found) == 5
