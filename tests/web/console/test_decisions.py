"""Decisions made in lists: what they do to the rows, what the answer draws again, guard and undo."""

from __future__ import annotations

import re
import uuid
from html import unescape
from typing import Any

import httpx
import pytest
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncEngine

from operation_lab import add_rows, snapshot
from product import until
from scrapersky import tables
from scrapersky.queries.rows.entities import ENTITIES
from scrapersky.web.console.lists.list_views import VIEWS

HTMX = {"HX-Request": "true"}
CURATED = [view for view in VIEWS.values() if view.curation]


async def statuses_of(db: AsyncEngine, name: str) -> dict[uuid.UUID, str]:
    entity = ENTITIES[name]
    return {key: row[entity.curation_column] for key, row in (await snapshot(db, entity)).items()}


async def decide(console: httpx.AsyncClient, path: str, **form: Any) -> httpx.Response:
    """As list.js sends it."""
    return await console.post(f"{path}/decisions", data=form, headers=HTMX)


async def last_operation(db: AsyncEngine) -> Any:
    async with db.connect() as connection:
        newest = select(tables.operations).order_by(tables.operations.c.created_at.desc()).limit(1)
        return (await connection.execute(newest)).one()


@pytest.mark.req("R011", "R139", "R152")
@pytest.mark.parametrize("view", CURATED, ids=lambda view: view.name)
async def test_selecting_rows_in_a_list_queues_them(
    console: httpx.AsyncClient, db: AsyncEngine, view: Any
) -> None:
    ids = await add_rows(db, view.name, 3)
    form = {"ids": [str(each) for each in ids[:2]], "decision": "Selected", "query": f"{view.curation}=New"}
    answer = await decide(console, view.path, **form, shown=",".join(map(str, ids)))
    assert answer.status_code == 200, answer.text
    rows, stage = await snapshot(db, view.entity), view.entity.selected_stage
    for row_id in ids[:2]:
        assert rows[row_id][view.curation] == "Selected"
        assert rows[row_id][stage.status] == stage.statuses.queued
    assert rows[ids[2]][view.curation] == "New"
    drawn = re.findall(r'hx-target="#row-([^"]+)"', answer.text)
    assert set(drawn) == {str(each) for each in ids[:2]}
    assert answer.text.count(" gone") == 2
    assert f"2 {view.nouns} set to Selected" in answer.text
    assert "Undo" in answer.text


async def test_the_answer_has_the_new_counts(console: httpx.AsyncClient, db: AsyncEngine) -> None:
    ids = await add_rows(db, "page", 4)
    query = "page_curation_status=New"
    answer = await decide(
        console, "/pages", ids=str(ids[0]), decision="Rejected", query=query, shown=str(ids[0])
    )
    text = answer.text.replace("\n", " ")
    assert re.search(r'hx-target="#total"[^>]*><strong>3</strong> pages', text)
    assert 'hx-target="[data-review=\'page\']" hx-swap="innerHTML">3<' in text
    assert re.search(r'value="Rejected".*?facet-count">1<', text)
    assert "Update ALL Filtered (3 items)" in text


async def test_selected_rows_wait_for_the_grace_period(console: httpx.AsyncClient, db: AsyncEngine) -> None:
    [page] = await add_rows(db, "page", 1)
    await decide(console, "/pages", ids=str(page), decision="Selected")
    row = (await snapshot(db, ENTITIES["page"]))[page]
    assert (row["page_processing_due_at"] - row["updated_at"]).total_seconds() >= 5


@pytest.mark.req("R016", "R071")
async def test_all_that_match_are_decided_across_pages(console: httpx.AsyncClient, db: AsyncEngine) -> None:
    ids = await add_rows(db, "sitemap", 130)
    others = await add_rows(db, "sitemap", 3, sitemap_curation_status="Rejected")
    form = {"all": "1", "query": "sitemap_curation_status=New", "expected": "130", "decision": "Selected"}
    answer = await console.post("/sitemaps/decisions", data=form)
    assert answer.status_code == 303
    found = await statuses_of(db, "sitemap")
    assert {found[each] for each in ids} == {"Selected"}
    assert {found[each] for each in others} == {"Rejected"}


