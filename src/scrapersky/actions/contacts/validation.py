"""Queues the e-mail addresses of contacts for validation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from sqlalchemy import func, select, update
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from scrapersky import tables
from scrapersky.actions.actor import Actor
from scrapersky.actions.audit import record
from scrapersky.actions.installation.quotas import require_queue_room
from scrapersky.declarations import VALIDATE_EMAIL, statuses
from scrapersky.errors import InvalidInput
from scrapersky.queries.read_model import count_up_to, in_array
from scrapersky.queries.rows.entities import ENTITIES
from scrapersky.queries.rows.filters import Filters, conditions

MAX_CONTACTS = 10_000


@dataclass(slots=True)
class ValidationRequest:
    """What became of contacts that a person wants validated.

    `invalid_ids` are unknown, have no address, or are rejected or archived.
    """

    queued_count: int = 0
    already_processing: int = 0
    already_validated: int = 0
    invalid_ids: list[UUID] = field(default_factory=list)
    total_matched: int = 0


async def validate_contacts(
    engine: AsyncEngine, actor: Actor, ids: Sequence[UUID], *, again: bool = False
) -> ValidationRequest:
    """Queue the addresses of contacts; those that were validated before only with `again`."""
    unique_ids = sorted(set(ids))
    if len(unique_ids) > MAX_CONTACTS:
        raise InvalidInput(f"More than {MAX_CONTACTS:,} ids; use filters")
    await require_queue_room(engine, actor.tenant_id, len(unique_ids))
    async with engine.begin() as connection:
        result = await _queue(connection, actor, unique_ids, again=again)
        await _record(connection, actor, result)
    return result


async def validate_matching(
    engine: AsyncEngine, actor: Actor, filters: Filters, max_contacts: int, *, again: bool = False
) -> ValidationRequest:
    """Queue the addresses of matching contacts that wait for no validation, the newest first."""
    contacts, status, words = tables.contacts.c, _status(), VALIDATE_EMAIL.statuses
    matching = conditions(ENTITIES["contact"], actor.tenant_id, filters)
    skipped = [words.queued, words.processing, *([] if again else [words.done])]
    is_open = [
        *matching,
        contacts.email.is_not(None),
        contacts.contact_curation_status.not_in(statuses.EXCLUDED),
        func.coalesce(status, "").not_in(skipped),
    ]
    chosen = select(contacts.id).where(*is_open).order_by(contacts.id.desc()).limit(max_contacts)
    async with engine.connect() as connection:
        total = await connection.scalar(select(count_up_to(tables.contacts, *matching)))
        ids = sorted((await connection.scalars(chosen)).all())
    await require_queue_room(engine, actor.tenant_id, len(ids))
    async with engine.begin() as connection:
        result = await _queue(connection, actor, ids, again=again)
        result.total_matched = int(total or 0)
        await _record(connection, actor, result)
    return result


async def _queue(
    connection: AsyncConnection, actor: Actor, ids: Sequence[UUID], *, again: bool
) -> ValidationRequest:
    contacts, words = tables.contacts, VALIDATE_EMAIL.statuses
    query = select(
        contacts.c.id, contacts.c.email, contacts.c.contact_curation_status, _status().label("status")
    )
    query = query.where(contacts.c.tenant_id == actor.tenant_id, in_array(contacts.c.id, ids))
    rows = (await connection.execute(query.order_by(contacts.c.id).with_for_update())).all()
    result = ValidationRequest(total_matched=len(rows))
    queued: list[UUID] = []
    for row in rows:
        if row.email is None or row.contact_curation_status in statuses.EXCLUDED:
            result.invalid_ids.append(row.id)
        elif row.status in (words.queued, words.processing):
            result.already_processing += 1
        elif row.status == words.done and not again:
            result.already_validated += 1
        else:
            queued.append(row.id)
    known = {row.id for row in rows}
    result.invalid_ids += [contact_id for contact_id in ids if contact_id not in known]
    values = {VALIDATE_EMAIL.status: words.queued, "updated_at": func.now()}
    await connection.execute(update(contacts).where(in_array(contacts.c.id, queued)).values(values))
    result.queued_count = len(queued)
    return result


async def _record(connection: AsyncConnection, actor: Actor, result: ValidationRequest) -> None:
    after = {"queued": result.queued_count}
    await record(connection, actor, "contact.validate", table="contacts", after=after)


def _status() -> Any:
    return tables.contacts.c[VALIDATE_EMAIL.status]
