"""Changes of many rows: one set-based statement and one commit for each batch, locked rows passed over."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Select, Table, and_, delete, update
from sqlalchemy.ext.asyncio import AsyncEngine

from scrapersky.engine.database import retry_on_deadlock


async def change_in_batches(
    engine: AsyncEngine, table: Table, chosen: Select[Any], values: Mapping[str, Any], size: int
) -> int:
    """Change the chosen rows (by id); the change must end their being chosen. Says how many."""
    batch = chosen.limit(size).with_for_update(skip_locked=True, of=table).cte("batch")
    return await _repeat(engine, update(table).where(table.c.id == batch.c.id).values(values), size)


async def delete_in_batches(engine: AsyncEngine, table: Table, condition: Any, size: int) -> int:
    key = list(table.primary_key.columns)
    chosen = table.select().with_only_columns(*key).where(condition)
    batch = chosen.limit(size).with_for_update(skip_locked=True).cte("batch")
    same = and_(*(column == batch.c[column.name] for column in key))
    return await _repeat(engine, delete(table).where(same), size)


async def _repeat(engine: AsyncEngine, statement: Any, size: int) -> int:
    total = 0
    while True:
        changed = await _once(engine, statement)
        total += changed
        if changed < size:
            return total


@retry_on_deadlock
async def _once(engine: AsyncEngine, statement: Any) -> int:
    async with engine.begin() as connection:
        return (await connection.execute(statement)).rowcount
