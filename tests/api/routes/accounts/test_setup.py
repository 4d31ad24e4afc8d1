"""The first start: one link, one administrator, once (C26)."""

from __future__ import annotations

import asyncio
import re
from datetime import timedelta
from typing import Any

import httpx
import pytest
from sqlalchemy import func, select, update
from sqlalchemy.ext.asyncio import AsyncEngine

from people import COOKIE, PASSWORD, add_person, log_in
from product import WHO
from scrapersky import tables
from scrapersky.actions.accounts.setup_links import create_setup_link
from scrapersky.actions.accounts.tokens import hash_token

USER = tables.users.c


def setup_body(token: str, email: str = "ada@example.com", password: str = PASSWORD) -> dict[str, str]:
    return {"token": token, "email": email, "password": password}


async def accounts(db: AsyncEngine) -> list[Any]:
    async with db.connect() as connection:
        query = select(USER.email, USER.role).where(USER.password_hash.is_not(None))
        return [tuple(row) for row in await connection.execute(query)]


async def test_there_is_no_default_account(db: AsyncEngine) -> None:
    assert await accounts(db) == []


async def test_a_link_creates_one_administrator_once(api: httpx.AsyncClient, db: AsyncEngine) -> None:
    token = await create_setup_link(db, WHO)
    async with db.connect() as connection:
        assert await connection.scalar(select(tables.setup_links.c.token_hash)) == hash_token(token)
    answer = await api.post("/api/v3/setup", json=setup_body(token))
    assert answer.status_code == 201, answer.text
    assert await accounts(db) == [("ada@example.com", "admin")]
    assert (await api.get("/api/v3/session")).status_code == 401, "open loopback has ended"
    assert (await log_in(api, "ada@example.com")).status_code == 204
    again = await api.post("/api/v3/setup", json=setup_body(token, "eve@example.com"))
    assert (again.status_code, again.json()["detail"]) == (401, "The setup link is wrong, used or expired")
    assert await accounts(db) == [("ada@example.com", "admin")]


async def test_of_twenty_at_once_one_succeeds(api: httpx.AsyncClient, db: AsyncEngine) -> None:
    token = await create_setup_link(db, WHO)
    answers = await asyncio.gather(
        *(api.post("/api/v3/setup", json=setup_body(token, f"p{i}@example.com")) for i in range(20))
    )
    assert sorted(answer.status_code for answer in answers) == [201] + [401] * 19
    assert len(await accounts(db)) == 1


@pytest.mark.parametrize("minutes", [59, 61])
async def test_a_link_ends_after_an_hour(api: httpx.AsyncClient, db: AsyncEngine, minutes: int) -> None:
    token = await create_setup_link(db, WHO)
    async with db.begin() as connection:
        link = tables.setup_links.c
        await connection.execute(
            update(tables.setup_links).values(expires_at=link.expires_at - timedelta(minutes=minutes))
        )
    answer = await api.post("/api/v3/setup", json=setup_body(token))
    assert answer.status_code == (201 if minutes < 60 else 401)


async def test_the_first_account_ends_older_links(api: httpx.AsyncClient, db: AsyncEngine) -> None:
    token = await create_setup_link(db, WHO)
    await add_person(db, "boss@example.com", created_at=func.now() + timedelta(seconds=1))
    assert (await api.post("/api/v3/setup", json=setup_body(token))).status_code == 401


async def test_a_link_for_an_account_sets_its_password_only(api: httpx.AsyncClient, db: AsyncEngine) -> None:
    await add_person(db, "boss@example.com")
    await add_person(db, "ada@example.com", "viewer")
    token = await create_setup_link(db, WHO, email="ada@example.com")
    body = setup_body(token, "boss@example.com", "another eleven walruses")
    assert (await api.post("/api/v3/setup", json=body)).status_code == 401
    body["email"] = "ada@example.com"
    assert (await api.post("/api/v3/setup", json=body)).status_code == 201
    assert (await log_in(api, "ada@example.com", "another eleven walruses")).status_code == 204
    assert ("ada@example.com", "viewer") in await accounts(db)


async def test_the_form_creates_the_account_and_logs_in(api: httpx.AsyncClient, db: AsyncEngine) -> None:
    token = await create_setup_link(db, WHO)
    page = await api.get("/setup", params={"token": token})
    assert f'value="{token}"' in page.text
    assert not re.search(r"<script|style=|https?://", page.text)
    weak = await api.post("/setup", data=setup_body(token, password="password1234"))
    assert (weak.status_code, "too common" in weak.text) == (422, True)
    assert "password1234" not in weak.text
    headers = {"Origin": "null", "Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "navigate"}
    done = await api.post("/setup", data=setup_body(token), headers=headers)
    assert (done.status_code, done.headers["location"]) == (303, "/")
    assert COOKIE in api.cookies
    browser = {"Accept": "text/html"}
    assert (await api.get("/", headers=browser)).status_code == 200
    api.cookies.clear()
    assert (await api.get("/", headers=browser)).headers["location"] == "/login?next=/"
    assert (await api.post("/setup", data=setup_body(token, "eve@example.com"))).status_code == 401
    assert await accounts(db) == [("ada@example.com", "admin")]


async def test_people_log_in_by_a_form(api: httpx.AsyncClient, db: AsyncEngine) -> None:
    await add_person(db, "ada@example.com")
    wrong = await api.post("/login", data={"email": "ada@example.com", "password": "<b>wrong"})
    assert (wrong.status_code, "Wrong e-mail address" in wrong.text) == (401, True)
    right = await api.post("/login", data={"email": "ada@example.com", "password": PASSWORD})
    assert right.status_code == 303
    assert (await api.get("/api/v3/session")).json()["email"] == "ada@example.com"


async def test_a_hostile_token_is_text_in_the_page(api: httpx.AsyncClient) -> None:
    page = await api.get("/setup", params={"token": '"><script>alert(1)</script>'})
    assert "<script" not in page.text
    assert (await api.post("/setup", content=b"x" * 20_000)).status_code == 422
