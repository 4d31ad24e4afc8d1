"""What is stuck or silent is found, logged as an error and raised as one alert that ends when it is over."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from sqlalchemy import delete, insert, select
from sqlalchemy.ext.asyncio import AsyncEngine

from product import USER, add_job, add_sitemaps, ago, change, job_row
from scrapersky import tables
from scrapersky.declarations import DECLARATIONS
from scrapersky.declarations.queue import Queue
from scrapersky.log import Log
from scrapersky.maintenance import Maintenance, raise_alert
from scrapersky.maintenance.problems import DetectedProblem
from scrapersky.queries import HealthQuery
from scrapersky.settings import Settings
from scrapersky.wiring import build_maintenance

MakeMaintenance = Callable[..., Maintenance]
QUEUES = [queue for queue in DECLARATIONS if queue.table != "jobs"]


async def look(db: AsyncEngine, maintenance: Maintenance) -> list[DetectedProblem]:
    """The next look, as if its time had come."""
    async with db.begin() as connection:
        await connection.execute(delete(tables.scheduler_slots))
    return await maintenance.evaluate_alerts()


async def alerts(db: AsyncEngine) -> list[Any]:
    async with db.connect() as connection:
        return list(
            (await connection.execute(select(tables.alerts).order_by(tables.alerts.c.created_at))).all()
        )


@pytest.mark.req("R024", "R025")
async def test_jobs_that_wait_or_run_too_long_are_reported(
    db: AsyncEngine, maintenance: MakeMaintenance
) -> None:
    waits = await add_job(db, "note", created_at=ago(minutes=6), next_retry_at=ago(minutes=6))
    runs = await add_job(
        db, status="running", created_at=ago(hours=2), updated_at=ago(minutes=31), lease_until=ago(minutes=-1)
    )
    await add_job(db, created_at=ago(minutes=4), next_retry_at=ago(minutes=4))
    await add_job(db, status="running", updated_at=ago(minutes=29), lease_until=ago(minutes=-1))

    found = await look(db, maintenance())

    jobs = {one.id: one for one in found if one.id}
    assert set(jobs) == {str(waits), str(runs)}
    assert (jobs[str(waits)].stage, jobs[str(waits)].reason) == ("note", "pending")
    assert jobs[str(waits)].since == (await job_row(db, waits)).created_at
    assert jobs[str(runs)].reason == "running"


@pytest.mark.req("R027")
async def test_the_log_has_an_error_line_with_the_number_and_the_ids(
    db: AsyncEngine, maintenance: MakeMaintenance, lines: list[dict[str, Any]]
) -> None:
    numbers = [await add_job(db, created_at=ago(minutes=9), next_retry_at=ago(minutes=9)) for _ in range(3)]

    await look(db, maintenance())

    line = next(line for line in lines if line["event"] == "stuck_jobs_detected")
    assert (line["level"], line["count"]) == ("error", 3)
    assert line["jobs"] == [str(number) for number in numbers]


@pytest.mark.req("R026")
async def test_the_thresholds_are_settings(db: AsyncEngine) -> None:
    settings = Settings(
        job_stuck_pending_minutes=2, job_stuck_running_minutes=3, stuck_processing_minutes=4, stall_minutes=5
    )
    options = build_maintenance(settings, db, Log()).options

    figures = (options.stuck_pending, options.stuck_running, options.stuck_processing, options.stall)
    assert figures == tuple(timedelta(minutes=number) for number in (2, 3, 4, 5))


@pytest.mark.req("R159")
@pytest.mark.parametrize("queue", QUEUES, ids=[queue.name for queue in QUEUES])
async def test_rows_in_work_for_too_long_are_found_in_every_queue(
    db: AsyncEngine,
    maintenance: MakeMaintenance,
    make: Callable[..., Awaitable[dict[str, Any]]],
    queue: Queue,
) -> None:
    stuck = await make(
        queue.table, **{queue.status: queue.statuses.processing, "updated_at": ago(minutes=31)}
    )
    await make(queue.table, **{queue.status: queue.statuses.processing, "updated_at": ago(minutes=29)})

    found = await look(db, maintenance())

    named = [(one.table, one.stage, one.id, one.reason) for one in found]
    assert named == [(queue.table, queue.name, str(stuck["id"]), queue.statuses.processing)]


async def test_an_alert_is_opened_once_and_ends_when_it_is_over(
    db: AsyncEngine, maintenance: MakeMaintenance
) -> None:
    number = await add_job(db, "note", created_at=ago(minutes=9), next_retry_at=ago(minutes=9))
    maintainer = maintenance()
    await look(db, maintainer)
    await look(db, maintainer)

    [alert] = await alerts(db)
    assert (alert.kind, alert.subject, alert.severity, alert.occurrences) == ("stuck", "note", "error", 2)
    assert alert.resolved_at is None

    await change(db, tables.jobs, tables.jobs.c.id == number, status="cancelled")
    await look(db, maintainer)
    [alert] = await alerts(db)
    assert alert.resolved_at is not None

    await add_job(db, "note", created_at=ago(minutes=9), next_retry_at=ago(minutes=9))
    await look(db, maintainer)
    assert [one.resolved_at is None for one in await alerts(db)] == [False, True]


async def test_a_stage_with_due_work_that_finishes_nothing_is_named_a30(
    db: AsyncEngine, maintenance: MakeMaintenance, lines: list[dict[str, Any]]
) -> None:
    """The silent stall (I20), with 15 seconds in place of 15 minutes."""
    await add_sitemaps(db, 2, sitemap_import_due_at=ago(seconds=20))

    found = await look(db, maintenance(stall=timedelta(seconds=15)))

    assert [(one.stage, one.reason) for one in found] == [
        ("import_sitemap", "has due work and finishes nothing")
    ]
    assert [line["level"] for line in lines if line["event"] == "problem_detected"] == ["error"]
    [alert] = await alerts(db)
    assert (alert.subject, alert.resolved_at) == ("import_sitemap", None)
    assert (await HealthQuery(db).report())["details"]["open_alerts"] == ["import_sitemap"]


@pytest.mark.parametrize("kind", ["done", "failed"])
async def test_a_stage_that_finishes_something_is_not_silent(
    db: AsyncEngine, maintenance: MakeMaintenance, kind: str
) -> None:
    await add_sitemaps(db, 1, sitemap_import_due_at=ago(minutes=20))
    values = {"stage": "import_sitemap", "minute": ago(minutes=3), "worker": 1, kind: 1}
    async with db.begin() as connection:
        await connection.execute(insert(tables.stage_stats).values(values))

    assert await look(db, maintenance()) == []


@pytest.mark.parametrize(
    ("minutes", "given"),
    [
        (-60, {}),
        (5, {}),
        (60, {"sitemap_curation_status": "Rejected"}),
        (60, {"sitemap_import_status": "Complete"}),
    ],
    ids=["not due", "due for a short time", "excluded", "at rest"],
)
async def test_a_stage_without_work_that_is_long_due_is_not_silent(
    db: AsyncEngine, maintenance: MakeMaintenance, minutes: int, given: dict[str, Any]
) -> None:
    await add_sitemaps(db, 1, sitemap_import_due_at=ago(minutes=minutes), **given)

    assert await look(db, maintenance()) == []


async def test_a_quiet_product_has_nothing_to_report(
    db: AsyncEngine, maintenance: MakeMaintenance, lines: list[dict[str, Any]]
) -> None:
    await add_job(db, created_by=USER)

    assert await look(db, maintenance()) == []
    assert (lines, await alerts(db)) == ([], [])


async def test_a30_a_stage_that_calls_rows_done_and_writes_nothing_is_found(
    db: AsyncEngine, maintenance: MakeMaintenance
) -> None:
    minute = {"minute": ago(minutes=2).replace(second=0, microsecond=0), "worker": 1}
    async with db.begin() as connection:
        await connection.execute(
            insert(tables.stage_stats).values(stage="read_page", done=60, rows_written=0, **minute)
        )
        await connection.execute(
            insert(tables.stage_stats).values(stage="import_sitemap", done=60, rows_written=1, **minute)
        )
        await connection.execute(
            insert(tables.stage_stats).values(stage="read_metadata", done=9, rows_written=0, **minute)
        )

    found = await look(db, maintenance())

    assert [(one.stage, one.reason) for one in found] == [
        ("read_page", "completed 60 rows and wrote nothing")
    ]
    assert [one.subject for one in await alerts(db)] == ["read_page"]


@pytest.mark.req("R036")
async def test_a_failure_of_a_schedule_opens_one_alert_and_counts_it(db: AsyncEngine) -> None:
    for _ in range(2):
        await raise_alert(db, "scheduler_failure", "read_page", "broken")

    (alert,) = await alerts(db)
    assert (alert.kind, alert.subject, alert.message, alert.occurrences) == (
        "scheduler_failure", "read_page", "broken", 2,
    )  # fmt: skip


async def test_the_resting_work_of_a_disabled_tenant_is_not_stuck(
    db: AsyncEngine, maintenance: MakeMaintenance
) -> None:
    tenant_id = uuid4()
    row = insert(tables.tenants).values(id=tenant_id, name="North", is_active=False)
    async with db.begin() as connection:
        await connection.execute(row)
    await add_job(
        db, tenant_id=tenant_id, created_at=ago(hours=2), updated_at=ago(hours=2), next_retry_at=ago(hours=2)
    )
    assert await look(db, maintenance()) == []
    await change(db, tables.tenants, tables.tenants.c.id == tenant_id, is_active=True)
    assert {problem.table for problem in await look(db, maintenance())} == {"jobs"}