@pytest.mark.req("R083")
async def test_domains_are_decided_in_a_batch(console: httpx.AsyncClient, db: AsyncEngine) -> None:
    ids = await add_rows(db, "domain", 2)
    html = (await console.get("/domains?sitemap_curation_status=New")).text
    assert "Update ALL Filtered (2 items)" in html
    form = {"ids": [str(ids[0])], "decision": "Selected", "query": "sitemap_curation_status=New"}
    await console.post("/domains/decisions", data=form)
    rows = await snapshot(db, ENTITIES["domain"])
    assert rows[ids[0]]["sitemap_curation_status"] == "Selected"
    assert rows[ids[0]]["sitemap_analysis_status"] == "queued"
    assert rows[ids[1]]["sitemap_curation_status"] == "New"


async def test_a_different_number_of_rows_is_refused(console: httpx.AsyncClient, db: AsyncEngine) -> None:
    await add_rows(db, "page", 5)
    answer = await decide(console, "/pages", all="1", query="", expected="3", decision="Rejected")
    assert answer.status_code == 409
    assert "5 match now" in answer.text
    assert answer.headers["HX-Retarget"] == "#toasts"
    assert set((await statuses_of(db, "page")).values()) == {"New"}


SELECT = {"decision": "Selected"}


async def test_more_than_a_thousand_rows_are_confirmed_first(
    console: httpx.AsyncClient, db: AsyncEngine
) -> None:
    await add_rows(db, "page", 1_001)
    form = {"all": "1", "query": "page_curation_status=New", "expected": "1001", "decision": "Maybe"}
    asked = await decide(console, "/pages", **form)
    assert "<dialog" in asked.text
    assert "Set to Maybe: 1\u202f001 pages</button>" in asked.text
    assert "Select 1\u202f001 pages</button>" in (await decide(console, "/pages", **form | SELECT)).text
    assert set((await statuses_of(db, "page")).values()) == {"New"}
    page = await console.post("/pages/decisions", data=form)
    assert "<html" in page.text
    fields = dict(re.findall(r'type="hidden" name="([^"]*)" value="([^"]*)"', page.text))
    confirmed = {name: unescape(value) for name, value in fields.items()}
    assert confirmed["confirmed"] == "1"
    await decide(console, "/pages", **confirmed)
    assert set((await statuses_of(db, "page")).values()) == {"Maybe"}


async def test_very_many_rows_are_decided_in_the_background_and_undone(
    console: httpx.AsyncClient, db: AsyncEngine
) -> None:
    await add_rows(db, "page", 5_200)
    form = {"all": "1", "query": "", "expected": "5200", "decision": "Rejected", "confirmed": "1"}
    answer = await decide(console, "/pages", **form)
    assert 'id="operation-' in answer.text
    operation = await last_operation(db)

    async def is_done() -> bool:
        progress = await console.get(f"/operations/{operation.id}/progress", headers=HTMX)
        return "data-finished" in progress.text

    await until(is_done, seconds=60)
    assert set((await statuses_of(db, "page")).values()) == {"Rejected"}
    await console.post(f"/operations/{operation.id}/undo", data={"query": ""}, headers=HTMX)

    async def is_back() -> bool:
        return set((await statuses_of(db, "page")).values()) == {"New"}

    await until(is_back, seconds=60)


async def test_undo_puts_the_rows_back_and_draws_them(console: httpx.AsyncClient, db: AsyncEngine) -> None:
    ids = await add_rows(db, "page", 2)
    await decide(console, "/pages", ids=str(ids[0]), decision="Selected", query="page_curation_status=New")
    operation = await last_operation(db)
    form = {"query": "page_curation_status=New", "shown": ",".join(map(str, ids))}
    answer = await console.post(f"/operations/{operation.id}/undo", data=form, headers=HTMX)
    assert "1 of 1 put back" in answer.text
    assert re.findall(r'hx-target="#row-([^"]+)"', answer.text) == [str(ids[0])]
    assert " gone" not in answer.text
    row = (await snapshot(db, ENTITIES["page"]))[ids[0]]
    assert (row["page_curation_status"], row["page_processing_status"]) == ("New", None)


