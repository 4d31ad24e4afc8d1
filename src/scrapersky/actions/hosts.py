"""Pauses a host for a person, and ends the pauses that we imposed on hosts or tenants."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import ARRAY, Select, Text, Update, any_, bindparam, case, func, literal, select, text, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from scrapersky import tables
from scrapersky.actions.actor import Actor
from scrapersky.actions.audit import record
from scrapersky.declarations import POLITE_DECLARATIONS, Queue
from scrapersky.engine.database import retry_on_deadlock
from scrapersky.fetch.errors import ROBOTS_RETRY
from scrapersky.queries.read_model import queue_table


@retry_on_deadlock
async def pause_host(engine: AsyncEngine, actor: Actor, host: str, duration: timedelta) -> datetime:
    """Send the host no request until then; one that is under way may finish. Needs the owner's engine."""
    values = {"paused_until": func.now() + duration}
    statement = insert(tables.hosts).values(host=host, **values)
    async with engine.begin() as connection:
        until: datetime = await connection.scalar(
            statement.on_conflict_do_update(index_elements=["host"], set_=values).returning(
                tables.hosts.c.paused_until
            )
        )
        after = {"paused_until": until}
        await record(connection, actor, "host.pause", table="hosts", row_id=host, after=after)
    return until


@retry_on_deadlock
async def resume_host(engine: AsyncEngine, actor: Actor, host: str) -> None:
    """End the pause of a person, and nothing else that makes the host wait."""
    hosts = tables.hosts
    async with engine.begin() as connection:
        await connection.execute(update(hosts).where(hosts.c.host == host).values(paused_until=None))
        await _wake_stages(connection)
        await record(connection, actor, "host.resume", table="hosts", row_id=host)


@retry_on_deadlock
async def end_pauses_of(engine: AsyncEngine, hosts: Select[Any]) -> None:
    """End the pauses of the hosts that the query returns."""
    async with engine.begin() as connection:
        await end_pauses(connection, list((await connection.scalars(hosts)).all()))


async def end_pauses(connection: AsyncConnection, hosts: Sequence[str]) -> None:
    """End pauses after errors; a pause that the host or a person asked for is kept."""
    await connection.execute(_END_PAUSES, {"names": sorted(set(hosts))})
    await _wake_stages(connection)


async def _wake_stages(connection: AsyncConnection) -> None:
    for stage in POLITE_DECLARATIONS:
        await connection.execute(select(func.pg_notify("scrapersky", stage.name)))


def _end_pauses() -> Update:
    columns = tables.hosts.c
    now: Any = func.now()
    is_paused = columns.backoff_until > now
    is_robots_pause = (columns.robots_status == "unreachable") & (
        columns.robots_retry_at <= columns.robots_fetched_at + ROBOTS_RETRY
    )
    # While a worker is calling the host, only the next visit is moved.
    is_free = is_paused & columns.worker.is_(None)
    waiting = [columns[stage.waiting_since] for stage in POLITE_DECLARATIONS]
    return (
        update(tables.hosts)
        .where(columns.host == any_(bindparam("names", type_=ARRAY(Text()))))
        .values(
            next_allowed_at=case((is_free, now), else_=columns.next_allowed_at),
            consecutive_errors=case((is_paused, 0), else_=columns.consecutive_errors),
            backoff_until=case((is_paused, None), else_=columns.backoff_until),
            backoff_reason=case((is_paused, None), else_=columns.backoff_reason),
            robots_status=case((is_robots_pause, literal("unknown")), else_=columns.robots_status),
            robots_retry_at=case((is_robots_pause, None), else_=columns.robots_retry_at),
            **{
                column.name: case((column.is_(None), None), else_=func.least(column, now))
                for column in waiting
            },
        )
    )


_END_PAUSES = _end_pauses()


async def wake_hosts_of(engine: AsyncEngine, queue: Queue, tenant_id: UUID) -> None:
    async with engine.begin() as connection:
        await wake_hosts(connection, queue, tenant_id)


async def wake_hosts(connection: AsyncConnection, queue: Queue, tenant_id: UUID) -> None:
    """Look now at the hosts for which a tenant has rows that rested while the tenant did."""
    table = queue_table(queue)
    waiting_since = tables.hosts.c[queue.waiting_since]
    awaited = select(table.c[str(queue.host)]).where(table.c.tenant_id == tenant_id, text(queue.claimable()))
    await connection.execute(
        update(tables.hosts)
        .where(tables.hosts.c.host.in_(awaited.distinct()), waiting_since > func.now())
        .values({queue.waiting_since: func.now()})
    )
