"""Sign in, the first account and the way out, as people and attackers use them."""

from __future__ import annotations

import re
from typing import Any

import httpx
import pytest
from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncEngine

from people import COOKIE, PASSWORD, add_person, add_session, cookie
from product import WHO
from scrapersky import tables
from scrapersky.actions.accounts.setup_links import create_setup_link
from scrapersky.web.account_pages import own_path

ELSEWHERE = [
    "//evil.example",
    "/\\evil.example",
    "\\\\evil.example",
    "/\t/evil.example",
    "/\n/evil.example",
    "https://evil.example",
    "javascript:alert(1)",
    "evil.example",
    " //evil.example",
    "/x y",
    "",
    "/" + "a" * 2_000,
    "/%0d%0a\r\nSet-Cookie: x",
    "//[",
]


@pytest.mark.parametrize("path", ELSEWHERE)
def test_nothing_leads_to_another_site(path: str) -> None:
    assert own_path(path) == "/"


@pytest.mark.parametrize("path", ["/pages?page_type=contact&q=a%20b", "/domains/example.com", "/"])
def test_own_paths_stay(path: str) -> None:
    assert own_path(path) == path


async def test_who_is_not_signed_in_comes_back_to_the_same_view(
    console: httpx.AsyncClient, db: AsyncEngine
) -> None:
    await add_person(db, "ada@example.com")
    answer = await console.get("/settings/everything?q=host&origin=changed")
    assert answer.status_code == 303
    form = await console.get(answer.headers["location"])
    [target] = re.findall(r'name="next" value="([^"]+)"', form.text)
    login = {"email": "ada@example.com", "password": PASSWORD, "next": target.replace("&amp;", "&")}
    done = await console.post("/login", data=login)
    assert (done.status_code, done.headers["location"]) == (303, "/settings/everything?q=host&origin=changed")
    assert (await console.get(done.headers["location"])).status_code == 200


@pytest.mark.parametrize("path", ["//evil.example", "/\\evil.example", "https://evil.example"])
async def test_a_login_never_leads_elsewhere(console: httpx.AsyncClient, db: AsyncEngine, path: str) -> None:
    await add_person(db, "ada@example.com")
    page = await console.get("/login", params={"next": path})
    assert "evil" not in page.text
    done = await console.post("/login", data={"email": "ada@example.com", "password": PASSWORD, "next": path})
    assert (done.status_code, done.headers["location"]) == (303, "/")


async def test_a_wrong_password_is_named_at_its_field(console: httpx.AsyncClient, db: AsyncEngine) -> None:
    await add_person(db, "ada@example.com")
    wrong = await console.post(
        "/login", data={"email": "ada@example.com", "password": "x7canary", "next": "/jobs"}
    )
    assert wrong.status_code == 401
    assert re.search(r'id="password-note" role="alert">Wrong e-mail address or password', wrong.text)
    assert 'aria-invalid="true" aria-describedby="password-note"' in wrong.text
    assert 'value="ada@example.com"' in wrong.text
    assert 'value="/jobs"' in wrong.text
    assert "canary" not in wrong.text


async def test_password_managers_know_the_fields_and_may_paste(
    console: httpx.AsyncClient, db: AsyncEngine
) -> None:
    await add_person(db, "ada@example.com")
    login, setup = (await console.get("/login")).text, (await console.get("/setup")).text
    assert 'autocomplete="username"' in login
    assert 'autocomplete="current-password"' in login
    assert 'autocomplete="new-password"' in setup
    for page in (login, setup):
        assert not re.search(r"<script|style=|onpaste|https?://", page)
        assert '<body class="plain">' in page


async def test_who_is_signed_in_needs_no_form(console: httpx.AsyncClient) -> None:
    answer = await console.get("/login", params={"next": "/pages"})
    assert (answer.status_code, answer.headers["location"]) == (303, "/pages")


async def test_log_out_ends_the_session(console: httpx.AsyncClient, db: AsyncEngine) -> None:
    token = await add_session(db, await add_person(db, "ada@example.com"))
    page = await console.get("/settings/look", headers=cookie(token))
    assert 'action="/logout"' in page.text
    answer = await console.post("/logout", headers=cookie(token))
    assert (answer.status_code, answer.headers["location"]) == (303, "/login")
    assert f'{COOKIE}=""' in answer.headers["set-cookie"]
    assert (await console.get("/settings/look", headers=cookie(token))).status_code == 303
    async with db.connect() as connection:
        ended = select(func.count()).where(tables.sessions.c.ended_at.is_not(None))
        assert await connection.scalar(ended) == 1
    assert (await console.get("/logout")).status_code == 405


async def test_the_first_account_is_made_by_its_link(console: httpx.AsyncClient, db: AsyncEngine) -> None:
    token = await create_setup_link(db, WHO)
    form: dict[str, Any] = {"token": token, "email": "ada", "password": PASSWORD, "name": "Ada"}
    wrong = await console.post("/setup", data=form)
    assert wrong.status_code == 422
    assert re.search(r'id="email-note" role="alert">The e-mail address is invalid', wrong.text)
    weak = await console.post("/setup", data={**form, "email": "ada@example.com", "password": "short"})
    assert re.search(r'id="password-note" role="alert">The password must have', weak.text)
    expired = await console.post("/setup", data={**form, "email": "ada@example.com", "token": "x"})
    assert (expired.status_code, "wrong, used or expired" in expired.text) == (401, True)
    done = await console.post("/setup", data={**form, "email": "ada@example.com"})
    assert (done.status_code, done.headers["location"]) == (303, "/")
    assert (await console.get("/")).status_code == 200
