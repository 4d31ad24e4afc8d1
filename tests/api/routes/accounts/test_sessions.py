"""Sessions: a login, what ends it, and the cookie that carries it (C10)."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import httpx
import pytest
from sqlalchemy import func, select, update
from sqlalchemy.ext.asyncio import AsyncEngine

from people import COOKIE, PASSWORD, add_person, add_session, cookie, log_in
from product import TENANT
from scrapersky import tables
from scrapersky.actions.accounts import sessions
from scrapersky.actions.accounts.passwords import HASHER, verify_password
from scrapersky.actions.accounts.tokens import hash_token
from scrapersky.actions.accounts.users import edit_user, set_password
from scrapersky.actions.actor import Actor

SESSION = tables.sessions.c


async def is_known(api: httpx.AsyncClient, token: str) -> bool:
    status = (await api.get("/api/v3/session", headers=cookie(token))).status_code
    assert status in (200, 401)
    return status == 200


async def change_session(db: AsyncEngine, token: str, **values: Any) -> None:
    async with db.begin() as connection:
        found = update(tables.sessions).where(SESSION.token_hash == hash_token(token))
        assert (await connection.execute(found.values(values))).rowcount == 1


async def test_a_login_gives_a_cookie_and_stores_its_hash_only(
    api: httpx.AsyncClient, db: AsyncEngine
) -> None:
    user_id = await add_person(db, "ada@example.com", "operator")
    answer = await log_in(api, " Ada@Example.com")
    assert (answer.status_code, answer.content) == (204, b"")
    header = answer.headers["set-cookie"]
    assert header.startswith(f"{COOKIE}=")
    assert {"HttpOnly", "Path=/", "SameSite=lax", "Max-Age=604800"} <= set(header.split("; "))
    assert "Secure" not in header, "plain HTTP on loopback"
    token = api.cookies[COOKIE]
    assert len(token) >= 43, "256 bits"
    who = (await api.get("/api/v3/session")).json()
    assert (who["email"], who["role"], who["method"]) == ("ada@example.com", "operator", "session")
    async with db.connect() as connection:
        row = (await connection.execute(select(tables.sessions))).one()
        left = await connection.scalar(select(SESSION.expires_at - func.now()))
        [entry] = await connection.execute(
            select(tables.audit_log).where(tables.audit_log.c.action == "session.create")
        )
    assert (row.user_id, row.token_hash, row.address) == (user_id, hash_token(token), "127.0.0.1")
    assert timedelta(days=6, hours=23) < left <= timedelta(days=7)
    assert (entry.user_id, entry.actor) == (user_id, "ada@example.com")


@pytest.mark.parametrize(
    ("email", "password"),
    [("ada@example.com", "wrong horse staples"), ("nobody@example.com", PASSWORD), ("ada@example.com", "")],
)
async def test_a_wrong_login_reveals_nothing(
    api: httpx.AsyncClient, db: AsyncEngine, email: str, password: str
) -> None:
    await add_person(db, "ada@example.com")
    answer = await log_in(api, email, password)
    assert answer.status_code == 401
    assert answer.json()["detail"] == "Wrong e-mail address or password"
    assert "set-cookie" not in answer.headers


@pytest.mark.parametrize("values", [{"is_active": False}, {"password_hash": None}])
async def test_a_disabled_or_built_in_user_cannot_log_in(
    api: httpx.AsyncClient, db: AsyncEngine, values: dict[str, Any]
) -> None:
    await add_person(db, "boss@example.com")
    await add_person(db, "ada@example.com", **values)
    assert (await log_in(api, "ada@example.com")).json()["detail"] == "Wrong e-mail address or password"


async def test_a_new_login_ends_the_session_of_before(api: httpx.AsyncClient, db: AsyncEngine) -> None:
    await add_person(db, "ada@example.com")
    await log_in(api, "ada@example.com")
    first = api.cookies[COOKIE]
    await log_in(api, "ada@example.com")
    assert api.cookies[COOKIE] != first
    second = api.cookies[COOKIE]
    api.cookies.clear()
    assert (await is_known(api, first), await is_known(api, second)) == (False, True)


async def test_a_logout_ends_the_session_and_deletes_the_cookie(
    api: httpx.AsyncClient, db: AsyncEngine
) -> None:
    await add_person(db, "ada@example.com")
    await log_in(api, "ada@example.com")
    token = api.cookies[COOKIE]
    answer = await api.delete("/api/v3/session")
    assert answer.status_code == 204
    assert COOKIE not in api.cookies
    assert not await is_known(api, token)
    async with db.connect() as connection:
        assert await connection.scalar(select(SESSION.ended_at)) is not None


@pytest.mark.parametrize(
    "values",
    [
        {"last_seen_at": func.now() - timedelta(hours=12, seconds=1)},
        {"expires_at": func.now() - timedelta(seconds=1)},
        {"ended_at": func.now()},
    ],
    ids=["idle", "absolute", "ended"],
)
async def test_a_session_is_over_by_the_clock_of_the_database(
    api: httpx.AsyncClient, db: AsyncEngine, values: dict[str, Any]
) -> None:
    token = await add_session(db, await add_person(db, "ada@example.com"))
    assert await is_known(api, token)
    await change_session(db, token, **values)
    assert not await is_known(api, token)


async def test_use_keeps_a_session_awake_but_is_written_once_a_minute(
    api: httpx.AsyncClient, db: AsyncEngine
) -> None:
    token = await add_session(db, await add_person(db, "ada@example.com"))

    async def last_seen() -> Any:
        async with db.connect() as connection:
            return await connection.scalar(select(SESSION.last_seen_at))

    begun = await last_seen()
    await is_known(api, token)
    assert await last_seen() == begun
    await change_session(db, token, last_seen_at=func.now() - timedelta(hours=2))
    await is_known(api, token)
    assert await last_seen() > begun


@pytest.mark.parametrize("changes", [{"role": "viewer"}, {"is_active": False}])
async def test_a_change_of_privileges_ends_the_sessions_of_the_user(
    api: httpx.AsyncClient, db: AsyncEngine, changes: dict[str, Any]
) -> None:
    boss = await add_session(db, await add_person(db, "boss@example.com"))
    ada = await add_person(db, "ada@example.com", "operator")
    token = await add_session(db, ada)
    assert await is_known(api, token)
    answer = await api.patch(f"/api/v3/users/{ada}", json=changes, headers=cookie(boss))
    assert answer.status_code == 200, answer.text
    assert (await is_known(api, token), await is_known(api, boss)) == (False, True)


async def test_a_new_password_ends_all_sessions_and_begins_one(
    api: httpx.AsyncClient, db: AsyncEngine
) -> None:
    ada = await add_person(db, "ada@example.com", "viewer")
    other = await add_session(db, ada)
    await log_in(api, "ada@example.com")
    own = api.cookies[COOKIE]
    body = {"password": "another eleven walruses", "current_password": "no idea what it is"}
    refused = await api.put(f"/api/v3/users/{ada}/password", json=body)
    assert refused.status_code == 403, "the session is as good as before"
    body["current_password"] = PASSWORD
    assert (await api.put(f"/api/v3/users/{ada}/password", json=body)).status_code == 204
    fresh = api.cookies[COOKIE]
    api.cookies.clear()
    assert [await is_known(api, token) for token in (other, own, fresh)] == [False, False, True]
    assert (await log_in(api, "ada@example.com")).status_code == 401
    assert (await log_in(api, "ada@example.com", "another eleven walruses")).status_code == 204


@pytest.mark.parametrize("change", ["password", "disabled"])
async def test_a_login_that_began_before_a_change_of_the_account_does_not_outlive_it(
    api: httpx.AsyncClient, db: AsyncEngine, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    """The password is checked for a tenth of a second; the change may come just then."""
    ada = await add_person(db, "ada@example.com", "viewer")
    await add_person(db, "boss@example.com")

    async def verify(stored: str | None, password: str) -> bool:
        matches = await verify_password(stored, password)
        if change == "password":
            await set_password(db, Actor(TENANT, ada), ada, "another eleven walruses")
        else:
            await edit_user(db, Actor(TENANT, ada), ada, {"is_active": False})
        return matches

    monkeypatch.setattr(sessions, "verify_password", verify)
    assert (await log_in(api, "ada@example.com")).status_code == 401
    async with db.connect() as connection:
        begun = select(func.count()).select_from(tables.sessions).where(SESSION.ended_at.is_(None))
        assert await connection.scalar(begun) == 0


async def test_sessions_are_listed_and_ended(api: httpx.AsyncClient, db: AsyncEngine) -> None:
    boss = await add_session(db, await add_person(db, "boss@example.com"))
    ada = await add_person(db, "ada@example.com", "viewer")
    own, phone = await add_session(db, ada), await add_session(db, ada, user_agent="phone")
    everybody = (await api.get("/api/v3/sessions", headers=cookie(boss))).json()
    assert everybody["total"] == 3
    mine = (await api.get("/api/v3/sessions", headers=cookie(own))).json()["items"]
    assert {(row["user_agent"], row["is_current"]) for row in mine} == {("phone", False), ("", True)}
    assert not any("hash" in name or "token" in name for row in mine for name in row)
    [lost] = [row["id"] for row in mine if row["user_agent"] == "phone"]
    [foreign] = [row["id"] for row in everybody["items"] if row["email"] == "boss@example.com"]
    gone = await api.delete(f"/api/v3/sessions/{foreign}", headers=cookie(own))
    assert gone.status_code == 404
    assert (await api.delete(f"/api/v3/sessions/{lost}", headers=cookie(own))).status_code == 204
    known = [await is_known(api, token) for token in (own, phone, boss)]
    assert known == [True, False, True]


async def test_a_hash_of_old_parameters_is_made_again_at_the_next_login(
    api: httpx.AsyncClient, db: AsyncEngine
) -> None:
    weak = type(HASHER)(time_cost=1, memory_cost=8_192, parallelism=1).hash(PASSWORD)
    await add_person(db, "ada@example.com", password_hash=weak)
    await log_in(api, "ada@example.com")
    async with db.connect() as connection:
        stored = await connection.scalar(
            select(tables.users.c.password_hash).where(tables.users.c.email == "ada@example.com")
        )
    assert stored.startswith("$argon2id$v=19$m=19456,t=2,p=1$")
    assert HASHER.verify(stored, PASSWORD)
