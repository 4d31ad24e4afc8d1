"""What the application builds from the settings: bounded connections, and one engine for all stages."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import text

from scrapersky.app import options, tuning
from scrapersky.engine.stage import Stage
from scrapersky.opening import make_engine
from scrapersky.pipeline import STAGES
from scrapersky.settings import load_settings
from scrapersky.toolmaking import fetch_options, routes


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

    for line in STAGES:
        work, figures = line.stage.work, tuning(settings, line)
        assert isinstance(line.stage, Stage)
        assert line.stage.table.name == work.table
        assert {work.status, work.error, work.column("due_at")} <= set(line.stage.table.c.keys())
        assert len({work.words.queued, work.words.processing, work.words.done, work.words.failed}) == 4
        assert callable(line.stage.run)
        assert figures.batch >= 1


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
        "FINISH_ROWS": "7",
        "FINISH_MILLISECONDS": "70",
        "ROBOTS_CACHE_HOURS": "3",
        "SCRAPER_API_KEY": "k",
        "SCRAPER_API_ENABLED": "true",
        "SCRAPER_API_TIMEOUT_SECONDS": "9",
        "BROWSER_ENABLED": "true",
        "BROWSER_CONCURRENCY": "5",
    }
    settings = load_settings(env_file=None, environment=given)

    assert (options(settings).flush_items, options(settings).flush_after) == (7, timedelta(milliseconds=70))
    assert fetch_options(settings).robots_cache_hours == 3
    found = routes(settings)
    assert found.paid
    assert found.browser
    assert (found.paid.timeout_seconds, found.browser.concurrency) == (9, 5)
