"""The overview as a browser gets it: tiles, flow, needs you, queues, periods, and the first-run page."""

from __future__ import annotations

import json
import re
from datetime import timedelta

import httpx
import pytest
from sqlalchemy import insert
from sqlalchemy.ext.asyncio import AsyncEngine

from pipeline_rows import add, add_business, add_contact, add_page, add_place, add_site, id_of
from product import add_job, ago
from scrapersky import tables
from scrapersky.queries.rows.overview import TimeSpan
from scrapersky.web.html import GROUP

HTMX = {"HX-Request": "true"}


def plain(html: str) -> str:
    """The text of a page, in one line."""
    text = re.sub(r"<(script|style|svg).*?</\1>", "", html, flags=re.DOTALL)
    return " ".join(re.sub(r"<[^>]+>", " ", text).replace(GROUP, " ").split())


def part(html: str, element_id: str, end: str = "</section>") -> str:
    return html[html.index(f'id="{element_id}"') :].partition(end)[0]


async def get(console: httpx.AsyncClient, url: str = "/", **headers: str) -> str:
    response = await console.get(url, headers=headers)
    assert response.status_code == 200, response.text
    return response.text


# ---- first run


async def test_without_rows_it_says_how_to_begin(console: httpx.AsyncClient) -> None:
    html = await get(console)
    for way in ("/add", "/add/file", "/add/search"):
        assert f'class="card" href="{way}"' in html
    assert "Welcome to ScraperSky" in html
    assert 'id="flow"' not in html


async def test_a_viewer_is_not_offered_to_add(open_console) -> None:
    async with open_console("viewer") as console:
        html = await get(console)
    assert 'href="/add' not in html


# ---- tiles


async def test_a_tile_shows_total_added_and_to_review(console: httpx.AsyncClient, db: AsyncEngine) -> None:
    for status, days in (("New", 0), ("Selected", 0), ("New", 20)):
        await add_place(db, status=status, id=id_of(ago(days=days, minutes=1)))

    tile = plain(part(await get(console), "tile-place", '<div class="card'))
    longer = plain(part(await get(console, "/?period=30d"), "tile-place", '<div class="card'))

    assert "Places 3 +2 last 24 hours 2 to review" in tile
    assert "+3 last 30 days" in longer
    assert 'href="/places?curation_status=New"' in await get(console)


async def test_the_bar_of_a_tile_names_its_parts(console: httpx.AsyncClient, db: AsyncEngine) -> None:
    for status in ("New", "Selected", "Selected", "Rejected", "Archived"):
        await add_place(db, status=status)
    assert 'aria-label="1 new, 2 selected, 2 rejected or archived"' in await get(console)


async def test_an_unknown_period_is_refused(console: httpx.AsyncClient, db: AsyncEngine) -> None:
    await add_place(db)
    response = await console.get("/?period=2y")
    assert response.status_code == 422
    assert "expected one of 1h, 24h, 7d, 30d" in response.text


async def test_an_unknown_search_is_refused(console: httpx.AsyncClient, db: AsyncEngine) -> None:
    await add_place(db)
    assert (await console.get("/?search=x")).status_code == 422


# ---- the flow


async def test_the_flow_is_in_businesses_and_its_losses_are_links(
    console: httpx.AsyncClient, db: AsyncEngine
) -> None:
    await add_place(db, status="Rejected")
    place = await add_place(db, deep_scan_status="Completed")
    business = await add_business(db, place_row_id=place, website_url="https://x.example/")
    site = await add_site(db, local_business_id=business)
    for _ in range(5):
        await add_page(db, site)
    direct = await add_site(db)
    await add_contact(db, direct, email_validation_result="valid")

    html = part(await get(console), "flow")
    text = plain(html)

    for step in (
        "Places 2",
        "Businesses 2",
        "With website 2",
        "Pages found 2",
        "Contact found 1",
        "Verified 1",
    ):
        assert step in text
    assert '<a href="/places?outcome=rejected"><b>−1</b> rejected</a>' in html
    assert '<a href="/domains?outcome=unread"><b>−1</b> no page read</a>' in html
    assert "+1 added directly" in text
    assert "counts as a business without a place" in text


async def test_the_list_behind_a_loss_shows_it(console: httpx.AsyncClient, db: AsyncEngine) -> None:
    await add_site(db, domain="lost.example", host="lost.example")
    reached = await add_site(db, domain="good.example", host="good.example")
    await add_contact(db, reached)
    html = await get(console, "/domains?outcome=no_pages")
    assert "lost.example" in html
    assert "good.example" not in html


async def test_a_search_filters_the_overview(console: httpx.AsyncClient, db: AsyncEngine) -> None:
    search = await add(db, tables.place_searches, business_type="dentist", location="Porto")
    await add_place(db, search_id=search)
    await add_place(db)

    html = await get(console, f"/?search={search}")

    assert "Places 1 +1" in plain(part(html, "tile-place", '<div class="card'))
    assert f'<option value="{search}" selected>dentist in Porto' in html
    assert f"search={search}" in re.search(r'<a href="([^"]+)" data-period="4"', html)[1]
    assert f"/places?outcome=undecided&amp;search_id={search}" in html


