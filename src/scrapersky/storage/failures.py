"""Stores the traceback of rows that failed permanently; the last failure of a row replaces earlier ones."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy.ext.asyncio import AsyncConnection

from scrapersky.engine.database import Statement
from scrapersky.engine.outcome import FailureNote
from scrapersky.engine.stage import Item

SAVE_FAILURE = Statement("""
INSERT INTO failures (tenant_id, stage, row_id, domain, error_class, reason, traceback, attempts)
VALUES (:tenant_id, :stage, :row_id, :domain, :error_class, :reason, :traceback, :attempts)
ON CONFLICT (tenant_id, stage, row_id) DO UPDATE SET domain = excluded.domain,
  error_class = excluded.error_class, reason = excluded.reason, traceback = excluded.traceback,
  attempts = excluded.attempts, created_at = now()""")


async def save_failures(connection: AsyncConnection, rows: Sequence[tuple[Item, FailureNote]]) -> None:
    for item, note in rows:
        values = {
            "tenant_id": item.tenant_id,
            "stage": note.stage,
            "row_id": str(item.id),
            "domain": (item.host or "")[:253] or None,
            "error_class": note.error_class[:200],
            "reason": note.reason,
            "traceback": note.traceback,
            "attempts": note.attempts,
        }
        await SAVE_FAILURE.run(connection, values)
