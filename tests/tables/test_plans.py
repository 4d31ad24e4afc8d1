"""R045: the filters that people use on 100,000 pages are answered from the indexes."""

from __future__ import annotations

import re
import uuid
from collections.abc import Mapping
from typing import Any

import pytest
from sqlalchemy import Index, Table, UniqueConstraint, event, text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from scrapersky.database import tenant_engine
from scrapersky.declarations import DECLARATIONS, READ_PAGE
from scrapersky.queries.rows.entities import get_entity
from scrapersky.queries.rows.filters import Filters
from scrapersky.queries.rows.lists import ListQuery
from scrapersky.queries.rows.sorts import parse_sort
from scrapersky.tables import metadata
from scrapersky.tables.schema import schema_statements
from scrapersky.tables.tenant_isolation import APP_ROLE

ROWS = 100_000
FILL = f"""
INSERT INTO pages (tenant_id, domain_id, host, url, page_curation_status, page_processing_status,
  page_processing_error, priority_level)
SELECT :tenant, :domain, 'shop.example', 'https://shop.example/products/' || md5(n::text) || '/' || n,
  CASE WHEN n % 500 = 0 THEN 'Selected' ELSE 'New' END,
  CASE WHEN n % 1000 = 0 THEN 'Error' WHEN n % 3 = 0 THEN 'Filtered' END,
  CASE WHEN n % 1000 = 0 THEN 'it did not work' END, CASE WHEN n % 40 = 0 THEN 1 ELSE 3 END
FROM generate_series(1, {ROWS}) n
"""
FILL_SITEMAPS = """
INSERT INTO sitemap_files (tenant_id, domain_id, host, url, sitemap_import_status, sitemap_curation_status)
SELECT :tenant, :domain, 'shop.example', 'https://shop.example/' || n,
  CASE WHEN n % 100 = 0 THEN NULL ELSE 'Complete' END, CASE WHEN n % 200 = 0 THEN 'Maybe' ELSE 'New' END
FROM generate_series(1, 20000) n
"""
FILL_DOMAINS = """
INSERT INTO domains (tenant_id, domain, host, status, sitemap_curation_status, sitemap_analysis_status)
SELECT :tenant, n || '.example', n || '.example', 'completed',
  CASE WHEN n % 300 = 0 THEN 'Maybe' ELSE 'New' END, CASE WHEN n % 600 = 0 THEN 'submitted' END
FROM generate_series(1, 20000) n
"""
FILTERS = {
    "idx_pages_curation_processing": "SELECT id FROM pages WHERE page_curation_status = 'Selected'"
    " AND page_processing_status = 'Error'",
    "idx_pages_url_trgm": "SELECT id FROM pages WHERE url ILIKE '%/77777%'",
    "idx_sitemap_files_domain_status": "SELECT id FROM sitemap_files WHERE domain_id = :domain"
    " AND sitemap_import_status IS NULL",
    "idx_sitemap_files_curation_status": "SELECT id FROM sitemap_files"
    " WHERE sitemap_curation_status = 'Maybe'",
    "idx_domains_curation_analysis": "SELECT id FROM domains WHERE sitemap_curation_status = 'Maybe'"
    " AND sitemap_analysis_status = 'submitted'",
    f"ix_{READ_PAGE.name}_queue": "SELECT id FROM pages WHERE page_processing_status = 'Queued'"
    " AND page_curation_status NOT IN ('Rejected', 'Archived') AND tenant_id = :tenant"
    " ORDER BY page_processing_due_at LIMIT 10",
    f"ix_{READ_PAGE.name}_dead": "SELECT count(*) FROM pages WHERE page_processing_status = 'Error'",
}


async def plan_of(connection: AsyncConnection, query: str, values: Mapping[str, Any]) -> str:
    used = {name: value for name, value in values.items() if f":{name}" in query}
    lines = await connection.execute(text(f"EXPLAIN {query}"), used)
    return "\n".join(line for (line,) in lines)


