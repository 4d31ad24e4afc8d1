"""The counts of rows are exact at every moment: under many writers, COPY, rollbacks, kills and truncation."""

from __future__ import annotations

import asyncio
import random
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import asyncpg
import pytest
from sqlalchemy import event, func, select, text
from sqlalchemy.ext.asyncio import AsyncEngine

from product import TENANT, add_domain, add_pages
from scrapersky.declarations import DECLARATIONS
from scrapersky.log import Log
from scrapersky.maintenance import Maintenance, MaintenanceOptions
from scrapersky.processes.doctor import wrong_counts
from scrapersky.queries import ProgressQuery, StageQuery
from scrapersky.queries.progress import StageProgress
from scrapersky.queries.rows.entities import get_entity
from scrapersky.queries.rows.filters import Filters
from scrapersky.queries.rows.lists import ListQuery
from scrapersky.settings import Settings
from scrapersky.tables.counts import (
    FACETS,
    count_triggers,
    counted_rows,
    find_wrong_counts,
    fold,
    repair_counts,
    waiting_rows,
)
from scrapersky.wiring import build_worker

STATUSES = ("Queued", "Filtered", None)


async def wrong(engine: AsyncEngine) -> dict[str, int]:
    async with engine.connect() as connection:
        return await find_wrong_counts(connection)


async def page_counts(engine: AsyncEngine) -> dict[str | None, int]:
    rows = counted_rows("pages")
    word = rows.c.page_processing_status
    query = select(word, func.sum(rows.c.number)).group_by(word).having(func.sum(rows.c.number) != 0)
    async with engine.connect() as connection:
        return {row[0]: int(row[1]) for row in await connection.execute(query)}


@asynccontextmanager
async def driver(engine: AsyncEngine) -> AsyncIterator[asyncpg.Connection]:
    connection = await asyncpg.connect(
        engine.url.set(drivername="postgresql").render_as_string(hide_password=False)
    )
    try:
        yield connection
    finally:
        if not connection.is_closed():
            await connection.close()


def test_every_column_that_a_queue_depends_on_is_a_facet() -> None:
    for queue in DECLARATIONS:
        names = {queue.status, queue.excluded_by} - {None}
        names |= {"job_type"} if queue.condition else set()
        assert names <= set(FACETS[queue.table]), queue.name


async def test_every_way_of_writing_is_counted(db: AsyncEngine) -> None:
    domain = await add_domain(db)
    await add_pages(db, 5, page_processing_status="Queued")
    columns = ["tenant_id", "domain_id", "url", "host", "page_processing_status"]
    rows = [(TENANT, domain, f"https://a.example/{n}", "a.example", "Filtered") for n in range(1_000)]
    async with driver(db) as connection:
        await connection.copy_records_to_table("pages", records=rows, columns=columns)
        assert await page_counts(db) == {"Queued": 5, "Filtered": 1_000}
        # An upsert that inserts and updates in one statement.
        await connection.execute(
            "INSERT INTO pages (tenant_id, domain_id, url, host)"
            " SELECT $1, $2, 'https://a.example/' || n, 'a'"
            " FROM generate_series(990, 1009) n ON CONFLICT (domain_id, url_hash, tenant_id)"
            " DO UPDATE SET page_processing_status = NULL",
            TENANT,
            domain,
        )
        assert await page_counts(db) == {"Queued": 5, "Filtered": 990, None: 20}
        undone = connection.transaction()
        await undone.start()
        await connection.execute("UPDATE pages SET page_processing_status = 'Queued'")
        await undone.rollback()
        assert await page_counts(db) == {"Queued": 5, "Filtered": 990, None: 20}
        await connection.execute("DELETE FROM domains WHERE id = $1", domain)  # The pages follow.
        assert await page_counts(db) == {"Queued": 5}
        assert await wrong(db) == {}
        await connection.execute("TRUNCATE pages CASCADE")
    assert await page_counts(db) == {}
    assert await wrong(db) == {}


