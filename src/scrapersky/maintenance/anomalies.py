"""Checks for unusual figures: stages in which nothing succeeds, slow rows, growing queues (R205).

A stage is compared with its own last day. A few figures prove nothing, so each check has a minimum.
"""

from __future__ import annotations

from sqlalchemy import Row, text
from sqlalchemy.ext.asyncio import AsyncConnection

from scrapersky.maintenance.options import MaintenanceOptions
from scrapersky.maintenance.problems import DetectedProblem
from scrapersky.tables.counts import waiting_rows
from scrapersky.tables.health_tables import errors_since

MAINTENANCE_WORKER = 0  # Writes figures that belong to no worker.
MIN_MINUTES = 30
MIN_ROWS = 20
MIN_EXTRA_MS = 1_000.0
MIN_SAMPLES = 24
MIN_WAITING = 1_000

STAGES_WITHOUT_SUCCESS = text("""
SELECT stage, sum(failed + retried) AS failed, sum(snoozed) AS snoozed FROM stage_stats
WHERE minute > now() - CAST(:period AS interval)
GROUP BY stage HAVING sum(done) = 0 AND sum(failed + retried + snoozed) >= CAST(:min_rows AS bigint)
""")
MEDIAN_DURATIONS = text("""
WITH minutes AS (
  SELECT stage, minute > now() - CAST(:period AS interval) AS is_recent,
         sum(done + failed + retried + snoozed) AS items,
         sum(ms_sum) / sum(done + failed + retried + snoozed) AS ms
  FROM stage_stats WHERE minute > now() - interval '1 day'
  GROUP BY stage, minute HAVING sum(done + failed + retried + snoozed) > 0
)
SELECT stage,
       count(*) FILTER (WHERE NOT is_recent) AS minutes,
       coalesce(sum(items) FILTER (WHERE is_recent), 0) AS items,
       percentile_cont(0.5) WITHIN GROUP (ORDER BY ms) FILTER (WHERE NOT is_recent) AS usual,
       percentile_cont(0.5) WITHIN GROUP (ORDER BY ms) FILTER (WHERE is_recent) AS recent
FROM minutes GROUP BY stage
""")
# The usual length of a queue is what it exceeded in only a twentieth of the day.
USUAL_QUEUES = text("""
SELECT stage,
       count(waiting) FILTER (WHERE NOT is_recent) AS samples,
       percentile_cont(0.95) WITHIN GROUP (ORDER BY waiting) FILTER (WHERE NOT is_recent) AS usual,
       coalesce(sum(done) FILTER (WHERE is_recent), 0) AS done
FROM (SELECT *, minute > now() - CAST(:period AS interval) AS is_recent FROM stage_stats
      WHERE minute > now() - interval '1 day') AS day
GROUP BY stage
""")
RECORD_QUEUE_LENGTH = text("""
INSERT INTO stage_stats (stage, minute, worker, waiting)
VALUES (:stage, date_trunc('minute', now()), :worker, :waiting)
ON CONFLICT (stage, minute, worker) DO UPDATE SET waiting = excluded.waiting
""")


async def failing_stages(connection: AsyncConnection, options: MaintenanceOptions) -> list[DetectedProblem]:
    """Stages in which every recent attempt failed."""
    return [
        DetectedProblem(row.stage, f"all of the last {row.failed:,} tries failed{errors}")
        for row, errors in await _stages_without_success(connection, options)
        if row.snoozed <= row.failed
    ]


async def snoozing_stages(connection: AsyncConnection, options: MaintenanceOptions) -> list[DetectedProblem]:
    """Stages that snoozed every recent row."""
    return [
        DetectedProblem(row.stage, f"all of the last {row.snoozed:,} rows were snoozed{errors}")
        for row, errors in await _stages_without_success(connection, options)
        if row.snoozed > row.failed
    ]


async def _stages_without_success(
    connection: AsyncConnection, options: MaintenanceOptions
) -> list[tuple[Row[tuple[str, int, int]], str]]:
    """Each stage with its most frequent error, as the end of a sentence."""
    errors: dict[str, str] = {}
    for row in await connection.execute(errors_since(options.stall)):
        errors.setdefault(row.stage, f"; most often {row.error_class} ({row.number:,})")
    params = {"period": options.stall, "min_rows": options.min_rows}
    rows = await connection.execute(STAGES_WITHOUT_SUCCESS, params)
    return [(row, errors.get(row.stage, "")) for row in rows]


async def slow_stages(connection: AsyncConnection, options: MaintenanceOptions) -> list[DetectedProblem]:
    """Stages whose rows take many times longer than usual; medians ignore a single odd minute."""
    return [
        DetectedProblem(row.stage, f"a row takes {row.recent:,.0f} ms, usually {row.usual:,.0f} ms")
        for row in await connection.execute(MEDIAN_DURATIONS, {"period": options.stall})
        if row.minutes >= MIN_MINUTES
        and row.items >= MIN_ROWS
        and row.recent > options.slow_factor * row.usual
        and row.recent - row.usual > MIN_EXTRA_MS
    ]


async def long_queues(connection: AsyncConnection, options: MaintenanceOptions) -> list[DetectedProblem]:
    """Stages with many times more rows waiting than usual, and than they complete in the same period.

    A large batch that makes progress is not a problem.
    """
    waiting = await record_queue_lengths(connection)
    return [
        DetectedProblem(
            row.stage,
            f"{waiting[row.stage]:,} rows wait, usually {row.usual:,.0f}; {row.done:,.0f} done recently",
        )
        for row in await connection.execute(USUAL_QUEUES, {"period": options.stall})
        if row.samples >= MIN_SAMPLES
        and waiting.get(row.stage, 0) >= MIN_WAITING
        and waiting[row.stage] > options.queue_factor * max(row.usual, row.done)
    ]


async def record_queue_lengths(connection: AsyncConnection) -> dict[str, int]:
    """Count the rows that wait for each stage; later days are compared with these figures."""
    waiting = await waiting_rows(connection)
    rows = [
        {"stage": stage, "worker": MAINTENANCE_WORKER, "waiting": number} for stage, number in waiting.items()
    ]
    await connection.execute(RECORD_QUEUE_LENGTH, rows)
    return waiting
