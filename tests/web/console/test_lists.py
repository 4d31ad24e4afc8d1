"""The lists of the console: rows, filters with counts, order, pages, menus, and what an empty list says."""

from __future__ import annotations

import re
from html import unescape
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from sqlalchemy import insert, select
from sqlalchemy.ext.asyncio import AsyncEngine

from contacts_lab import add_contact
from operation_lab import add_rows
from product import TENANT
from scrapersky import tables
from scrapersky.queries.rows.entities import ENTITIES, LISTS
from scrapersky.tables.ids import new_id
from scrapersky.web.console.lists.list_state import ListState
from scrapersky.web.console.lists.list_views import VIEWS

HTMX = {"HX-Request": "true"}
PATHS = [view.path for view in VIEWS.values()]
CURATED = [view for view in VIEWS.values() if view.curation]


async def get(console: httpx.AsyncClient, path: str, **headers: str) -> str:
    answer = await console.get(path, headers=headers)
    assert answer.status_code == 200, answer.text
    return answer.text


def rows(html: str) -> list[str]:
    return re.findall(r'<tr id="row-([^"]+)"', html)


def heads(html: str) -> list[str]:
    cells = re.findall(r"<th scope=\"col\"[^>]*>(.*?)</th>", html, re.DOTALL)
    return [" ".join(re.sub(r"<[^>]*>", " ", cell).split()) for cell in cells]


def facet(html: str, name: str) -> dict[str, str]:
    """The values of a facet that are shown as boxes, with their counts."""
    found = re.findall(
        rf'name="{name}" value="([^"]*)".*?class="facet-count">([^<]*)<', html.replace("\n", " ")
    )
    return {value: count.replace("\u202f", "") for value, count in found}


async def add_page(db: AsyncEngine, url: str, **values: Any) -> Any:
    domain = {"id": new_id(), "tenant_id": TENANT, "domain": f"{new_id().hex}.example"}
    row = {"id": new_id(), "tenant_id": TENANT, "domain_id": domain["id"], "url": url, **values}
    async with db.begin() as connection:
        await connection.execute(insert(tables.domains).values(domain))
        await connection.execute(insert(tables.pages).values(row))
    return row["id"]


@pytest.mark.parametrize("path", PATHS)
async def test_every_list_answers_as_a_page_and_as_a_part(console: httpx.AsyncClient, path: str) -> None:
    whole = await get(console, path)
    assert "<html" in whole
    assert 'id="list"' in whole
    part = await get(console, path, **HTMX)
    assert "<html" not in part
    assert 'id="filters"' in part


@pytest.mark.parametrize("view", CURATED, ids=lambda view: view.name)
async def test_a_curated_list_shows_its_rows_with_boxes_and_buttons(
    console: httpx.AsyncClient, db: AsyncEngine, view: Any
) -> None:
    ids = await add_rows(db, view.name, 3)
    html = await get(console, f"{view.path}?{view.curation}=New")
    assert set(rows(html)) == {str(each) for each in ids}
    assert html.count('name="ids" value=') == 3
    assert f'value="{ids[0]} Selected"' in html
    assert facet(html, view.curation).get("New", "3") == "3"


@pytest.mark.req("R068", "R070", "R264")
async def test_sitemaps_have_the_columns_and_filters_of_the_original(
    console: httpx.AsyncClient, db: AsyncEngine
) -> None:
    await add_rows(db, "sitemap", 2)
    html = await get(console, "/sitemaps")
    assert heads(html)[1:6] == ["URL", "Domain", "Import status", "Curation status", "Created"]
    for name in ("sitemap_import_status", "sitemap_curation_status"):
        assert re.search(rf'<select name="{name}"', html)
    assert 'name="domain"' in html
    async with db.connect() as connection:
        names = (await connection.scalars(select(tables.domains.c.domain))).all()
    part = names[0][5:12]
    assert len(rows(await get(console, f"/sitemaps?domain={part}"))) == 2
    assert not rows(await get(console, "/sitemaps?domain=elsewhere"))
    assert not rows(await get(console, "/sitemaps?sitemap_curation_status=Rejected"))


@pytest.mark.req("R069")
async def test_the_batch_area_of_sitemaps_shows_the_live_count(
    console: httpx.AsyncClient, db: AsyncEngine
) -> None:
    await add_rows(db, "sitemap", 4)
    await add_rows(db, "sitemap", 2, sitemap_curation_status="Rejected")
    html = await get(console, "/sitemaps?sitemap_curation_status=New")
    assert "Update Selected" in html
    assert "Update ALL Filtered (4 items)" in html
    options = re.search(r'<select id="batch-status".*?</select>', html, re.DOTALL)
    assert options
    assert {"New", "Selected", "Rejected"} <= set(re.findall(r"<option[^>]*>([^<]*)<", options[0]))


