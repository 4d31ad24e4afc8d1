"""Requeue dead letters or discard them: one, many, or all whose reason matches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Text, cast, select
from sqlalchemy.ext.asyncio import AsyncEngine

from scrapersky.actions.hosts import end_pauses_of
from scrapersky.actions.submission_input import Actor
from scrapersky.declarations.queue import Queue
from scrapersky.errors import WrongState
from scrapersky.queries.read_model import dead, table_of_queue, work_named
from scrapersky.tables.batches import change_in_batches

BATCH = 1_000


async def requeue(
    engine: AsyncEngine, who: Actor, stage: str, ids: Sequence[str] = (), *, contains: str = ""
) -> int:
    """Queue them again with a fresh count of tries; requeueing twice changes nothing more."""
    queue = work_named(stage)
    return await _change(engine, who, queue, queue.statuses.queued, ids, contains)


async def discard(
    engine: AsyncEngine, who: Actor, stage: str, ids: Sequence[str] = (), *, contains: str = ""
) -> int:
    """Take them out of the queue for good; the rows themselves stay, without a processing status."""
    queue = work_named(stage)
    if queue.table == "jobs":
        raise WrongState("A job is not discarded but cancelled, or left to the cleanup")
    return await _change(engine, who, queue, None, ids, contains)


async def _change(
    engine: AsyncEngine, who: Actor, queue: Queue, word: str | None, ids: Sequence[str], contains: str
) -> int:
    table = table_of_queue(queue)
    chosen: Any = select(table.c.id).where(dead(queue), table.c.tenant_id == who.tenant_id)
    if ids:
        chosen = chosen.where(cast(table.c.id, Text).in_([str(one) for one in ids]))
    if contains:
        chosen = chosen.where(table.c[queue.error].contains(contains, autoescape=True))
    if queue.host and word == queue.statuses.queued:
        await end_pauses_of(engine, chosen.with_only_columns(table.c[queue.host]).distinct())
    return await change_in_batches(engine, table, chosen, {queue.status: word}, BATCH)