async def test_counts_stay_exact_while_many_write_fold_and_die(db: AsyncEngine) -> None:
    """Every snapshot agrees with the rows in it; a killed session leaves nothing behind."""
    ids = await add_pages(db, 200)
    chance = random.Random(8)
    done = asyncio.Event()
    looks = folds = kills = 0

    async def write(seed: int) -> None:
        nonlocal kills
        own = random.Random(seed)
        for _ in range(40):
            async with driver(db) as connection:
                await connection.execute("SET deadlock_timeout = '100ms'")
                transaction = connection.transaction()
                await transaction.start()
                # In their order, as everybody who changes many rows locks them.
                chosen = sorted(own.sample(ids, 20))
                await connection.execute(
                    "UPDATE pages SET page_processing_status = $1, priority_level = $2 WHERE id IN"
                    " (SELECT id FROM pages WHERE id = ANY($3) ORDER BY id FOR UPDATE)",
                    own.choice(STATUSES),
                    own.randint(1, 3),
                    chosen,
                )
                end = own.random()
                if end < 0.2:
                    connection.terminate()
                    kills += 1
                elif end < 0.4:
                    await transaction.rollback()
                else:
                    await transaction.commit()

    async def keep() -> None:
        nonlocal folds, looks
        while not done.is_set():
            async with db.begin() as connection:
                folds += await fold(connection) > 0
            assert await wrong(db) == {}
            looks += 1
            await asyncio.sleep(chance.random() / 50)

    keeper = asyncio.create_task(keep())
    await asyncio.gather(*(write(seed) for seed in range(6)))
    done.set()
    await keeper
    assert await wrong(db) == {}
    assert min(looks, folds, kills) > 5
    async with db.begin() as connection:
        await fold(connection)
        assert await connection.scalar(text("SELECT count(*) FROM row_count_changes")) == 0
        assert not await connection.scalar(text("SELECT count(*) FROM row_counts WHERE number <= 0"))


async def test_wrong_counts_are_found_and_repaired_once_by_two_at_once(db: AsyncEngine) -> None:
    """What was written while the triggers were off is noticed by the doctor and corrected by maintenance."""
    await add_pages(db, 10, page_processing_status="Queued")
    async with db.begin() as connection:
        await connection.execute(text("ALTER TABLE pages DISABLE TRIGGER USER"))
        await connection.execute(text("DELETE FROM pages WHERE id IN (SELECT id FROM pages LIMIT 4)"))
        await connection.execute(text("ALTER TABLE pages ENABLE TRIGGER USER"))
    assert await page_counts(db) == {"Queued": 10}
    finding = await wrong_counts(db)
    assert (finding.verdict, finding.remedy) == ("fail", "scrapersky db recount")

    async def repair() -> dict[str, int]:
        async with db.begin() as connection:
            return await repair_counts(connection)

    async with db.begin() as connection:
        assert list(await repair_counts(connection)) == ["pages"]
        # The second waits for the first; in its own snapshot it would correct the same counts again.
        second = asyncio.create_task(repair())
        await asyncio.sleep(0.5)
        assert not second.done()
    assert await second == {}
    assert await page_counts(db) == {"Queued": 6}
    assert (await wrong_counts(db)).verdict == "pass"


async def test_maintenance_folds_and_verifies(db: AsyncEngine) -> None:
    await add_pages(db, 3)
    lines: list[dict[str, Any]] = []
    keeper = Maintenance(db, MaintenanceOptions(), lines.extend)
    assert {"fold_counts", "verify_counts"} <= {name for name, _, _ in keeper.tasks()}
    assert await keeper.fold_counts()
    async with db.begin() as connection:
        await connection.execute(text("UPDATE row_counts SET number = number + 1"))
    assert set(await keeper.verify_counts()) == {"pages", "domains"}
    assert [line["event"] for line in lines] == ["counts_repaired"]
    assert await wrong(db) == {}


