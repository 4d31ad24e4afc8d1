"""People in the console: accounts, roles, passwords, sessions and tenants."""

from __future__ import annotations

import re
import uuid
from typing import Any

import httpx
import pytest
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncEngine

from people import PASSWORD, add_person, add_session, add_tenant, cookie, log_in
from product import TENANT
from scrapersky import tables

NEW_PASSWORD = "eleven quiet walruses sing"
USER = tables.users.c


async def user(db: AsyncEngine, email: str) -> Any:
    async with db.connect() as connection:
        return (await connection.execute(select(tables.users).where(USER.email == email))).one_or_none()


async def open_sessions(db: AsyncEngine, user_id: uuid.UUID) -> int:
    columns = tables.sessions.c
    query = select(columns.id).where(columns.user_id == user_id, columns.ended_at.is_(None))
    async with db.connect() as connection:
        return len((await connection.execute(query)).all())


async def test_the_first_account_is_an_administrator_and_ends_open_loopback(
    console: httpx.AsyncClient, db: AsyncEngine
) -> None:
    page = (await console.get("/settings/people")).text
    assert "There are no accounts yet" in page
    form = {"email": "ada@example.com", "name": "Ada", "password": PASSWORD, "role": "viewer"}
    refused = await console.post("/settings/people", data=form)
    assert (refused.status_code, "first account must have the role admin" in refused.text) == (409, True)
    assert 'value="ada@example.com"' in refused.text
    assert PASSWORD not in refused.text
    form["role"] = "admin"
    assert (await console.post("/settings/people", data=form)).status_code == 303
    assert (await user(db, "ada@example.com")).role == "admin"
    assert (await console.get("/settings/people")).headers["location"].startswith("/login?next=")


async def test_an_administrator_adds_edits_and_disables(open_console: Any, db: AsyncEngine) -> None:
    async with open_console("admin") as client:
        form = {"email": "bob@example.com", "name": "Bob", "password": PASSWORD, "role": "viewer"}
        assert (await client.post("/settings/people", data=form)).status_code == 303
        again = await client.post("/settings/people", data=form)
        assert (again.status_code, "belongs to another account" in again.text) == (409, True)
        bob = await user(db, "bob@example.com")
        token = await add_session(db, bob.id)
        page = (await client.get("/settings/people")).text
        assert f'href="/settings/people/{bob.id}"' in page
        changes = {"name": "Robert", "role": "operator"}
        assert (await client.post(f"/settings/people/{bob.id}", data=changes)).status_code == 303
        bob = await user(db, "bob@example.com")
        assert (bob.name, bob.role, await open_sessions(db, bob.id)) == ("Robert", "operator", 0)
        wrong = await client.post(f"/settings/people/{bob.id}", data={"name": "x", "role": "king"})
        assert (wrong.status_code, "Invalid role" in wrong.text) == (422, True)
        assert (await client.post(f"/settings/people/{bob.id}/disable")).status_code == 303
        assert (await user(db, "bob@example.com")).is_active is False
        assert "Enable this account" in (await client.get(f"/settings/people/{bob.id}")).text
        assert (await client.get("/", headers=cookie(token))).status_code == 303
        assert (await client.post(f"/settings/people/{bob.id}/enable")).status_code == 303
        assert (await user(db, "bob@example.com")).is_active is True


async def test_the_last_administrator_stays(open_console: Any, db: AsyncEngine) -> None:
    async with open_console("admin") as client:
        admin = await user(db, "admin@example.com")
        answer = await client.post(f"/settings/people/{admin.id}/disable")
        assert (answer.status_code, "last active administrator" in answer.text) == (409, True)
        own = await client.post(f"/settings/people/{admin.id}/password", data={"password": NEW_PASSWORD})
        assert own.status_code == 403
    assert (await user(db, "admin@example.com")).is_active is True


async def test_an_administrator_sets_a_forgotten_password(open_console: Any, db: AsyncEngine) -> None:
    async with open_console("admin") as client:
        bob = await add_person(db, "bob@example.com", "viewer")
        await add_session(db, bob)
        weak = await client.post(f"/settings/people/{bob}/password", data={"password": "password1234"})
        assert (weak.status_code, "too common" in weak.text) == (422, True)
        answer = await client.post(f"/settings/people/{bob}/password", data={"password": NEW_PASSWORD})
        assert answer.status_code == 303
        assert await open_sessions(db, bob) == 0
        assert (await log_in(client, "bob@example.com", NEW_PASSWORD)).status_code == 204


async def test_people_change_their_own_password(open_console: Any, db: AsyncEngine) -> None:
    async with open_console("viewer") as client:
        viewer = await user(db, "viewer@example.com")
        await add_session(db, viewer.id)
        form = {"current_password": "wrong", "password": NEW_PASSWORD}
        wrong = await client.post("/settings/password", data=form)
        assert wrong.status_code == 422
        assert re.search(r'id="current_password-note" role="alert">The current password is wrong', wrong.text)
        short = {"current_password": PASSWORD, "password": "short"}
        assert "12 to 128 characters" in (await client.post("/settings/password", data=short)).text
        form["current_password"] = PASSWORD
        answer = await client.post("/settings/password", data=form)
        assert answer.status_code == 303
        assert "set-cookie" in answer.headers
        assert await open_sessions(db, viewer.id) == 1, "the new one; all others have ended"
        assert (await log_in(client, "viewer@example.com", NEW_PASSWORD)).status_code == 204