@pytest.mark.req("R045")
async def test_filters_on_a_large_table_use_the_named_indexes(make: Any, db: AsyncEngine) -> None:
    domain = await make("domains")
    values = {"tenant": domain["tenant_id"], "domain": domain["id"]}
    async with db.begin() as connection:
        assert (await connection.execute(text(FILL), values)).rowcount == ROWS
        await connection.execute(text(FILL_SITEMAPS), values)
        await connection.execute(text(FILL_DOMAINS), {"tenant": domain["tenant_id"]})
        for table in ("pages", "sitemap_files", "domains"):
            await connection.execute(text(f"ANALYZE {table}"))
    async with db.connect() as connection:
        for index, query in FILTERS.items():
            plan = await plan_of(connection, query, values)
            assert index in plan, plan
            assert "Seq Scan" not in plan, plan
        found = (await connection.execute(text(FILTERS["idx_pages_url_trgm"]))).all()
    assert len(found) == 1


async def test_a_link_is_checked_by_one_look_before_the_first_statistics(db: AsyncEngine) -> None:
    """Of several indexes that begin with the tenant the planner took the wrong one, and read all its rows."""
    async with db.begin() as connection:
        tenant = (await connection.execute(text("SELECT id FROM tenants LIMIT 1"))).scalar_one()
        for name, table in metadata.tables.items():
            if not _is_linkable(table):
                continue
            plan = await plan_of(
                connection, f"SELECT 1 FROM {name} WHERE tenant_id = :tenant AND id = :tenant FOR KEY SHARE",
                {"tenant": tenant},
            )  # fmt: skip
            assert re.search(r"Index Cond: .*\bid = ", plan), (name, plan)


def test_indexes_of_queues_leave_rows_without_a_value_out() -> None:
    """A change of status writes every index again; one with many NULLs took a third of a worker's changes."""
    for stage in DECLARATIONS:
        table = metadata.tables[stage.table]
        for index in table.indexes:
            first = table.c.get(getattr(index.expressions[0], "name", ""))
            is_tree = not index.dialect_options["postgresql"]["using"]
            is_whole = index.dialect_options["postgresql"]["where"] is None
            if is_tree and is_whole and not index.unique and first is not None:
                assert not first.nullable, f"{index.name}: constraints.filled_index() leaves the NULLs out"


def test_no_other_whole_index_of_a_linked_table_begins_with_the_tenant() -> None:
    linked = [table for table in metadata.tables.values() if _is_linkable(table)]
    keys = [
        (table.name, list(key.columns.keys()))
        for table in linked
        for key in (*table.indexes, *_uniques(table))
        if not (isinstance(key, Index) and key.dialect_options["postgresql"]["where"] is not None)
    ]
    assert len(linked) >= 5
    assert [key for key in keys if key[1][0] == "tenant_id" and key[1] != ["tenant_id", "id"]] == []


def _uniques(table: Table) -> list[UniqueConstraint]:
    return [one for one in table.constraints if isinstance(one, UniqueConstraint)]


def _is_linkable(table: Table) -> bool:
    return any(list(unique.columns.keys()) == ["tenant_id", "id"] for unique in _uniques(table))


# Lists by name, filters and sort, and the index that answers each.
LISTS: list[tuple[str, dict[str, Any], str | None, str | None]] = [
    ("page", {}, None, "ix_pages_facets"),
    ("page", {"page_type": "CONTACT_ROOT"}, None, "ix_pages_facets"),
    ("page", {"page_type": "CONTACT_ROOT"}, "updated_at", "ix_pages_facets"),
    ("page", {"page_type": "unknown"}, "-created_at", "ix_pages_facets"),
    ("page", {"page_type": ["unknown", "contact_root"], "status": "none"}, None, "ix_pages_facets"),
    ("page", {"curation_status": "selected", "status": "error"}, None, "ix_pages_facets"),
    ("page", {"priority": "1", "domain": "a"}, None, "ix_pages_facets"),
    ("page", {"q": "/77777"}, None, None),
    ("page", {"q": "products"}, None, "ix_pages_facets"),
    ("page", {}, "-created_at", None),
    ("page", {}, "-updated_at", "ix_pages_updated"),
    ("page", {"page_type": "unknown"}, "-updated_at", "ix_pages_updated"),
    ("sitemap", {"q": "/19"}, None, None),
    ("sitemap", {"q": "example/1999"}, None, None),
    ("sitemap", {"curation_status": "maybe"}, None, "ix_sitemap_files_facets"),
    ("domain", {"q": "1999"}, None, None),
    ("domain", {"curation_status": "maybe"}, None, "ix_domains_facets"),
    ("domain", {}, "domain", "uq_domains_domain_tenant_id"),
    ("contact", {"q": "person1999"}, None, None),
    ("contact", {"email_contains": "person1999"}, None, None),
    ("contact", {"email_validation_status": "none"}, None, "ix_contacts_facets"),
]
FILL_CONTACTS = """
INSERT INTO contacts (tenant_id, domain_id, email, name, phone_number, source_url)
SELECT :tenant, :domain, 'person' || n || '@shop.example', 'Person ' || n, '+49' || n, 'https://shop.example/'
FROM generate_series(1, 20000) n
"""


