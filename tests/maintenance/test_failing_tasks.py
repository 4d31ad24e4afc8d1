"""A maintenance task that fails, or a stage of which nothing succeeds, raises an alert."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from sqlalchemy import delete, insert, select, text
from sqlalchemy.ext.asyncio import AsyncEngine

from fakes import FakeWeb, urlset
from product import WHO, add_domain, add_job, ago, until
from scrapersky import tables
from scrapersky.actions.searches import submit_scan
from scrapersky.actions.submissions import submit_sitemaps
from scrapersky.alert_channels.channel import AlertMessage
from scrapersky.log import Log
from scrapersky.maintenance import Maintenance, MaintenanceOptions
from scrapersky.wiring import build_schedule
from small_web import worked

MakeMaintenance = Callable[..., Maintenance]


class Silence:
    """A channel that takes every alert."""

    name = "silence"

    def __init__(self) -> None:
        self.got: list[AlertMessage] = []

    async def send(self, news: AlertMessage) -> None:
        self.got.append(news)


async def open_alerts(db: AsyncEngine) -> dict[str, Any]:
    async with db.connect() as connection:
        query = select(tables.alerts.c.subject, tables.alerts.c.kind, tables.alerts.c.message).where(
            tables.alerts.c.resolved_at.is_(None)
        )
        rows = await connection.execute(query)
        return {row.subject: row for row in rows}


async def run_sql(db: AsyncEngine, statement: str) -> None:
    async with db.begin() as connection:
        await connection.execute(text(statement))


# What each task needs, and the same under a name by which it is not found.
BREAKS = {
    "queue_missed_sitemaps": "ALTER TABLE sitemap_files RENAME {} TO {}|sitemap_import_finished_at",
    "dequeue_rejected_domains": "ALTER TABLE domains RENAME {} TO {}|sitemap_curation_status",
    "clean_up": "ALTER TABLE zombies RENAME {} TO {}|created_at",
    "evaluate_alerts": "ALTER TABLE stage_stats RENAME {} TO {}|rows_written",
    "send_alerts": "ALTER TABLE alerts RENAME {} TO {}|notified_at",
}


@pytest.mark.req("R036", "R038", "R204")
@pytest.mark.parametrize("name", BREAKS)
async def test_a_failing_task_raises_an_alert_that_ends_when_it_works_again(
    db: AsyncEngine, name: str
) -> None:
    lines: list[dict[str, Any]] = []
    maintenance = Maintenance(db, MaintenanceOptions(), lines.extend, [Silence()])
    schedule = build_schedule(SimpleNamespace(stages=[], runners={}), maintenance, Log(level="error"))  # type: ignore[arg-type]
    call = schedule.scheduler.get_job(name).func
    statement, column = BREAKS[name].split("|")
    try:
        await run_sql(db, statement.format(column, "gone"))
        with pytest.raises(Exception, match=column):
            await call()
        assert column in (await open_alerts(db))[name].message
        assert (await open_alerts(db))[name].kind == "scheduler_failure"

        await run_sql(db, statement.format("gone", column))
        async with db.begin() as connection:
            await connection.execute(delete(tables.scheduler_slots))
        await call()
        assert name not in await open_alerts(db)
    finally:
        schedule.shutdown()
        await asyncio.sleep(0)


def test_every_maintenance_task_goes_through_the_schedule_that_alerts(maintenance: MakeMaintenance) -> None:
    names = {
        name
        for name, *_ in Maintenance(maintenance().engine, MaintenanceOptions(), print, [Silence()]).tasks()
    }
    assert set(BREAKS) <= names


@pytest.mark.req("R036")
async def test_a_task_that_cannot_be_scheduled_raises_an_alert(
    db: AsyncEngine, maintenance: MakeMaintenance
) -> None:
    one = maintenance()
    one.tasks = lambda: [("broken_task", None, timedelta(seconds=1))]  # type: ignore[method-assign, list-item, return-value]
    schedule = build_schedule(SimpleNamespace(stages=[], runners={}), one, Log(level="error"))  # type: ignore[arg-type]

    async def is_raised() -> bool:
        return "broken_task" in await open_alerts(db)

    await until(is_raised)
    schedule.shutdown()
    await asyncio.sleep(0)


@pytest.mark.parametrize(
    ("figures", "kind"),
    [
        ({"failed": 20, "retried": 40}, "all_failed"),
        ({"snoozed": 60}, "all_snoozed"),
        ({"failed": 59, "done": 1}, None),
        ({"snoozed": 60, "done": 1}, None),
        ({"failed": 20}, None),
    ],
)
async def test_a_stage_of_which_nothing_succeeds_raises_an_alert(
    db: AsyncEngine, maintenance: MakeMaintenance, figures: dict[str, int], kind: str | None
) -> None:
    row = {
        "stage": "read_page",
        "minute": ago(minutes=3),
        "worker": 7,
        "errors": {"Timeout": 50, "KeyError": 1},
    }
    async with db.begin() as connection:
        await connection.execute(insert(tables.stage_stats).values({**row, **figures}))

    await maintenance().evaluate_alerts()

    found = {one.kind: one for one in (await open_alerts(db)).values()}
    assert set(found) == ({kind} if kind else set())
    if kind:
        assert "60" in found[kind].message
        assert "most often Timeout (50)" in found[kind].message


@pytest.mark.req("R261")
async def test_the_alert_of_stuck_jobs_names_number_type_age_and_domain(
    db: AsyncEngine, maintenance: MakeMaintenance
) -> None:
    domain = await add_domain(db, "lune.co.uk", status="completed")
    late = {"created_at": ago(minutes=9), "next_retry_at": ago(minutes=9)}
    number = await add_job(db, "sitemap", domain_id=domain, **late)

    await maintenance().evaluate_alerts()

    assert (await open_alerts(db))["sitemap"].message == (
        f"1 stuck: job {number} (sitemap, lune.co.uk) pending for 9 min"
    )


@pytest.mark.req("R262")
async def test_a_scan_job_is_logged_when_it_is_made(db: AsyncEngine) -> None:
    """By a person, and by the stage that submits domains."""
    lines: list[dict[str, Any]] = []
    number, job_id = await submit_scan(db, WHO, "lune.co.uk", report=lines.extend)

    wanted = {"domain": "lune.co.uk", "job_id": job_id, "id": number, "user": WHO.user_id}
    wanted["correlation_id"] = None
    assert lines == [{"event": "job_created", "job_type": "sitemap", **wanted}]

    await add_domain(
        db, "moon.co.uk", host="moon.co.uk", status="completed", sitemap_analysis_status="queued"
    )
    notifications = await worked(db, FakeWeb())
    [line] = [one for one in notifications if one["event"] == "job_created"]
    async with db.connect() as connection:
        made = await connection.scalar(text("SELECT job_id FROM jobs WHERE host = 'moon.co.uk'"))
    assert (line["domain"], line["job_id"], line["user"]) == ("moon.co.uk", made, WHO.user_id)


@pytest.mark.req("R065")
async def test_the_import_logs_how_many_pages_were_there_already(db: AsyncEngine) -> None:
    site = "https://lune.co.uk"
    files = {f"{site}/a.xml": urlset(f"{site}/1", f"{site}/2"), f"{site}/sitemap.xml": urlset(f"{site}/2")}
    for url, counts in ((f"{site}/a.xml", (2, 0)), (f"{site}/sitemap.xml", (1, 1))):
        await submit_sitemaps(db, WHO, url)
        lines = await worked(db, FakeWeb(files))
        [line] = [one for one in lines if one["event"] == "sitemap_imported"]
        assert (line["domain"], line["url"]) == ("lune.co.uk", url)
        assert (line["listed"], line["existing"]) == counts
    async with db.connect() as connection:
        known = text("SELECT sum((tallies ->> 'pages_existing')::int) FROM stage_totals")
        assert await connection.scalar(known) == 1, "the metric"
