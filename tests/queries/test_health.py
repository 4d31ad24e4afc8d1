"""Health is computed: the database, a live worker for every stage, further services, open alerts."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest
from sqlalchemy import event, insert
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from product import add_domain, add_job, add_pages, add_sitemaps, ago
from scrapersky import tables
from scrapersky.declarations import DECLARATIONS
from scrapersky.engine.stage import Stage
from scrapersky.pipeline import STAGES
from scrapersky.queries import HealthQuery, StageQuery

ALL = [stage.name for stage in STAGES]
JOBS = [stage.job_id for stage in STAGES]
TASKS = ("queue_missed_sitemaps", "clean_up")
HEALTH_NAMES = {stage.name: stage.health_name for stage in DECLARATIONS}


async def add_worker(
    db: AsyncEngine, stages: Sequence[str] = ALL, *, jobs: Sequence[str] = JOBS, silent_for: float = 0
) -> None:
    values = {"machine": "m", "pid": 1, "stages": list(stages), "heartbeat_at": ago(seconds=silent_for)}
    values["scheduled_jobs"] = list(jobs)
    async with db.begin() as connection:
        await connection.execute(insert(tables.workers).values(values))


@pytest.mark.req("R087")
async def test_with_a_live_worker_for_every_stage_it_is_healthy(db: AsyncEngine) -> None:
    await add_worker(db)

    report = await HealthQuery(db).report()

    assert report["status"] == "healthy"
    assert report["external_services"]["database"] is True
    assert set(report["schedulers"].values()) == {True}


@pytest.mark.req("R088")
async def test_every_stage_is_among_the_schedulers_under_its_job_id(db: AsyncEngine) -> None:
    report = await HealthQuery(db).report()

    job_ids = {name: state["job_id"] for name, state in report["details"]["schedulers"].items()}
    assert len(job_ids) == len(STAGES)
    assert job_ids["domain_sitemap_submission"] == "process_pending_domain_sitemap_submissions"
    assert job_ids["sitemap_import"] == "process_sitemap_imports"
    assert job_ids["page_curation"] == "v2_page_curation_processor"
    assert all(job_ids.values())


@pytest.mark.req("R091")
async def test_without_any_worker_it_is_unhealthy(db: AsyncEngine) -> None:
    assert (await HealthQuery(db).report())["status"] == "unhealthy"


@pytest.mark.req("R091")
async def test_a_worker_whose_heart_stopped_does_not_count(db: AsyncEngine) -> None:
    await add_worker(db, silent_for=61)

    assert (await HealthQuery(db).report())["status"] == "unhealthy"


@pytest.mark.req("R091")
@pytest.mark.parametrize("dead", ALL)
async def test_one_stage_without_a_worker_is_enough_to_be_unhealthy(db: AsyncEngine, dead: str) -> None:
    await add_worker(db, [name for name in ALL if name != dead])

    report = await HealthQuery(db).report()

    assert report["status"] == "unhealthy"
    assert report["schedulers"][HEALTH_NAMES[dead]] is False


@pytest.mark.req("R088", "R253")
@pytest.mark.parametrize("stage", STAGES, ids=lambda stage: stage.name)
async def test_a_stage_whose_job_is_not_on_the_schedule_does_not_run(db: AsyncEngine, stage: Stage) -> None:
    """A worker that is alive but lost the job from its schedule is what nobody notices otherwise."""
    await add_worker(db, jobs=[job for job in JOBS if job != stage.job_id])

    report = await HealthQuery(db).report()

    stopped = [name for name, is_running in report["schedulers"].items() if not is_running]
    assert (report["status"], stopped) == ("unhealthy", [HEALTH_NAMES[stage.name]])


@pytest.mark.req("R253")
async def test_maintenance_tasks_are_schedulers_too(db: AsyncEngine) -> None:
    await add_worker(db, jobs=[*JOBS, TASKS[0]])
    async with db.begin() as connection:
        run = {"name": TASKS[0], "slot": 1, "runs": 7, "last_run_at": ago(seconds=5)}
        await connection.execute(insert(tables.scheduler_slots).values(run))
        await connection.execute(
            insert(tables.alerts).values(kind="scheduler_failure", subject=TASKS[0], message="disk full")
        )

    report = await HealthQuery(db, tasks=TASKS).report()

    assert report["status"] == "unhealthy"
    assert [report["schedulers"][name] for name in TASKS] == [True, False]
    detail = report["details"]["schedulers"][TASKS[0]]
    assert (detail["runs"], detail["error"]) == (7, "disk full")


async def test_an_open_alert_makes_it_degraded(db: AsyncEngine) -> None:
    await add_worker(db)
    async with db.begin() as connection:
        await connection.execute(insert(tables.alerts).values(kind="stuck", subject="run_job", message="m"))

    report = await HealthQuery(db).report()

    assert (report["status"], report["details"]["open_alerts"]) == ("degraded", ["run_job"])


async def _ok() -> str:
    return "ok"


async def _not_configured() -> str:
    return "not configured"


async def _refused() -> str:
    raise ConnectionRefusedError("nobody there")


async def _key_refused() -> str:
    return "the key is refused"


@pytest.mark.req("R089")
@pytest.mark.parametrize(
    ("check", "status", "shown"),
    [
        (_ok, "healthy", "ok"),
        (_not_configured, "healthy", "not configured"),
        (_refused, "degraded", "unreachable: ConnectionRefusedError"),
        (_key_refused, "degraded", "the key is refused"),
    ],
)
async def test_external_services_are_really_asked(
    db: AsyncEngine, check: Any, status: str, shown: str
) -> None:
    await add_worker(db)

    report = await HealthQuery(db, {"scraper_api": check}).report()

    assert report["status"] == status
    assert report["details"]["external_services"]["scraper_api"]["status"] == shown
    assert report["external_services"]["scraper_api"] is (shown == "ok")


async def test_a_service_is_not_called_as_often_as_we_are(db: AsyncEngine) -> None:
    calls = []

    async def check() -> str:
        calls.append(1)
        return "ok"

    health = HealthQuery(db, {"scraper_api": check})
    reports = await asyncio.gather(*(health.report() for _ in range(5)))

    assert [report["external_services"]["scraper_api"] for report in reports] == [True] * 5
    assert len(calls) == 1


async def test_a_service_that_hangs_does_not_hang_the_answer(
    db: AsyncEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scrapersky.queries.health.TIMEOUT_SECONDS", 2)

    async def hang() -> str:
        await asyncio.sleep(60)
        return "ok"

    report = await HealthQuery(db, {"scraper_api": hang}).report()

    service = report["details"]["external_services"]["scraper_api"]
    assert service["status"] == "unreachable: TimeoutError"


@pytest.mark.req("R090", "R253")
async def test_the_depths_of_the_queues_are_counted(db: AsyncEngine) -> None:
    await add_job(db)
    await add_sitemaps(db, 2)
    await add_pages(db, 3, page_processing_status="Queued")
    for _ in range(4):
        await add_domain(db, status="completed", sitemap_analysis_status="queued")

    depths = (await HealthQuery(db).report())["queue_depths"]

    assert (depths["sitemaps_queued"], depths["pages_queued"], depths["run_job_queued"]) == (2, 3, 1)
    assert depths["domains_queued"] == 4, "those whose sitemap analysis is queued"
    assert depths["read_metadata_queued"] == 2, "sitemaps and pages have a domain of their own each"
    assert len(depths) == len(STAGES)


@pytest.mark.req("R091")
@pytest.mark.parametrize(
    "address",
    [
        "postgresql+asyncpg://nobody@127.0.0.1:9/none",
        "postgresql+asyncpg://nobody@/none?host=/nonexistent",
    ],
)
async def test_without_the_database_it_is_unhealthy_and_says_so(address: str) -> None:
    engine = create_async_engine(address)
    health = HealthQuery(engine)

    report = await health.report()

    assert report["status"] == "unhealthy"
    assert report["external_services"]["database"] is False
    assert report["details"]["external_services"]["database"] == {"status": "unreachable"}
    assert not await health.is_ready()
    await engine.dispose()


@pytest.mark.req("R091")
async def test_a_database_that_refuses_connections_is_unreachable(db: AsyncEngine) -> None:
    """The server is there but does not let us in, as when it starts, stops or is full (A22)."""
    gone = create_async_engine(db.url.set(database="not_there"))

    assert not await HealthQuery(gone).is_ready()
    assert (await HealthQuery(gone).report())["status"] == "unhealthy"
    assert await HealthQuery(db).is_ready()
    await gone.dispose()


@pytest.mark.req("R203")
async def test_health_and_status_read_no_table_of_rows_to_count_them(db: AsyncEngine) -> None:
    """Load balancers ask every few seconds, whatever the size of the tables."""
    await add_pages(db, 3, page_processing_status="Queued")
    asked: list[str] = []

    def seen(_: Any, __: Any, statement: str, *___: Any) -> None:
        asked.append(statement)

    event.listen(db.sync_engine, "before_cursor_execute", seen)
    report = await HealthQuery(db).report()
    assert not [statement for statement in asked if "FROM pages" in statement]
    lines = {line.stage: line for line in await StageQuery(db).statuses()}

    assert report["queue_depths"]["pages_queued"] == lines["read_page"].waiting == 3
    # The moment of the oldest row comes from one end of the queue's index.
    assert all("LIMIT" in statement for statement in asked if "FROM pages" in statement)
