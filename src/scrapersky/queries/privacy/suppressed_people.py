"""Whom the texts of a tenant name, of people who are known only by a hash."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any
from uuid import UUID

from sqlalchemy import Table, literal, select, tuple_
from sqlalchemy.ext.asyncio import AsyncEngine

from scrapersky import tables
from scrapersky.extract.privacy.identifiers import (
    DOMAIN,
    Identifier,
    find_identifiers,
    find_national,
    hidden_forms,
)
from scrapersky.fetch.http.zstd import zstd
from scrapersky.queries.privacy.subject_rows import (
    MAX_BODY_BYTES,
    WINDOW_BODIES,
    WINDOW_ROWS,
    searched_tables,
    text_columns,
)
from scrapersky.queries.read_model import Query

IsMeant = Callable[[Identifier], bool]
HASHED_AT_ONCE = 100_000


async def find_suppressed_people(
    engine: AsyncEngine, tenant_id: UUID, is_meant: IsMeant, *, with_national: bool = False
) -> set[Identifier]:
    """The addresses and numbers, also in links, HTML and JSON; numbers without their country if asked to."""
    # The same addresses stand in many rows.
    decide = lru_cache(HASHED_AT_ONCE)(is_meant)
    people: set[Identifier] = set()
    bodies = tables.page_bodies
    for table in searched_tables():
        async for rows in _windows(engine, tenant_id, table, text_columns(table), WINDOW_ROWS):
            people |= await asyncio.to_thread(_named, rows, decide, with_national)
    async for rows in _windows(engine, tenant_id, bodies, [bodies.c.body], WINDOW_BODIES):
        people |= await asyncio.to_thread(_named, rows, decide, with_national)
    return people


async def _windows(
    engine: AsyncEngine, tenant_id: UUID, table: Table, columns: Sequence[Any], size: int
) -> AsyncIterator[Sequence[Sequence[Any]]]:
    """The values of all rows; no transaction is open while the caller works on some."""
    key = list(table.primary_key)
    last: Sequence[Any] = ()
    while True:
        query = select(*(column.label(f"key_{column.name}") for column in key), *columns)
        query = query.where(table.c.tenant_id == tenant_id)
        if last:
            query = query.where(tuple_(*key) > tuple_(*(literal(part) for part in last)))
        rows = await Query(engine).rows(query.order_by(*key).limit(size))
        yield [row[len(key) :] for row in rows]
        if len(rows) < size:
            return
        last = rows[-1][: len(key)]


def _named(rows: Sequence[Sequence[Any]], is_meant: IsMeant, with_national: bool) -> set[Identifier]:
    return {
        identifier
        for row in rows
        for value in row
        for text in _texts(value)
        for form in (text, *hidden_forms(text))
        for identifier in _identifiers(form, with_national)
        if identifier.kind != DOMAIN and is_meant(identifier)
    }


def _identifiers(text: str, with_national: bool) -> Iterator[Identifier]:
    for finding in find_identifiers(text):
        yield from finding.identifiers
    if with_national:
        yield from find_national(text)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, bytes):
        yield zstd.ZstdDecompressor().decompress(value, MAX_BODY_BYTES).decode(errors="replace")
    elif isinstance(value, dict):
        for name, part in value.items():
            yield name
            yield from _texts(part)
    elif isinstance(value, list):
        for part in value:
            yield from _texts(part)
