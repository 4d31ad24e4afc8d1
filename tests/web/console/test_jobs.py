"""Jobs in the console: figures, list, one job with its progress, requeue, cancel and prune."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
from sqlalchemy import func, insert, select
from sqlalchemy.ext.asyncio import AsyncEngine

from product import TENANT, add_domain, add_job, add_sitemaps, ago, job_row, statuses
from scrapersky import tables

OpenConsole = Callable[..., AbstractAsyncContextManager[httpx.AsyncClient]]

# A job in work has a lease.
RUNNING: dict[str, Any] = {"status": "running", "lease_until": ago(minutes=-5), "worker": 1}


async def text_of(client: httpx.AsyncClient, path: str, **headers: str) -> str:
    answer = await client.get(path, headers=headers)
    assert answer.status_code == 200, answer.text
    return answer.text


@pytest.mark.req("R034")
async def test_the_figures_of_the_last_hour_are_on_the_page(
    console: httpx.AsyncClient, db: AsyncEngine
) -> None:
    await add_job(db, status="complete", created_at=ago(minutes=10), finished_at=ago(minutes=8))
    await add_job(db, status="failed", error="no answer", finished_at=ago(minutes=3))
    await add_job(db, created_at=ago(minutes=40), next_retry_at=ago(minutes=40))

    page = await text_of(console, "/jobs")

    def tile(label: str) -> str:
        return page.split(f'<span class="tile-label">{label}</span>')[1].split(">")[1].split("<")[0]

    assert tile("Created, last hour") == "3"
    assert tile("Completed, last hour") == "1"
    assert tile("Failed, last hour") == "1"
    assert tile("Stuck now") == "1"
    assert tile("Average duration") == "2\u202fmin"
    assert tile("Oldest waiting").startswith("40")


@pytest.mark.req("R063")
async def test_the_list_shows_percent_message_tries_and_the_reason(
    console: httpx.AsyncClient, db: AsyncEngine
) -> None:
    running = await add_job(
        db, **RUNNING, progress=0.4, progress_percent=40, progress_message="checking /sitemap.xml"
    )
    failed = await add_job(db, status="failed", error="the host <b>refused</b>", retry_count=3)

    page = await text_of(console, "/jobs")

    assert f'<tr data-job="{running}">' in page
    assert '<progress max="100" value="40"' in page
    assert "checking /sitemap.xml" in page
    assert "3 of 3" in page
    assert "the host &lt;b&gt;refused&lt;/b&gt;" in page
    assert f'formaction="/jobs/{running}/cancel"' in page
    assert f'formaction="/jobs/{failed}/requeue"' in page


async def test_jobs_are_filtered_by_status_type_and_text(console: httpx.AsyncClient, db: AsyncEngine) -> None:
    waiting = await add_job(db, progress_message="checking one.example")
    failed = await add_job(db, "report", status="failed", error="no")

    async def found(query: str) -> set[int]:
        page = await text_of(console, f"/jobs?{query}")
        return {number for number in (waiting, failed) if f'data-job="{number}"' in page}

    assert await found("") == {waiting, failed}
    assert await found("status=failed&job_type=&q=") == {failed}, "empty fields of a form are no filters"
    assert await found("job_type=report") == {failed}
    assert await found("q=one.example") == {waiting}
    assert await found("status=complete") == set()
    answer = await console.get(f"/jobs?q={failed}")
    assert (answer.status_code, answer.headers["location"]) == (303, f"/jobs/{failed}")
    assert (await console.get("/jobs?status=nonsense")).status_code == 422


async def test_pages_of_jobs_follow_one_another(console: httpx.AsyncClient, db: AsyncEngine) -> None:
    numbers = {await add_job(db) for _ in range(53)}

    first = await text_of(console, "/jobs?status=pending")
    following = first.split('rel="next"')[0].rsplit('href="', 1)[1].split('"')[0].replace("&amp;", "&")
    second = await text_of(console, following)

    seen = [{number for number in numbers if f'data-job="{number}"' in page} for page in (first, second)]
    assert (len(seen[0]), len(seen[1])) == (50, 3)
    assert not seen[0] & seen[1]


async def test_a_job_that_waits_too_long_is_listed_as_stuck(
    console: httpx.AsyncClient, db: AsyncEngine
) -> None:
    stuck = await add_job(db, created_at=ago(minutes=40), next_retry_at=ago(minutes=40))
    fresh = await add_job(db)

    page = await text_of(console, "/jobs?stuck=true")

    assert f'data-job="{stuck}"' in page
    assert f'data-job="{fresh}"' not in page
    await console.post("/jobs/run-waiting", data={"back": "/jobs?stuck=true"})
    assert (await job_row(db, stuck)).status == "pending"


# ---- one job


@pytest.mark.req("R063")
async def test_one_job_shows_its_progress_and_updates_it(console: httpx.AsyncClient, db: AsyncEngine) -> None:
    number = await add_job(
        db, **RUNNING, progress=0.62, progress_percent=62, progress_message="checking /wp-sitemap.xml"
    )
    uuid = (await job_row(db, number)).job_id

    for which in (number, uuid, "latest"):
        page = await text_of(console, f"/jobs/{which}")
        assert '<progress max="100" value="62"' in page
        assert "checking /wp-sitemap.xml" in page
        assert '<noscript><meta http-equiv="refresh" content="5"></noscript>' in page
    fragment = await text_of(console, f"/jobs/{number}", **{"HX-Request": "true"})
    assert fragment.lstrip().startswith('<div id="job"')
    assert (await console.get("/jobs/999999")).status_code == 404
    assert (await console.get("/jobs/nonsense")).status_code == 404


async def test_a_finished_job_links_to_what_it_found(console: httpx.AsyncClient, db: AsyncEngine) -> None:
    sitemap = {"url": "https://one.example/sitemap.xml", "type": "index", "discovery_method": "robots_txt"}
    hostile = {"url": "javascript:alert(1)"}
    domain = await add_domain(db, "one.example")
    data = {"domain": "one.example", "sitemaps": [sitemap, hostile, "odd"]}
    number = await add_job(db, "sitemap", status="complete", result_data=data, domain_id=domain)

    page = await text_of(console, f"/jobs/{number}")

    assert 'href="https://one.example/sitemap.xml"' in page
    assert 'href="javascript' not in page
    assert 'href="/domains/one.example"' in page
    assert f"/sitemaps?job_id={(await job_row(db, number)).job_id}" in page
    assert "http-equiv" not in page, "nothing changes any more"


@pytest.mark.req("R252", "R265")
async def test_a_failed_job_shows_its_traceback_and_its_credits(
    console: httpx.AsyncClient, db: AsyncEngine
) -> None:
    number = await add_job(db, status="failed", error="KeyError: 'x'", finished_at=ago(minutes=1))
    failure = {"tenant_id": TENANT, "stage": "run_job", "row_id": str(number), "attempts": 4}
    async with db.begin() as connection:
        row = {**failure, "error_class": "KeyError", "reason": "'x'", "traceback": "Traceback: <line 41>"}
        await connection.execute(insert(tables.failures).values(row))
        spent = {"tenant_id": TENANT, "day": func.current_date(), "domain": "one.example"}
        await connection.execute(insert(tables.credit_uses).values(**spent, job_id=number, spent=37))

    page = await text_of(console, f"/jobs/{number}")

    assert "Traceback: &lt;line 41&gt;</pre>" in page
    assert "KeyError, 4 attempts" in page
    assert "<dt>Credits</dt><dd>37</dd>" in page
    assert f'href="/dead-letters/run_job/{number}"' in page


@pytest.mark.req("R060")
async def test_a_failed_job_is_queued_again(console: httpx.AsyncClient, db: AsyncEngine) -> None:
    progress = {"progress": 0.62, "progress_percent": 62, "progress_message": "checking /sitemap.xml"}
    number = await add_job(db, status="failed", error="no", retry_count=3, **progress)

    answer = await console.post(f"/jobs/{number}/requeue", data={"back": "/jobs?status=failed"})

    assert (answer.status_code, answer.headers["location"]) == (303, "/jobs?status=failed")
    job = await job_row(db, number)
    assert job.status == "pending"
    assert (job.progress, job.progress_percent, job.progress_message) == (0, 0, None), (
        "nothing of the old run"
    )
    assert "is queued again" in (await console.get("/jobs")).text, "the next page says what was done"
    assert "is queued again" not in (await console.get("/jobs")).text, "once"
    conflict = await console.post(f"/jobs/{number}/requeue", data={})
    assert conflict.status_code == 409
    async with db.connect() as connection:
        actions = (await connection.execute(select(tables.audit_log.c.action))).scalars().all()
    assert actions == ["job.requeue"]


async def test_a_form_leads_back_to_pages_of_ours_only(console: httpx.AsyncClient, db: AsyncEngine) -> None:
    for back in ("//evil.example/", "https://evil.example/", "/\\evil.example"):
        number = await add_job(db, status="failed", error="no")
        answer = await console.post(f"/jobs/{number}/requeue", data={"back": back})
        assert answer.headers["location"] == f"/jobs/{number}"


async def test_a_waiting_job_is_cancelled_and_a_running_one_is_told_to_stop(
    console: httpx.AsyncClient, db: AsyncEngine
) -> None:
    waiting, running = await add_job(db), await add_job(db, **RUNNING)

    for number in (waiting, running):
        assert (await console.post(f"/jobs/{number}/cancel", data={})).status_code == 303

    assert (await job_row(db, waiting)).status == "cancelled"
    row = await job_row(db, running)
    assert (row.status, row.cancel_requested) == ("running", True)
    assert "Cancelling" in await text_of(console, f"/jobs/{running}")


@pytest.mark.req("R060")
async def test_many_jobs_are_queued_again(console: httpx.AsyncClient, db: AsyncEngine) -> None:
    first, second, third = [await add_job(db, status="failed", error="no") for _ in range(3)]
    other = await add_job(db, "report", status="failed", error="no")
    waiting = await add_job(db)

    await console.post("/jobs/requeue", data={"pick": [str(first), str(waiting)]})
    now = await statuses(db)
    assert (now[first], now[second], now[waiting]) == ("pending", "failed", "pending")

    await console.post("/jobs/requeue-failed", data={"job_type": "greet"})
    now = await statuses(db)
    assert (now[second], now[third], now[other]) == ("pending", "pending", "failed"), "those of the list"
    assert (await console.post("/jobs/requeue", data={})).status_code == 422


async def test_admins_delete_old_jobs(open_console: OpenConsole, db: AsyncEngine) -> None:
    old = await add_job(db, status="complete", created_at=ago(days=40))
    new = await add_job(db, status="complete")
    async with open_console("operator") as operator, open_console("admin") as admin:
        assert 'id="prune"' not in (await operator.get("/jobs")).text
        answer = await operator.post("/jobs/prune", data={"older_than_days": "30"})
        assert answer.status_code == 403
        assert (await admin.post("/jobs/prune", data={"older_than_days": "-1"})).status_code == 422
        assert old in await statuses(db)
        assert (await admin.post("/jobs/prune", data={"older_than_days": "30"})).status_code == 303

    assert set(await statuses(db)) == {new}


async def test_a_viewer_sees_jobs_and_changes_none(open_console: OpenConsole, db: AsyncEngine) -> None:
    number = await add_job(db, status="failed", error="no")
    async with open_console("viewer") as viewer:
        page = (await viewer.get("/jobs")).text
        assert f'data-job="{number}"' in page
        assert "Requeue" not in page
        for path in (f"/jobs/{number}/requeue", f"/jobs/{number}/cancel", "/jobs/requeue"):
            assert (await viewer.post(path, data={"pick": str(number)})).status_code == 403
    assert (await job_row(db, number)).status == "failed"


async def test_a_waterfall_shows_how_a_job_spent_its_time(
    console: httpx.AsyncClient, db: AsyncEngine
) -> None:
    begin = datetime(2026, 10, 1, tzinfo=UTC)

    def at(seconds: int) -> datetime:
        return begin + timedelta(seconds=seconds)

    steps = [
        {"at": at(10).isoformat(), "run": 1, "message": "checking /robots.txt"},
        {"at": at(20).isoformat(), "run": 1, "message": "checking <b>/a.xml</b>"},
        {"at": at(40).isoformat(), "run": 2, "message": "checking /robots.txt"},
    ]
    number = await add_job(
        db, "sitemap", status="complete", steps=steps, created_at=at(0), finished_at=at(50)
    )
    job = await job_row(db, number)
    [sitemap] = await add_sitemaps(
        db,
        1,
        job_id=job.job_id,
        created_at=at(50),
        sitemap_import_status="Complete",
        sitemap_import_finished_at=at(56),
    )

    page = await text_of(console, f"/jobs/{number}")

    chart = page.split("How it spends its time")[1].split("</figure>")[0]
    rows = re.findall(r"<tr><td>(.*?)</td><td class=\"num\">(.*?)</td></tr>", chart)
    assert [took for _, took in rows] == [f"{number}\u202fs" for number in (10, 10, 20, 10, 6)]
    assert rows[0][0] == "waiting for a worker"
    assert rows[2][0] == "checking &lt;b&gt;/a.xml&lt;/b&gt;; waiting for the next try"
    assert f'href="/sitemaps/{sitemap}"' in rows[4][0]
    assert '<rect class="tone-info full" x="89.29%" width="10.71%"' in chart


async def test_a_job_that_has_not_begun_has_no_waterfall(console: httpx.AsyncClient, db: AsyncEngine) -> None:
    assert "How it spends its time" not in await text_of(console, f"/jobs/{await add_job(db)}")
