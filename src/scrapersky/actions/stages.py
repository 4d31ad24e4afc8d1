"""Pauses and resumes stages of the whole fleet, and runs what waits for a stage now."""

from __future__ import annotations

from typing import Any

from sqlalchemy import func, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from scrapersky import tables
from scrapersky.actions.actor import Actor
from scrapersky.actions.audit import record
from scrapersky.actions.hosts import end_pauses_of
from scrapersky.declarations import StageDeclaration
from scrapersky.engine.wakeup import CHANNEL
from scrapersky.errors import Conflict
from scrapersky.queries.read_model import get_declaration, is_claimable, queue_table
from scrapersky.tables.batches import change_in_batches

BATCH = 1_000


async def pause_stage(engine: AsyncEngine, actor: Actor, stage: str, reason: str = "") -> None:
    """Within seconds nothing more is claimed; items that run may finish."""
    await _set_paused(engine, actor, stage, paused=True, reason=reason)


async def resume_stage(engine: AsyncEngine, actor: Actor, stage: str) -> None:
    await _set_paused(engine, actor, stage, paused=False, reason="")


async def _set_paused(engine: AsyncEngine, actor: Actor, stage: str, *, paused: bool, reason: str) -> None:
    get_declaration(stage)
    state = {"paused": paused, "reason": reason[:1_024] or None}
    values = {**state, "updated_by": actor.user_id, "updated_at": func.now()}
    statement = insert(tables.stage_controls).values(stage=stage, **values)
    async with engine.begin() as connection:
        await connection.execute(statement.on_conflict_do_update(index_elements=["stage"], set_=values))
        action = "stage.pause" if paused else "stage.resume"
        await record(connection, actor, action, table="stage_controls", row_id=stage, after=state)


async def run_stage(engine: AsyncEngine, actor: Actor, stage: str) -> int:
    """Make the waiting rows of the tenant due now, end pauses that we imposed, and wake the workers.

    Returns the number of rows that were due later.
    """
    declaration = get_declaration(stage)
    await _check_running(engine, stage)
    table, due = queue_table(declaration), declaration.column("due_at")
    waiting = select(table.c.id).where(*_waiting(declaration, actor), table.c[due] > func.now())

    async def audit(connection: AsyncConnection, number: int) -> None:
        await record(connection, actor, "stage.run", table=table.name, after={"stage": stage, "rows": number})

    number = await change_in_batches(engine, table, waiting, {due: func.now()}, BATCH, on_batch=audit)
    if declaration.host:
        hosts = select(table.c[declaration.host]).where(*_waiting(declaration, actor))
        await end_pauses_of(engine, hosts.distinct())
    async with engine.begin() as connection:
        await connection.execute(select(func.pg_notify(CHANNEL, stage)))
    return number


def _waiting(stage: StageDeclaration, actor: Actor) -> list[Any]:
    return [is_claimable(stage), queue_table(stage).c.tenant_id == actor.tenant_id]


async def _check_running(engine: AsyncEngine, stage: str) -> None:
    controls = tables.stage_controls.c
    async with engine.connect() as connection:
        if await connection.scalar(select(controls.paused).where(controls.stage == stage)):
            raise Conflict(f"{stage} is paused; resume it first")
