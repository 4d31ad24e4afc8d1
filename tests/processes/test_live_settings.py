"""Edited settings reach running workers without a restart."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from sqlalchemy import insert, select, text
from sqlalchemy.ext.asyncio import AsyncEngine

from children import die_with_parent
from fakes import FakeSource
from product import TENANT, USER, WHO, add_job, statuses
from scrapersky import tables
from scrapersky.actions.installation.setting_overrides import SettingEditor
from scrapersky.engine.worker import Worker
from scrapersky.log import Log
from scrapersky.processes.live_settings import LiveSettings
from scrapersky.processes.pipeline_run import running_pipeline
from scrapersky.queries.installation.setting_overrides import SettingQuery
from scrapersky.secret_key import SecretKey
from scrapersky.settings import Settings, load_settings
from scrapersky.sources import ListedPlace
from scrapersky.wiring import alert_channels

KEY = "k3Jq9-Zx7vB2nM5tR8wY1uC4sD6fG0hL"
OTHER_KEY = "p8Wn4_Ht6yE1rV9xK2jS5bQ7mA3cL0zD"
HOOK = "https://hooks.example.org/services/T0/very-private-part"
MAX_SECONDS = 10.0


def settings_of(url: str, **more: str) -> Settings:
    environment = {"DATABASE_URL": url, "SECRET_KEY": KEY, "NETWORK_PROBE_HOSTS": "", **more}
    return load_settings(env_file=None, environment=environment)


def editor(db: AsyncEngine, settings: Settings) -> SettingEditor:
    return SettingEditor(db, WHO, settings, SecretKey(KEY))


async def until(check: Callable[[], Awaitable[Any]], *, seconds: float = MAX_SECONDS) -> None:
    end = time.monotonic() + seconds
    while not await check():
        assert time.monotonic() < end, f"not within {seconds} seconds"
        await asyncio.sleep(0.05)


async def search(db: AsyncEngine, source: str) -> None:
    values = {"id": uuid4(), "tenant_id": TENANT, "created_by": USER, "source": source}
    values |= {"business_type": source, "location": "Marlow"}
    async with db.begin() as connection:
        await connection.execute(insert(tables.place_searches).values(values))


async def place_status(db: AsyncEngine, place_id: str) -> list[str | None]:
    table = tables.places_staging
    async with db.connect() as connection:
        rows = await connection.execute(select(table.c.deep_scan_status).where(table.c.place_id == place_id))
        return [row.deep_scan_status for row in rows]


@asynccontextmanager
async def pipeline(db: AsyncEngine, settings: Settings) -> AsyncIterator[Worker]:
    sources: Any = {name: FakeSource([ListedPlace(f"p-{name}", name)]) for name in ("first", "second")}
    async with running_pipeline(settings, db, Log(level="ERROR"), sources=sources) as running:
        await running.until_scheduled()
        yield running.worker


@pytest.mark.timed
@pytest.mark.req("R190")
async def test_a_gate_that_is_opened_holds_for_the_next_row_of_a_running_worker(
    db: AsyncEngine, database_url: str
) -> None:
    settings = settings_of(database_url)
    async with pipeline(db, settings) as worker:
        await search(db, "first")
        await until(lambda: place_status(db, "p-first"))
        assert await place_status(db, "p-first") == [None]

        await editor(db, settings).set("AUTO_DEEP_SCAN", True)

        async def is_open() -> bool:
            return "auto_deep_scan" in worker.context.stage_context.handover.open_gates

        await until(is_open)
        await search(db, "second")
        await until(lambda: place_status(db, "p-second"))
        assert await place_status(db, "p-second") != [None]

        assert not worker.context.stage_context.handover.reads_all_pages
        await editor(db, settings).set("READ_ALL_PAGES", True)

        async def reads_all() -> bool:
            return bool(worker.context.stage_context.handover.reads_all_pages)

        await until(reads_all)


@pytest.mark.timed
@pytest.mark.req("R256")
async def test_the_figures_of_a_running_stage_change_and_return(db: AsyncEngine, database_url: str) -> None:
    settings = settings_of(database_url)
    change = editor(db, settings)
    async with pipeline(db, settings) as worker:
        runner, page = worker.runners["run_job"], worker.runners["read_page"]
        before = runner.options
        await change.set("JOB_SCHEDULER_CONCURRENCY", 3)
        await change.set("JOB_SCHEDULER_TIMEOUT_SECONDS", 9)
        await change.set("ROWS_PER_HOST", 2)
        await change.set("HOST_DELAY_MILLISECONDS", 4_000)

        async def is_changed() -> bool:
            return worker.options.host_delay.total_seconds() == 4

        await until(is_changed)
        assert (runner.options.concurrency, runner.options.timeout.total_seconds()) == (3, 9)
        assert page.options.per_host == 2
        assert page.claims.options.host_delay.total_seconds() == 4
        slots = worker.context.stage_context.fetch._client.slots
        assert (slots._limit.delay, slots._local._limit.delay) == (4, 4)

        for name in ("JOB_SCHEDULER_CONCURRENCY", "JOB_SCHEDULER_TIMEOUT_SECONDS"):
            await change.unset(name)

        async def is_back() -> bool:
            return runner.options.concurrency == before.concurrency

        await until(is_back)


@pytest.mark.timed
@pytest.mark.req("R256")
async def test_a_worker_process_follows_the_mode_of_a_stage(
    db: AsyncEngine, database_url: str, tmp_path: Path
) -> None:
    """A real process: in interval mode it runs one batch, back in continuous mode the rest."""
    settings = settings_of(database_url)
    change = editor(db, settings)
    # Set before the start: it holds from the first claim on.
    await change.set("JOB_SCHEDULER_INTERVAL_MINUTES", 1_440)
    await change.set("JOB_SCHEDULER_MISFIRE_GRACE_SECONDS", 86_400)
    await change.set("JOB_SCHEDULER_BATCH_SIZE", 2)
    await change.set("JOB_SCHEDULER_MODE", "interval")
    for _ in range(6):
        await add_job(db, "unknown")

    async def failed() -> int:
        return list((await statuses(db)).values()).count("failed")

    async def some() -> bool:
        return await failed() >= 2

    async def all_of_them() -> bool:
        return await failed() == 6

    environment = {**os.environ, "DATABASE_URL": database_url.replace("+asyncpg", ""), "SECRET_KEY": KEY}
    worker = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "scrapersky", "worker", "--processes", "1",
        env=environment, cwd=tmp_path, stderr=asyncio.subprocess.DEVNULL, preexec_fn=die_with_parent,
    )  # fmt: skip
    try:
        # A process takes a while to start on a busy machine.
        await until(some, seconds=30)
        await asyncio.sleep(1)
        assert await failed() == 2
        await change.unset("JOB_SCHEDULER_MODE")
        await until(all_of_them)
    finally:
        worker.terminate()
        await worker.wait()


async def test_a_value_that_became_invalid_is_reported_and_the_others_hold(
    db: AsyncEngine, database_url: str
) -> None:
    await editor(db, settings_of(database_url)).set("LOW_WATER_ROWS", 80_000)
    await editor(db, settings_of(database_url)).set("ROWS_PER_HOST", 3)
    lines: list[dict[str, Any]] = []
    # The environment has changed since: both rules cannot hold.
    live = LiveSettings(settings_of(database_url, HIGH_WATER_ROWS="70000"), db, lines.extend)
    await live.refresh()
    assert (live.current.rows_per_host, live.current.low_water_rows) == (3, 50_000)
    assert [line["error"] for line in lines if line["event"] == "setting_ignored"] == [
        "LOW_WATER_ROWS must be less than HIGH_WATER_ROWS"
    ]


async def test_an_edited_secret_reaches_the_channels_and_no_log(db: AsyncEngine, database_url: str) -> None:
    settings = settings_of(database_url)
    lines: list[dict[str, Any]] = []
    live = LiveSettings(settings, db, lines.extend)
    await editor(db, settings).set("ALERT_WEBHOOK_URL", HOOK)
    await live.refresh()
    [channel] = alert_channels(live.current)
    assert channel.url == HOOK  # type: ignore[attr-defined]
    assert lines == [{"event": "settings_changed", "settings": {"ALERT_WEBHOOK_URL": "***"}}]


async def test_secrets_survive_a_rotation_and_are_encrypted_again(db: AsyncEngine, database_url: str) -> None:
    await editor(db, settings_of(database_url)).set("ALERT_WEBHOOK_URL", HOOK)
    rotated = settings_of(database_url, SECRET_KEY=OTHER_KEY, SECRET_KEY_PREVIOUS=KEY)

    async def hook(settings: Settings) -> str | None:
        current = await SettingQuery(db, settings).current()
        return current.alert_webhook_url.get_secret_value() if current.alert_webhook_url else None

    assert await hook(rotated) == HOOK
    assert await hook(settings_of(database_url, SECRET_KEY=OTHER_KEY)) is None
    key = SecretKey(OTHER_KEY, previous=KEY)
    assert await SettingEditor(db, WHO, rotated, key).encrypt_again() == 1
    assert await SettingEditor(db, WHO, rotated, key).encrypt_again() == 0
    assert await hook(settings_of(database_url, SECRET_KEY=OTHER_KEY)) == HOOK
    async with db.connect() as connection:
        actions = [row[0] for row in await connection.execute(text("SELECT action FROM audit_log"))]
    assert sorted(actions) == ["secret_key.rotate", "setting.set"]
