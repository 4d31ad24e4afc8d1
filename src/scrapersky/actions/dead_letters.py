"""Requeues, discards and investigates dead letters: some, or all whose reason contains a text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import Text, cast, func, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from scrapersky import tables
from scrapersky.actions.actor import Actor
from scrapersky.actions.audit import record
from scrapersky.actions.hosts import end_pauses_of
from scrapersky.actions.installation.quotas import require_queue_room
from scrapersky.actions.jobs import NO_PROGRESS
from scrapersky.declarations import StageDeclaration, statuses
from scrapersky.errors import Conflict, InvalidInput
from scrapersky.queries.dead_letters import DeadLetterQuery, dead_letters
from scrapersky.queries.read_model import Query, get_declaration, queue_table
from scrapersky.tables.batches import change_in_batches

BATCH = 1_000


async def requeue_dead_letters(
    engine: AsyncEngine, actor: Actor, stage: str, ids: Sequence[str] = (), *, contains: str = ""
) -> int:
    """Queue dead letters again, with all their tries; returns how many. Doing it twice changes nothing."""
    declaration = get_declaration(stage)
    rows = _dead_letter_ids(declaration, actor, ids, contains)
    number = await Query(engine).scalar(select(func.count()).select_from(rows.subquery()))
    await require_queue_room(engine, actor.tenant_id, number)
    if declaration.host:
        hosts = rows.with_only_columns(queue_table(declaration).c[declaration.host]).distinct()
        await end_pauses_of(engine, hosts)
    return await _set_status(engine, actor, "dead_letter.requeue", declaration, rows, ids)


async def discard_dead_letters(
    engine: AsyncEngine, actor: Actor, stage: str, ids: Sequence[str] = (), *, contains: str = ""
) -> int:
    """Remove dead letters permanently from the queue; the rows stay, without a processing status."""
    declaration = get_declaration(stage)
    if declaration.table == "jobs":
        raise Conflict("A job cannot be discarded; cancel it or leave it to the cleanup")
    rows = _dead_letter_ids(declaration, actor, ids, contains)
    return await _set_status(engine, actor, "dead_letter.discard", declaration, rows, ids)


def _dead_letter_ids(stage: StageDeclaration, actor: Actor, ids: Sequence[str], contains: str) -> Any:
    table = queue_table(stage)
    rows = select(table.c.id).where(*dead_letters(stage, actor.tenant_id, contains))
    return rows.where(cast(table.c.id, Text).in_([str(row_id).lower() for row_id in ids])) if ids else rows


async def _set_status(
    engine: AsyncEngine, actor: Actor, action: str, stage: StageDeclaration, rows: Any, ids: Sequence[str]
) -> int:
    status = stage.statuses.queued if action == "dead_letter.requeue" else None
    row_id = ids[0] if len(ids) == 1 else None

    async def audit(connection: AsyncConnection, number: int) -> None:
        after = {"stage": stage.name, stage.status: status, "rows": number}
        await record(connection, actor, action, table=stage.table, row_id=row_id, after=after)

    values = {stage.status: status}
    if status is not None and stage.table == tables.jobs.name:
        values |= NO_PROGRESS
    return await change_in_batches(engine, queue_table(stage), rows, values, BATCH, on_batch=audit)


async def investigate_dead_letter(
    engine: AsyncEngine,
    actor: Actor,
    stage: str,
    row_id: str,
    *,
    state: str,
    note: str = "",
    owner_id: UUID | None = None,
) -> dict[str, Any]:
    """Note what people know about a dead letter, who looks into it, and how far that is (R263)."""
    if state not in statuses.INVESTIGATION:
        expected = ", ".join(statuses.INVESTIGATION)
        raise InvalidInput(f"Invalid state {state!r}; expected one of {expected}")
    letters, row_id = DeadLetterQuery(engine, actor.tenant_id), row_id.lower()
    before = (await letters.show(stage, row_id))["investigation"]
    values = {"state": state, "note": note, "owner_id": owner_id}
    async with engine.begin() as connection:
        if owner_id and not await connection.scalar(_is_member(actor, owner_id)):
            raise InvalidInput(f"There is no user {owner_id}")
        await connection.execute(_upsert(actor, stage, row_id, values))
        await record(
            connection, actor, "dead_letter.investigate", table="investigations", row_id=row_id,
            before={name: before[name] for name in values}, after=values,
        )  # fmt: skip
    return dict((await letters.show(stage, row_id))["investigation"])


def _is_member(actor: Actor, user_id: UUID) -> Any:
    users = tables.users.c
    return select(users.id).where(users.id == user_id, users.tenant_id == actor.tenant_id)


def _upsert(actor: Actor, stage: str, row_id: str, values: dict[str, Any]) -> Any:
    key = {"tenant_id": actor.tenant_id, "stage": stage, "row_id": row_id}
    statement = insert(tables.investigations).values(**key, **values)
    return statement.on_conflict_do_update(
        index_elements=list(key), set_={**values, "updated_at": func.now()}
    )
