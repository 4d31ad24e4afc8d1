"""Edits and deletes domains, sitemap files and pages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from sqlalchemy import Table, and_, delete, func, select, update
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from scrapersky import tables
from scrapersky.actions.actor import Actor
from scrapersky.actions.audit import record
from scrapersky.actions.contacts.fields import normalize_tags
from scrapersky.actions.versions import ExpectedTags, check_version
from scrapersky.errors import Conflict, InvalidInput, NotFound
from scrapersky.extract.text.cleanup import make_storable
from scrapersky.log import pluralize
from scrapersky.queries.rows.entities import ENTITIES, Entity
from scrapersky.tables.batches import OnBatch, delete_in_batches

MAX_NOTES = 10_000
DELETE_BATCH = 1_000
# What is deleted with a domain, in the order in which rows refer to each other.
BELOW_DOMAIN = (tables.contacts, tables.pages, tables.sitemap_files, tables.jobs)
EDITABLE = {
    "domain": ("notes", "tags"),
    "sitemap": ("notes", "tags", "priority_level"),
    "page": ("priority_level",),
}


async def edit_row(
    engine: AsyncEngine,
    actor: Actor,
    entity: Entity,
    row_id: UUID,
    values: Mapping[str, Any],
    *,
    expected_tags: ExpectedTags = None,
) -> dict[str, Any]:
    """Set notes, tags or the priority of a domain, sitemap file or page; returns the row."""
    if unknown := sorted(set(values) - set(EDITABLE[entity.name])):
        raise InvalidInput(f"A {entity.name} has no field {', '.join(unknown)} that can be set")
    table, action = entity.table, f"{entity.name}.update"
    stored = {name: _normalize(name, value) for name, value in values.items()}
    async with engine.begin() as connection:
        before = await _lock(connection, actor, entity, row_id)
        check_version(expected_tags, before.updated_at)
        if not stored:
            return dict(before._asdict())
        statement = update(table).where(table.c.id == row_id).values(**stored, updated_at=func.now())
        row: dict[str, Any] = (await connection.execute(statement.returning(table))).one()._asdict()
        old = {name: getattr(before, name) for name in stored}
        await record(connection, actor, action, table=table.name, row_id=row_id, before=old, after=stored)
    return row


def _normalize(name: str, value: Any) -> Any:
    if name == "tags":
        return normalize_tags(value or ())
    if name == "priority_level":
        if value not in (1, 2, 3):
            raise InvalidInput(f"Invalid priority {value}; expected 1, 2 or 3")
        return value
    text = make_storable(value or "").strip()
    if len(text) > MAX_NOTES:
        raise InvalidInput(f"The {name} are longer than {MAX_NOTES:,} characters")
    return text or None


async def delete_sitemap_file(
    engine: AsyncEngine, actor: Actor, sitemap_id: UUID, *, expected_tags: ExpectedTags = None
) -> None:
    """Delete a sitemap file and the files that it lists; their pages stay."""
    table = tables.sitemap_files
    async with engine.begin() as connection:
        row = await _lock(connection, actor, ENTITIES["sitemap"], sitemap_id)
        check_version(expected_tags, row.updated_at)
        await connection.execute(delete(table).where(table.c.id == sitemap_id))
        await record(
            connection, actor, "sitemap.delete", table=table.name, row_id=row.id, before={"url": row.url}
        )


async def delete_page(
    engine: AsyncEngine, actor: Actor, page_id: UUID, *, expected_tags: ExpectedTags = None
) -> None:
    """Delete a page with its sightings; the contacts that it showed stay."""
    table, contacts = tables.pages, tables.contacts
    async with engine.begin() as connection:
        row = await _lock(connection, actor, ENTITIES["page"], page_id)
        check_version(expected_tags, row.updated_at)
        await connection.execute(update(contacts).where(contacts.c.page_id == page_id).values(page_id=None))
        await connection.execute(delete(table).where(table.c.id == page_id))
        await record(
            connection, actor, "page.delete", table=table.name, row_id=row.id, before={"url": row.url}
        )


async def delete_domain(
    engine: AsyncEngine,
    actor: Actor,
    domain_id: UUID,
    *,
    expected_count: int | None,
    expected_tags: ExpectedTags = None,
) -> dict[str, int]:
    """Delete a domain with everything below it; returns how many rows of each table.

    `expected_count` is the number of rows that the caller expects to go with it. Another number is refused.
    """
    async with engine.begin() as connection:
        row = await _lock(connection, actor, ENTITIES["domain"], domain_id)
        check_version(expected_tags, row.updated_at)
        counts = await _count_below(connection, domain_id)
    if (total := sum(counts.values())) != (expected_count or 0):
        listed = ", ".join(
            pluralize(number, name[:-1].replace("_", " "), name.replace("_", " "))
            for name, number in counts.items()
            if number
        )
        raise Conflict(
            f"This also deletes {listed or 'no other rows'}; repeat it with expected_count={total}",
            expected_count=total,
            counts=counts,
        )
    for table in BELOW_DOMAIN:
        is_below = and_(table.c.tenant_id == actor.tenant_id, table.c.domain_id == domain_id)
        audit = _record_batch(actor, table, domain_id)
        await delete_in_batches(engine, table, is_below, DELETE_BATCH, on_batch=audit)
    async with engine.begin() as connection:
        row = await _lock(connection, actor, ENTITIES["domain"], domain_id)
        await connection.execute(delete(tables.domains).where(tables.domains.c.id == domain_id))
        before = {"domain": row.domain, **counts}
        await record(connection, actor, "domain.delete", table="domains", row_id=domain_id, before=before)
    return counts


def _record_batch(actor: Actor, table: Table, domain_id: UUID) -> OnBatch:
    """What is deleted before the domain itself stands in the log too, if the domain is never reached."""

    async def record_batch(connection: AsyncConnection, number: int) -> None:
        before = {"table": table.name, "rows": number}
        await record(
            connection, actor, "domain.delete_rows", table="domains", row_id=domain_id, before=before
        )

    return record_batch


async def _count_below(connection: AsyncConnection, domain_id: UUID) -> dict[str, int]:
    numbers = [
        select(func.count()).select_from(table).where(table.c.domain_id == domain_id).scalar_subquery()
        for table in BELOW_DOMAIN
    ]
    row = (await connection.execute(select(*numbers))).one()
    return dict(zip((table.name for table in BELOW_DOMAIN), row, strict=True))


async def _lock(connection: AsyncConnection, actor: Actor, entity: Entity, row_id: UUID) -> Any:
    table = entity.table
    query = select(table).where(table.c.tenant_id == actor.tenant_id, table.c.id == row_id).with_for_update()
    row = (await connection.execute(query)).one_or_none()
    if row is None:
        raise NotFound(f"There is no {entity.name} {row_id}")
    return row
