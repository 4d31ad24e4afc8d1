"""Leads rows along their statuses as workers do: the database refuses every shorter way."""

from __future__ import annotations

from typing import Any

from sqlalchemy import func, update
from sqlalchemy.ext.asyncio import AsyncEngine

from scrapersky.declarations.queue import Queue
from scrapersky.queries.read_model import queue_table


async def finished(engine: AsyncEngine, queue: Queue, **values: Any) -> None:
    """Take all rows of a table through processing to done, and set other fields on the way."""
    table = queue_table(queue)
    lease = queue.column("lease_until")
    async with engine.begin() as connection:
        await connection.execute(update(table).values({queue.status: queue.statuses.queued}))
        await connection.execute(
            update(table).values({queue.status: queue.statuses.processing, lease: func.now()})
        )
        await connection.execute(
            update(table).values({queue.status: queue.statuses.done, lease: None, **values})
        )
