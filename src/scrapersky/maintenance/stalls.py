"""Looks for what is stuck or silent: rows that wait or run too long, stages that finish or bring nothing."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Table, Text, and_, cast, func, literal, or_, select, union_all
from sqlalchemy.ext.asyncio import AsyncConnection

from scrapersky import tables
from scrapersky.declarations import DECLARATIONS, RUN_JOB
from scrapersky.declarations.queue import Queue
from scrapersky.maintenance.options import MaintenanceOptions
from scrapersky.tables.counts import oldest_due

# Every row of these stages that is done leaves something behind.
PRODUCES_ROWS = ("deep_scan", "read_metadata", "submit_domain", "import_sitemap", "read_page")


async def stuck_rows(connection: AsyncConnection, options: MaintenanceOptions) -> list[dict[str, Any]]:
    """Jobs that wait or run too long (R024, R025), and rows of every queue in work too long (R159)."""
    jobs = tables.jobs.c
    waiting = and_(jobs.status == RUN_JOB.statuses.queued, jobs.created_at < func.now() - options.pending)
    waiting = and_(waiting, jobs.next_retry_at < func.now() - options.pending)
    running = and_(jobs.status == RUN_JOB.statuses.processing, jobs.updated_at < func.now() - options.running)
    domains = tables.domains
    query = select(jobs.id, jobs.job_type, jobs.created_at, jobs.status, domains.c.domain)
    query = query.outerjoin_from(tables.jobs, domains, domains.c.id == jobs.domain_id)
    query = query.where(or_(waiting, running))
    found = [
        {
            "table": "jobs",
            "stage": row.job_type,
            "id": str(row.id),
            "since": row.created_at,
            "status": row.status,
            "domain": row.domain,
        }
        for row in await connection.execute(query.order_by(jobs.created_at).limit(1_000))
    ]
    parts = [_processing_too_long(queue, options) for queue in DECLARATIONS if queue.table != "jobs"]
    for row in await connection.execute(union_all(*parts).limit(1_000)):
        found.append(
            {
                "table": row.table_name,
                "stage": row.stage,
                "id": row.id,
                "since": row.since,
                "status": row.status,
            }
        )
    return found


def _processing_too_long(queue: Queue, options: MaintenanceOptions) -> Any:
    table = _table(queue)
    columns = table.c
    lease = columns[queue.column("lease_until")]
    return select(
        literal(queue.table).label("table_name"),
        literal(queue.name).label("stage"),
        cast(columns.id, Text).label("id"),
        columns.updated_at.label("since"),
        columns[queue.status].label("status"),
    ).where(lease.is_not(None), columns.updated_at < func.now() - options.processing)


async def silent_stages(connection: AsyncConnection, options: MaintenanceOptions) -> list[dict[str, Any]]:
    """Stages with work that is due and nothing finished for a long time: the silent stall (I20)."""
    found = []
    for queue in DECLARATIONS:
        due = _table(queue).c[queue.column("due_at")]
        oldest = await connection.scalar(oldest_due(queue, due < func.now() - options.stall))
        if oldest is None:
            continue
        did = select(
            func.coalesce(func.sum(tables.stage_stats.c.done + tables.stage_stats.c.failed), 0)
        ).where(
            tables.stage_stats.c.stage == queue.name, tables.stage_stats.c.minute > func.now() - options.stall
        )
        if not await connection.scalar(did):
            line = {"table": queue.table, "stage": queue.name, "id": "", "since": oldest}
            found.append({**line, "status": "has due work and finishes nothing"})
    return found


async def stages_without_output(
    connection: AsyncConnection, options: MaintenanceOptions
) -> list[dict[str, Any]]:
    """Stages that call row after row done and write nothing: the stall that looks like work (A30)."""
    done, out = func.sum(tables.stage_stats.c.done), func.sum(tables.stage_stats.c.rows_out)
    query = (
        select(
            tables.stage_stats.c.stage,
            done.label("done"),
            func.min(tables.stage_stats.c.minute).label("since"),
        )
        .where(
            tables.stage_stats.c.minute > func.now() - options.stall,
            tables.stage_stats.c.stage.in_(PRODUCES_ROWS),
        )
        .group_by(tables.stage_stats.c.stage)
        .having(and_(done >= options.barren, out == 0))
    )
    table_of_stage = {queue.name: queue.table for queue in DECLARATIONS}
    return [
        {"table": table_of_stage[row.stage], "stage": row.stage, "id": "", "since": row.since,
         "status": f"called {row.done} rows done and wrote nothing"}
        for row in await connection.execute(query)
    ]  # fmt: skip


def _table(queue: Queue) -> Table:
    return tables.metadata.tables[queue.table]
