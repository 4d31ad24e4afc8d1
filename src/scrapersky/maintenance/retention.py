"""Deletes rows whose retention time is over, in bounded batches."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from sqlalchemy import Table, and_, func, literal
from sqlalchemy.ext.asyncio import AsyncEngine

from scrapersky import tables
from scrapersky.declarations import ENDED_JOBS
from scrapersky.maintenance.options import MaintenanceOptions
from scrapersky.tables.batches import delete_in_batches

# A machine that was suspended resumes under its old number, so its row must outlive a weekend.
KEEP_WORKERS = timedelta(days=7)


async def delete_expired_rows(engine: AsyncEngine, options: MaintenanceOptions) -> dict[str, int]:
    """One transaction per batch; returns the number of deleted rows by table (R021)."""
    return {
        table.name: await delete_in_batches(engine, table, condition, options.cleanup_batch)
        for table, condition in _expired(options)
    }


def _expired(options: MaintenanceOptions) -> list[tuple[Table, Any]]:
    jobs, alerts, stats = tables.jobs.c, tables.alerts.c, tables.stage_stats.c
    return [
        (tables.jobs, and_(jobs.status.in_(ENDED_JOBS), _older(jobs.created_at, options.keep_jobs))),
        (tables.page_bodies, tables.page_bodies.c.expires_at < func.now()),
        (tables.zombies, _older(tables.zombies.c.created_at, options.keep_dead_letters)),
        (tables.failures, _older(tables.failures.c.created_at, options.keep_dead_letters)),
        (tables.stage_stats, _older(stats.minute, options.keep_statistics)),
        (
            tables.alerts,
            and_(alerts.resolved_at.is_not(None), _older(alerts.created_at, options.keep_alerts)),
        ),
        (tables.workers, _older(tables.workers.c.heartbeat_at, KEEP_WORKERS)),
    ]


def _older(moment: Any, keep: timedelta | None) -> Any:
    return literal(False) if keep is None else moment < func.now() - keep
