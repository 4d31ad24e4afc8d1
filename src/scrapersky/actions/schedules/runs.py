"""Starts the runs of schedules: what a run starts and when the next one is due are committed together.

So a run is started once, by whichever process comes first, and a process that is killed has started either
nothing or all of it. Runs that were missed are caught up once. While a run is open, the next are skipped.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import Select, func, select, update
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from scrapersky import tables
from scrapersky.actions.actor import Actor
from scrapersky.actions.schedules.kinds import MAX_REASON, SCHEDULES, STARTS, UNSETTLED, settle_runs
from scrapersky.actions.schedules.recurrence import Recurrence
from scrapersky.database import tenant_engine
from scrapersky.declarations import statuses
from scrapersky.engine.database import is_transient
from scrapersky.engine.outcome import reason_of
from scrapersky.errors import ActionError, Conflict, NotFound
from scrapersky.log import Report

START_INTERVAL = timedelta(seconds=10)


async def start_due_schedules(engine: AsyncEngine, report: Report) -> int:
    """Start every run that is due; returns how many. The engine is the owner's; disabled tenants rest."""
    async with engine.begin() as connection:
        await settle_runs(connection)
        due = (await connection.execute(_due())).all()
    started = 0
    for schedule in due:
        started += await _start_due(tenant_engine(engine, schedule.tenant_id), schedule, report)
    return started


def _due() -> Select[Any]:
    return (
        select(SCHEDULES, func.now().label("now"))
        .join(tables.tenants, tables.tenants.c.id == SCHEDULES.c.tenant_id)
        .where(SCHEDULES.c.is_enabled, SCHEDULES.c.next_run_at <= func.now(), tables.tenants.c.is_active)
        .order_by(SCHEDULES.c.next_run_at, SCHEDULES.c.id)
    )


async def _start_due(engine: AsyncEngine, schedule: Any, report: Report) -> bool:
    recurrence = Recurrence(schedule.every_days, schedule.time_of_day, schedule.time_zone)
    moved = {"next_run_at": recurrence.following(schedule.next_run_at, schedule.now)}
    line = {"schedule": str(schedule.id), "tenant": str(schedule.tenant_id)}
    if schedule.last_outcome in UNSETTLED:
        skipped = {"last_outcome": statuses.RUN_SKIPPED, "last_reason": _still_open(schedule)}
        await _note(engine, schedule, moved | skipped)
        report([{"event": "schedule_skipped", "level": "warning", **line}])
        return False
    try:
        return await _start(engine, schedule, moved)
    except Exception as error:
        # Without the database nothing was committed: the run is still due.
        if is_transient(error) and not isinstance(error, ActionError):
            raise
        reason = str(error) if isinstance(error, ActionError) else reason_of(error)
        await _note(engine, schedule, moved | _failure(reason))
        report([{"event": "schedule_failed", "level": "error", **line, "error": reason}])
        return False


def _failure(reason: str) -> dict[str, Any]:
    return {
        "last_run_at": func.clock_timestamp(),
        "last_run_id": None,
        "last_outcome": statuses.RUN_FAILED,
        "last_reason": reason[:MAX_REASON],
        "failures": SCHEDULES.c.failures + 1,
    }


async def run_schedule(engine: AsyncEngine, actor: Actor, schedule_id: UUID) -> None:
    """Start a run now; the next one is due when it was before."""
    mine = SCHEDULES.c.id == schedule_id, SCHEDULES.c.tenant_id == actor.tenant_id
    query = select(SCHEDULES, func.now().label("now")).where(*mine)
    async with engine.begin() as connection:
        if (await connection.execute(query.with_for_update())).first() is None:
            raise NotFound(f"There is no schedule {schedule_id}")
        await settle_runs(connection, schedule_id=schedule_id)
        schedule = (await connection.execute(query)).one()
    if schedule.last_outcome in UNSETTLED:
        raise Conflict(_still_open(schedule))
    if not await _start(engine, schedule, {}, actor=actor):
        raise Conflict("A run of the schedule has just been started")


def _still_open(schedule: Any) -> str:
    return f"The run of {schedule.last_run_at:%Y-%m-%d %H:%M} UTC is still open"


async def _start(
    engine: AsyncEngine, schedule: Any, moved: dict[str, Any], *, actor: Actor | None = None
) -> bool:
    """Start the run unless another process has; False if it has."""
    name = f"schedule {schedule.name}"[:200]
    runner = actor or Actor(schedule.tenant_id, schedule.user_id, name=name)
    start = await STARTS[schedule.kind](engine, runner, schedule)
    async with engine.begin() as connection:
        if not await _claim(connection, schedule):
            return False
        started = {
            "last_run_id": await start(connection),
            "last_run_at": func.clock_timestamp(),
            "last_outcome": statuses.RUN_STARTED,
            "last_reason": None,
        }
        await _update(connection, schedule, started | moved)
    return True


async def _note(engine: AsyncEngine, schedule: Any, values: dict[str, Any]) -> None:
    async with engine.begin() as connection:
        if await _claim(connection, schedule):
            await _update(connection, schedule, values)


async def _claim(connection: AsyncConnection, schedule: Any) -> bool:
    """Lock the schedule as it was read; who finds it locked or moved on has come too late."""
    columns = SCHEDULES.c
    same = (
        columns.id == schedule.id,
        columns.is_enabled == schedule.is_enabled,
        columns.next_run_at == schedule.next_run_at,
        columns.last_run_at.is_not_distinct_from(schedule.last_run_at),
    )
    query = select(columns.id).where(*same).with_for_update(skip_locked=True)
    return (await connection.execute(query)).first() is not None


async def _update(connection: AsyncConnection, schedule: Any, values: dict[str, Any]) -> None:
    await connection.execute(update(SCHEDULES).where(SCHEDULES.c.id == schedule.id).values(values))
