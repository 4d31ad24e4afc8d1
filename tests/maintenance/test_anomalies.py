"""Durations and queues far above a stage's own normal raise an alert; few figures and busy days do not."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import delete, func, insert, select
from sqlalchemy.ext.asyncio import AsyncEngine

from product import add_pages, ago
from scrapersky import tables
from scrapersky.declarations import DECLARATIONS
from scrapersky.log import Log
from scrapersky.maintenance import Maintenance
from scrapersky.queries import StageQuery
from scrapersky.settings import Settings
from scrapersky.wiring import build_maintenance

MakeMaintenance = Callable[..., Maintenance]


async def write(db: AsyncEngine, minutes: range, *, worker: int = 1, **figures: float) -> None:
    """The same figures of read_page in each of these minutes before now."""
    rows = [
        {"stage": "read_page", "minute": ago(minutes=one), "worker": worker, **figures} for one in minutes
    ]
    async with db.begin() as connection:
        await connection.execute(insert(tables.stage_stats), rows)


async def look(db: AsyncEngine, maintenance: Maintenance) -> list[tuple[str, str]]:
    async with db.begin() as connection:
        await connection.execute(delete(tables.scheduler_slots))
    await maintenance.evaluate_alerts()
    async with db.connect() as connection:
        rows = await connection.execute(
            select(tables.alerts.c.kind, tables.alerts.c.subject).where(tables.alerts.c.resolved_at.is_(None))
        )
        return [(row.kind, row.subject) for row in rows]


USUAL = range(20, 80)
OF_LATE = range(1, 11)


@pytest.mark.req("R205")
@pytest.mark.parametrize(
    ("usual", "late", "minutes", "number", "alerts"),
    [
        (200, 2_500, USUAL, 10, [("slow", "read_page")]),
        (200, 1_900, USUAL, 10, []),
        (2, 500, USUAL, 10, []),
        (200, 2_500, range(20, 45), 10, []),
        (200, 2_500, USUAL, 1, []),
    ],
    ids=["far slower", "a little slower", "slower by nothing to speak of", "a young stage", "few rows"],
)
async def test_rows_that_take_many_times_longer_than_usual_raise_an_alert(
    db: AsyncEngine,
    maintenance: MakeMaintenance,
    usual: int,
    late: int,
    minutes: range,
    number: int,
    alerts: list[Any],
) -> None:
    await write(db, minutes, done=10, rows_written=1, ms_sum=10.0 * usual)
    await write(db, OF_LATE, done=number, rows_written=1, ms_sum=float(number * late))

    assert await look(db, maintenance()) == alerts


@pytest.mark.req("R205")
async def test_one_odd_minute_raises_nothing_and_an_alert_is_resolved(
    db: AsyncEngine, maintenance: MakeMaintenance, lines: list[dict[str, Any]]
) -> None:
    await write(db, USUAL, done=10, rows_written=1, ms_sum=2_000.0)
    await write(db, OF_LATE, done=10, rows_written=1, ms_sum=2_000.0)
    await write(db, range(1, 4), worker=2, done=10, rows_written=1, ms_sum=900_000.0)
    assert await look(db, maintenance()) == []

    assert await look(db, maintenance(stall=timedelta(minutes=3, seconds=30))) == [("slow", "read_page")]
    assert [(line["level"], line["stage"]) for line in lines if line["event"] == "problem_detected"] == [
        ("warning", "read_page")
    ]
    assert await look(db, maintenance()) == []


@pytest.mark.req("R205")
@pytest.mark.parametrize(
    ("usual", "did", "waiting", "alerts"),
    [
        (50, 0, 1_200, [("long_queue", "read_page")]),
        (50, 100, 1_200, [("long_queue", "read_page")]),
        (50, 200, 1_200, []),
        (200, 0, 1_200, []),
        (5, 0, 400, []),
    ],
    ids=["far longer", "and will not be done soon", "but will be", "a little longer", "short anyway"],
)
async def test_a_queue_many_times_longer_than_usual_raises_an_alert(
    db: AsyncEngine, maintenance: MakeMaintenance, usual: int, did: int, waiting: int, alerts: list[Any]
) -> None:
    await write(db, range(20, 50), worker=0, waiting=usual)
    await write(db, range(1, 2), done=did, rows_written=1)
    await add_pages(db, waiting, page_processing_status="Queued")

    assert await look(db, maintenance()) == alerts


@pytest.mark.req("R205")
async def test_without_a_past_no_queue_is_unusual(db: AsyncEngine, maintenance: MakeMaintenance) -> None:
    await write(db, range(20, 30), worker=0, waiting=0)
    await add_pages(db, 1_200, page_processing_status="Queued")

    assert await look(db, maintenance()) == []


@pytest.mark.req("R205")
async def test_every_look_keeps_the_lengths_of_the_queues(
    db: AsyncEngine, maintenance: MakeMaintenance
) -> None:
    await add_pages(db, 7, page_processing_status="Queued")

    for _ in range(2):
        await look(db, maintenance())

    async with db.connect() as connection:
        rows = select(
            tables.stage_stats.c.stage, func.max(tables.stage_stats.c.waiting).label("most")
        ).group_by(tables.stage_stats.c.stage)
        lengths = {row.stage: row.most for row in await connection.execute(rows)}
    assert (lengths["read_page"], lengths["deliver"], len(lengths)) == (7, 0, len(DECLARATIONS))
    [line] = [line for line in await StageQuery(db).statuses() if line.stage == "read_page"]
    assert (line.runs, line.waiting) == (0, 7)


@pytest.mark.req("R205")
async def test_the_factors_are_settings(db: AsyncEngine) -> None:
    options = build_maintenance(Settings(slow_stage_factor=3, queue_growth_factor=4), db, Log()).options

    assert (options.slow_factor, options.queue_factor) == (3, 4)
