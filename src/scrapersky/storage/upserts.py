"""Upserts of ordinary rows, and updates of rows of other tables."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from sqlalchemy import Table, bindparam, func, update
from sqlalchemy.ext.asyncio import AsyncConnection

from scrapersky import tables
from scrapersky.engine.database import Statement
from scrapersky.engine.stage import Item
from scrapersky.storage.bulk_insert import bulk_insert, column_arrays


@dataclass(frozen=True, slots=True)
class Upsert:
    """A row that should exist; if it does, only what a source may refresh is refreshed.

    `max_files` is the number of sitemap files that their domain may have; further ones are left out.
    """

    table: Table
    values: Mapping[str, Any]
    max_files: int | None = None


@dataclass(frozen=True, slots=True)
class Update:
    """Fields of a row of another table that the stage learned something about.

    It is left out when the row no longer has the `expected` values.
    """

    table: Table
    id: Any
    values: Mapping[str, Any]
    expected: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class LinkSitemapsToJob:
    """The result of a sitemap job: the sitemaps it found, with the ids they have in the database (R171)."""


@dataclass(frozen=True, slots=True)
class MarkSearchStored:
    """The places of a search are stored with this, so its cells need not keep them any longer."""


@dataclass(frozen=True, slots=True)
class ConflictRule:
    """The key of a row, the columns that a later upsert refreshes, and those that it only fills in."""

    keys: tuple[str, ...]
    refresh: tuple[str, ...] = ()
    fill: tuple[str, ...] = field(default=())


# Statuses and curation are never in here: running again must not reset what people or workers did.
UPSERT_RULES: dict[Table, ConflictRule] = {
    tables.places_staging: ConflictRule(
        ("tenant_id", "source", "place_id"),
        ("name", "business_type", "formatted_address", "latitude", "longitude", "phone", "website_url",
         "rating", "user_ratings_total", "search_id", "search_query", "search_location", "raw_data",
         "expires_at"),
    ),
    tables.local_businesses: ConflictRule(
        ("tenant_id", "source", "place_id"),
        ("business_name", "full_address", "street_address", "city", "state", "zip", "country", "latitude",
         "longitude", "phone", "website_url", "main_category", "rating", "reviews_count", "expires_at"),
        ("place_row_id",),
    ),
    tables.osm_elements: ConflictRule(
        ("tenant_id", "place_id"), ("latitude", "longitude", "country", "tags")
    ),
    tables.domains: ConflictRule(("tenant_id", "domain"), (), ("local_business_id",)),
    # Its kind and figures are what the import counted; who finds it again may know less.
    tables.sitemap_files: ConflictRule(("tenant_id", "domain_id", "url_hash"), ("job_id",)),
    tables.page_bodies: ConflictRule(
        ("page_id",),
        ("body", "content_hash", "content_type", "final_url", "status_code", "size_bytes", "fetched_at",
         "expires_at"),
    ),
}  # fmt: skip


LINK_SITEMAPS = Statement("""
UPDATE jobs AS j SET result_data = j.result_data || jsonb_build_object('sitemaps', (
  SELECT coalesce(jsonb_agg(jsonb_build_object('id', s.id, 'url', s.url, 'type', s.sitemap_type,
    'url_count', s.url_count, 'discovery_method', s.discovery_method)), '[]')
  FROM sitemap_files AS s WHERE s.tenant_id = j.tenant_id AND s.job_id = j.job_id))
WHERE j.id = ANY (:ids::bigint[])""")

STORE_CELLS = Statement("""
UPDATE search_cells SET state = 'stored', places = '[]', page_token = '', updated_at = now()
WHERE search_id = ANY (:ids::uuid[])""")


async def save_upserts(connection: AsyncConnection, rows: Sequence[tuple[Item, Upsert]]) -> int:
    """Insert or refresh, table by table, in the order of keys, so that two savers cannot lock each other."""
    groups: dict[tuple[Table, tuple[str, ...]], list[dict[str, Any]]] = defaultdict(list)
    for item, upsert in rows:
        values = {"tenant_id": item.tenant_id, **upsert.values}
        groups[upsert.table, tuple(sorted(values))].append(values)
    total = 0
    for (table, names), group in groups.items():
        total += await _save_group(connection, table, names, group)
    return total


async def _save_group(
    connection: AsyncConnection, table: Table, names: tuple[str, ...], values: list[dict[str, Any]]
) -> int:
    rule = UPSERT_RULES.get(table)
    if rule is not None:
        keys = [key for key in rule.keys if key in names]
        unique = {(*(str(row[key]) for key in keys), str(row.get("url", ""))): row for row in values}
        values = [unique[key] for key in sorted(unique)]
    await _statement(table, names).run(connection, column_arrays(names, values))
    return len(values)


@lru_cache(maxsize=100)
def _statement(table: Table, names: tuple[str, ...]) -> Statement:
    """Built once: building it takes longer than running it."""
    rule = UPSERT_RULES.get(table)
    if unknown := set(names) - set(table.c.keys()):
        raise TypeError(f"{table.name} has no column {', '.join(sorted(unknown))}")
    statement = bulk_insert(table, names)
    if rule is None:
        return Statement(statement)
    newer: dict[str, Any] = {name: statement.excluded[name] for name in rule.refresh if name in names}
    newer |= {
        name: func.coalesce(table.c[name], statement.excluded[name]) for name in rule.fill if name in names
    }
    if newer:
        return Statement(statement.on_conflict_do_update(index_elements=list(rule.keys), set_=newer))
    return Statement(statement.on_conflict_do_nothing(index_elements=list(rule.keys)))


async def save_updates(connection: AsyncConnection, rows: Sequence[tuple[Item, Update]]) -> None:
    for item, change in rows:
        statement = _update(change.table, tuple(sorted(change.values)), tuple(sorted(change.expected)))
        expected = {f"_expected_{name}": value for name, value in change.expected.items()}
        keys = {"_id": change.id, "_tenant": item.tenant_id}
        await statement.run(connection, {**change.values, **expected, **keys})


@lru_cache(maxsize=100)
def _update(table: Table, names: tuple[str, ...], expected: tuple[str, ...]) -> Statement:
    mine = update(table).where(table.c.id == bindparam("_id"), table.c.tenant_id == bindparam("_tenant"))
    for name in expected:
        mine = mine.where(table.c[name].is_not_distinct_from(bindparam(f"_expected_{name}")))
    return Statement(mine.values({name: bindparam(name) for name in names}))


async def link_sitemaps(connection: AsyncConnection, items: Sequence[Item]) -> None:
    """Write each job's sitemaps, with their real ids, into its result."""
    if items:
        await LINK_SITEMAPS.run(connection, {"ids": sorted(item.id for item in items)})


async def mark_searches_stored(connection: AsyncConnection, items: Sequence[Item]) -> None:
    if items:
        await STORE_CELLS.run(connection, {"ids": sorted(item.id for item in items)})
