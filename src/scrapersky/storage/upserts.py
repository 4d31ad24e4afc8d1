"""Ordinary rows: new ones that may be there already, and changes to rows of other tables."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import Any

from sqlalchemy import Table, any_, bindparam, func, select, update
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.ext.asyncio import AsyncConnection

from scrapersky import tables
from scrapersky.engine.database import Statement
from scrapersky.engine.stage import Item
from scrapersky.storage.row_sets import insert_set, values_of


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
class ConflictRule:
    """By which columns two finders of the same thing meet, and what the second may refresh."""

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
    tables.domains: ConflictRule(("tenant_id", "domain"), (), ("local_business_id",)),
    # Its kind and figures are what the import counted; who finds it again may know less.
    tables.sitemap_files: ConflictRule(("tenant_id", "domain_id", "url_hash"), ("job_id",)),
    tables.page_bodies: ConflictRule(
        ("page_id",),
        ("body", "content_hash", "content_type", "final_url", "status_code", "size_bytes", "fetched_at",
         "expires_at"),
    ),
}  # fmt: skip


async def save_new(connection: AsyncConnection, rows: Sequence[tuple[Item, Upsert]]) -> int:
    """Insert or refresh, table by table, in the order of keys, so that two savers cannot lock each other."""
    groups: dict[tuple[Table, tuple[str, ...]], list[dict[str, Any]]] = defaultdict(list)
    for item, new in rows:
        values = {"tenant_id": item.tenant_id, **new.values}
        groups[new.table, tuple(sorted(values))].append(values)
    total = 0
    for (row, names), group in groups.items():
        total += await _save_group(connection, row, names, group)
    return total


async def _save_group(
    connection: AsyncConnection, row: Table, names: tuple[str, ...], values: list[dict[str, Any]]
) -> int:
    meeting = UPSERT_RULES.get(row)
    if meeting is not None:
        given = [key for key in meeting.keys if key in names]
        unique = {(*(str(one[key]) for key in given), str(one.get("url", ""))): one for one in values}
        values = [unique[key] for key in sorted(unique)]
    await _statement(row, names).run(connection, values_of(names, values))
    return len(values)


@lru_cache(maxsize=100)
def _statement(row: Table, names: tuple[str, ...]) -> Statement:
    """Made once: to make it takes longer than to run it."""
    meeting = UPSERT_RULES.get(row)
    table = row
    if unknown := set(names) - set(table.c.keys()):
        raise TypeError(f"{table.name} has no column {', '.join(sorted(unknown))}")
    statement = insert_set(table, names)
    if meeting is None:
        return Statement(statement)
    newer: dict[str, Any] = {name: statement.excluded[name] for name in meeting.refresh if name in names}
    newer |= {
        name: func.coalesce(table.c[name], statement.excluded[name]) for name in meeting.fill if name in names
    }
    if newer:
        return Statement(statement.on_conflict_do_update(index_elements=list(meeting.keys), set_=newer))
    return Statement(statement.on_conflict_do_nothing(index_elements=list(meeting.keys)))


async def save_changes(connection: AsyncConnection, rows: Sequence[tuple[Item, Update]]) -> int:
    for item, change in rows:
        statement = _update(change.table, tuple(sorted(change.values)), tuple(sorted(change.expected)))
        expected = {f"_expected_{name}": value for name, value in change.expected.items()}
        keys = {"_id": change.id, "_tenant": item.tenant_id}
        await statement.run(connection, {**change.values, **expected, **keys})
    return 0


@lru_cache(maxsize=100)
def _update(row: Table, names: tuple[str, ...], expected: tuple[str, ...]) -> Statement:
    table = row
    mine = update(table).where(table.c.id == bindparam("_id"), table.c.tenant_id == bindparam("_tenant"))
    for name in expected:
        mine = mine.where(table.c[name].is_not_distinct_from(bindparam(f"_expected_{name}")))
    return Statement(mine.values({name: bindparam(name) for name in names}))


async def save_sitemaps_of_jobs(connection: AsyncConnection, items: Sequence[Item]) -> None:
    """Write each job's sitemaps, with their real ids, into its result."""
    if items:
        await _sitemaps_of_jobs().run(connection, {"_ids": sorted(item.id for item in items)})


@cache
def _sitemaps_of_jobs() -> Statement:
    jobs, sitemaps = tables.jobs, tables.sitemap_files
    one = func.jsonb_build_object(
        "id", sitemaps.c.id, "url", sitemaps.c.url, "type", sitemaps.c.sitemap_type,
        "url_count", sitemaps.c.url_count, "discovery_method", sitemaps.c.discovery_method,
    )  # fmt: skip
    found = select(func.coalesce(func.jsonb_agg(one), func.jsonb_build_array())).where(
        sitemaps.c.tenant_id == jobs.c.tenant_id, sitemaps.c.job_id == jobs.c.job_id
    )
    result = func.jsonb_build_object("sitemaps", found.correlate(jobs).scalar_subquery())
    mine = update(jobs).where(jobs.c.id == any_(bindparam("_ids", type_=ARRAY(jobs.c.id.type))))
    return Statement(mine.values(result_data=jobs.c.result_data.op("||")(result)))