@pytest.mark.req("R072", "R074", "R075", "R076")
async def test_pages_are_filtered_by_priority_and_type_and_marked_by_priority(
    console: httpx.AsyncClient, db: AsyncEngine
) -> None:
    first = await add_page(db, "https://a.example/contact", page_type="contact_root", priority_level=1)
    await add_page(db, "https://a.example/blog", page_type="blog", priority_level=3)
    html = await get(console, "/pages")
    assert heads(html)[1:6] == ["URL", "Type", "Priority", "Curation", "Processing"]
    assert "CONTACT_ROOT" in html
    assert re.search(rf'id="row-{first}"[^>]*class="p1"', html)
    assert "High (1)" in html
    assert rows(await get(console, "/pages?priority_level=1")) == [str(first)]
    assert rows(await get(console, "/pages?page_type=contact_root")) == [str(first)]
    assert rows(await get(console, "/pages?url_contains=CONTACT")) == [str(first)]
    assert facet(html, "priority_level") == {"1": "1", "3": "1"}
    for name in ("page_processing_status", "page_curation_status", "page_type"):
        assert f'id="facet-{name}"' in html


@pytest.mark.req("R073")
async def test_pages_come_by_priority_first(console: httpx.AsyncClient, db: AsyncEngine) -> None:
    low = await add_page(db, "https://a.example/1", priority_level=3)
    high = await add_page(db, "https://a.example/2", priority_level=1)
    newest = await add_page(db, "https://a.example/3", priority_level=2)
    assert rows(await get(console, "/pages")) == [str(high), str(newest), str(low)]
    assert rows(await get(console, "/pages?sort=-created_at")) == [str(newest), str(high), str(low)]


async def test_the_next_page_follows_by_a_signed_cursor(console: httpx.AsyncClient, db: AsyncEngine) -> None:
    ids = {str(each) for each in await add_rows(db, "page", 120)}
    seen: list[str] = []
    path = "/pages?page_curation_status=New"
    for number in (50, 50, 20):
        html = await get(console, path)
        assert len(rows(html)) == number
        seen += rows(html)
        following = re.search(r'id="next-page" rel="next" href="([^"]*)"', html)
        path = unescape(following[1]) if following else ""
    assert not path
    assert set(seen) == ids
    assert len(seen) == 120
    forged = await console.get("/pages?after=AAAA")
    assert forged.status_code == 422


async def test_a_part_names_its_clean_address(console: httpx.AsyncClient) -> None:
    """Forms send their empty fields; the address in the browser has none of them."""
    answer = await console.get("/pages?q=&domain=&priority_level=1&sort=-created_at", headers=HTMX)
    pushed = urlsplit(answer.headers["HX-Push-Url"])
    assert pushed.path == "/pages"
    assert parse_qs(pushed.query) == {"priority_level": ["1"], "sort": ["-created_at"]}
    here = {**HTMX, "HX-Current-URL": "http://localhost:8000/pages?priority_level=1"}
    again = await console.get("/pages?priority_level=1", headers=here)
    assert "HX-Push-Url" not in again.headers


async def test_facets_count_without_their_own_choice(console: httpx.AsyncClient, db: AsyncEngine) -> None:
    await add_rows(db, "contact", 3)
    await add_rows(db, "contact", 2, contact_curation_status="Selected")
    html = await get(console, "/contacts?contact_curation_status=Selected")
    assert facet(html, "contact_curation_status") == {"New": "3", "Selected": "2"}
    assert re.search(r"<strong>2</strong> contacts", html)
    assert 'value="Selected" checked' in html


async def test_a_chip_leads_to_the_list_without_its_filter(
    console: httpx.AsyncClient, db: AsyncEngine
) -> None:
    await add_rows(db, "page", 1, priority_level=1)
    html = await get(console, "/pages?priority_level=1&priority_level=2&page_curation_status=New")
    chips = [unescape(url) for url in re.findall(r'class="filter-chip" href="([^"]*)"', html)]
    assert "/pages?priority_level=2&page_curation_status=New" in chips
    assert "/pages?priority_level=1&priority_level=2" in chips


async def test_a_chip_names_the_row_whose_id_is_the_filter(
    console: httpx.AsyncClient, db: AsyncEngine
) -> None:
    (domain_id,) = await add_rows(db, "domain", 1)
    html = await get(console, f"/pages?domain_id={domain_id}")
    assert f"<span>Domain: <b>shop-{domain_id.hex[:12]}.example</b></span>" in html
    nobody = new_id()
    assert f"<b>{nobody}</b>" in await get(console, f"/pages?domain_id={nobody}")


