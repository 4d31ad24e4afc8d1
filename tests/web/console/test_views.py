"""Saved views and rules in the console."""

from __future__ import annotations

import re
import uuid
from typing import Any

import httpx
import pytest
from sqlalchemy import insert, select
from sqlalchemy.ext.asyncio import AsyncEngine

from people import add_person, add_tenant
from product import TENANT
from scrapersky import tables
from scrapersky.actions.actor import Actor
from scrapersky.actions.presets.rules import create_rule
from scrapersky.actions.presets.saved_views import create_view
from scrapersky.tables.seed import local_user_id
from scrapersky.web.console.lists.list_views import VIEWS
from scrapersky.web.console.presets.filter_words import filter_words

# Who acts where no account exists.
WHO = Actor(TENANT, local_user_id(TENANT), "local")
CONTACT_PAGES = {"page_type": ["contact_root"], "priority_level": ["1"]}


@pytest.fixture
async def pages(db: AsyncEngine) -> None:
    """Three contact pages, of which two are new, and a legal one."""
    domain = uuid.uuid4()
    site = {"tenant_id": TENANT, "host": "shop.example", "domain_id": domain}
    rows = [
        {"url": "https://shop.example/contact", "page_type": "contact_root", "priority_level": 1},
        {"url": "https://shop.example/kontakt", "page_type": "contact_root", "priority_level": 1},
        {"url": "https://shop.example/call", "page_type": "contact_root", "priority_level": 1},
        {"url": "https://shop.example/legal", "page_type": "legal_root", "priority_level": 2},
    ]
    async with db.begin() as connection:
        values = {"id": domain, "tenant_id": TENANT, "domain": "shop.example", "host": "shop.example"}
        await connection.execute(insert(tables.domains).values(values))
        for number, row in enumerate(rows):
            decided = {"page_curation_status": "Rejected" if number == 2 else "New"}
            await connection.execute(insert(tables.pages).values({**site, **row, **decided}))


async def stored(db: AsyncEngine, table: Any) -> list[Any]:
    async with db.connect() as connection:
        return list((await connection.execute(select(table).order_by(table.c.name))).all())


def test_a_filter_is_said_in_words() -> None:
    words = filter_words(VIEWS["page"], {**CONTACT_PAGES, "q": ["dental"], "sort": ["-updated_at"]})
    assert dict(words)["Priority"] == "High (1)"
    assert ("Search", "dental") in words
    assert words[-1] == ("Sorted by", "updated, last first")
    several = filter_words(VIEWS["page"], {"page_type": ["contact_root", "about_root"]})
    assert several[0][1] == "CONTACT_ROOT or ABOUT_ROOT"


# ---- views


@pytest.mark.usefixtures("pages")
async def test_a_view_shows_its_filter_and_its_rows_now(console: httpx.AsyncClient, db: AsyncEngine) -> None:
    await create_view(db, WHO, name="Contact pages", entity="page", params=CONTACT_PAGES)
    page = (await console.get("/views")).text
    row = page.split("Contact pages</a></th>")[1].split("</tr>")[0]
    assert ">Pages</td>" in row
    assert "<strong>High (1)</strong>" in row
    assert 'data-label="Rows now">3</td>' in row
    assert '<a href="/pages?page_type=contact_root&amp;priority_level=1">Contact pages</a>' in page


async def test_a_view_is_renamed_shared_and_deleted(console: httpx.AsyncClient, db: AsyncEngine) -> None:
    view_id = await create_view(db, WHO, name="Contact pages", entity="page", params=CONTACT_PAGES)
    await create_view(db, WHO, name="Team pages", entity="page", params={"page_type": ["team"]})
    answer = await console.post(f"/views/{view_id}", data={"name": "Best pages"})
    assert answer.headers["location"] == "/views?saved=view"
    assert (await console.post(f"/views/{view_id}", data={"is_shared": "1"})).status_code == 303
    [best, _] = await stored(db, tables.saved_views)
    assert (best.name, best.is_shared) == ("Best pages", True)
    for name in ("Team pages", " "):
        refused = await console.post(f"/views/{view_id}", data={"name": name})
        assert refused.status_code in (409, 422)
        assert 'role="alert"' in refused.text
    assert (await console.post(f"/views/{view_id}", data={"is_shared": "0"})).status_code == 303
    assert (await stored(db, tables.saved_views))[0].is_shared is False
    assert (await console.post(f"/views/{view_id}/delete")).status_code == 303
    assert [view.name for view in await stored(db, tables.saved_views)] == ["Team pages"]


async def test_the_view_of_somebody_else_is_seen_if_shared_and_never_changed(
    open_console: Any, db: AsyncEngine
) -> None:
    boss = Actor(TENANT, await add_person(db, "boss@example.com"), "boss@example.com")
    shared = await create_view(db, boss, name="Shared", entity="page", params=CONTACT_PAGES, is_shared=True)
    await create_view(db, boss, name="Private", entity="page", params=CONTACT_PAGES)
    async with open_console("admin") as client:
        page = (await client.get("/views")).text
        assert "Shared</a>" in page
        assert "Private</a>" not in page
        assert f'action="/views/{shared}"' not in page
        assert (await client.post(f"/views/{shared}", data={"name": "Mine"})).status_code == 404
        assert (await client.post(f"/views/{shared}/delete")).status_code == 404
    assert len(await stored(db, tables.saved_views)) == 2


