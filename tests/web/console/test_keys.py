"""API keys in the console: shown once, usable, revoked; never more than their owner may."""

from __future__ import annotations

import html
import re
from datetime import timedelta
from typing import Any

import httpx
from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncEngine

from people import add_key, add_person, bearer
from scrapersky import tables

KEY = tables.api_keys.c
FORM = {"name": "n8n", "scope": ["read"], "days": "90"}


async def keys(db: AsyncEngine) -> list[Any]:
    async with db.connect() as connection:
        return list((await connection.execute(select(tables.api_keys).order_by(KEY.created_at))).all())


def shown_key(page: str) -> str:
    found = re.search(r'<code class="secret">(ssky_\w+)</code>', page)
    assert found
    return html.unescape(found[1])


async def test_a_key_is_shown_once_with_a_button_that_copies_it(open_console: Any, db: AsyncEngine) -> None:
    async with open_console("operator") as client:
        answer = await client.post("/settings/keys", data=FORM)
        assert answer.status_code == 201
        key = shown_key(answer.text)
        assert f'data-copy="{key}"' in answer.text
        [stored] = await keys(db)
        assert (stored.name, stored.scopes) == ("n8n", ["read"])
        assert timedelta(days=89) < stored.expires_at - stored.created_at < timedelta(days=91)
        later = (await client.get("/settings/keys")).text
        assert key not in later
        assert stored.key_prefix in later
        client.cookies.clear()
        headers = {**bearer(key), "Accept": "application/json"}
        assert (await client.get("/api/v3/pages", headers=headers)).status_code == 200


async def test_a_revoked_key_is_refused(open_console: Any, db: AsyncEngine) -> None:
    async with open_console("viewer") as client:
        key = shown_key((await client.post("/settings/keys", data=FORM)).text)
        [stored] = await keys(db)
        answer = await client.post(f"/settings/keys/{stored.id}/revoke")
        assert answer.headers["location"] == "/settings/keys?saved=revoked"
        assert (await client.get("/api/v3/pages", headers=bearer(key))).status_code == 401
        page = (await client.get("/settings/keys")).text
        assert "revoked" in page
        assert f"{stored.id}/revoke" not in page


async def test_a_key_may_not_do_more_than_its_owner(open_console: Any, db: AsyncEngine) -> None:
    async with open_console("viewer") as client:
        page = (await client.get("/settings/keys")).text
        assert 'value="read"' in page
        assert 'value="admin"' not in page
        answer = await client.post("/settings/keys", data={**FORM, "scope": ["read", "admin"]})
        assert (answer.status_code, "does not allow a key with the scope admin" in answer.text) == (403, True)
        for wrong in ({"scope": []}, {"scope": ["fly"]}, {"name": " "}, {"days": "0"}, {"days": "9999999"}):
            answer = await client.post("/settings/keys", data={**FORM, **wrong})
            assert answer.status_code == 422, wrong
            assert 'role="alert"' in answer.text
    assert await keys(db) == []


async def test_a_key_makes_no_other_key(open_console: Any, db: AsyncEngine) -> None:
    admin = await add_person(db, "boss@example.com")
    key = await add_key(db, admin, "admin")
    async with open_console() as client:
        assert (await client.post("/settings/keys", data=FORM, headers=bearer(key))).status_code == 403
    assert len(await keys(db)) == 1


async def test_people_see_and_revoke_their_own_keys_and_administrators_all(
    open_console: Any, db: AsyncEngine
) -> None:
    boss = await add_person(db, "boss@example.com")
    await add_key(db, boss, "admin")
    [stored] = await keys(db)
    async with open_console("operator") as client:
        assert stored.key_prefix not in (await client.get("/settings/keys")).text
        assert (await client.post(f"/settings/keys/{stored.id}/revoke")).status_code == 404
    async with open_console("admin") as client:
        assert stored.key_prefix in (await client.get("/settings/keys")).text
        assert (await client.post(f"/settings/keys/{stored.id}/revoke")).status_code == 303
    async with db.connect() as connection:
        assert await connection.scalar(select(func.count()).where(KEY.revoked_at.is_not(None))) == 1


async def test_without_accounts_the_page_says_what_to_do_first(console: httpx.AsyncClient) -> None:
    page = (await console.get("/settings/keys")).text
    assert "Keys belong to accounts" in page
    assert 'action="/settings/keys"' not in page
    assert (await console.post("/settings/keys", data=FORM)).status_code == 409
