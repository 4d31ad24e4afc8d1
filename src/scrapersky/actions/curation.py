"""Curation: a change of status and what it queues happen in one statement, in small batches."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Row, Update, and_, case, func, null, select, update
from sqlalchemy.ext.asyncio import AsyncEngine

from scrapersky import tables
from scrapersky.actions.actor import Actor
from scrapersky.actions.hosts import end_pauses_of
from scrapersky.declarations import VALIDATE_EMAIL, StageDeclaration, statuses
from scrapersky.engine.database import retry_on_deadlock
from scrapersky.errors import InvalidInput
from scrapersky.maintenance.exclusions import (
    CRAWL_STAGES,
    dequeue_excluded_rows,
    domain_is_excluded,
    requeue_excluded_rows,
)
from scrapersky.queries.entities import Entity, Filters, conditions, parse_curation_status
from scrapersky.queries.read_model import in_array, queue_table

# One UPDATE and one commit for this many ids (R047), or this many filtered rows (R051).
IDS_PER_BATCH = 100
ROWS_PER_BATCH = 1_000
MAX_IDS = 100_000
# A row that has been due for longer is claimed first.
HEAD_START = timedelta(days=1)


@dataclass(slots=True)
class CurationResult:
    """The number of changed rows, and of those that are queued now."""

    updated: int = 0
    queued: int = 0

    def as_dict(self) -> dict[str, int]:
        return asdict(self)


async def curate(
    engine: AsyncEngine,
    actor: Actor,
    entity: Entity,
    curation_status: str,
    *,
    ids: Sequence[UUID] = (),
    filters: Filters | None = None,
) -> CurationResult:
    """Set the curation status of rows; Selected also queues them (R012, R050, R139, R152).

    Rows that wait below an excluded domain leave their queue, and return when the domain is no longer
    excluded. Rows in work are not interrupted.
    """
    status = parse_curation_status(curation_status)
    is_selected = status == statuses.SELECTED
    values = {entity.curation_column: status, **_signature(entity, actor)}
    if is_selected:
        values |= _queue_values(entity.selected_stage)
    return await _change(engine, actor, entity, values, ids, filters, counted=is_selected)


async def run_now(
    engine: AsyncEngine,
    actor: Actor,
    entity: Entity,
    *,
    ids: Sequence[UUID] = (),
    filters: Filters | None = None,
) -> CurationResult:
    """Queue rows at the head of their queue, whatever their status; the curation status is kept."""
    stage = entity.first_stage
    due = {stage.column("due_at"): func.now() - HEAD_START}
    values = {**_queue_values(stage), **due, **_signature(entity, actor)}
    result = await _change(engine, actor, entity, values, ids, filters, counted=True)
    if stage.host and ids:
        columns = entity.table.c
        is_named = columns.tenant_id == actor.tenant_id, in_array(columns.id, ids)
        await end_pauses_of(engine, select(columns[stage.host]).where(*is_named))
    return result


async def reset(
    engine: AsyncEngine,
    actor: Actor,
    entity: Entity,
    *,
    ids: Sequence[UUID] = (),
    filters: Filters | None = None,
) -> CurationResult:
    """Reset rows to the state of a new row: status New, no error, no tries; rows in work are skipped."""
    values: dict[str, Any] = {entity.curation_column: statuses.NEW, **_signature(entity, actor)}
    for stage in entity.stages:
        default = getattr(entity.table.c[stage.status].server_default, "arg", None)
        values |= _unless_in_work(
            stage,
            {
                stage.status: null() if default is None else default,
                stage.error: null(),
                stage.column("retries"): 0,
                stage.column("rescues"): 0,
                stage.column("crashes"): 0,
                stage.column("due_at"): func.now(),
            },
        )
    return await _change(engine, actor, entity, values, ids, filters, counted=True)


def _queue_values(stage: StageDeclaration) -> dict[str, Any]:
    return _unless_in_work(stage, {stage.status: stage.statuses.queued, stage.error: null()})


def _unless_in_work(stage: StageDeclaration, values: Mapping[str, Any]) -> dict[str, Any]:
    """The values, except for rows that are in work, below an excluded domain, or have nothing to process."""
    columns = queue_table(stage).c
    may_change: ColumnElement[bool] = columns[stage.status].is_distinct_from(stage.statuses.processing)
    if stage is VALIDATE_EMAIL:
        may_change = and_(may_change, columns.email.is_not(None))
    if stage in CRAWL_STAGES:
        may_change = and_(may_change, ~domain_is_excluded(columns.domain_id))
    return {name: case((may_change, value), else_=columns[name]) for name, value in values.items()}


def _signature(entity: Entity, actor: Actor) -> dict[str, Any]:
    signature: dict[str, Any] = {"updated_at": func.now()}
    if "updated_by" in entity.table.c:
        signature["updated_by"] = actor.user_id
    return signature


async def _change(
    engine: AsyncEngine,
    actor: Actor,
    entity: Entity,
    values: Mapping[str, Any],
    ids: Sequence[UUID],
    filters: Filters | None,
    *,
    counted: bool,
) -> CurationResult:
    """Change rows batch by batch; with `counted` the result says how many of them are queued."""
    if len(ids) > MAX_IDS:
        raise InvalidInput(f"More than {MAX_IDS:,} ids; use a filter")
    if not ids and filters is None:
        raise InvalidInput("Ids or a filter are required")
    table = entity.table
    stage = entity.first_stage if entity.first_stage.status in values else entity.selected_stage
    matching = conditions(entity, actor.tenant_id, filters or Filters())
    statement = update(table).where(*matching).values(values).returning(table.c[stage.status].label("status"))
    result = CurationResult()
    async for batch in _batches(engine, actor, entity, ids, filters):
        rows = await _execute(engine, statement.where(table.c.id.in_(batch)))
        if table is tables.domains and entity.curation_column in values:
            await _apply_exclusion(engine, actor, values[entity.curation_column], batch)
        result.updated += len(rows)
        result.queued += sum(row.status == stage.statuses.queued for row in rows) if counted else 0
    return result


@retry_on_deadlock
async def _execute(engine: AsyncEngine, statement: Update) -> Sequence[Row[Any]]:
    async with engine.begin() as connection:
        return (await connection.execute(statement)).all()


async def _apply_exclusion(
    engine: AsyncEngine, actor: Actor, curation_status: str, domain_ids: Sequence[UUID]
) -> None:
    """Dequeue or requeue the rows below the domains; after a crash before this, maintenance does it."""
    if curation_status in statuses.EXCLUDED:
        await dequeue_excluded_rows(engine, tenant_id=actor.tenant_id, domain_ids=domain_ids)
    else:
        await requeue_excluded_rows(engine, actor.tenant_id, domain_ids)


async def _batches(
    engine: AsyncEngine, actor: Actor, entity: Entity, ids: Sequence[UUID], filters: Filters | None
) -> AsyncIterator[Sequence[UUID]]:
    """The ids in ascending order, so that two changes of the same rows cannot deadlock."""
    if ids:
        ordered = sorted(set(ids))
        for start in range(0, len(ordered), IDS_PER_BATCH):
            yield ordered[start : start + IDS_PER_BATCH]
        return
    table = entity.table
    matching = conditions(entity, actor.tenant_id, filters or Filters())
    query = select(table.c.id).where(*matching).order_by(table.c.id).limit(ROWS_PER_BATCH)
    rest = query
    while True:
        async with engine.connect() as connection:
            batch = list((await connection.scalars(rest)).all())
        if batch:
            yield batch
        if len(batch) < ROWS_PER_BATCH:
            return
        rest = query.where(table.c.id > batch[-1])
