"""Looks up who a caller is. The tenant is not known before, so these few statements run as the owner."""

from __future__ import annotations

import hmac
from collections.abc import Collection
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Select, Table, exists, func, select, update
from sqlalchemy.ext.asyncio import AsyncEngine

from scrapersky import tables
from scrapersky.actions.accounts.tokens import hash_token, key_prefix
from scrapersky.queries.read_model import Query, in_array

USER, SESSION, KEY = tables.users.c, tables.sessions.c, tables.api_keys.c
# The time of the last use is written at most this often.
TOUCH_INTERVAL = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class KnownUser:
    """An active user, and the session or the key by which it came."""

    tenant_id: UUID
    user_id: UUID
    email: str
    role: str
    session_id: UUID | None = None
    key_id: UUID | None = None
    scopes: tuple[str, ...] = ()


def is_account() -> ColumnElement[bool]:
    """Whether a user is a person who can log in; built-in users have no password."""
    return USER.password_hash.is_not(None)


async def has_accounts(engine: AsyncEngine) -> bool:
    """Whether somebody has an account, also a disabled one: disabling the last must not open the door."""
    return bool(await Query(engine).scalar(select(exists().where(is_account()))))


async def find_by_session(engine: AsyncEngine, token: str, idle: timedelta) -> KnownUser | None:
    """The user of a cookie, by the clock of the database."""
    now = func.now()
    session = await Query(engine).first(
        _users_with(tables.sessions, SESSION.id, SESSION.last_seen_at, SESSION.user_id == USER.id).where(
            SESSION.token_hash == hash_token(token),
            SESSION.ended_at.is_(None),
            SESSION.expires_at > now,
            SESSION.last_seen_at > now - idle,
        )
    )
    if session is None:
        return None
    await _touch(engine, tables.sessions, SESSION.last_seen_at, session)
    return KnownUser(session.tenant_id, session.user_id, session.email, session.role, session_id=session.id)


async def find_valid(
    engine: AsyncEngine, sessions: Collection[UUID], keys: Collection[UUID], idle: timedelta
) -> set[UUID]:
    """Which of these sessions and keys are valid now; looking does not count as using them."""
    now, query = func.now(), Query(engine)
    lasting = SESSION.ended_at.is_(None), SESSION.expires_at > now, SESSION.last_seen_at > now - idle
    by_session = _users_with(tables.sessions, SESSION.id, SESSION.last_seen_at, SESSION.user_id == USER.id)
    by_key = _users_with(tables.api_keys, KEY.id, KEY.last_used_at, KEY.user_id == USER.id)
    valid_keys = by_key.where(in_array(KEY.id, keys), KEY.revoked_at.is_(None), KEY.expires_at > now)
    rows = await query.rows(by_session.where(in_array(SESSION.id, sessions), *lasting)) if sessions else []
    return {row.id for row in [*rows, *(await query.rows(valid_keys) if keys else [])]}


async def find_by_api_key(engine: AsyncEngine, key: str) -> KnownUser | None:
    """The owner of a key, with the scopes of the key."""
    prefix = key_prefix(key)
    if prefix is None:
        return None
    api_key = await Query(engine).first(
        _users_with(tables.api_keys, KEY.id, KEY.last_used_at, KEY.user_id == USER.id)
        .add_columns(KEY.secret_hash, KEY.scopes)
        .where(KEY.key_prefix == prefix, KEY.revoked_at.is_(None), KEY.expires_at > func.now())
    )
    if api_key is None or not hmac.compare_digest(api_key.secret_hash, hash_token(key)):
        return None
    await _touch(engine, tables.api_keys, KEY.last_used_at, api_key)
    return KnownUser(
        api_key.tenant_id,
        api_key.user_id,
        api_key.email,
        api_key.role,
        key_id=api_key.id,
        scopes=tuple(api_key.scopes),
    )


def _users_with(table: Table, row_id: Any, used_at: Any, link: ColumnElement[bool]) -> Select[Any]:
    """Active users of active tenants, joined with what they came by."""
    is_due = used_at.is_(None) | (used_at < func.now() - TOUCH_INTERVAL)
    columns = (row_id.label("id"), is_due.label("is_due"), USER.id.label("user_id"))
    return (
        select(*columns, USER.tenant_id, USER.email, USER.role)
        .select_from(
            table.join(tables.users, link).join(tables.tenants, tables.tenants.c.id == USER.tenant_id)
        )
        .where(USER.is_active, tables.tenants.c.is_active, is_account())
    )


async def _touch(engine: AsyncEngine, table: Table, used_at: Any, row: Any) -> None:
    if not row.is_due:
        return
    moment = {used_at.name: func.now()}
    async with engine.begin() as connection:
        await connection.execute(update(table).where(table.c.id == row.id).values(moment))
        await connection.execute(
            update(tables.users).where(USER.id == row.user_id).values(last_seen_at=func.now())
        )
