"""Changes of many rows: one set-based statement and one commit for each batch, locked rows passed over."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from sqlalchemy import Select, Table, and_, delete, update
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from scrapersky.engine.database import retry_on_deadlock

# Called with the number of rows of a batch, in its transaction.
OnBatch = Callable[[AsyncConnection, int], Awaitable[None]]


async def change_in_batches(
    engine: AsyncEngine,
    table: Table,
    chosen: Select[Any],
    values: Mapping[str, Any],
    size: int,
    *,
    on_batch: OnBatch | None = None,
) -> int:
    """Change the chosen rows (by id); the change must end their being chosen. Says how many."""
    batch = chosen.limit(size).with_for_update(skip_locked=True, of=table).cte("batch")
    change = update(table).where(table.c.id == batch.c.id).values(values)
    return await _repeat(engine, change, size, on_batch)


async def delete_in_batches(
    engine: AsyncEngine, table: Table, condition: Any, size: int, *, on_batch: OnBatch | None = None
) -> int:
    key = list(table.primary_key.columns)
    chosen = table.select().with_only_columns(*key).where(condition)
    batch = chosen.limit(size).with_for_update(skip_locked=True).cte("batch")
    same = and_(*(column == batch.c[column.name] for column in key))
    return await _repeat(engine, delete(table).where(same), size, on_batch)


async def _repeat(engine: AsyncEngine, statement: Any, size: int, on_batch: OnBatch | None) -> int:
    total = 0
    while True:
        changed = await _once(engine, statement, on_batch)
        total += changed
        if changed < size:
            return total


@retry_on_deadlock
async def _once(engine: AsyncEngine, statement: Any, on_batch: OnBatch | None) -> int:
    async with engine.begin() as connection:
        changed = (await connection.execute(statement)).rowcount
        if changed and on_batch:
            await on_batch(connection, changed)
        return changed
