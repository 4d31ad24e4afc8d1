"""Requeue dead letters or discard them: one, many, or all whose reason matches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Text, cast, select, text, update
from sqlalchemy.ext.asyncio import AsyncEngine

from scrapersky.engine.work import Work
from scrapersky.errors import WrongState
from scrapersky.queries.dead_letters import work_named
from scrapersky.queries.reading import table_of_work

BATCH = 1_000


async def requeue(engine: AsyncEngine, stage: str, ids: Sequence[str] = (), *, contains: str = "") -> int:
    """Queue them again with a fresh count of tries; requeueing twice changes nothing more."""
    work = work_named(stage)
    return await _in_batches(engine, work, {work.status: work.words.queued}, ids, contains)


async def discard(engine: AsyncEngine, stage: str, ids: Sequence[str] = (), *, contains: str = "") -> int:
    """Take them out of the queue for good; the rows themselves stay, without a processing status."""
    work = work_named(stage)
    if work.table == "jobs":
        raise WrongState("A job is not discarded but cancelled, or left to the cleanup")
    return await _in_batches(engine, work, {work.status: None}, ids, contains)


async def _in_batches(
    engine: AsyncEngine, work: Work, values: dict[str, Any], ids: Sequence[str], contains: str
) -> int:
    """One set-based statement and one commit for each batch."""
    table = table_of_work(work)
    chosen = select(table.c.id).where(table.c[work.status] == work.words.failed)
    if work.only:
        chosen = chosen.where(text(work.only))
    if ids:
        chosen = chosen.where(cast(table.c.id, Text).in_([str(one) for one in ids]))
    if contains:
        chosen = chosen.where(table.c[work.error].contains(contains, autoescape=True))
    batch = chosen.limit(BATCH).with_for_update(skip_locked=True).cte("batch")
    statement = update(table).where(table.c.id == batch.c.id).values(values)
    total = 0
    while True:
        async with engine.begin() as connection:
            changed = (await connection.execute(statement)).rowcount
        total += changed
        if changed < BATCH:
            return total