async def test_an_unknown_filter_is_explained(console: httpx.AsyncClient) -> None:
    answer = await console.get("/pages?colour=red")
    assert answer.status_code == 422
    assert "colour" in answer.text


# ---- empty lists


async def test_a_list_that_never_had_a_row_says_what_to_do(console: httpx.AsyncClient) -> None:
    assert "No contacts yet" in await get(console, "/contacts")
    assert "No deliveries yet" in await get(console, "/deliveries")


async def test_the_filter_that_keeps_most_rows_away_is_named(
    console: httpx.AsyncClient, db: AsyncEngine
) -> None:
    await add_rows(db, "page", 5, priority_level=1)
    await add_rows(db, "page", 2, priority_level=2, page_curation_status="Rejected")
    html = await get(console, "/pages?priority_level=1&page_curation_status=Rejected")
    assert "No page matches" in html
    assert "Without Curation: Rejected (5)" in html


async def test_a_decided_list_leads_to_the_next(console: httpx.AsyncClient, db: AsyncEngine) -> None:
    await add_rows(db, "sitemap", 2, sitemap_curation_status="Selected")
    await add_rows(db, "page", 3)
    html = await get(console, "/sitemaps?sitemap_curation_status=New")
    assert "All 2 sitemaps decided" in html
    assert "Next: 3 pages" in html
    assert 'href="/pages?page_curation_status=New"' in html


# ---- menus


async def test_the_menus_hold_the_filters_of_the_view(console: httpx.AsyncClient, db: AsyncEngine) -> None:
    await add_rows(db, "page", 2, priority_level=1)
    html = unescape(await get(console, "/pages?priority_level=1&q=shop"))
    for form in ("csv", "jsonl", "xlsx"):
        url = f"/api/v3/pages/export?q=shop&priority_level=1&format={form}"
        other = f"/api/v3/pages/export?priority_level=1&q=shop&format={form}"
        assert url in html or other in html
        found = url if url in html else other
        assert (await console.get(found)).status_code == 200
    assert "scrapersky page list" in html
    assert "--priority-level 1" in html
    assert "curl 'http://localhost:8000/api/v3/pages?" in html


async def test_the_menus_follow_the_filters(console: httpx.AsyncClient) -> None:
    """They stand above the list, so the part that changes brings them along."""
    html = unescape(await get(console, "/pages?priority_level=2", **HTMX))
    assert re.search(
        r'hx-target="#exports".*?/api/v3/pages/export\?priority_level=2&format=csv', html, re.DOTALL
    )
    assert re.search(r'hx-target="#copies".*?--priority-level 2', html, re.DOTALL)
    assert 'href="/pages?priority_level=2&view=triage" data-triage' in html


async def test_a_view_is_saved_with_its_filters(console: httpx.AsyncClient, db: AsyncEngine) -> None:
    form = {"name": "Worth a look", "query": "priority_level=1&page_type=contact_root", "is_shared": "1"}
    answer = await console.post("/pages/views", data=form)
    assert answer.status_code == 303
    async with db.connect() as connection:
        view = (await connection.execute(select(tables.saved_views))).one()
    assert (view.name, view.is_shared) == ("Worth a look", True)
    assert view.query["priority_level"] == ["1"]
    html = await get(console, "/pages")
    assert "Worth a look" in html
    again = await console.post("/pages/views", data=form)
    assert again.status_code == 409


async def test_the_rail_opens_what_nobody_has_decided_about(console: httpx.AsyncClient) -> None:
    html = await get(console, "/")
    for view in CURATED:
        assert f'href="{view.path}?{view.curation}=New"' in html


async def test_rows_that_came_later_are_counted(console: httpx.AsyncClient, db: AsyncEngine) -> None:
    await add_page(db, "https://a.example/old")
    html = await get(console, "/pages?page_curation_status=New")
    found = re.search(r'id="newer"[^>]*data-url="([^"]*)"', html)
    assert found
    url = unescape(found[1])
    assert "newer · show" not in await get(console, url, **HTMX)
    for number in range(3):
        await add_page(db, f"https://a.example/new-{number}")
    assert "3 newer · show" in await get(console, url, **HTMX)


async def test_the_reason_of_an_error_is_a_line_of_the_row(
    console: httpx.AsyncClient, db: AsyncEngine
) -> None:
    failed = {"page_processing_status": "Error", "page_processing_error": "The host refused <us>"}
    await add_rows(db, "page", 1, **failed)
    html = await get(console, "/pages?error=refused")
    assert "<span>The host refused &lt;us&gt;</span>" in html