@pytest.mark.req("R045")
async def test_the_lists_themselves_are_answered_from_the_indexes(make: Any, db: AsyncEngine) -> None:
    """Every statement of the real list queries, with the values and under the role that it was sent with."""
    domain = await make("domains")
    tenant = domain["tenant_id"]
    await _fill_lists(db, {"tenant": tenant, "domain": domain["id"]})
    sent: list[tuple[str, Any]] = []
    event.listen(db.sync_engine, "before_cursor_execute", lambda *given: sent.append((given[2], given[3])))
    for name, params, sort, index in LISTS:
        entity = get_entity(name)
        sent.clear()
        page = await ListQuery(db, tenant).page(entity, Filters(**params), sort=parse_sort(entity, sort))
        assert page.rows or "domain" in params, (name, params)
        plans = await _plans(db, tenant, [one for one in sent if f"FROM {entity.table.name}" in one[0]])
        assert plans or not page.rows
        for plan in plans:
            assert f"Seq Scan on {entity.table.name}" not in plan, f"{name} {params}:\n{plan}"
            assert index is None or index in plan, f"{name} {params} {sort}:\n{plan}"


async def _fill_lists(db: AsyncEngine, values: dict[str, Any]) -> None:
    async with db.begin() as connection:
        for fill in (FILL, FILL_SITEMAPS, FILL_CONTACTS):
            await connection.execute(text(fill), values)
        await connection.execute(text(FILL_DOMAINS), {"tenant": values["tenant"]})
        contact = "UPDATE pages SET page_type = 'contact_root' WHERE url LIKE '%00'"
        assert (await connection.execute(text(contact))).rowcount == ROWS / 100
    async with db.connect() as connection:
        await connection.execution_options(isolation_level="AUTOCOMMIT")
        for table in ("pages", "sitemap_files", "domains", "contacts"):
            await connection.execute(text(f"VACUUM ANALYZE {table}"))


async def _plans(db: AsyncEngine, tenant: uuid.UUID, statements: list[tuple[str, Any]]) -> list[str]:
    async with tenant_engine(db, tenant).connect() as connection:
        assert await connection.scalar(text("SELECT current_user::text")) == APP_ROLE
        driver: Any = (await connection.get_raw_connection()).driver_connection
        return [
            "\n".join(row[0] for row in await driver.fetch(f"EXPLAIN {sql}", *values))
            for sql, values in statements
        ]


async def test_a_server_without_trigrams_gets_the_schema_without_those_indexes(
    empty_database_url: str,
) -> None:
    engine = create_async_engine(empty_database_url)
    async with engine.begin() as connection:
        for statement in schema_statements():
            await connection.execute(text(statement.replace("pg_trgm", "no_such_extension")))
        left = "SELECT count(*) FROM pg_indexes WHERE indexname LIKE '%trgm'"
        assert (await connection.execute(text(left))).scalar_one() == 0
    rows = await ListQuery(engine, uuid.uuid4()).list_rows(get_entity("domain"), Filters(contains="x"))
    await engine.dispose()
    assert rows == []
