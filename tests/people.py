"""Accounts for tests: users, sessions and keys without the cost of a login each time."""

from __future__ import annotations

import uuid
from datetime import timedelta
from functools import cache
from typing import Any

import httpx
from sqlalchemy import func, insert, select
from sqlalchemy.ext.asyncio import AsyncEngine

from product import TENANT
from scrapersky import tables
from scrapersky.actions.accounts.api_keys import create_api_key
from scrapersky.actions.accounts.passwords import HASHER
from scrapersky.actions.accounts.tokens import hash_token, make_token
from scrapersky.actions.actor import Actor
from scrapersky.api.session_cookie import LOOPBACK_NAME

PASSWORD = "seventeen violet kayaks"
COOKIE = LOOPBACK_NAME


@cache
def password_hash() -> str:
    return HASHER.hash(PASSWORD)


async def add_tenant(db: AsyncEngine) -> uuid.UUID:
    made = uuid.uuid4()
    async with db.begin() as connection:
        await connection.execute(insert(tables.tenants).values(id=made, name=f"Tenant {made}"))
    return made


async def add_person(db: AsyncEngine, email: str, role: str = "admin", **values: Any) -> uuid.UUID:
    made = uuid.uuid4()
    row = {"id": made, "tenant_id": TENANT, "email": email, "role": role, "password_hash": password_hash()}
    async with db.begin() as connection:
        await connection.execute(insert(tables.users).values({**row, **values}))
    return made


async def add_session(db: AsyncEngine, user_id: uuid.UUID, **values: Any) -> str:
    """The cookie of a session that has just begun."""
    token = make_token()
    async with db.begin() as connection:
        user = (await connection.execute(select(tables.users).where(tables.users.c.id == user_id))).one()
        now = await connection.scalar(select(func.now()))
        row = {"tenant_id": user.tenant_id, "user_id": user_id, "token_hash": hash_token(token)}
        await connection.execute(
            insert(tables.sessions).values({**row, "expires_at": now + timedelta(days=7), **values})
        )
    return token


async def add_key(db: AsyncEngine, user_id: uuid.UUID, *scopes: str, days: float = 30) -> str:
    async with db.connect() as connection:
        user = (await connection.execute(select(tables.users).where(tables.users.c.id == user_id))).one()
    actor = Actor(user.tenant_id, user_id, user.email)
    _, key = await create_api_key(
        db, actor, user_id=user_id, name="test", scopes=scopes, lifetime=timedelta(days=days)
    )
    return key


def bearer(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}


def cookie(token: str) -> dict[str, str]:
    return {"Cookie": f"{COOKIE}={token}"}


async def log_in(client: httpx.AsyncClient, email: str, password: str = PASSWORD) -> httpx.Response:
    return await client.post("/api/v3/session", json={"email": email, "password": password})
