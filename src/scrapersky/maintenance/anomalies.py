"""Looks for figures far above a stage's own normal: rows that take long, queues that grow (R205).

Normal is what the stage did in the last day. Few figures say nothing, so each rule has a least number.
"""

from __future__ import annotations

from datetime import timedelta

from sqlalchemy import func, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from scrapersky import tables
from scrapersky.maintenance.options import MaintenanceOptions
from scrapersky.tables.counts import waiting_rows
from scrapersky.tables.monitoring_tables import errors_since

DAY = timedelta(days=1)
MEASURED_BY = 0  # No worker has this number.
LEAST_MINUTES = 30
LEAST_ROWS = 20
LEAST_MORE_MS = 1_000.0
LEAST_SAMPLES = 24
LEAST_WAITING = 1_000


async def slow_stages(connection: AsyncConnection, options: MaintenanceOptions) -> dict[str, str]:
    """Stages whose rows take many times longer than usual; by medians, so one odd minute is nothing."""
    items = func.sum(
        tables.stage_stats.c.done
        + tables.stage_stats.c.failed
        + tables.stage_stats.c.retried
        + tables.stage_stats.c.snoozed
    )
    minutes = (
        select(
            tables.stage_stats.c.stage,
            tables.stage_stats.c.minute,
            items.label("number"),
            (func.sum(tables.stage_stats.c.ms_sum) / func.nullif(items, 0)).label("ms"),
        )
        .where(tables.stage_stats.c.minute > func.now() - DAY)
        .group_by(tables.stage_stats.c.stage, tables.stage_stats.c.minute)
        .having(items > 0)
        .subquery()
    )
    recent = minutes.c.minute > func.now() - options.stall
    median = func.percentile_cont(0.5).within_group(minutes.c.ms)
    query = select(
        minutes.c.stage,
        func.count().filter(~recent).label("minutes"),
        func.sum(minutes.c.number).filter(recent).label("number"),
        median.filter(~recent).label("usual"),
        median.filter(recent).label("now"),
    ).group_by(minutes.c.stage)
    return {
        row.stage: f"a row takes {row.now:,.0f} ms, usually {row.usual:,.0f} ms"
        for row in await connection.execute(query)
        if row.minutes >= LEAST_MINUTES
        and (row.number or 0) >= LEAST_ROWS
        and row.now > options.slow_factor * row.usual
        and row.now - row.usual > LEAST_MORE_MS
    }


async def fruitless_stages(
    connection: AsyncConnection, options: MaintenanceOptions
) -> tuple[dict[str, str], dict[str, str]]:
    """Stages of which of late no row succeeded: those that fail, and those that put everything off."""
    failed = func.sum(tables.stage_stats.c.failed + tables.stage_stats.c.retried)
    snoozed = func.sum(tables.stage_stats.c.snoozed)
    query = (
        select(tables.stage_stats.c.stage, failed.label("failed"), snoozed.label("snoozed"))
        .where(tables.stage_stats.c.minute > func.now() - options.stall)
        .group_by(tables.stage_stats.c.stage)
        .having(func.sum(tables.stage_stats.c.done) == 0, failed + snoozed >= options.barren)
    )
    errors: dict[str, str] = {}
    for row in await connection.execute(errors_since(options.stall)):
        errors.setdefault(row.stage, f"{row.error_class} ({row.number:,})")
    failing, postponing = {}, {}
    for row in await connection.execute(query):
        often = f"; most often {errors[row.stage]}" if row.stage in errors else ""
        if row.snoozed > row.failed:
            postponing[row.stage] = f"all of the last {row.snoozed:,} rows were snoozed{often}"
        else:
            failing[row.stage] = f"all of the last {row.failed:,} tries failed{often}"
    return failing, postponing


async def long_queues(connection: AsyncConnection, options: MaintenanceOptions) -> dict[str, str]:
    """Stages with many times more rows waiting than usual, and than they will get through before long.

    Usual is the longest queue but for a twentieth of the day. A big batch that goes well is no alarm.
    """
    recent = tables.stage_stats.c.minute > func.now() - options.stall
    usual = func.percentile_cont(0.95).within_group(tables.stage_stats.c.waiting)
    query = (
        select(
            tables.stage_stats.c.stage,
            func.count(tables.stage_stats.c.waiting).filter(~recent).label("samples"),
            usual.filter(~recent).label("usual"),
            func.coalesce(func.sum(tables.stage_stats.c.done).filter(recent), 0).label("did"),
        )
        .where(tables.stage_stats.c.minute > func.now() - DAY)
        .group_by(tables.stage_stats.c.stage)
    )
    waiting = await measure_queues(connection)
    return {
        row.stage: f"{waiting[row.stage]:,} rows wait, usually {row.usual:,.0f}; {row.did:,.0f} done of late"
        for row in await connection.execute(query)
        if row.samples >= LEAST_SAMPLES
        and waiting.get(row.stage, 0) >= LEAST_WAITING
        and waiting[row.stage] > options.queue_factor * max(row.usual, row.did)
    }


async def measure_queues(connection: AsyncConnection) -> dict[str, int]:
    """Count what waits in every queue, and keep the figures as the normal of later days."""
    found = await waiting_rows(connection)
    minute = func.date_trunc("minute", func.now())
    statement = insert(tables.stage_stats).values(
        [{"stage": stage, "minute": minute, "worker": MEASURED_BY, "waiting": number}
         for stage, number in found.items()]
    )  # fmt: skip
    await connection.execute(
        statement.on_conflict_do_update(
            index_elements=["stage", "minute", "worker"], set_={"waiting": statement.excluded.waiting}
        )
    )
    return found
