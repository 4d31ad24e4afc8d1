"""The check for schedules whose runs keep failing."""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from scrapersky import tables
from scrapersky.maintenance.options import MaintenanceOptions
from scrapersky.maintenance.problems import DetectedProblem

MIN_FAILURES = 3


async def failing_schedules(
    connection: AsyncConnection, _options: MaintenanceOptions
) -> list[DetectedProblem]:
    """Schedules that failed several times in a row; alerts leave the installation, so they name ids only."""
    columns = tables.schedules.c
    query = select(columns.id, columns.tenant_id, columns.failures, columns.last_run_at).where(
        columns.is_enabled, columns.failures >= MIN_FAILURES
    )
    return [
        DetectedProblem(
            f"schedule {row.id}",
            f"the last {row.failures:,} runs of schedule {row.id} of tenant {row.tenant_id} failed",
            table=tables.schedules.name,
            id=str(row.id),
            since=row.last_run_at,
        )
        for row in await connection.execute(query.order_by(columns.id))
    ]
