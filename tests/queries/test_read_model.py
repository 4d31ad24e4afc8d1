"""Reading and changing leave nothing behind: no open transaction, no connection that is not given back."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from sqlalchemy import Integer, column, table, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from product import TENANT, WHO, add_job, add_pages, statuses
from scrapersky import tables
from scrapersky.actions import retry_job
from scrapersky.errors import Conflict, NotFound
from scrapersky.queries import HealthQuery, JobQuery
from scrapersky.queries.read_model import Query, estimate_rows, in_array
from scrapersky.tables.batches import change_in_batches


@pytest.fixture
async def narrow(db: AsyncEngine) -> AsyncIterator[AsyncEngine]:
    """An engine with one connection: whoever does not give it back stops everybody."""
    engine = create_async_engine(db.url, pool_size=1, max_overflow=0, pool_timeout=2)
    yield engine
    await engine.dispose()


async def open_transactions(db: AsyncEngine) -> int:
    query = (
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in%'"
    )
    async with db.connect() as connection:
        return int(await connection.scalar(text(query)) or 0)


@pytest.mark.req("R227")
async def test_a_read_gives_its_connection_back_and_leaves_no_transaction_open(
    db: AsyncEngine, narrow: AsyncEngine
) -> None:
    await add_job(db)

    await asyncio.gather(*(JobQuery(narrow, TENANT).newest() for _ in range(20)))
    await HealthQuery(narrow).report()

    assert narrow.pool.checkedout() == 0  # type: ignore[attr-defined]
    assert await open_transactions(db) == 0


@pytest.mark.req("R227")
async def test_a_read_that_fails_gives_its_connection_back_too(db: AsyncEngine, narrow: AsyncEngine) -> None:
    for _ in range(3):
        with pytest.raises(DBAPIError):
            await Query(narrow).rows(text("SELECT 1 / 0"))
    with pytest.raises(NotFound):
        await JobQuery(narrow, TENANT).show("7")

    assert narrow.pool.checkedout() == 0  # type: ignore[attr-defined]
    assert await open_transactions(db) == 0


@pytest.mark.req("R227")
async def test_a_change_that_is_refused_or_fails_changes_nothing(
    db: AsyncEngine, narrow: AsyncEngine
) -> None:
    number = await add_job(db)
    pages: Any = tables.pages
    await add_pages(db, 3)

    with pytest.raises(Conflict):
        await retry_job(narrow, WHO, str(number))
    with pytest.raises(DBAPIError):
        await change_in_batches(
            narrow, pages, pages.select().with_only_columns(pages.c.id), {"url": None}, 10
        )

    assert await statuses(db) == {number: "pending"}
    assert narrow.pool.checkedout() == 0  # type: ignore[attr-defined]
    assert await open_transactions(db) == 0


async def test_the_planner_estimates_rows_by_the_values_without_reading_them(db: AsyncEngine) -> None:
    things, kind = table("things"), column("kind", Integer)
    made = "CREATE TABLE things AS SELECT greatest(n % 100, 50) AS kind FROM generate_series(1, 20000) AS n"
    async with db.begin() as connection:
        await connection.execute(text(made))
        await connection.execute(text("ANALYZE things"))
        common = await estimate_rows(connection, things, in_array(kind, [50]))
        rare = await estimate_rows(connection, things, in_array(kind, [77]))
        three = await estimate_rows(connection, things, in_array(kind, [77, 78, 79]))
        # Reading a row would fail.
        assert await estimate_rows(connection, things, text("1 / (kind - kind) = 1")) < 1_000
    assert 9_000 < common < 11_500
    assert 100 < rare < 400 < three < 1_200
