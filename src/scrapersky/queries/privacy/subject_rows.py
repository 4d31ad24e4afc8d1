"""Rows that name a person, in every table with a tenant: a new table is searched without being named here."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import ARRAY, Table, Text, cast, func, literal, or_, select, tuple_
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.ext.asyncio import AsyncEngine

from scrapersky import tables
from scrapersky.extract.privacy.subject import Subject
from scrapersky.fetch.http.zstd import zstd
from scrapersky.queries.read_model import Query
from scrapersky.tables.columns import metadata

WINDOW_ROWS, WINDOW_BODIES = 5_000, 200
MAX_BODY_BYTES = 64 * 2**20
# Accounts of this installation are not data about other people, and the audit log names accounts only.
NOT_SEARCHED = frozenset(
    {"users", "sessions", "api_keys", "audit_log", "audit_heads", "suppressions", "contact_tombstones",
     "row_counts", "row_count_changes", "tenant_usage", "setting_overrides"}
)  # fmt: skip
# Rows of the whole installation whose texts come from sites and from failures.
SHARED = (tables.hosts, tables.alerts)
Row = dict[str, Any]


def searched_tables() -> Iterator[Table]:
    for table in metadata.sorted_tables:
        if "tenant_id" in table.c and table.name not in NOT_SEARCHED and text_columns(table):
            yield table


def text_columns(table: Table) -> list[Any]:
    """The columns that may hold words; a generated one follows the others."""
    return [
        column
        for column in table.c
        if column.computed is None
        and (
            isinstance(column.type, Text | JSONB)
            or (isinstance(column.type, ARRAY) and isinstance(column.type.item_type, Text))
        )
    ]


async def find_rows(
    engine: AsyncEngine, tenant_id: UUID, table: Table, subject: Subject
) -> AsyncIterator[list[Row]]:
    """The rows that name the person, in lists; no transaction is open while the caller works on one.

    Of a shared table all rows are searched.
    """
    query, key, texts = Query(engine), list(table.primary_key), text_columns(table)
    last: tuple[Any, ...] | None = None
    while True:
        window = select(table)
        if table not in SHARED:
            window = window.where(table.c.tenant_id == tenant_id)
        if last is not None:
            window = window.where(tuple_(*key) > tuple_(*(literal(part) for part in last)))
        part = window.order_by(*key).limit(WINDOW_ROWS).cte("part")
        matching = select(part).where(_may_name([part.c[column.name] for column in texts], subject))
        ends = [part.c[column.name] for column in key]
        end = select(*ends).order_by(*(column.desc() for column in ends)).limit(1)
        rows = await query.dicts(matching)
        bound = await query.first(end)
        if named := [row for row in rows if any(_names(row[column.name], subject) for column in texts)]:
            yield named
        if bound is None:
            return
        last = tuple(bound)


def _names(value: Any, subject: Subject) -> bool:
    return bool(subject.redact(value) != value)


def _may_name(columns: Sequence[Any], subject: Subject) -> Any:
    """Whether any column may name the person; whether it does is read in Python."""
    whole = func.concat_ws(" ", *(cast(column, Text) for column in columns))
    conditions = [func.strpos(func.lower(whole), needle) > 0 for needle in subject.needles()]
    conditions += [func.strpos(whole, fragment) > 0 for fragment in subject.fragments]
    bare = func.regexp_replace(whole, "[^0-9]", "", "g")
    conditions += [func.strpos(bare, digits) > 0 for digits in subject.digits]
    return or_(*conditions)


async def find_bodies(engine: AsyncEngine, tenant_id: UUID, subject: Subject) -> list[Row]:
    """The stored pages that show the person, by page, address and time."""
    bodies = tables.page_bodies.c
    columns = (bodies.page_id, bodies.final_url, bodies.fetched_at)
    matches: list[Row] = []
    last: UUID | None = None
    while True:
        query = select(*columns, bodies.body).where(bodies.tenant_id == tenant_id)
        if last is not None:
            query = query.where(bodies.page_id > last)
        rows = await Query(engine).rows(query.order_by(bodies.page_id).limit(WINDOW_BODIES))
        matching = await asyncio.to_thread(_showing, rows, subject)
        matches += [{column.name: getattr(row, column.name) for column in columns} for row in matching]
        if len(rows) < WINDOW_BODIES:
            return matches
        last = rows[-1].page_id


def _showing(rows: Sequence[Any], subject: Subject) -> list[Any]:
    matches = []
    for row in rows:
        body = zstd.ZstdDecompressor().decompress(row.body, MAX_BODY_BYTES)
        if subject.contains(body.decode(errors="replace")) or subject.contains(row.final_url):
            matches.append(row)
    return matches
