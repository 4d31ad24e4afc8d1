"""Settings in the console: gates, stages, politeness, alerts and the whole list, edited while workers run."""

from __future__ import annotations

import re
from typing import Any

import httpx
import pytest
from sqlalchemy import insert, select
from sqlalchemy.ext.asyncio import AsyncEngine

from people import add_person, add_session, add_tenant, cookie
from product import TENANT
from scrapersky import tables
from scrapersky.declarations import DECLARATIONS, GATES
from scrapersky.queries.installation.setting_overrides import SettingQuery
from scrapersky.secret_key import SecretKey
from scrapersky.settings import Settings
from scrapersky.web.console.settings.tabs import TABS

SECRET = "k3Jq9-Zx7vB2nM5tR8wY1uC4sD6fG0hL"


async def overrides(db: AsyncEngine) -> dict[str, str | None]:
    columns = tables.setting_overrides.c
    async with db.connect() as connection:
        rows = await connection.execute(select(columns.name, columns.value))
        return {row.name: row.value for row in rows}


async def current(db: AsyncEngine) -> Settings:
    return await SettingQuery(db, Settings(), SecretKey(SECRET)).current()


async def audited(db: AsyncEngine) -> list[str]:
    columns = tables.audit_log.c
    async with db.connect() as connection:
        return list(await connection.scalars(select(columns.action).order_by(columns.number)))


async def test_settings_lead_to_the_first_tab(console: httpx.AsyncClient) -> None:
    answer = await console.get("/settings")
    assert (answer.status_code, answer.headers["location"]) == (303, "/settings/gates")


async def test_every_tab_opens_and_names_the_others(console: httpx.AsyncClient) -> None:
    for tab in TABS:
        page = await console.get(tab.path)
        assert page.status_code == 200, tab
        for other in TABS:
            current = ' aria-current="page"' if other is tab else ""
            assert f'<a href="{other.path}"{current}>{other.title}</a>' in page.text


async def test_each_gate_says_what_it_does_and_is_switched(
    console: httpx.AsyncClient, db: AsyncEngine
) -> None:
    page = (await console.get("/settings/gates")).text
    for gate in GATES:
        assert f'id="{gate.setting.upper()}"' in page
        assert re.sub(r" \(D\d+\)", "", gate.help).replace("'", "&#39;") in page
    assert "contacts are sent by people and by rules only" in page
    assert not re.search(r"\((WF|D)\d", page), "numbers of documents mean nothing here"
    form = {"section": "gates", "anchor": "AUTO_DEEP_SCAN", "AUTO_DEEP_SCAN": "true"}
    answer = await console.post("/settings/values", data=form)
    assert answer.headers["location"] == "/settings/gates#AUTO_DEEP_SCAN"
    assert (await current(db)).auto_deep_scan is True  # type: ignore[attr-defined]
    assert await audited(db) == ["setting.set"]
    page = (await console.get("/settings/gates")).text
    assert "Workers follow within 10 seconds" in page
    answer = await console.post("/settings/values", data={"section": "gates", "reset": "AUTO_DEEP_SCAN"})
    assert answer.status_code == 303
    assert await overrides(db) == {}


async def test_a_stage_has_its_seven_settings_and_stores_what_changed(
    console: httpx.AsyncClient, db: AsyncEngine
) -> None:
    page = (await console.get("/settings/stages")).text
    for stage in DECLARATIONS:
        card = page.split(f'id="{stage.name}"')[1].split("</section>")[0]
        prefix = stage.compat.settings_prefix.upper()
        names = re.findall(rf'(?:input|select) id="({prefix}_\w+)"', card)
        assert len(names) == 7, stage.name
    prefix = "PAGE_CURATION_SCHEDULER"
    form = {f"{prefix}_BATCH_SIZE": "33", f"{prefix}_MODE": "interval", f"{prefix}_CONCURRENCY": "50"}
    answer = await console.post("/settings/values", data={"section": "stages", **form})
    assert answer.headers["location"] == "/settings/stages"
    assert await overrides(db) == {
        "page_curation_scheduler_batch_size": "33",
        "page_curation_scheduler_mode": "interval",
    }


async def test_a_refused_value_is_explained_at_its_field_and_the_others_are_stored(
    console: httpx.AsyncClient, db: AsyncEngine
) -> None:
    form = {"HOST_DELAY_MILLISECONDS": "-3", "HOST_BACKOFF_MINUTES": "9", "section": "politeness"}
    answer = await console.post("/settings/values", data=form)
    assert answer.status_code == 422
    field = answer.text.split('id="HOST_DELAY_MILLISECONDS-field"')[1].split("</div>\n</div>")[0]
    assert 'aria-invalid="true"' in field
    assert 'value="-3"' in field
    assert "This is &#39;-3&#39; but must be at least 0" in field
    assert await overrides(db) == {"host_backoff_minutes": "9"}


async def test_two_values_that_depend_on_each_other_are_stored_together(
    console: httpx.AsyncClient, db: AsyncEngine
) -> None:
    form = {"LOW_WATER_ROWS": "200000", "HIGH_WATER_ROWS": "300000", "section": "stages"}
    assert (await console.post("/settings/values", data=form)).status_code == 303
    assert (await current(db)).low_water_rows == 200_000