async def test_an_empty_page_says_what_to_do(console: httpx.AsyncClient) -> None:
    page = (await console.get("/views")).text
    assert "No view is saved" in page
    assert "No rule decides yet" in page
    assert 'href="/views/rules/new"' in page


# ---- rules

RULE = {"list": "pages", "query": "page_type=contact_root", "name": "Select contact pages"}


@pytest.mark.usefixtures("pages")
async def test_a_rule_shows_its_effect_before_it_is_enabled(
    console: httpx.AsyncClient, db: AsyncEngine
) -> None:
    address = "/views/rules/new?list=pages&page_type=contact_root&page_curation_status=New&sort=-created_at"
    page = (await console.get(address)).text
    assert 'name="previewed" value="3"' in page
    assert re.search(r"2(&nbsp;|\s| )*pages that still wait would have been decided", page)
    assert "the filter by decision is left out" in page
    form = {**RULE, "decision": "Selected", "is_enabled": "1"}
    for seen in ({}, {"previewed": ""}, {"previewed": "99"}, {"previewed": "-3"}):
        refused = await console.post("/views/rules", data={**form, **seen})
        assert (refused.status_code, "look again, then enable" in refused.text) == (409, True), seen
        assert 'value="Select contact pages"' in refused.text
    assert await stored(db, tables.rules) == []
    done = await console.post("/views/rules", data={**form, "previewed": "3"})
    assert (done.status_code, done.headers["location"]) == (303, "/views?saved=rule#rules")
    [rule] = await stored(db, tables.rules)
    assert (rule.name, rule.decision, rule.is_enabled) == ("Select contact pages", "Selected", True)
    assert rule.filters == {"page_type": ["contact_root"]}
    listed = (await console.get("/views")).text
    assert "<strong>CONTACT_ROOT</strong>" in listed
    assert f'action="/views/rules/{rule.id}/disable"' in listed


@pytest.mark.usefixtures("pages")
async def test_a_rule_is_changed_disabled_enabled_and_deleted(
    console: httpx.AsyncClient, db: AsyncEngine
) -> None:
    assert (await console.post("/views/rules", data={**RULE, "decision": "Rejected"})).status_code == 303
    [rule] = await stored(db, tables.rules)
    assert rule.is_enabled is False
    path = f"/views/rules/{rule.id}"
    page = (await console.get(path)).text
    assert f'action="{path}/enable"' in page
    assert (await console.post(f"{path}/enable")).status_code == 409
    assert (await console.post(f"{path}/enable", data={"previewed": "3"})).status_code == 303
    assert (await stored(db, tables.rules))[0].is_enabled is True
    assert (await console.post(path, data={"name": "Sort out", "decision": "Archived"})).status_code == 303
    assert (await console.post(f"{path}/disable")).status_code == 303
    [rule] = await stored(db, tables.rules)
    assert (rule.name, rule.decision, rule.is_enabled) == ("Sort out", "Archived", False)
    assert (await console.post(path, data={"name": "x", "decision": "Burn"})).status_code == 422
    assert (await console.post(f"{path}/delete")).status_code == 303
    assert await stored(db, tables.rules) == []


async def test_a_rule_begins_with_the_filters_of_a_list(console: httpx.AsyncClient) -> None:
    for address in ("/views/rules/new", "/views/rules/new?list=jobs", "/views/rules/new?list=pages"):
        page = await console.get(address)
        assert page.status_code == 200
        assert "Make a rule" in page.text
    menu = (await console.get("/pages")).text
    assert 'formaction="/views/rules/new"' in menu
    page = await console.get("/views/rules/new", params={"list": "pages", "query": "page_type=login"})
    assert "LOGIN" in page.text
    wrong = await console.get("/views/rules/new", params={"list": "pages", "colour": "red"})
    assert wrong.status_code == 422


async def test_two_rules_need_two_names(console: httpx.AsyncClient) -> None:
    form = {**RULE, "decision": "Rejected"}
    assert (await console.post("/views/rules", data=form)).status_code == 303
    again = await console.post("/views/rules", data=form)
    assert (again.status_code, "There is a rule" in again.text) == (409, True)


async def test_a_viewer_reads_rules(open_console: Any, db: AsyncEngine) -> None:
    rule_id = await create_rule(
        db, WHO, name="No legal pages", entity="page", filters={"page_type": ["legal"]}, decision="Rejected"
    )
    async with open_console("viewer") as client:
        page = (await client.get("/views")).text
        assert "No legal pages" in page
        assert "/disable" not in page
        assert (await client.get("/views/rules/new")).status_code == 403
        one = (await client.get(f"/views/rules/{rule_id}")).text
        assert "<button" not in one.split("<main")[1].split("</main>")[0]
        for action in ("", "/enable", "/disable", "/delete"):
            assert (await client.post(f"/views/rules/{rule_id}{action}")).status_code == 403
    assert len(await stored(db, tables.rules)) == 1


async def test_rules_of_another_tenant_do_not_exist(open_console: Any, db: AsyncEngine) -> None:
    far = await add_tenant(db)
    person = await add_person(db, "far@example.com", tenant_id=far)
    rule_id = await create_rule(
        db, Actor(far, person), name="Far", entity="page", filters={"q": ["x"]}, decision="Rejected"
    )
    async with open_console("admin") as client:
        assert "Far" not in (await client.get("/views")).text
        assert (await client.get(f"/views/rules/{rule_id}")).status_code == 404
        assert (await client.post(f"/views/rules/{rule_id}/delete")).status_code == 404
