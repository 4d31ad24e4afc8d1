"""Decide about rows: the decision and what it queues change in one statement, in small batches."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import asdict, dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import and_, case, func, null, select, update
from sqlalchemy.ext.asyncio import AsyncEngine

from scrapersky import tables
from scrapersky.actions.actor import Actor
from scrapersky.actions.hosts import end_pauses_of
from scrapersky.declarations import statuses
from scrapersky.declarations.queue import Queue
from scrapersky.engine.database import retry_on_deadlock
from scrapersky.errors import InvalidInput
from scrapersky.maintenance.exclusions import dequeue_excluded_rows, domain_is_excluded, requeue_excluded_rows
from scrapersky.queries.entities import Entity, Filters, conditions, parse_curation_status
from scrapersky.queries.read_model import in_array

# One UPDATE and one commit for so many identifiers (R047), and for so many filtered rows (R051).
IDS_PER_BATCH = 100
ROWS_PER_BATCH = 1_000
MAX_IDS = 100_000
# What is due for longer is taken first.
HEAD_START = timedelta(days=1)


@dataclass(slots=True)
class CurationResult:
    """How many rows were changed, and how many of them are queued now."""

    updated: int = 0
    queued: int = 0

    def as_dict(self) -> dict[str, int]:
        return asdict(self)


async def curate(
    engine: AsyncEngine,
    actor: Actor,
    entity: Entity,
    decision: str,
    *,
    ids: Sequence[UUID] = (),
    filters: Filters | None = None,
) -> CurationResult:
    """Decide about named rows, or all that match; Selected also queues them (R012, R050, R139, R152).

    What waits below a domain that is rejected or archived leaves its queue, and comes back if it is wanted
    after all; what is in work goes on.
    """
    word = parse_curation_status(decision)
    values = {entity.decision: word, **_signed(entity, actor)}
    if word == statuses.SELECTED:
        values |= _queueing(entity, entity.queue)
    return await _change(engine, actor, entity, values, ids, filters, counts=word == statuses.SELECTED)


async def run_now(
    engine: AsyncEngine,
    actor: Actor,
    entity: Entity,
    *,
    ids: Sequence[UUID] = (),
    filters: Filters | None = None,
) -> CurationResult:
    """Queue rows at the head of their queue, whatever they are; decisions stay as they are."""
    queue = entity.queues[0]
    head = {queue.column("due_at"): func.now() - HEAD_START}
    values = {**_queueing(entity, queue), **head, **_signed(entity, actor)}
    changed = await _change(engine, actor, entity, values, ids, filters, counts=True)
    if queue.host and ids:
        columns = entity.table.c
        hosts = select(columns[queue.host]).where(
            columns.tenant_id == actor.tenant_id, in_array(columns.id, ids)
        )
        await end_pauses_of(engine, hosts)
    return changed


async def reset(
    engine: AsyncEngine,
    actor: Actor,
    entity: Entity,
    *,
    ids: Sequence[UUID] = (),
    filters: Filters | None = None,
) -> CurationResult:
    """Back to what a new row is: decision New, no error, no tries; a row in work is left alone."""
    values: dict[str, Any] = {entity.decision: statuses.NEW, **_signed(entity, actor)}
    for queue in entity.queues:
        given = entity.table.c[queue.status].server_default
        begins = getattr(given, "arg", None)
        values |= _unless_in_work(
            entity,
            queue,
            {
                queue.status: begins if begins is not None else null(),
                queue.error: null(),
                queue.column("retries"): 0,
                queue.column("rescues"): 0,
                queue.column("crashes"): 0,
                queue.column("due_at"): func.now(),
            },
        )
    return await _change(engine, actor, entity, values, ids, filters, counts=True)


def _queueing(entity: Entity, queue: Queue) -> dict[str, Any]:
    """What queues a row. One that is in work goes on; a contact without an address has nothing to check."""
    return _unless_in_work(entity, queue, {queue.status: queue.statuses.queued, queue.error: null()})


def _unless_in_work(entity: Entity, queue: Queue, values: dict[str, Any]) -> dict[str, Any]:
    columns = entity.table.c
    free = columns[queue.status].is_distinct_from(queue.statuses.processing)
    if entity.name == "contact":
        free = and_(free, columns.email.is_not(None))
    if entity.table in (tables.pages, tables.sitemap_files):
        free = and_(free, ~domain_is_excluded(columns.domain_id))
    return {name: case((free, value), else_=columns[name]) for name, value in values.items()}


def _signed(entity: Entity, actor: Actor) -> dict[str, Any]:
    signed: dict[str, Any] = {"updated_at": func.now()}
    if "updated_by" in entity.table.c:
        signed["updated_by"] = actor.user_id
    return signed


async def _change(
    engine: AsyncEngine,
    actor: Actor,
    entity: Entity,
    values: dict[str, Any],
    ids: Sequence[UUID],
    filters: Filters | None,
    *,
    counts: bool,
) -> CurationResult:
    if len(ids) > MAX_IDS:
        raise InvalidInput(f"More than {MAX_IDS:,} identifiers; use a filter")
    if not ids and filters is None:
        raise InvalidInput("Name the rows or give a filter")
    table, queue = entity.table, entity.queues[0] if entity.queues[0].status in values else entity.queue
    mine = conditions(entity, actor.tenant_id, filters or Filters())
    statement = update(table).where(*mine).values(values).returning(table.c[queue.status].label("status"))
    changed = CurationResult()
    async for chosen in _batches(engine, actor, entity, ids, filters):
        rows = await _changed(engine, statement.where(table.c.id.in_(chosen)))
        if entity.table is tables.domains and entity.decision in values:
            await _follow(engine, actor, values[entity.decision], chosen)
        changed.updated += len(rows)
        changed.queued += sum(row.status == queue.statuses.queued for row in rows) if counts else 0
    return changed


@retry_on_deadlock
async def _changed(engine: AsyncEngine, statement: Any) -> Sequence[Any]:
    async with engine.begin() as connection:
        return (await connection.execute(statement)).all()


async def _follow(engine: AsyncEngine, actor: Actor, word: str, domain_ids: Sequence[UUID]) -> None:
    """Let the rows below follow the decision; a crash before this is made good by the upkeep."""
    if word in statuses.EXCLUDED:
        await dequeue_excluded_rows(engine, tenant_id=actor.tenant_id, domain_ids=domain_ids)
    else:
        await requeue_excluded_rows(engine, actor.tenant_id, domain_ids)


async def _batches(
    engine: AsyncEngine, actor: Actor, entity: Entity, ids: Sequence[UUID], filters: Filters | None
) -> AsyncIterator[Sequence[UUID]]:
    """Identifiers in their order, so that two changes of the same rows cannot lock each other."""
    table = entity.table
    mine = conditions(entity, actor.tenant_id, filters or Filters())
    if ids:
        ordered = sorted(set(ids))
        for start in range(0, len(ordered), IDS_PER_BATCH):
            yield ordered[start : start + IDS_PER_BATCH]
        return
    last: UUID | None = None
    while True:
        query = select(table.c.id).where(*mine).order_by(table.c.id).limit(ROWS_PER_BATCH)
        if last is not None:
            query = query.where(table.c.id > last)
        async with engine.connect() as connection:
            part = [row.id for row in await connection.execute(query)]
        if part:
            yield part
        if len(part) < ROWS_PER_BATCH:
            return
        last = part[-1]
