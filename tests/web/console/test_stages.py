"""Stages in the console: figures and charts, what their gates do, pause, resume and run now."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager

import httpx
import pytest
from sqlalchemy import func, insert, select
from sqlalchemy.ext.asyncio import AsyncEngine

from people import add_person, add_session, add_tenant, cookie
from product import add_job, ago, job_row
from scrapersky import tables
from scrapersky.declarations import DECLARATIONS
from scrapersky.engine.stats import BUCKETS

OpenConsole = Callable[..., AbstractAsyncContextManager[httpx.AsyncClient]]


async def add_figures(db: AsyncEngine, stage: str) -> None:
    buckets = [0] * (len(BUCKETS) + 1)
    buckets[3], buckets[8] = 8, 2
    values = {"stage": stage, "minute": func.date_trunc("minute", func.now()), "worker": 1}
    figures = {"done": 8, "failed": 2, "buckets": buckets, "errors": {"Timeout": 2, "<b>Odd": 1}}
    async with db.begin() as connection:
        await connection.execute(insert(tables.stage_stats).values(**values, **figures))


async def is_paused(db: AsyncEngine, stage: str) -> bool | None:
    controls = tables.stage_controls.c
    async with db.connect() as connection:
        paused: bool | None = await connection.scalar(select(controls.paused).where(controls.stage == stage))
        return paused


async def test_every_stage_is_listed_with_its_figures_and_charts(
    console: httpx.AsyncClient, db: AsyncEngine
) -> None:
    await add_figures(db, "read_page")
    await add_job(db)

    page = (await console.get("/stages")).text

    for stage in DECLARATIONS:
        assert f'href="/stages/{stage.name}"' in page
    line = page.split('href="/stages/read_page"')[1].split("</tr>")[0]
    assert '<td class="num" data-label="Done">8</td>' in line
    assert "8 done, 2 failed" in line, "the bar says its numbers to those who do not see it"
    assert "No worker" in line, "no worker runs it"
    assert 'class="chart-ranges"' in page
    assert "/dead-letters?error_class=Timeout" in page
    assert "<b>Odd" not in page


async def test_one_stage_shows_minutes_settings_errors_and_gates(
    console: httpx.AsyncClient, db: AsyncEngine
) -> None:
    await add_figures(db, "discover_sitemaps")

    page = (await console.get("/stages/discover_sitemaps")).text

    assert "Rows done and failed in each minute of the last hour" in page
    assert "SITEMAP_SCHEDULER_BATCH_SIZE" in page
    assert "/dead-letters?stage=discover_sitemaps" in page
    assert "Queue discovered sitemaps for import in the same transaction" in page
    assert "SITEMAP_AUTO_IMPORT" in page
    assert (await console.get("/stages/nothing")).status_code == 404


async def test_a_closed_gate_says_that_a_person_decides(open_console: OpenConsole) -> None:
    async with open_console(sitemap_auto_import=False) as console:
        page = (await console.get("/stages/discover_sitemaps")).text

    assert "Off: a person decides" in page


async def test_pause_pauses_and_resume_resumes(console: httpx.AsyncClient, db: AsyncEngine) -> None:
    form = {"reason": "the key is <b>replaced</b>", "back": "/stages/deliver"}
    answer = await console.post("/stages/deliver/pause", data=form)

    assert (answer.status_code, answer.headers["location"]) == (303, "/stages/deliver")
    assert await is_paused(db, "deliver") is True
    for path in ("/stages", "/stages/deliver"):
        page = (await console.get(path)).text
        assert "the key is &lt;b&gt;replaced&lt;/b&gt;" in page
        assert "/stages/deliver/resume" in page
    refused = await console.post("/stages/deliver/run", data={})
    assert refused.status_code == 409, "a paused stage does not run"

    await console.post("/stages/deliver/resume", data={})
    assert await is_paused(db, "deliver") is False
    async with db.connect() as connection:
        actions = (await connection.execute(select(tables.audit_log.c.action))).scalars().all()
    assert actions == ["stage.pause", "stage.resume"]


async def test_run_now_makes_waiting_rows_due(console: httpx.AsyncClient, db: AsyncEngine) -> None:
    number = await add_job(db, next_retry_at=ago(hours=-5))

    answer = await console.post("/stages/run_job/run", data={})

    assert answer.status_code == 303
    assert (await job_row(db, number)).next_retry_at < ago(hours=-1)


@pytest.mark.parametrize("role", ["viewer", "operator"])
async def test_only_admins_of_the_installation_pause(
    open_console: OpenConsole, db: AsyncEngine, role: str
) -> None:
    tenant = await add_tenant(db)
    elsewhere = await add_person(db, "root@elsewhere.example", "admin", tenant_id=tenant)
    async with open_console(role) as person:
        page = (await person.get("/stages")).text
        assert "/pause" not in page
        assert ("/stages/deliver/run" in page) == (role == "operator")
        answers = [await person.post("/stages/deliver/pause", data={})]
        headers = cookie(await add_session(db, elsewhere))
        answers.append(await person.post("/stages/deliver/pause", data={}, headers=headers))
        if role == "viewer":
            answers.append(await person.post("/stages/deliver/run", data={}))

    assert {answer.status_code for answer in answers} == {403}
    assert await is_paused(db, "deliver") is None
