"""What a run of each kind of schedule starts, and how one sees that it has ended."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Update, case, exists, func, null, select, update
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from scrapersky import tables
from scrapersky.actions.actor import Actor
from scrapersky.actions.delivery.sends import Send, send_decision
from scrapersky.actions.installation.quotas import count_export, require_queue_room
from scrapersky.actions.operations.changes import RUN
from scrapersky.actions.operations.creation import MAX_IDS, Decision, add_operation, count_rows
from scrapersky.actions.schedules.exports import submit_export
from scrapersky.actions.search_request import SearchPlan
from scrapersky.actions.searches import insert_search
from scrapersky.declarations import RUN_JOB, SEARCH_PLACES, statuses
from scrapersky.errors import Conflict
from scrapersky.queries.decisions.presets import NAME_OF_TABLE
from scrapersky.queries.rows.entities import ENTITIES
from scrapersky.queries.rows.filters import Filters, conditions

SCHEDULES, VIEWS = tables.schedules, tables.saved_views
MAX_REASON = 1_000
# Runs that may still be open.
UNSETTLED = (statuses.RUN_STARTED, statuses.RUN_SKIPPED)
# Starts the run in the caller's transaction; returns the id of what it started.
Start = Callable[[AsyncConnection], Awaitable[UUID]]


# ---- what a run starts


async def _search(engine: AsyncEngine, actor: Actor, schedule: Any) -> Start:
    options = schedule.options
    plan = SearchPlan(options["kind"], options["location"], options["source"], options["params"])
    await require_queue_room(engine, actor.tenant_id, 1)

    async def start(connection: AsyncConnection) -> UUID:
        return await insert_search(connection, actor, plan)

    return start


async def _crawl(engine: AsyncEngine, actor: Actor, schedule: Any) -> Start:
    """Read pages again: all, those of a view, or those of the domains of a view; each was read before."""
    table_name, filters = await _view(engine, schedule)
    is_of_domains = table_name == tables.domains.name
    ids = await _pages_of_domains(engine, actor, filters) if is_of_domains else None
    chosen = {"read_before": [schedule.now.isoformat()], **({} if is_of_domains else filters.params)}
    decision = Decision(entity=ENTITIES["page"], action=RUN, ids=ids, filters=Filters(**chosen))
    return await _operation(engine, actor, decision)


async def _pages_of_domains(engine: AsyncEngine, actor: Actor, filters: Filters) -> list[UUID]:
    pages, domains = tables.pages, tables.domains
    query = (
        select(pages.c.id)
        .join(domains, domains.c.id == pages.c.domain_id)
        .where(*conditions(ENTITIES["domain"], actor.tenant_id, filters), pages.c.last_scan_at.is_not(None))
        .limit(MAX_IDS + 1)
    )
    async with engine.connect() as connection:
        ids = list((await connection.scalars(query)).all())
    if len(ids) > MAX_IDS:
        raise Conflict(f"The domains of the view have more than {MAX_IDS:,} pages; use a view of pages")
    return ids


async def _send(engine: AsyncEngine, actor: Actor, schedule: Any) -> Start:
    _table_name, filters = await _view(engine, schedule)
    send = Send(destination_id=schedule.destination_id, filters=filters)
    return await _operation(engine, actor, await send_decision(engine, actor, send))


async def _export(engine: AsyncEngine, actor: Actor, schedule: Any) -> Start:
    table_name, filters = await _view(engine, schedule)
    await count_export(engine, actor.tenant_id)

    async def start(connection: AsyncConnection) -> UUID:
        entity = NAME_OF_TABLE[table_name]
        return await submit_export(connection, actor, entity, filters, schedule.options["file"])

    return start


async def _operation(engine: AsyncEngine, actor: Actor, decision: Decision) -> Start:
    matched = await count_rows(engine, actor, decision)
    await require_queue_room(engine, actor.tenant_id, matched)

    async def start(connection: AsyncConnection) -> UUID:
        return (await add_operation(connection, actor, decision, matched=matched)).id

    return start


async def _view(engine: AsyncEngine, schedule: Any) -> tuple[str, Filters]:
    """The table and the filters of the saved view, as they are now."""
    if schedule.view_id is None:
        return "", Filters()
    async with engine.connect() as connection:
        query = select(VIEWS.c.table_name, VIEWS.c.query).where(VIEWS.c.id == schedule.view_id)
        view = (await connection.execute(query)).one()
    return view.table_name, Filters.from_json(
        {name: values for name, values in view.query.items() if name != "sort"}
    )


STARTS: dict[str, Callable[[AsyncEngine, Actor, Any], Awaitable[Start]]] = {
    statuses.REPEAT_SEARCH: _search,
    statuses.REPEAT_CRAWL: _crawl,
    statuses.REPEAT_SEND: _send,
    statuses.REPEAT_EXPORT: _export,
}


# ---- how a run ends


@dataclass(frozen=True, slots=True)
class RunTable:
    """Where the runs of some kinds are, and the statuses of those that are open or failed."""

    kinds: tuple[str, ...]
    id: ColumnElement[Any]
    status: ColumnElement[Any]
    error: ColumnElement[Any]
    open: tuple[str, ...]
    failed: str

    def settle(self) -> Update:
        """Note the end of runs. One that was cancelled or is gone has ended too, and has not failed."""
        columns, is_run = SCHEDULES.c, self.id == SCHEDULES.c.last_run_id
        is_open = exists().where(is_run, self.status.in_(self.open))
        is_failed = exists().where(is_run, self.status == self.failed)
        reason = select(func.left(self.error, MAX_REASON)).where(is_run).scalar_subquery()
        return (
            update(SCHEDULES)
            .where(columns.kind.in_(self.kinds), columns.last_outcome.in_(UNSETTLED), ~is_open)
            .values(
                last_outcome=case((is_failed, statuses.RUN_FAILED), else_=statuses.RUN_ENDED),
                last_reason=case((is_failed, reason), else_=null()),
                failures=case((is_failed, columns.failures + 1), else_=0),
            )
        )


_SEARCHES, _OPERATIONS, _JOBS = tables.place_searches.c, tables.operations.c, tables.jobs.c
RUN_TABLES = (
    RunTable(
        (statuses.REPEAT_SEARCH,),
        _SEARCHES.id,
        _SEARCHES[SEARCH_PLACES.status],
        _SEARCHES[SEARCH_PLACES.error],
        (SEARCH_PLACES.statuses.queued, SEARCH_PLACES.statuses.processing),
        SEARCH_PLACES.statuses.failed,
    ),
    RunTable(
        (statuses.REPEAT_CRAWL, statuses.REPEAT_SEND),
        _OPERATIONS.id,
        _OPERATIONS.status,
        _OPERATIONS.error,
        (statuses.OPERATION_PENDING, statuses.OPERATION_RUNNING),
        statuses.OPERATION_FAILED,
    ),
    RunTable(
        (statuses.REPEAT_EXPORT,),
        _JOBS.job_id,
        _JOBS[RUN_JOB.status],
        _JOBS[RUN_JOB.error],
        (RUN_JOB.statuses.queued, RUN_JOB.statuses.processing),
        RUN_JOB.statuses.failed,
    ),
)


async def settle_runs(connection: AsyncConnection, *, schedule_id: UUID | None = None) -> None:
    """Note which runs have ended and which of them failed: of one schedule, or of all."""
    for table in RUN_TABLES:
        statement = table.settle()
        if schedule_id is not None:
            statement = statement.where(SCHEDULES.c.id == schedule_id)
        await connection.execute(statement)
