"""The report: ten sentences and charts on one page, and a download that needs nothing else."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import httpx
import pytest
from sqlalchemy import insert
from sqlalchemy.ext.asyncio import AsyncEngine

from pipeline_rows import add_business, add_contact, add_page, add_place, add_site
from product import TENANT, ago
from scrapersky import tables
from scrapersky.queries.rows.entities import ENTITIES
from scrapersky.queries.rows.overview import ListFigures
from scrapersky.web.console.charts import Loss, Step
from scrapersky.web.console.overview.report import show_page_type
from scrapersky.web.console.overview.report_sentences import ReportFigures, write_sentences
from scrapersky.web.html import GROUP

NO_ROWS = {name: ListFigures({}, [0]) for name in ENTITIES}
NO_STEPS = [
    Step(name, 0) for name in ("Businesses", "With website", "Reachable", "Contact found", "Verified")
]


def spaced(text: str) -> str:
    return text.replace(GROUP, " ")


async def add_rows(db: AsyncEngine) -> None:
    place = await add_place(db, deep_scan_status="Completed")
    business = await add_business(db, place_row_id=place, website_url="https://x.example/")
    site = await add_site(db, local_business_id=business)
    read = {"page_type": "team_root", "page_processing_status": "Complete"}
    pages = [await add_page(db, site, contact_scrape_status="ContactFound", **read) for _ in range(5)]
    for confidence in (0.91, 0.95, 0.3):
        await add_contact(db, site, page_id=pages[0], confidence=confidence, email_validation_result="valid")
    stats = {"stage": "read_page", "minute": ago(minutes=5), "worker": 1, "done": 95, "failed": 5}
    credit = {"tenant_id": TENANT, "day": datetime.now(UTC).date(), "domain": "x.example", "spent": 7}
    async with db.begin() as connection:
        await connection.execute(insert(tables.stage_stats).values(stats))
        await connection.execute(insert(tables.credit_uses).values(credit))


def sentences(html: str) -> list[str]:
    listed = re.search(r'<ol class="report-sentences">(.*?)</ol>', html, re.DOTALL)[1]
    return [spaced(sentence) for sentence in re.findall(r"<li>(.*?)</li>", listed)]


@pytest.mark.req("R034")
async def test_the_report_says_it_in_ten_sentences(console: httpx.AsyncClient, db: AsyncEngine) -> None:
    await add_rows(db)

    response = await console.get("/report")
    written = sentences(response.text)

    assert response.status_code == 200
    assert len(written) == 10
    assert written[0] == "In the last 30 days, 1 business, 1 domain, 5 pages and 3 contacts were added."
    assert written[1].startswith("Of 1 businesses, 1 (100 %) have a website of their own, and 1 of these")
    assert (
        written[2] == "1 businesses (100 %) have a contact, and 1 have an e-mail address that was verified."
    )
    assert written[4] == "95 rows were processed and 5 failed (5 %)."
    assert written[7] == "Pages of the type “Team” pay best: 60.0 contacts for every 100 pages read."
    assert written[9] == "7 credits were spent at paid services in the last 30 days."


async def test_the_report_draws_every_chart(console: httpx.AsyncClient, db: AsyncEngine) -> None:
    await add_rows(db)
    html = (await console.get("/report?period=7d")).text
    assert 'class="flow"' in html
    assert "95 rows done and 5 failed, last 7 days" in spaced(html)
    assert "3 contacts with a valid address and 0 others, by confidence" in html
    assert "7 credits spent" in html
    assert 'href="/pages?page_type=team_root"' in html


async def test_the_download_stands_alone(console: httpx.AsyncClient, db: AsyncEngine) -> None:
    await add_rows(db)

    response = await console.get("/report/download?period=24h")

    assert re.fullmatch(
        r'attachment; filename="scrapersky-report-[\d-]{10}\.html"', response.headers["content-disposition"]
    )
    html = response.text
    assert "<style>" in html
    assert "--accent" in html
    for foreign in ("<script", "<link", "src=", "href=", "url(", "@font-face"):
        assert foreign not in html


async def test_a_viewer_may_read_it_and_a_stranger_may_not(open_console) -> None:
    async with open_console("viewer") as console:
        assert (await console.get("/report")).status_code == 200
        console.headers.pop("cookie")
        for path in ("/report", "/report/download"):
            response = await console.get(path)
            assert (response.status_code, response.headers["location"]) == (303, f"/login?next={path}")


async def test_an_empty_installation_has_a_report_too(console: httpx.AsyncClient) -> None:
    response = await console.get("/report")
    assert response.status_code == 200
    assert len(sentences(response.text)) == 10
    assert "No contact has been found yet." in response.text


# ---- sentences


def report(**changes: object) -> ReportFigures:
    values = {
        "period": "last hour", "lists": NO_ROWS, "steps": NO_STEPS, "done": 0, "failed": 0,
        "dead_letters": 0, "slowest": None, "best_page_type": None, "results": {}, "credits": 0,
    }  # fmt: skip
    return ReportFigures(**{**values, **changes})


def test_nothing_is_said_plainly() -> None:
    written = write_sentences(report())
    assert "No business was lost on the way." in written
    assert "Everything has been decided." in written
    assert "No row has failed permanently." in written
    assert "Nothing was processed in the last hour." in written


def test_the_biggest_loss_and_the_biggest_heap_are_named() -> None:
    steps = [*NO_STEPS, Step("Places", 9, losses=(Loss("rejected", 2), Loss("to decide", 4)))]
    lists = {**NO_ROWS, "page": ListFigures({"New": 1_200}), "contact": ListFigures({"New": 1})}
    written = [spaced(sentence) for sentence in write_sentences(report(steps=steps, lists=lists))]
    assert "Most businesses stop after “Places”: 4 to decide." in written
    assert "1 201 rows wait for a decision; the biggest heap is 1 200 pages." in written


def test_the_slowest_stage_is_named_with_its_times() -> None:
    written = " ".join(write_sentences(report(slowest=("Reading of pages", 65.0, 4_900.0))))
    assert "“Reading of pages”: half of its rows took 65 ms or less, and 95 % took 4.9 s or less." in spaced(
        written
    )


def test_page_types_are_words() -> None:
    assert [show_page_type(name) for name in ("team_root", "wp_prospect", "blog")] == [
        "Team",
        "Wp prospect",
        "Blog",
    ]
