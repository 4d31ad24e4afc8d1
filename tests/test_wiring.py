"""What the application builds from the settings: bounded connections, and one engine for all stages."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from types import SimpleNamespace

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import create_async_engine

from scrapersky.database import make_engine
from scrapersky.declarations import DECLARATIONS
from scrapersky.engine.stage import Stage
from scrapersky.pipeline import STAGES
from scrapersky.processes.live_settings import LiveSettings
from scrapersky.settings import changed_settings, load_settings
from scrapersky.wiring import (
    build_log,
    build_maintenance,
    build_schedule,
    build_worker,
    engine_options,
    fetch_options,
    stage_options,
    tier_options,
)


@pytest.mark.req("R197")
@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("statement_timeout", "7s"),
        ("lock_timeout", "3s"),
        ("idle_in_transaction_session_timeout", "4s"),
        ("transaction_isolation", "read committed"),
    ],
)
async def test_isolation_and_time_limits_are_set_on_every_connection(
    database_url: str, name: str, shown: str
) -> None:
    given = {"DATABASE_STATEMENT_TIMEOUT_SECONDS": "7", "DATABASE_LOCK_TIMEOUT_SECONDS": "3"}
    given["DATABASE_IDLE_IN_TRANSACTION_TIMEOUT_SECONDS"] = "4"
    engine = make_engine(load_settings(env_file=None, environment=given), database_url)

    async with engine.connect() as connection:
        assert await connection.scalar(text(f"SHOW {name}")) == shown
    await engine.dispose()


@pytest.mark.req("R039", "R153")
def test_every_stage_is_a_declaration_for_the_one_engine() -> None:
    settings = load_settings(env_file=None, environment={})

    for declaration, stage in zip(DECLARATIONS, STAGES, strict=True):
        queue, options = stage.queue, stage_options(settings, declaration)
        assert queue is declaration
        assert isinstance(stage, Stage)
        assert stage.table.name == queue.table
        assert {queue.status, queue.error, queue.column("due_at")} <= set(stage.table.c.keys())
        assert (
            len(
                {queue.statuses.queued, queue.statuses.processing, queue.statuses.done, queue.statuses.failed}
            )
            == 4
        )
        assert callable(stage.run)
        assert options.batch >= 1


@pytest.mark.req("R101", "R102", "R106", "R112", "R135", "R190", "R256")
async def test_the_figures_of_every_stage_reach_the_engine_and_the_schedule() -> None:
    names = ("INTERVAL_MINUTES", "BATCH_SIZE", "MAX_INSTANCES", "MISFIRE_GRACE_SECONDS")
    prefixes = [declaration.compat.settings_prefix.upper() for declaration in DECLARATIONS]
    given = {
        f"{prefix}_{name}": str(2 + 4 * number + place)
        for number, prefix in enumerate(prefixes)
        for place, name in enumerate(names)
        if name != "MAX_INSTANCES"
    }
    given |= {f"{prefix}_MAX_INSTANCES": str(2 + n) for n, prefix in enumerate(prefixes)}
    given |= {f"{prefix}_MODE": "interval" for prefix in prefixes[::2]}
    settings = load_settings(env_file=None, environment={**given, "MIN_BATCH_ROWS": "2"})

    for number, declaration in enumerate(DECLARATIONS):
        options = stage_options(settings, declaration)
        assert options.interval == timedelta(minutes=2 + 4 * number)
        assert (options.batch, options.max_instances) == (3 + 4 * number, 2 + number)
        assert options.misfire_grace == timedelta(seconds=5 + 4 * number)
        assert (options.continuous, options.batch_floor) == (number % 2 == 1, 2)

    engine, log = create_async_engine("postgresql+asyncpg://nobody@127.0.0.1:1/none"), build_log(settings)
    worker = build_worker(settings, engine, None, log)  # type: ignore[arg-type]
    worker.runners.update(
        {
            stage.name: SimpleNamespace(tick=_nothing, stage=stage, options=options)  # type: ignore[misc]
            for stage, options in worker.stages
        }
    )
    schedule = build_schedule(worker, build_maintenance(settings, engine, log), log)
    jobs = [schedule.scheduler.get_job(stage.job_id) for stage in STAGES]
    schedule.shutdown()
    await engine.dispose()
    for number, job in enumerate(jobs):
        assert job.trigger.interval == timedelta(minutes=2 + 4 * number)
        assert (job.max_instances, job.misfire_grace_time) == (2 + number, 5 + 4 * number)


async def test_the_schedule_and_the_channels_follow_edited_settings() -> None:
    settings = load_settings(env_file=None, environment={})
    engine, log = create_async_engine("postgresql+asyncpg://nobody@127.0.0.1:1/none"), build_log(settings)
    live = LiveSettings(settings, engine, log.report)
    worker = build_worker(settings, engine, None, log)  # type: ignore[arg-type]
    stage, options = worker.stages[0]
    runner = SimpleNamespace(tick=_nothing, stage=stage, options=options)
    worker.runners[stage.name] = runner  # type: ignore[assignment]
    schedule = build_schedule(worker, build_maintenance(settings, engine, log), log, live)
    assert schedule.scheduler.get_job("send_alerts") is None

    runner.options = replace(options, interval=timedelta(minutes=9), max_instances=4)
    hook = {"alert_webhook_url": "https://hooks.example.org/x"}
    for apply in live._subscribers:
        await apply(changed_settings(settings, hook))
    job, sending = schedule.scheduler.get_job(stage.job_id), schedule.scheduler.get_job("send_alerts")
    schedule.shutdown()
    await engine.dispose()
    assert (job.trigger.interval, job.max_instances) == (timedelta(minutes=9), 4)
    assert sending is not None


async def _nothing() -> None:
    return None


@pytest.mark.req("R191")
def test_settings_come_from_the_environment_under_their_original_names() -> None:
    given = {
        "DOMAIN_SCHEDULER_BATCH_SIZE": "51",
        "DOMAIN_SITEMAP_SCHEDULER_INTERVAL_MINUTES": "7",
        "SITEMAP_IMPORT_SCHEDULER_MAX_INSTANCES": "2",
        "PAGE_CURATION_SCHEDULER_BATCH_SIZE": "11",
    }
    settings = load_settings(env_file=None, environment=given)

    assert {name: str(getattr(settings, name.lower())) for name in given} == given


def test_settings_reach_what_they_are_for() -> None:
    given = {
        "WRITE_BATCH_ROWS": "7",
        "WRITE_DELAY_MILLISECONDS": "70",
        "POLL_LISTENING_MILLISECONDS": "1234",
        "RETRY_JITTER_PERCENT": "13",
        "RETRY_BASE_SECONDS": "7",
        "RETRY_MAX_MINUTES": "8",
        "MAX_CRASHES": "5",
        "ROBOTS_CACHE_TTL_HOURS": "3",
        "SCRAPER_API_KEY": "k",
        "SCRAPER_API_ENABLED": "true",
        "SCRAPER_API_TIMEOUT_SECONDS": "9",
        "BROWSER_ENABLED": "true",
        "BROWSER_CONCURRENCY": "5",
    }
    settings = load_settings(env_file=None, environment=given)

    assert (engine_options(settings).flush_items, engine_options(settings).flush_after) == (
        7,
        timedelta(milliseconds=70),
    )
    assert engine_options(settings).poll_listening == timedelta(milliseconds=1234)
    assert (engine_options(settings).retry_jitter, engine_options(settings).max_crashes) == (0.13, 5)
    assert engine_options(settings).retry_base == timedelta(seconds=7)
    assert engine_options(settings).retry_cap == timedelta(minutes=8)
    assert fetch_options(settings).robots_cache_ttl_hours == 3
    found = tier_options(settings)
    assert found.paid
    assert found.browser
    assert (found.paid.timeout_seconds, found.browser.concurrency) == (9, 5)