# ---- needs you


async def test_nothing_needs_you(console: httpx.AsyncClient, db: AsyncEngine) -> None:
    await add_place(db, status="Selected", deep_scan_status="Completed")
    assert "Nothing. Everything is decided" in plain(part(await get(console), "needs-you"))


@pytest.mark.req("R034")
async def test_alerts_stuck_jobs_dead_letters_and_heaps_need_you(
    console: httpx.AsyncClient, db: AsyncEngine
) -> None:
    alert = {"kind": "stalled", "subject": "read_page", "message": "read_page finishes nothing <b>"}
    async with db.begin() as connection:
        await connection.execute(insert(tables.alerts).values(alert))
    await add_job(db, "x", next_retry_at=ago(days=2), created_at=ago(days=2))
    site = await add_site(db)
    await add_page(db, site, page_processing_status="Error", page_processing_error="timeout")
    await add_place(db, status="New")

    html = part(await get(console), "needs-you")
    text = plain(html)

    assert "Error read_page finishes nothing &lt;b&gt; Look" in text
    assert "1 stuck 1 job waiting or running for too long Look" in text
    assert "No worker is running" in text
    assert "1 row failed permanently, all in Page reading Open" in text
    assert "1 place waits for a decision Decide" in text
    for href in ("/system#alerts", "/jobs?stuck=true", "/dead-letters?stage=read_page"):
        assert f'href="{href}"' in html


# ---- queues and throughput


@pytest.mark.req("R034", "R206")
async def test_the_queues_show_what_waits_and_what_was_done(
    console: httpx.AsyncClient, db: AsyncEngine, worker: None
) -> None:
    site = await add_site(db)
    for status in ("Queued", "Queued", "Processing"):
        lease = {"page_processing_lease_until": ago(minutes=-1)} if status == "Processing" else {}
        await add_page(db, site, page_processing_status=status, **lease)
    buckets = [0, 0, 0, 0, 100, 0, 0, 0, 0, 0, 0]
    stats = {"stage": "read_page", "minute": ago(minutes=5), "worker": 1, "done": 90, "failed": 10}
    async with db.begin() as connection:
        await connection.execute(insert(tables.stage_stats).values(**stats, buckets=buckets))

    row = part(await get(console), "queue-read_page", "</tr>")

    assert "Page reading Running 2 1 90 10" in plain(row)
    assert "65 ms" in plain(row)
    assert 'aria-label="90 done, 10 failed"' in row
    assert 'href="/stages/read_page"' in row


async def test_a_stage_without_a_worker_is_not_healthy(console: httpx.AsyncClient, db: AsyncEngine) -> None:
    await add_page(db, await add_site(db), page_processing_status="Queued")
    assert "No worker" in plain(part(await get(console), "queue-read_page", "</tr>"))


@pytest.mark.req("R034")
async def test_the_throughput_is_there_as_data_and_as_a_table(
    console: httpx.AsyncClient, db: AsyncEngine
) -> None:
    await add_place(db)
    moment = TimeSpan.until_now(timedelta(minutes=1), 60).moments[30]
    stats = {"stage": "read_page", "minute": moment, "worker": 1, "done": 12, "failed": 3}
    async with db.begin() as connection:
        await connection.execute(insert(tables.stage_stats).values(stats))

    html = await get(console, "/?period=1h")
    data = json.loads(re.search(r'id="throughput-data">(.*?)</script>', html)[1])

    assert len(data["times"]) == 60
    assert (sum(data["done"]), sum(data["failed"])) == (12, 3)
    assert data["times"][data["done"].index(12)] == int(moment.timestamp())
    assert "12 rows done and 3 failed, last hour" in html.replace(GROUP, " ")
    assert f"{moment:%H:%M} 12 3" in plain(part(html, "throughput"))


# ---- parts


async def test_htmx_gets_the_figures_alone(console: httpx.AsyncClient, db: AsyncEngine) -> None:
    await add_place(db)
    html = await get(console, "/?period=7d", **HTMX)
    assert "<html" not in html
    assert 'id="flow"' in html


async def test_the_rail_counts_are_a_fragment(console: httpx.AsyncClient, db: AsyncEngine) -> None:
    await add_place(db)
    html = await get(console, "/rail-counts", **HTMX)
    assert '<data value="place">1</data>' in html
    assert '<data value="page"></data>' in html


async def test_the_palette_finds_domains(console: httpx.AsyncClient, db: AsyncEngine) -> None:
    await add_site(db, domain="stone.example", host="stone.example", title="<i>Stone</i>")
    await add_site(db, domain="wood.example", host="wood.example")

    html = await get(console, "/palette?q=ston", **HTMX)

    assert (
        '<a href="/domains/stone.example"><b>stone.example</b><span>&lt;i&gt;Stone&lt;/i&gt;</span></a>'
        in html
    )
    assert "wood" not in html
    assert "<a" not in await get(console, "/palette?q=", **HTMX)
    assert "<a" not in await get(console, "/palette?q=%25%00", **HTMX)
