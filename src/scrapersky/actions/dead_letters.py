"""Requeues or discards dead letters: some, or all whose reason contains a text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Text, cast, select
from sqlalchemy.ext.asyncio import AsyncEngine

from scrapersky.actions.actor import Actor
from scrapersky.actions.hosts import end_pauses_of
from scrapersky.declarations import StageDeclaration
from scrapersky.errors import Conflict
from scrapersky.queries.dead_letters import dead_letters
from scrapersky.queries.read_model import get_declaration, queue_table
from scrapersky.tables.batches import change_in_batches

BATCH = 1_000


async def requeue_dead_letters(
    engine: AsyncEngine, actor: Actor, stage: str, ids: Sequence[str] = (), *, contains: str = ""
) -> int:
    """Queue dead letters again, with all their tries; returns how many. Doing it twice changes nothing."""
    declaration = get_declaration(stage)
    rows = _dead_letter_ids(declaration, actor, ids, contains)
    if declaration.host:
        hosts = rows.with_only_columns(queue_table(declaration).c[declaration.host]).distinct()
        await end_pauses_of(engine, hosts)
    return await _set_status(engine, declaration, rows, declaration.statuses.queued)


async def discard_dead_letters(
    engine: AsyncEngine, actor: Actor, stage: str, ids: Sequence[str] = (), *, contains: str = ""
) -> int:
    """Remove dead letters permanently from the queue; the rows stay, without a processing status."""
    declaration = get_declaration(stage)
    if declaration.table == "jobs":
        raise Conflict("A job cannot be discarded; cancel it or leave it to the cleanup")
    return await _set_status(engine, declaration, _dead_letter_ids(declaration, actor, ids, contains), None)


def _dead_letter_ids(stage: StageDeclaration, actor: Actor, ids: Sequence[str], contains: str) -> Any:
    table = queue_table(stage)
    rows = select(table.c.id).where(*dead_letters(stage, actor.tenant_id, contains))
    return rows.where(cast(table.c.id, Text).in_([str(row_id) for row_id in ids])) if ids else rows


async def _set_status(engine: AsyncEngine, stage: StageDeclaration, rows: Any, status: str | None) -> int:
    return await change_in_batches(engine, queue_table(stage), rows, {stage.status: status}, BATCH)
