"""Checks for what is stuck: rows that wait or run too long, stages that finish or write nothing."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Text, cast, func, literal, select, text, union_all
from sqlalchemy.ext.asyncio import AsyncConnection

from scrapersky import tables
from scrapersky.declarations import DECLARATIONS, RUN_JOB
from scrapersky.declarations.queue import Queue
from scrapersky.maintenance.options import MaintenanceOptions
from scrapersky.maintenance.problems import DetectedProblem
from scrapersky.tables.counts import oldest_due

MAX_JOBS_NAMED = 20
MAX_ROWS = 1_000
WITH_OUTPUT = [stage.name for stage in DECLARATIONS if stage.writes and not stage.output_optional]

STUCK_JOBS = text("""
SELECT jobs.id, jobs.job_type, jobs.created_at, jobs.status, domains.domain
FROM jobs LEFT JOIN domains ON domains.id = jobs.domain_id
WHERE (jobs.status = :queued AND jobs.tenant_id NOT IN (SELECT id FROM tenants WHERE NOT is_active)
       AND greatest(jobs.created_at, jobs.next_retry_at) < now() - CAST(:stuck_pending AS interval))
   OR (jobs.status = :processing AND jobs.updated_at < now() - CAST(:stuck_running AS interval))
ORDER BY jobs.created_at LIMIT :max_rows
""")
DISABLED_TENANTS = select(tables.tenants.c.id).where(~tables.tenants.c.is_active)
ACTIVE_STAGES = text("""
SELECT stage FROM stage_stats WHERE minute > now() - CAST(:period AS interval)
GROUP BY stage HAVING sum(done + failed) > 0
""")
STAGES_WITHOUT_OUTPUT = text("""
SELECT stage, sum(done) AS done, min(minute) AS since FROM stage_stats
WHERE minute > now() - CAST(:period AS interval) AND stage = ANY(CAST(:stages AS text[]))
GROUP BY stage HAVING sum(done) >= CAST(:min_rows AS bigint) AND sum(rows_written) = 0
""")


async def find_stalls(connection: AsyncConnection, options: MaintenanceOptions) -> list[DetectedProblem]:
    return [
        *await stuck_jobs(connection, options),
        *await stuck_rows(connection, options),
        *await silent_stages(connection, options),
        *await stages_without_output(connection, options),
    ]


async def stuck_jobs(connection: AsyncConnection, options: MaintenanceOptions) -> list[DetectedProblem]:
    """Jobs that wait or run too long (R024, R025)."""
    params = {
        "queued": RUN_JOB.statuses.queued,
        "processing": RUN_JOB.statuses.processing,
        "stuck_pending": options.stuck_pending,
        "stuck_running": options.stuck_running,
        "max_rows": MAX_ROWS,
    }
    return [
        DetectedProblem(row.job_type, row.status, "jobs", str(row.id), row.created_at, row.domain)
        for row in await connection.execute(STUCK_JOBS, params)
    ]


async def stuck_rows(connection: AsyncConnection, options: MaintenanceOptions) -> list[DetectedProblem]:
    """Rows of every other queue that have been in processing too long (R159)."""
    parts = [_processing_too_long(queue, options) for queue in DECLARATIONS if queue.table != "jobs"]
    rows = await connection.execute(union_all(*parts).limit(MAX_ROWS))
    return [DetectedProblem(row.stage, row.status, row.table_name, row.id, row.since) for row in rows]


def _processing_too_long(queue: Queue, options: MaintenanceOptions) -> Any:
    columns = tables.metadata.tables[queue.table].c
    lease = columns[queue.column("lease_until")]
    return select(
        literal(queue.table).label("table_name"),
        literal(queue.name).label("stage"),
        cast(columns.id, Text).label("id"),
        columns.updated_at.label("since"),
        columns[queue.status].label("status"),
    ).where(lease.is_not(None), columns.updated_at < func.now() - options.stuck_processing)


async def silent_stages(connection: AsyncConnection, options: MaintenanceOptions) -> list[DetectedProblem]:
    """Stages with due rows that have finished nothing for a long time (I20)."""
    active = set((await connection.scalars(ACTIVE_STAGES, {"period": options.stall})).all())
    problems = []
    for stage in DECLARATIONS:
        if stage.name in active:
            continue
        columns = tables.metadata.tables[stage.table].c
        # The work of a disabled tenant rests on purpose.
        is_meant_to_run = columns.tenant_id.not_in(DISABLED_TENANTS)
        is_overdue = columns[stage.column("due_at")] < func.now() - options.stall
        since = await connection.scalar(oldest_due(stage, is_overdue, is_meant_to_run))
        if since is not None:
            reason = "has due work and finishes nothing"
            problems.append(DetectedProblem(stage.name, reason, stage.table, since=since))
    return problems


async def stages_without_output(
    connection: AsyncConnection, options: MaintenanceOptions
) -> list[DetectedProblem]:
    """Stages that complete many rows and write nothing: a stall that looks like work (A30)."""
    params = {"period": options.stall, "stages": WITH_OUTPUT, "min_rows": options.min_rows}
    table_of_stage = {stage.name: stage.table for stage in DECLARATIONS}
    return [
        DetectedProblem(
            row.stage,
            f"completed {row.done} rows and wrote nothing",
            table_of_stage[row.stage],
            since=row.since,
        )
        for row in await connection.execute(STAGES_WITHOUT_OUTPUT, params)
    ]


def describe_stalls(problems: Sequence[DetectedProblem]) -> str:
    """Names each job (R261); of other rows only the number."""
    jobs = [problem for problem in problems if problem.table == "jobs" and problem.id]
    if not jobs:
        return f"{problems[0].stage}: {len(problems)} stuck, {problems[-1].reason}"
    more = f" and {len(jobs) - MAX_JOBS_NAMED} more" if len(jobs) > MAX_JOBS_NAMED else ""
    return f"{len(jobs)} stuck: " + "; ".join(map(_describe_job, jobs[:MAX_JOBS_NAMED])) + more


def _describe_job(job: DetectedProblem) -> str:
    minutes = int((datetime.now(UTC) - job.since).total_seconds() // 60) if job.since else 0
    domain = f", {job.domain}" if job.domain else ""
    return f"job {job.id} ({job.stage}{domain}) {job.reason} for {minutes} min"
