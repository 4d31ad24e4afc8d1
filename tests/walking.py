"""Leads rows along their statuses as workers do: the database refuses every shorter way."""

from __future__ import annotations

from typing import Any

from sqlalchemy import func, update
from sqlalchemy.ext.asyncio import AsyncEngine

from scrapersky.engine.work import Work
from scrapersky.queries.reading import table_of_work


async def finished(engine: AsyncEngine, work: Work, **values: Any) -> None:
    """Take all rows of a table through processing to done, and set other fields on the way."""
    table = table_of_work(work)
    lease = work.column("lease_until")
    async with engine.begin() as connection:
        await connection.execute(update(table).values({work.status: work.words.queued}))
        await connection.execute(
            update(table).values({work.status: work.words.processing, lease: func.now()})
        )
        await connection.execute(update(table).values({work.status: work.words.done, lease: None, **values}))
