"""Text search as a request sees it: by the trigram indexes, and only among the tenant's rows."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest
from sqlalchemy import insert, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from product import TENANT, add_domain
from scrapersky import tables
from scrapersky.database import tenant_engine
from scrapersky.errors import InvalidInput
from scrapersky.queries.rows.entities import ENTITIES
from scrapersky.queries.rows.filters import Filters
from scrapersky.queries.rows.lists import ListQuery
from scrapersky.tables.schema import schema_statements
from scrapersky.tables.tenant_isolation.search_functions import TEXT_COLUMNS, search_function

# 10,000 rows of two tenants in turn, with a number in every text.
FILLS = {
    "domains": "INSERT INTO domains (tenant_id, domain, host, status)"
    " SELECT {tenant}, 'shop-' || n || '.example', 'shop.example', 'completed' FROM {numbers}",
    "sitemap_files": "INSERT INTO sitemap_files (tenant_id, domain_id, host, url, sitemap_import_status)"
    " SELECT {tenant}, {domain}, 'shop.example', 'https://shop.example/shop-' || n || '.', 'Complete'"
    " FROM {numbers}",
    "pages": "INSERT INTO pages (tenant_id, domain_id, host, url)"
    " SELECT {tenant}, {domain}, 'shop.example', 'https://shop.example/shop-' || n || '.' FROM {numbers}",
    "contacts": "INSERT INTO contacts (tenant_id, domain_id, email, name, phone_number, source_url)"
    " SELECT {tenant}, {domain}, 'shop-' || n || '.@shop.example', 'Person ' || n, '+49' || n,"
    " 'https://shop.example/' FROM {numbers}",
}
INDEXES = {
    "domains": "idx_domains_domain_trgm",
    "sitemap_files": "idx_sitemap_files_url_trgm",
    "pages": "idx_pages_url_trgm",
    "contacts": "idx_contacts_text_trgm",
}


async def fill(engine: AsyncEngine) -> Any:
    """The rows; gives the other tenant."""
    other = uuid4()
    async with engine.begin() as connection:
        await connection.execute(insert(tables.tenants).values(id=other, name="Other"))
    domains = [await add_domain(engine, "x.example", tenant_id=tenant) for tenant in (TENANT, other)]
    values = {
        "tenant": f"CASE WHEN n % 2 = 0 THEN '{TENANT}'::uuid ELSE '{other}'::uuid END",
        "domain": f"CASE WHEN n % 2 = 0 THEN '{domains[0]}'::uuid ELSE '{domains[1]}'::uuid END",
        "numbers": "generate_series(1, 10000) n",
    }
    async with engine.begin() as connection:
        for statement in FILLS.values():
            await connection.execute(text(statement.format(**values)))
    async with engine.execution_options(isolation_level="AUTOCOMMIT").connect() as connection:
        for table in FILLS:
            await connection.execute(text(f"VACUUM ANALYZE {table}"))
    return other


async def search(engine: AsyncEngine, table: str, pattern: str, most: int = 10_001) -> list[Any]:
    query = text(f"SELECT {search_function(table)}(:pattern, :most)")
    async with engine.connect() as connection:
        return list((await connection.scalars(query, {"pattern": pattern, "most": most})).all())


async def scans(engine: AsyncEngine, table: str, pattern: str) -> tuple[int, int]:
    """How often a search reads the whole table, and how often its trigram index."""
    statement = text(
        f"SELECT pg_stat_get_xact_numscans('{table}'::regclass), "
        f"pg_stat_get_xact_numscans('{INDEXES[table]}'::regclass)"
    )
    async with engine.connect() as connection:
        before = (await connection.execute(statement)).one()
        call = text(f"SELECT count(*) FROM {search_function(table)}(:pattern, 10001)")
        await connection.execute(call, {"pattern": pattern})
        after = (await connection.execute(statement)).one()
    return after[0] - before[0], after[1] - before[1]


@pytest.mark.req("R045", "R264")
@pytest.mark.parametrize("database", ["database_url", "plain_database_url"])
async def test_a_rare_text_is_found_by_the_trigram_index(
    database: str, database_url: str, plain_database_url: str
) -> None:
    """Also where the owner, as whom the functions run, is subject to row-level security."""
    engine = create_async_engine(plain_database_url if database.startswith("plain") else database_url)
    other = await fill(engine)
    mine, theirs = tenant_engine(engine, TENANT), tenant_engine(engine, other)
    for table in FILLS:
        assert len(await search(mine, table, "%SHOP-7788.%")) == 1, table
        assert await search(theirs, table, "%SHOP-7788.%") == []
        assert len(await search(mine, table, "%shop%", 100)) == 100
        assert len(await search(theirs, table, "%shop-778_.%")) == 5
        assert await scans(mine, table, "%shop-7788.%") == (0, len(TEXT_COLUMNS[table])), table
    await engine.dispose()


async def test_a_text_that_no_index_can_look_up_is_not_sought_among_very_many_rows(
    database_url: str,
) -> None:
    engine = create_async_engine(database_url)
    await fill(engine)
    await engine.dispose()
    # To the planner, a row is as dear as a thousand.
    costs = dict.fromkeys(["cpu_tuple_cost", "cpu_operator_cost", "cpu_index_tuple_cost"], "10")
    dear = create_async_engine(database_url, connect_args={"server_settings": costs})
    mine = tenant_engine(dear, TENANT)
    for table in FILLS:
        assert await search(mine, table, "%zq%") == [None], table
        assert await search(mine, table, "%zqx%") == []
        assert len(await search(mine, table, "%o%", 20)) == 20
    with pytest.raises(InvalidInput, match="'zq' is too short"):
        await ListQuery(dear, TENANT).page(ENTITIES["page"], Filters(q="zq"))
    await dear.dispose()


async def test_searches_belong_to_requests(db: AsyncEngine) -> None:
    """Nobody else may call them, and without a tenant nothing is found."""
    async with db.connect() as connection:
        await connection.execute(text("SET LOCAL ROLE scrapersky_app"))
        with pytest.raises(DBAPIError, match=r"scrapersky\.tenant"):
            await connection.execute(text("SELECT search_pages('%', 1)"))


@pytest.mark.parametrize("attack", ["%'; DROP TABLE pages; --", "%$1%", "%%1$s%", "\\", "%\\%", "_' OR 'a%"])
async def test_a_pattern_is_only_a_pattern(attack: str, db: AsyncEngine) -> None:
    await add_domain(db, "shop.example")
    engine = tenant_engine(db, TENANT)
    if attack.endswith("\\"):
        with pytest.raises(DBAPIError, match="LIKE pattern"):
            await search(engine, "domains", attack)
    else:
        assert await search(engine, "domains", attack) == []
    assert len(await search(engine, "domains", "%shop%")) == 1


def test_people_search_where_the_functions_do() -> None:
    assert {entity.table.name for entity in ENTITIES.values()} == set(TEXT_COLUMNS)


async def test_without_trigrams_text_is_found_by_reading(empty_database_url: str) -> None:
    engine = create_async_engine(empty_database_url)
    async with engine.begin() as connection:
        for statement in schema_statements():
            await connection.execute(text(statement.replace("pg_trgm", "no_such_extension")))
        await connection.execute(insert(tables.tenants).values(id=TENANT, name="Default"))
    await add_domain(engine, "shop.example")
    assert len(await search(tenant_engine(engine, TENANT), "domains", "%HOP%")) == 1
    await engine.dispose()