async def test_a_viewer_sees_the_list_without_decisions(open_console: Any, db: AsyncEngine) -> None:
    await add_rows(db, "page", 2)
    async with open_console(role="viewer") as console:
        html = await get(console, "/pages")
        assert len(rows(html)) == 2
        assert 'name="ids"' not in html
        refused = await console.post("/pages/decisions", data={"ids": rows(html), "decision": "Selected"})
        assert refused.status_code == 403


# ---- triage


async def test_triage_shows_one_row_and_loads_the_next(console: httpx.AsyncClient, db: AsyncEngine) -> None:
    await add_rows(db, "page", 12)
    html = await get(console, "/pages?view=triage&page_curation_status=New")
    cards = re.findall(r'<article class="triage-card[^>]*>', html)
    assert len(cards) == 8
    assert [("hidden" in card) for card in cards] == [False] + [True] * 7
    following = re.search(r'data-next="([^"]+)"', html)
    assert following
    more = await get(console, unescape(following[1]), **HTMX)
    assert len(re.findall(r'<article class="triage-card', more)) == 4
    assert "<html" not in more


# ---- declarations


def test_every_list_declares_columns_and_facets_that_exist() -> None:
    known = {**ENTITIES, **LISTS}
    for name, view in VIEWS.items():
        entity = known[name]
        assert set(view.facets) == set(entity.facets)
        assert view.columns[0].cell
        state = ListState.read(view, [])
        for column in view.columns:
            if column.sort:
                assert state.sort_url(column.sort).startswith(view.path)


async def test_columns_are_hidden_and_shown_again(console: httpx.AsyncClient, db: AsyncEngine) -> None:
    await add_rows(db, "page", 1)
    assert {"URL", "Type", "Updated"} <= set(heads(await get(console, "/pages")))
    form = {"query": "priority_level=1", "column": ["priority", "curation"]}
    answer = await console.post("/pages/columns", data=form)
    assert (answer.status_code, answer.headers["location"]) == (303, "/pages?priority_level=1")
    assert heads(await get(console, "/pages")) == ["", "URL", "Priority", "Curation", "Actions"]
    await add_rows(db, "domain", 1)
    assert "Updated" in heads(await get(console, "/domains")), "other lists are as they were"
    await console.post("/pages/columns", data={"column": "no such column"})
    assert heads(await get(console, "/pages")) == ["", "URL", "Actions"]
    await console.post("/pages/columns", data={})
    assert "Type" in heads(await get(console, "/pages")), "no column at all means all of them"


async def test_a_decided_row_is_drawn_with_the_chosen_columns(
    console: httpx.AsyncClient, db: AsyncEngine
) -> None:
    [row_id] = await add_rows(db, "page", 1)
    await console.post("/pages/columns", data={"column": "curation"})
    form = {"ids": str(row_id), "shown": str(row_id), "decision": "Maybe"}
    answer = await console.post("/pages/decisions", data=form, headers={"HX-Request": "true"})
    assert answer.text.count("<td") == 4
    operation = re.search(r'data-operation="([^"]+)"', answer.text)
    assert operation
    undone = await console.post(
        f"/operations/{operation[1]}/undo", data={"shown": str(row_id)}, headers={"HX-Request": "true"}
    )
    assert undone.text.count("<td") == 4


async def test_triage_offers_all_pages_of_a_type_on_a_domain(
    console: httpx.AsyncClient, db: AsyncEngine
) -> None:
    await add_rows(db, "page", 3)
    page = (await console.get("/pages?view=triage&page_curation_status=New")).text
    alike = unescape(re.findall(r'data-alike="([^"]+)"', page)[0])
    assert re.fullmatch(r"domain_id=[0-9a-f-]{36}&page_type=\w+&page_curation_status=New", alike)
    form = {"query": alike, "all": "1", "decision": "Rejected", "back": "/pages?view=triage"}
    answer = await console.post("/pages/decisions", data=form)
    assert answer.headers["location"] == "/pages?view=triage"
    assert "data-alike" not in (await console.get("/pages?view=triage")).text, "all of them are decided"


async def test_contacts_are_sorted_by_how_sure_they_are(console: httpx.AsyncClient, db: AsyncEngine) -> None:
    """Those that a person entered have no confidence and come last."""
    values = {"a": 0.5, "b": None, "c": 0.91}
    ids = {
        name: await add_contact(db, f"{name}.example", email=f"info@{name}.example", confidence=confidence)
        for name, confidence in values.items()
    }
    html = await get(console, "/contacts?sort=-confidence")
    assert rows(html) == [str(ids[name]) for name in "cab"]
    assert "91 %" in html
    first = await get(console, "/contacts?sort=confidence")
    assert rows(first) == [str(ids[name]) for name in "bac"]