async def test_a_viewer_sees_and_ends_own_sessions_only(open_console: Any, db: AsyncEngine) -> None:
    async with open_console("viewer") as client:
        boss = await add_person(db, "boss@example.com")
        await add_session(db, boss)
        async with db.connect() as connection:
            rows = (await connection.execute(select(tables.sessions))).all()
        ids = {row.user_id: row.id for row in rows}
        viewer = (await user(db, "viewer@example.com")).id
        page = (await client.get("/settings/people")).text
        assert str(ids[viewer]) in page
        assert str(ids[boss]) not in page
        assert "boss@example.com" not in page
        assert (await client.post(f"/settings/sessions/{ids[boss]}/end")).status_code == 404
        assert await open_sessions(db, boss) == 1
        assert (await client.post(f"/settings/sessions/{ids[viewer]}/end")).status_code == 303
        assert await open_sessions(db, viewer) == 0


async def test_an_administrator_ends_sessions_of_others(open_console: Any, db: AsyncEngine) -> None:
    async with open_console("admin") as client:
        bob = await add_person(db, "bob@example.com", "viewer")
        await add_session(db, bob, user_agent="<b>Browser</b>")
        page = (await client.get("/settings/people")).text
        assert "&lt;b&gt;Browser" in page
        async with db.connect() as connection:
            query = select(tables.sessions.c.id).where(tables.sessions.c.user_id == bob)
            session_id = await connection.scalar(query)
        assert (await client.post(f"/settings/sessions/{session_id}/end")).status_code == 303
    assert await open_sessions(db, bob) == 0


async def test_people_of_another_tenant_are_not_found(open_console: Any, db: AsyncEngine) -> None:
    far = await add_person(db, "far@example.com", tenant_id=await add_tenant(db))
    async with open_console("admin") as client:
        assert "far@example.com" not in (await client.get("/settings/people")).text
        assert (await client.get(f"/settings/people/{far}")).status_code == 404
        for action in ("", "/disable", "/password"):
            data = {"password": NEW_PASSWORD, "role": "viewer", "name": "x"}
            answer = await client.post(f"/settings/people/{far}{action}", data=data)
            assert answer.status_code == 404, action


# ---- tenants


async def tenant(db: AsyncEngine, tenant_id: uuid.UUID) -> Any:
    async with db.connect() as connection:
        query = select(tables.tenants).where(tables.tenants.c.id == tenant_id)
        return (await connection.execute(query)).one()


async def test_a_tenant_is_added_limited_disabled_and_enabled(open_console: Any, db: AsyncEngine) -> None:
    async with open_console("admin") as client:
        answer = await client.post("/settings/tenants", data={"name": "North", "description": "A branch"})
        assert answer.status_code == 303
        path = answer.headers["location"].partition("?")[0]
        north = uuid.UUID(path.rpartition("/")[2])
        again = await client.post("/settings/tenants", data={"name": "North"})
        assert (again.status_code, "There is a tenant" in again.text) == (409, True)
        form = {"name": "Far north", "description": "", "queued_items": "500", "pages_per_day": ""}
        assert (await client.post(path, data=form)).status_code == 303
        stored = await tenant(db, north)
        assert (stored.name, stored.quotas) == ("Far north", {"queued_items": 500})
        wrong = await client.post(path, data={**form, "exports_per_day": "many"})
        assert (wrong.status_code, 'value="many"' in wrong.text) == (422, True)
        assert 'id="exports_per_day-note" role="alert"' in wrong.text
        assert (await client.post(f"{path}/disable")).status_code == 303
        assert (await tenant(db, north)).is_active is False
        assert (await client.post(f"{path}/enable")).status_code == 303
        assert (await tenant(db, north)).is_active is True
        person = {"email": "nora@example.com", "name": "Nora", "password": PASSWORD}
        assert (await client.post(f"{path}/admins", data=person)).status_code == 303
        nora = await user(db, "nora@example.com")
        assert (nora.tenant_id, nora.role) == (north, "admin")
        assert (await client.post(f"{path}/admins", data=person)).status_code == 409


async def test_the_default_tenant_cannot_be_disabled(open_console: Any, db: AsyncEngine) -> None:
    async with open_console("admin") as client:
        assert "/disable" not in (await client.get(f"/settings/tenants/{TENANT}")).text
        assert (await client.post(f"/settings/tenants/{TENANT}/disable")).status_code == 409
    assert (await tenant(db, TENANT)).is_active is True


@pytest.mark.parametrize("path", ["/settings/tenants", f"/settings/tenants/{TENANT}"])
async def test_tenants_are_for_administrators_of_the_default_one(
    console: httpx.AsyncClient, db: AsyncEngine, path: str
) -> None:
    admin = await add_person(db, "far@example.com", tenant_id=await add_tenant(db))
    console.headers.update(cookie(await add_session(db, admin)))
    assert (await console.get(path)).status_code == 403
    assert (await console.post(path, data={"name": "Mine"})).status_code == 403
