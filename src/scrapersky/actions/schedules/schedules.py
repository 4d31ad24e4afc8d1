"""Adds, pauses, resumes and deletes schedules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import delete, func, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from scrapersky import tables
from scrapersky.actions.actor import Actor
from scrapersky.actions.audit import record
from scrapersky.actions.schedules.exports import check_export_file
from scrapersky.actions.schedules.recurrence import Recurrence
from scrapersky.declarations import statuses
from scrapersky.errors import Conflict, InvalidInput, NotFound
from scrapersky.queries.decisions.presets import ViewQuery
from scrapersky.queries.delivery.destinations import DestinationQuery
from scrapersky.queries.rows.entities import LISTS

SCHEDULES = tables.schedules
MAX_NAME = 100
# What each kind needs, and what else it may have.
NEEDED = {
    statuses.REPEAT_SEARCH: {"search_id"},
    statuses.REPEAT_CRAWL: set[str](),
    statuses.REPEAT_SEND: {"view_id", "destination_id"},
    statuses.REPEAT_EXPORT: {"view_id", "file"},
}
ALLOWED = NEEDED | {statuses.REPEAT_CRAWL: {"view_id"}}
# The lists whose saved views a kind can use.
VIEWS_OF = {
    statuses.REPEAT_CRAWL: ("page", "domain"),
    statuses.REPEAT_SEND: ("contact",),
    statuses.REPEAT_EXPORT: tuple(LISTS),
}
AUDITED = ("name", "kind", "view_id", "destination_id", "options", "every_days", "time_of_day", "time_zone")


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduleRequest:
    """What is repeated, and when. A weekday chooses the first day of a number of whole weeks."""

    name: str
    kind: str
    every_days: int
    time_of_day: str = "06:00"
    time_zone: str = "UTC"
    weekday: str | None = None
    search_id: UUID | None = None
    view_id: UUID | None = None
    destination_id: UUID | None = None
    file: str | None = None

    def check(self) -> None:
        name = self.name.strip()
        if not name or len(name) > MAX_NAME or not name.isprintable():
            raise InvalidInput(f"The name is empty, longer than {MAX_NAME} characters or not printable")
        if self.kind not in NEEDED:
            raise InvalidInput(f"Invalid kind {self.kind[:20]!r}; expected one of {', '.join(NEEDED)}")
        for field in ("search_id", "view_id", "destination_id", "file"):
            word, is_set = field.removesuffix("_id"), getattr(self, field) is not None
            if field in NEEDED[self.kind] and not is_set:
                raise InvalidInput(f"A schedule of kind {self.kind} needs a {word}")
            if field not in ALLOWED[self.kind] and is_set:
                raise InvalidInput(f"A schedule of kind {self.kind} has no {word}")
        if self.file is not None:
            check_export_file(self.file)


async def create_schedule(engine: AsyncEngine, actor: Actor, request: ScheduleRequest) -> UUID:
    """Add a schedule; its first run is at the next such time."""
    request.check()
    recurrence = Recurrence(request.every_days, request.time_of_day, request.time_zone)
    values = {
        "name": request.name.strip(),
        "kind": request.kind,
        "view_id": await _check_view(engine, actor, request),
        "destination_id": await _check_destination(engine, actor, request.destination_id),
        "options": await _options(engine, actor, request),
        "every_days": request.every_days,
        "time_of_day": request.time_of_day,
        "time_zone": request.time_zone,
    }
    owner = {"tenant_id": actor.tenant_id, "user_id": actor.user_id}
    try:
        async with engine.begin() as connection:
            now = (await connection.execute(select(func.now()))).scalar_one()
            first = {"next_run_at": recurrence.first(now, weekday=request.weekday)}
            statement = insert(SCHEDULES).values({**values, **owner, **first}).on_conflict_do_nothing()
            schedule_id = await connection.scalar(statement.returning(SCHEDULES.c.id))
            if schedule_id is None:
                raise Conflict(f"There is a schedule {values['name']!r} already")
            await _record(connection, actor, "create", schedule_id, after=values)
    except IntegrityError:
        raise Conflict("The view or the destination has just been deleted") from None
    return UUID(str(schedule_id))


async def _options(engine: AsyncEngine, actor: Actor, request: ScheduleRequest) -> dict[str, Any]:
    if request.search_id is not None:
        return await _search(engine, actor, request.search_id)
    return {} if request.file is None else {"file": request.file}


async def _search(engine: AsyncEngine, actor: Actor, search_id: UUID) -> dict[str, Any]:
    """What the search asks for; the schedule keeps it, so that the search itself may be deleted."""
    columns = tables.place_searches.c
    query = select(columns.business_type, columns.location, columns.source, columns.params).where(
        columns.id == search_id, columns.tenant_id == actor.tenant_id
    )
    async with engine.connect() as connection:
        row = (await connection.execute(query)).first()
    if row is None:
        raise NotFound(f"There is no search {search_id}")
    return {
        "kind": row.business_type, "location": row.location, "source": row.source, "params": row.params,
    }  # fmt: skip


async def _check_view(engine: AsyncEngine, actor: Actor, request: ScheduleRequest) -> UUID | None:
    if request.view_id is None:
        return None
    view = await ViewQuery(engine, actor.tenant_id, actor.user_id).show(request.view_id)
    if view["entity"] not in VIEWS_OF[request.kind]:
        expected = " or ".join(VIEWS_OF[request.kind])
        problem = f"The view {view['name']!r} lists rows of {view['entity']}"
        raise InvalidInput(f"{problem}; a schedule of kind {request.kind} needs a view of {expected}")
    return request.view_id


async def _check_destination(engine: AsyncEngine, actor: Actor, destination_id: UUID | None) -> UUID | None:
    if destination_id is not None:
        await DestinationQuery(engine, actor.tenant_id).show(destination_id)
    return destination_id


async def pause_schedule(engine: AsyncEngine, actor: Actor, schedule_id: UUID) -> None:
    """Start no more runs; one that is open continues."""
    async with engine.begin() as connection:
        row = await _lock(connection, actor, schedule_id)
        if row.is_enabled:
            await _update(connection, schedule_id, {"is_enabled": False})
            await _record(connection, actor, "pause", schedule_id)


async def resume_schedule(engine: AsyncEngine, actor: Actor, schedule_id: UUID) -> None:
    """Start runs again from the next time on; the failures before are forgotten."""
    async with engine.begin() as connection:
        row = await _lock(connection, actor, schedule_id)
        if not row.is_enabled:
            due = row.next_run_at
            if due <= row.now:
                due = Recurrence(row.every_days, row.time_of_day, row.time_zone).following(due, row.now)
            values = {"is_enabled": True, "failures": 0, "next_run_at": due}
            await _update(connection, schedule_id, values)
            await _record(connection, actor, "resume", schedule_id)


async def delete_schedule(engine: AsyncEngine, actor: Actor, schedule_id: UUID) -> None:
    """Delete the schedule; what its runs have started stays."""
    async with engine.begin() as connection:
        row = await _lock(connection, actor, schedule_id)
        await connection.execute(delete(SCHEDULES).where(SCHEDULES.c.id == schedule_id))
        before = {name: row._mapping[name] for name in AUDITED}
        await _record(connection, actor, "delete", schedule_id, before=before)


async def _lock(connection: AsyncConnection, actor: Actor, schedule_id: UUID) -> Any:
    mine = SCHEDULES.c.id == schedule_id, SCHEDULES.c.tenant_id == actor.tenant_id
    query = select(SCHEDULES, func.now().label("now")).where(*mine).with_for_update()
    row = (await connection.execute(query)).first()
    if row is None:
        raise NotFound(f"There is no schedule {schedule_id}")
    return row


async def _update(connection: AsyncConnection, schedule_id: UUID, values: dict[str, Any]) -> None:
    changed = {**values, "updated_at": func.now()}
    await connection.execute(update(SCHEDULES).where(SCHEDULES.c.id == schedule_id).values(changed))


async def _record(
    connection: AsyncConnection,
    actor: Actor,
    action: str,
    schedule_id: UUID,
    *,
    before: dict[str, Any] | None = None,
    after: dict[str, Any] | None = None,
) -> None:
    verb, table = f"schedule.{action}", SCHEDULES.name
    await record(connection, actor, verb, table=table, row_id=schedule_id, before=before, after=after)