async def test_a_secret_is_written_and_never_shown(console: httpx.AsyncClient, db: AsyncEngine) -> None:
    url = "https://hooks.example.com/canary-4711"
    form = {"section": "alerts", "ALERT_SLACK_URL": url}
    assert (await console.post("/settings/values", data=form)).status_code == 303
    stored = (await current(db)).alert_slack_url
    assert stored is not None
    assert stored.get_secret_value() == url
    for path in ("/settings/alerts", "/settings/everything", "/settings/everything/ALERT_SLACK_URL"):
        page = (await console.get(path)).text
        assert "canary" not in page
        assert "ALERT_SLACK_URL" in page
    empty = {"section": "alerts", "ALERT_SLACK_URL": ""}
    assert (await console.post("/settings/values", data=empty)).status_code == 303
    assert "Nothing was changed" in (await console.get("/settings/alerts")).text
    assert (await current(db)).alert_slack_url is not None
    refused = {"section": "alerts", "ALERT_WEBHOOK_URL": "javascript:canary"}
    answer = await console.post("/settings/values", data=refused)
    assert (answer.status_code, "canary" in answer.text) == (422, False)
    assert "is not an http or https address" in answer.text
    await console.post("/settings/values", data={"section": "alerts", "reset": "ALERT_SLACK_URL"})
    assert (await current(db)).alert_slack_url is None


async def test_the_whole_list_says_where_a_value_comes_from(open_console: Any) -> None:
    async with open_console(host_delay_milliseconds=1_500) as client:
        page = (await client.get("/settings/everything")).text
        for name in Settings.model_fields:
            assert f"<code>{name.upper()}</code>" in page
        one = (await client.get("/settings/everything/HOST_DELAY_MILLISECONDS")).text
        assert "environment: HOST_DELAY_MILLISECONDS" in one
        assert '<input id="HOST_DELAY_MILLISECONDS"' not in one
        form = {"section": "politeness", "HOST_DELAY_MILLISECONDS": "10"}
        answer = await client.post("/settings/values", data=form)
        assert (answer.status_code, "which wins" in answer.text) == (422, True)
        assert (await client.get("/settings/everything/NO_SUCH")).status_code == 404


async def test_the_list_is_searched(console: httpx.AsyncClient, db: AsyncEngine) -> None:
    row = {"tenant_id": TENANT, "name": "auto_deep_scan", "value": "true"}
    async with db.begin() as connection:
        await connection.execute(insert(tables.setting_overrides).values(row))
    by_word = (await console.get("/settings/everything", params={"q": "deep_scan"})).text
    assert "<code>AUTO_DEEP_SCAN</code>" in by_word
    assert "<code>HOST_DELAY_MILLISECONDS</code>" not in by_word
    changed = (await console.get("/settings/everything", params={"origin": "changed"})).text
    assert "<code>AUTO_DEEP_SCAN</code>" in changed
    assert "<code>AUTO_PAGE_READING</code>" not in changed
    nothing = (await console.get("/settings/everything", params={"q": '<script>"'})).text
    assert "No setting matches" in nothing
    assert "<script>&#34;" not in nothing


@pytest.mark.parametrize("role", ["viewer", "operator"])
async def test_others_read_without_editing(open_console: Any, db: AsyncEngine, role: str) -> None:
    async with open_console(role) as client:
        for path in ("/settings/gates", "/settings/stages", "/settings/politeness"):
            page = (await client.get(path)).text
            assert "Administrators of the default tenant edit them" in page
            assert 'action="/settings/values"' not in page or "<button" not in page.split("<main")[1]
        for path in ("/settings/alerts", "/settings/everything", "/settings/tenants"):
            assert (await client.get(path)).status_code == 403
            assert f'href="{path}"' not in page
        form = {"section": "gates", "AUTO_DEEP_SCAN": "true"}
        assert (await client.post("/settings/values", data=form)).status_code == 403
    assert await overrides(db) == {}


async def test_an_administrator_of_another_tenant_sees_their_own_tabs_only(
    console: httpx.AsyncClient, db: AsyncEngine
) -> None:
    admin = await add_person(db, "far@example.com", tenant_id=await add_tenant(db))
    console.headers.update(cookie(await add_session(db, admin)))
    assert (await console.get("/settings")).headers["location"] == "/settings/destinations"
    page = (await console.get("/settings/people")).text
    assert 'href="/settings/keys"' in page
    assert 'href="/settings/gates"' not in page
    for path in ("gates", "stages", "politeness", "tenants", "alerts", "everything"):
        assert (await console.get(f"/settings/{path}")).status_code == 403, path
    answer = await console.post("/settings/values", data={"section": "gates", "AUTO_DEEP_SCAN": "true"})
    assert answer.status_code == 403
    assert await overrides(db) == {}


async def test_the_look_is_a_matter_of_the_browser(console: httpx.AsyncClient) -> None:
    page = (await console.get("/settings/look")).text
    for name in ("theme", "density", "letter-keys"):
        assert f'type="radio" name="{name}"' in page
    assert 'js/settings.js" type="module"' in page
