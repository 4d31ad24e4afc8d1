"""API keys: random, hashed, scoped, limited in time, shown once (C11, API-17)."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import httpx
import pytest
from sqlalchemy import func, select, text, update
from sqlalchemy.ext.asyncio import AsyncEngine

from people import PASSWORD, add_key, add_person, add_session, bearer, cookie, log_in
from scrapersky import tables
from scrapersky.actions.accounts.tokens import hash_token

KEY = tables.api_keys.c
WHO_AM_I = "/api/v3/session"
CONTACT = {"domain": "example.com", "email": "info@example.com"}


@pytest.fixture
async def admin(db: AsyncEngine) -> Any:
    return await add_person(db, "boss@example.com")


async def change_key(db: AsyncEngine, **values: Any) -> None:
    async with db.begin() as connection:
        await connection.execute(update(tables.api_keys).values(values))


async def test_a_key_is_shown_once_and_stored_as_a_hash(
    api: httpx.AsyncClient, db: AsyncEngine, admin: Any
) -> None:
    session = cookie(await add_session(db, admin))
    body = {"name": "n8n", "scopes": ["read", "operate"], "expires_in_days": 30}
    headers = {**session, "Idempotency-Key": "one"}
    made = (await api.post("/api/v3/api-keys", json=body, headers=headers)).json()
    key = made["key"]
    assert re.fullmatch(r"ssky_[0-9A-Za-z]{8}_[0-9A-Za-z]{43}", key)
    assert (made["key_prefix"], made["scopes"]) == (key[:13], ["read", "operate"])
    [listed] = (await api.get("/api/v3/api-keys", headers=session)).json()["items"]
    assert "key" not in listed
    assert key not in str(listed)
    async with db.connect() as connection:
        row = (await connection.execute(select(tables.api_keys))).one()
        days = await connection.scalar(select(KEY.expires_at - func.now()))
    assert (row.secret_hash, row.user_id) == (hash_token(key), admin)
    assert timedelta(days=29) < days <= timedelta(days=30)
    who = (await api.get(WHO_AM_I, headers=bearer(key))).json()
    assert (who["email"], who["method"], who["role"]) == ("boss@example.com", "api_key", "operator")


async def test_nothing_secret_is_in_the_database(api: httpx.AsyncClient, db: AsyncEngine, admin: Any) -> None:
    await log_in(api, "boss@example.com")
    token = next(iter(api.cookies.values()))
    headers = {"Idempotency-Key": "again"}
    body = {"name": "n8n", "scopes": ["admin"]}
    key = (await api.post("/api/v3/api-keys", json=body, headers=headers)).json()["key"]
    link = await api.post(
        "/api/v3/users", json={"email": "x@example.com", "password": "thirteen purple canoes"}
    )
    assert link.status_code == 201
    dump = []
    async with db.connect() as connection:
        for name in tables.metadata.tables:
            rows = await connection.execute(text(f"SELECT t::text FROM {name} t"))
            dump += [str(row[0]) for row in rows]
    whole = "\n".join(dump)
    assert "boss@example.com" in whole, "the dump has something in it"
    hidden = (key, key[14:], token, PASSWORD, "thirteen purple canoes")
    for secret in hidden:
        assert secret not in whole
        assert secret.encode().hex() not in whole, "bytea is written in hexadecimal"


@pytest.mark.parametrize(
    "values",
    [{"revoked_at": func.now()}, {"expires_at": func.now() - timedelta(seconds=1)}],
    ids=["revoked", "expired"],
)
async def test_a_key_that_has_ended_is_refused(
    api: httpx.AsyncClient, db: AsyncEngine, admin: Any, values: dict[str, Any]
) -> None:
    key = await add_key(db, admin, "read")
    assert (await api.get(WHO_AM_I, headers=bearer(key))).status_code == 200
    await change_key(db, **values)
    answer = await api.get(WHO_AM_I, headers=bearer(key))
    assert (answer.status_code, answer.headers["www-authenticate"]) == (401, 'Bearer realm="ScraperSky"')


async def test_a_malformed_key_is_refused_and_none_is_taken_from_the_address(
    api: httpx.AsyncClient, db: AsyncEngine, admin: Any
) -> None:
    key = await add_key(db, admin, "admin")
    for wrong in (key[:-1], key + "x", key.swapcase(), key[:14] + "0" * 43, "", "ssky_", "é" * 10):
        headers = {"Authorization": f"Bearer {wrong}".encode()}
        assert (await api.get(WHO_AM_I, headers=headers)).status_code == 401, wrong
    for header in (f"Basic {key}", key, "Bearer " + "A" * 20_000, f"Token {key}"):
        assert (await api.get(WHO_AM_I, headers={"Authorization": header})).status_code == 401
    megabyte = {"Authorization": "Bearer " + "A" * 1_000_000}
    assert (await api.get(WHO_AM_I, headers=megabyte)).status_code == 431
    twice = [("Authorization", f"Bearer {key}"), ("Authorization", f"Bearer {key}")]
    assert (await api.get(WHO_AM_I, headers=twice)).status_code == 401
    for name in ("token", "key", "api_key", "access_token"):
        assert (await api.get(f"{WHO_AM_I}?{name}={key}")).status_code in (401, 422)
        assert (await api.get("/api/v3/users", params={name: key})).status_code == 401


async def test_a_wrong_key_is_not_replaced_by_a_cookie_or_by_open_loopback(
    api: httpx.AsyncClient, db: AsyncEngine
) -> None:
    assert (await api.get(WHO_AM_I)).status_code == 200
    assert (await api.get(WHO_AM_I, headers=bearer("ssky_wrong"))).status_code == 401
    session = await add_session(db, await add_person(db, "boss@example.com"))
    both = {**cookie(session), **bearer("ssky_wrong")}
    assert (await api.get(WHO_AM_I, headers=both)).status_code == 401


async def test_scopes_limit_what_a_key_may_do(api: httpx.AsyncClient, db: AsyncEngine, admin: Any) -> None:
    keys = {scope: await add_key(db, admin, scope) for scope in ("read", "curate", "operate", "admin")}
    scan = {"base_url": "example.com"}

    async def statuses(scope: str) -> list[bool]:
        headers = bearer(keys[scope])
        answers = [
            await api.get("/api/v3/contacts", headers=headers),
            await api.post("/api/v3/contacts", json=CONTACT, headers=headers),
            await api.post("/api/v3/sitemap/scan", json=scan, headers=headers),
            await api.get("/api/v3/users", headers=headers),
        ]
        assert not [answer.text for answer in answers if answer.status_code >= 500]
        return [answer.status_code != 403 for answer in answers]

    assert await statuses("read") == [True, False, False, False]
    assert await statuses("curate") == [True, True, False, False]
    assert await statuses("operate") == [True, True, True, False]
    assert await statuses("admin") == [True, True, True, True]


async def test_a_key_that_curates_neither_submits_nor_deletes(
    api: httpx.AsyncClient, db: AsyncEngine, admin: Any
) -> None:
    curate, operate = [bearer(await add_key(db, admin, scope)) for scope in ("curate", "operate")]
    made = await api.post("/api/v3/contacts", json=CONTACT, headers=curate)
    contact = made.json()
    view = {"name": "Mine", "entity": "contact"}
    own = await api.post("/api/v3/views", json=view, headers=curate)
    refused: list[tuple[str, str, dict[str, Any]]] = [
        ("POST", "/domains/direct-submit", {"json": {"domains": ["a.com"]}}),
        ("POST", "/pages/import-csv", {"files": {"file": b"https://a.com/"}}),
        ("POST", "/contacts/delete", {"json": {"contact_ids": [contact["id"]]}}),
        ("DELETE", f"/domains/{contact['domain_id']}", {}),
        ("DELETE", f"/contacts/{contact['id']}", {}),
    ]
    for method, path, body in refused:
        assert (await api.request(method, f"/api/v3{path}", headers=curate, **body)).status_code == 403, path
        again = await api.request(method, f"/api/v3{path}", headers=operate, **body)
        assert again.status_code != 403, path
    assert (await api.delete(f"/api/v3/views/{own.json()['id']}", headers=curate)).status_code == 204


async def test_a_key_that_reads_changes_nothing_of_its_owner(
    api: httpx.AsyncClient, db: AsyncEngine, admin: Any
) -> None:
    """Viewers change views, keys and sessions of their own; a key that leaks must not."""
    session, other = await add_session(db, admin), await add_key(db, admin, "admin")
    keys = (await api.get("/api/v3/api-keys", headers=cookie(session))).json()["items"]
    [open_session] = (await api.get("/api/v3/sessions", headers=cookie(session))).json()["items"]
    headers = bearer(await add_key(db, admin, "read"))
    view = {"name": "Mine", "entity": "page"}
    answers = [
        await api.delete(f"/api/v3/api-keys/{keys[0]['id']}", headers=headers),
        await api.delete(f"/api/v3/sessions/{open_session['id']}", headers=headers),
        await api.post("/api/v3/views", json=view, headers=headers),
    ]
    assert [answer.status_code for answer in answers] == [403, 403, 403]
    assert (await api.get(WHO_AM_I, headers=bearer(other))).status_code == 200
    assert (await api.get(WHO_AM_I, headers=cookie(session))).status_code == 200
    preview = {"entity": "page", "filter": {"page_type": ["login"]}}
    assert (await api.post("/api/v3/rules/preview", json=preview, headers=headers)).status_code == 200
    curating = bearer(await add_key(db, admin, "curate"))
    assert (await api.post("/api/v3/views", json=view, headers=curating)).status_code == 201
    ended = await api.delete(f"/api/v3/sessions/{open_session['id']}", headers=curating)
    assert ended.status_code == 403


async def test_a_key_is_worth_no_more_than_its_owner(
    api: httpx.AsyncClient, db: AsyncEngine, admin: Any
) -> None:
    ada = await add_person(db, "ada@example.com", "operator")
    own = cookie(await add_session(db, ada))
    body = {"name": "mine", "scopes": ["admin"]}
    assert (await api.post("/api/v3/api-keys", json=body, headers=own)).status_code == 403
    key = await add_key(db, ada, "operate")
    async with db.begin() as connection:
        demoted = update(tables.users).where(tables.users.c.id == ada)
        await connection.execute(demoted.values(role="viewer"))
    assert (await api.get(WHO_AM_I, headers=bearer(key))).json()["role"] == "viewer"
    async with db.begin() as connection:
        await connection.execute(demoted.values(is_active=False))
    assert (await api.get(WHO_AM_I, headers=bearer(key))).status_code == 401


async def test_a_key_makes_no_other_key(api: httpx.AsyncClient, db: AsyncEngine, admin: Any) -> None:
    body = {"name": "child", "scopes": ["read"]}
    headers = bearer(await add_key(db, admin, "operate"))
    assert (await api.post("/api/v3/api-keys", json=body, headers=headers)).status_code == 403


async def test_open_loopback_makes_no_keys(api: httpx.AsyncClient, db: AsyncEngine) -> None:
    answer = await api.post("/api/v3/api-keys", json={"name": "x", "scopes": ["read"]})
    assert (answer.status_code, answer.json()["detail"]) == (409, "Keys belong to accounts; create one first")


async def test_the_last_use_is_written_once_a_minute(
    api: httpx.AsyncClient, db: AsyncEngine, admin: Any
) -> None:
    key = await add_key(db, admin, "read")

    async def used() -> Any:
        await api.get(WHO_AM_I, headers=bearer(key))
        async with db.connect() as connection:
            return await connection.scalar(select(KEY.last_used_at))

    first = await used()
    assert first is not None
    assert await used() == first
    await change_key(db, last_used_at=func.now() - timedelta(seconds=61))
    assert await used() > first


async def test_a_key_is_revoked_by_its_owner_or_an_administrator(
    api: httpx.AsyncClient, db: AsyncEngine, admin: Any
) -> None:
    ada, bob = (
        await add_person(db, "ada@example.com", "viewer"),
        await add_person(db, "bob@example.com", "viewer"),
    )
    await add_key(db, ada, "read")
    async with db.connect() as connection:
        key_id = await connection.scalar(select(KEY.id))
    path = f"/api/v3/api-keys/{key_id}"
    assert (await api.get("/api/v3/api-keys", headers=cookie(await add_session(db, bob)))).json()[
        "total"
    ] == 0
    assert (await api.delete(path, headers=cookie(await add_session(db, bob)))).status_code == 404
    assert (await api.delete(path, headers=cookie(await add_session(db, admin)))).status_code == 204
    async with db.connect() as connection:
        assert await connection.scalar(select(KEY.revoked_at)) is not None
