"""Requeue dead letters or discard them: one, many, or all whose reason matches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Text, cast, select
from sqlalchemy.ext.asyncio import AsyncEngine

from scrapersky.actions.actor import Actor
from scrapersky.actions.hosts import end_pauses_of
from scrapersky.declarations.queue import Queue
from scrapersky.errors import Conflict
from scrapersky.queries.read_model import get_declaration, is_dead_letter, queue_table
from scrapersky.tables.batches import change_in_batches

BATCH = 1_000


async def requeue(
    engine: AsyncEngine, actor: Actor, stage: str, ids: Sequence[str] = (), *, contains: str = ""
) -> int:
    """Queue them again with a fresh count of tries; requeueing twice changes nothing more."""
    queue = get_declaration(stage)
    return await _change(engine, actor, queue, queue.statuses.queued, ids, contains)


async def discard(
    engine: AsyncEngine, actor: Actor, stage: str, ids: Sequence[str] = (), *, contains: str = ""
) -> int:
    """Take them out of the queue for good; the rows themselves stay, without a processing status."""
    queue = get_declaration(stage)
    if queue.table == "jobs":
        raise Conflict("A job is not discarded but cancelled, or left to the cleanup")
    return await _change(engine, actor, queue, None, ids, contains)


async def _change(
    engine: AsyncEngine, actor: Actor, queue: Queue, word: str | None, ids: Sequence[str], contains: str
) -> int:
    table = queue_table(queue)
    chosen: Any = select(table.c.id).where(is_dead_letter(queue), table.c.tenant_id == actor.tenant_id)
    if ids:
        chosen = chosen.where(cast(table.c.id, Text).in_([str(one) for one in ids]))
    if contains:
        chosen = chosen.where(table.c[queue.error].contains(contains, autoescape=True))
    if queue.host and word == queue.statuses.queued:
        await end_pauses_of(engine, chosen.with_only_columns(table.c[queue.host]).distinct())
    return await change_in_batches(engine, table, chosen, {queue.status: word}, BATCH)