async def test_two_tenants_are_counted_apart(db: AsyncEngine) -> None:
    other = uuid.uuid4()
    async with db.begin() as connection:
        await connection.execute(text("INSERT INTO tenants (id, name) VALUES (:id, 'Other')"), {"id": other})
    await add_domain(db, tenant_id=other)
    await add_domain(db)
    rows = counted_rows("domains")
    async with db.connect() as connection:
        query = select(rows.c.tenant_id, func.sum(rows.c.number)).group_by(rows.c.tenant_id)
        assert {row[0]: row[1] for row in await connection.execute(query)} == {TENANT: 1, other: 1}
        assert (await waiting_rows(connection))["read_metadata"] == 2


async def test_progress_of_everything_tells_later_from_open(
    db: AsyncEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Counted from whichever end of the queue is shorter; exact unless both ends pass the limit."""
    hour = datetime.now(UTC) + timedelta(hours=1)
    await add_pages(db, 7, page_processing_status="Queued", priority_level=1)
    await add_pages(db, 4, page_processing_status="Queued", page_processing_due_at=hour)
    await add_pages(db, 2, page_processing_status="Queued", page_curation_status="Rejected")
    for most, later in ((100, 4), (5, 4), (8, 4), (3, 3)):
        monkeypatch.setattr("scrapersky.queries.progress.COUNT_LIMIT", most)
        counts = (await ProgressQuery(db).of_everything())["read_page"]
        assert counts == StageProgress(open=11 - later, later=later)
    await add_pages(db, 20, page_processing_status="Queued", page_processing_due_at=hour)
    monkeypatch.setattr("scrapersky.queries.progress.COUNT_LIMIT", 10)
    assert (await ProgressQuery(db).of_everything())["read_page"].later == 24
    first = {line.stage: line.oldest for line in await StageQuery(db).statuses()}["read_page"]
    assert first is not None
    assert first < hour


async def test_lists_are_counted_without_reading_them(db: AsyncEngine) -> None:
    """The number of rows that match a facet comes from the kept counts; a search of text reads the rows."""
    await add_pages(db, 5, page_type="contact_root", priority_level=1, page_processing_status="Queued")
    await add_pages(db, 3, page_curation_status="Maybe", page_type="about")
    await add_pages(db, 2, page_processing_status="Filtered", page_curation_status="Maybe")
    asked: list[str] = []
    event.listen(db.sync_engine, "before_cursor_execute", lambda *given: asked.append(given[2]))
    page, lists = get_entity("page"), ListQuery(db, TENANT)
    for filters, number in (
        (Filters(), 10),
        (Filters(curation_status="maybe"), 5),
        (Filters(curation_status="maybe", status="filtered"), 2),
        (Filters(status="none"), 3),
        (Filters(page_type="CONTACT_ROOT", priority=1), 5),
        (Filters(page_type="nothing"), 0),
    ):
        assert await lists.count(page, filters) == number, filters
        assert await ListQuery(db, uuid.uuid4()).count(page, filters) == 0
        assert len(await lists.list_rows(page, filters)) == number, filters
    counts = [one for one in asked if "row_counts" in one]
    assert len(counts) == 18
    assert not [one for one in asked if "count(" in one]
    assert await lists.count(page, Filters(contains="shop", curation_status="maybe")) == 5


@pytest.mark.req("R207", "R208")
async def test_the_products_worker_holds_back_by_these_counts(db: AsyncEngine) -> None:
    settings = Settings(high_water_rows=3, low_water_rows=1)
    worker = build_worker(settings, db, None, Log(level="ERROR"), only=("import_sitemap",))  # type: ignore[arg-type]
    stop = asyncio.Event()
    task = asyncio.create_task(worker.run(stop))
    await worker.ready.wait()
    try:
        await add_pages(db, 4, page_processing_status="Queued")
        await worker.housekeeping()
        assert worker.runners["import_sitemap"].congested
        async with db.begin() as connection:
            await connection.execute(text("UPDATE pages SET page_processing_status = NULL"))
        await worker.housekeeping()
        assert not worker.runners["import_sitemap"].congested
    finally:
        stop.set()
        await task


def test_the_triggers_of_a_table_are_its_own() -> None:
    made = [statement for table in FACETS for statement in count_triggers(table)]
    assert len(set(made)) == len(made) == 8 * len(FACETS)