async def test_without_scripts_a_form_leads_back_with_a_notice_and_undo(
    console: httpx.AsyncClient, db: AsyncEngine
) -> None:
    ids = await add_rows(db, "page", 2)
    form = {"row": f"{ids[0]} Rejected", "query": "page_curation_status=New&priority_level=3"}
    answer = await console.post("/pages/decisions", data=form)
    assert answer.status_code == 303
    target = answer.headers["location"]
    assert target.startswith("/pages?page_curation_status=New&priority_level=3")
    html = (await console.get(target)).text
    assert "1 page set to Rejected" in html
    undo = re.search(r'action="(/operations/[^"]+/undo)"', html)
    assert undo
    back = await console.post(undo[1], data={"query": "page_curation_status=New"})
    assert back.status_code == 303
    assert set((await statuses_of(db, "page")).values()) == {"New"}


async def test_a_form_never_leads_to_another_site(console: httpx.AsyncClient, db: AsyncEngine) -> None:
    [page] = await add_rows(db, "page", 1)
    for evil in ("//evil.example/", "/\\evil.example", "https://evil.example/"):
        form = {"ids": str(page), "decision": "Maybe", "back": evil}
        answer = await console.post("/pages/decisions", data=form)
        assert answer.headers["location"].startswith("/pages?")


async def test_run_queues_rows_without_a_decision(console: httpx.AsyncClient, db: AsyncEngine) -> None:
    [page] = await add_rows(db, "page", 1)
    await decide(console, "/pages", ids=str(page), decision="run")
    row = (await snapshot(db, ENTITIES["page"]))[page]
    assert (row["page_curation_status"], row["page_processing_status"]) == ("New", "Queued")


async def test_reset_makes_rows_new(console: httpx.AsyncClient, db: AsyncEngine) -> None:
    [page] = await add_rows(db, "page", 1, page_curation_status="Rejected")
    await decide(console, "/pages", ids=str(page), decision="reset")
    assert set((await statuses_of(db, "page")).values()) == {"New"}


@pytest.mark.req("R258")
async def test_pages_that_are_not_read_automatically_can_all_be_read(
    console: httpx.AsyncClient, db: AsyncEngine
) -> None:
    low = await add_rows(db, "page", 3, priority_level=3)
    [high] = await add_rows(db, "page", 1, priority_level=1)
    [rejected] = await add_rows(db, "page", 1, priority_level=3, page_curation_status="Rejected")
    html = (await console.get("/pages")).text
    assert "<strong>3</strong> low-priority pages are not read automatically" in html
    answer = await console.post("/pages/read-all", data={"expected": "3", "query": ""}, headers=HTMX)
    assert answer.status_code == 200, answer.text
    rows = await snapshot(db, ENTITIES["page"])
    assert {rows[each]["page_processing_status"] for each in low} == {"Queued"}
    assert rows[high]["page_processing_status"] is None
    assert rows[rejected]["page_processing_status"] is None
    # What was drawn before is taken away.
    assert '<div id="unread" hidden></div>' in answer.text
    assert "not read automatically" not in (await console.get("/pages")).text


async def test_a_decision_about_nothing_is_explained(console: httpx.AsyncClient) -> None:
    answer = await decide(console, "/pages", decision="Selected")
    assert answer.status_code == 422
    assert "No page is picked" in answer.text
    wrong = await decide(console, "/pages", ids="x", decision="Selected")
    assert wrong.status_code == 422
    unknown = await decide(console, "/pages", ids=str(uuid.uuid4()), decision="Great")
    assert unknown.status_code == 422


async def test_an_operation_can_be_cancelled(console: httpx.AsyncClient, db: AsyncEngine) -> None:
    [page] = await add_rows(db, "page", 1)
    await decide(console, "/pages", ids=str(page), decision="Maybe")
    operation = await last_operation(db)
    answer = await console.post(f"/operations/{operation.id}/cancel", data={}, headers=HTMX)
    assert answer.status_code == 409
