"""Keeps the traceback of rows that failed for good; of several failures of one row the last stands."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import func
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from scrapersky import tables
from scrapersky.engine.outcome import FailureNote
from scrapersky.engine.stage import Item


async def save_failures(connection: AsyncConnection, rows: Sequence[tuple[Item, FailureNote]]) -> None:
    if not rows:
        return
    values = [
        {
            "tenant_id": item.tenant_id,
            "stage": note.stage,
            "row_id": str(item.id),
            "domain": (item.host or "")[:253] or None,
            "error_class": note.error_class[:200],
            "reason": note.reason,
            "traceback": note.traceback,
            "attempts": note.attempts,
        }
        for item, note in rows
    ]
    statement = insert(tables.failures).values(values)
    changed = ("domain", "error_class", "reason", "traceback", "attempts")
    newest = {name: statement.excluded[name] for name in changed}
    await connection.execute(
        statement.on_conflict_do_update(
            index_elements=["tenant_id", "stage", "row_id"], set_={**newest, "created_at": func.now()}
        )
    )
