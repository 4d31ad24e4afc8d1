"""Accounts: who may change them, and that an administrator remains."""

from __future__ import annotations

import asyncio
import uuid
from typing import Any

import httpx
import pytest
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncEngine

from people import PASSWORD, add_person, add_session, add_tenant, cookie
from product import TENANT
from scrapersky import tables
from scrapersky.tables.seed import local_user_id

USER = tables.users.c
NEW = {"email": "New@Example.com", "role": "operator", "password": PASSWORD, "name": "New"}


@pytest.fixture
async def boss(db: AsyncEngine) -> dict[str, str]:
    return cookie(await add_session(db, await add_person(db, "boss@example.com")))


async def stored(db: AsyncEngine, email: str) -> Any:
    async with db.connect() as connection:
        return (await connection.execute(select(tables.users).where(USER.email == email))).one_or_none()


@pytest.mark.req("R267")
async def test_an_account_is_created_in_the_tenant_of_the_administrator(
    api: httpx.AsyncClient, db: AsyncEngine, boss: dict[str, str]
) -> None:
    answer = await api.post("/api/v3/users", json=NEW, headers=boss)
    assert answer.status_code == 201, answer.text
    row = await stored(db, "new@example.com")
    assert (row.tenant_id, row.role, row.name) == (TENANT, "operator", "New")
    assert row.password_hash.startswith("$argon2id$v=19$m=19456,t=2,p=1$")
    assert answer.headers["location"] == f"/api/v3/users/{row.id}"
    assert "password" not in answer.text
    async with db.connect() as connection:
        log = (await connection.execute(select(tables.audit_log))).all()
    assert [(entry.action, entry.actor, entry.row_id) for entry in log] == [
        ("user.create", "boss@example.com", str(row.id))
    ]
    assert (await api.post("/api/v3/users", json=NEW, headers=boss)).status_code == 409
    listed = (await api.get("/api/v3/users", headers=boss)).json()
    assert [user["email"] for user in listed["items"]] == ["boss@example.com", "new@example.com"]


@pytest.mark.parametrize(
    "change",
    [
        {"role": "system"},
        {"role": "root"},
        {"email": "no address"},
        {"password": "short"},
        {"is_admin": True},
    ],
)
async def test_a_bad_account_is_refused(
    api: httpx.AsyncClient, db: AsyncEngine, boss: dict[str, str], change: dict[str, Any]
) -> None:
    answer = await api.post("/api/v3/users", json={**NEW, **change}, headers=boss)
    assert answer.status_code == 422, answer.text
    assert await stored(db, "new@example.com") is None


async def test_the_first_account_is_an_administrator_and_ends_open_loopback(
    api: httpx.AsyncClient, db: AsyncEngine
) -> None:
    assert (await api.post("/api/v3/users", json=NEW)).status_code == 409
    assert (await api.post("/api/v3/users", json={**NEW, "role": "admin"})).status_code == 201
    assert (await api.get("/api/v3/users")).status_code == 401
    assert (await api.post("/api/v3/users", json={**NEW, "email": "b@example.com"})).status_code == 401


async def test_the_last_administrator_stays(api: httpx.AsyncClient, db: AsyncEngine) -> None:
    one, two = await add_person(db, "one@example.com"), await add_person(db, "two@example.com")
    sessions = {one: cookie(await add_session(db, one)), two: cookie(await add_session(db, two))}

    async def demote(by: uuid.UUID, user: uuid.UUID) -> int:
        body = {"role": "viewer"}
        return (await api.patch(f"/api/v3/users/{user}", json=body, headers=sessions[by])).status_code

    # Each demotes the other at the same moment: one of them succeeds.
    statuses = await asyncio.gather(demote(one, two), demote(two, one))
    assert sorted(statuses)[0] == 200
    assert sorted(statuses)[1] in (401, 403, 409)
    async with db.connect() as connection:
        roles = (await connection.execute(select(USER.role).where(USER.password_hash.is_not(None)))).scalars()
        assert sorted(roles) == ["admin", "viewer"]


@pytest.mark.parametrize("built_in", ["local", "system"])
async def test_a_built_in_user_is_not_an_account(
    api: httpx.AsyncClient, db: AsyncEngine, boss: dict[str, str], built_in: str
) -> None:
    async with db.connect() as connection:
        condition = USER.role == "system" if built_in == "system" else USER.id == local_user_id(TENANT)
        user_id = await connection.scalar(select(USER.id).where(condition))
    path = f"/api/v3/users/{user_id}"
    assert (await api.get(path, headers=boss)).status_code == 404
    assert (await api.patch(path, json={"role": "viewer"}, headers=boss)).status_code == 404
    assert (await api.put(f"{path}/password", json={"password": PASSWORD}, headers=boss)).status_code == 404


async def test_an_administrator_sees_and_changes_no_other_tenant(
    api: httpx.AsyncClient, db: AsyncEngine, boss: dict[str, str]
) -> None:
    other = await add_person(db, "far@example.com", tenant_id=await add_tenant(db))
    path, random = f"/api/v3/users/{other}", f"/api/v3/users/{uuid.uuid4()}"
    for method, target, body in (
        ("GET", "", None),
        ("PATCH", "", {"role": "viewer"}),
        ("PUT", "/password", {"password": "another eleven walruses"}),
    ):
        foreign = await api.request(method, path + target, json=body, headers=boss)
        unknown = await api.request(method, random + target, json=body, headers=boss)
        assert (foreign.status_code, unknown.status_code) == (404, 404)
    assert (await stored(db, "far@example.com")).role == "admin"


async def test_a_viewer_changes_only_the_own_password(api: httpx.AsyncClient, db: AsyncEngine) -> None:
    boss = await add_person(db, "boss@example.com")
    viewer = cookie(await add_session(db, await add_person(db, "ada@example.com", "viewer")))
    body = {"password": "another eleven walruses", "current_password": PASSWORD}
    answer = await api.put(f"/api/v3/users/{boss}/password", json=body, headers=viewer)
    assert answer.status_code == 403
