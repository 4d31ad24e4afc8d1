"""Call a host again now: a person who asks for it need not wait until a pause of our own is over."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import ARRAY, Select, Text, any_, bindparam, case, func, literal, select, update
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from scrapersky import tables
from scrapersky.declarations import POLITE_DECLARATIONS
from scrapersky.engine.database import retry_on_deadlock
from scrapersky.fetch.errors import ROBOTS_RETRY


@retry_on_deadlock
async def end_pauses_of(engine: AsyncEngine, chosen: Select[Any]) -> None:
    """End the pauses of the hosts that the query gives."""
    async with engine.begin() as connection:
        await end_pauses(connection, list((await connection.execute(chosen)).scalars()))


async def end_pauses(connection: AsyncConnection, hosts: Sequence[str]) -> None:
    """End what we imposed on these hosts after errors; a pause that a host asked for itself is kept."""
    await connection.execute(_END, {"names": sorted(set(hosts))})
    for queue in POLITE_DECLARATIONS:
        await connection.execute(select(func.pg_notify("scrapersky", queue.name)))


def _end() -> Any:
    columns = tables.hosts.c
    now: Any = func.now()
    ours = columns.backoff_until > now
    unreadable = (columns.robots_status == "unreachable") & (
        columns.robots_retry_at <= columns.robots_fetched_at + ROBOTS_RETRY
    )
    # Somebody may be calling it at this moment; then only the next visit is brought forward.
    free = ours & columns.worker.is_(None)
    awaited = {
        queue.waiting_since: func.least(columns[queue.waiting_since], now) for queue in POLITE_DECLARATIONS
    }
    return (
        update(tables.hosts)
        .where(columns.host == any_(bindparam("names", type_=ARRAY(Text()))))
        .values(
            next_allowed_at=case((free, now), else_=columns.next_allowed_at),
            consecutive_errors=case((ours, 0), else_=columns.consecutive_errors),
            backoff_until=case((ours, None), else_=columns.backoff_until),
            backoff_reason=case((ours, None), else_=columns.backoff_reason),
            robots_status=case((unreadable, literal("unknown")), else_=columns.robots_status),
            robots_retry_at=case((unreadable, None), else_=columns.robots_retry_at),
            **{name: case((columns[name].is_(None), None), else_=moment) for name, moment in awaited.items()},
        )
    )


_END = _end()
