"""Sessions: login and logout, listed and ended one by one or all of a user."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from scrapersky import tables
from scrapersky.actions.accounts.authentication import is_account
from scrapersky.actions.accounts.login_limits import (
    LoginSlots,
    address_group,
    check_login_limits,
    record_failure,
)
from scrapersky.actions.accounts.passwords import hash_password, is_outdated, verify_password
from scrapersky.actions.accounts.tokens import hash_token, make_token
from scrapersky.actions.actor import Actor
from scrapersky.actions.audit import record
from scrapersky.errors import NotFound, Unauthorized
from scrapersky.queries.read_model import Query

USER, SESSION, TENANT = tables.users.c, tables.sessions.c, tables.tenants.c
WRONG = "Wrong e-mail address or password"


@dataclass(frozen=True, slots=True, kw_only=True)
class LoginRequest:
    """What somebody typed, and where it came from; `previous` is the cookie that a new login replaces."""

    email: str
    password: str
    address: str
    user_agent: str = ""
    previous: str | None = None
    correlation_id: str | None = None


@dataclass(frozen=True, slots=True)
class Login:
    """A new session: the token for the cookie is known only now."""

    token: str
    tenant_id: UUID
    user_id: UUID


async def log_in(engine: AsyncEngine, slots: LoginSlots, request: LoginRequest, lifetime: timedelta) -> Login:
    """Begin a session if the password is right; unknown, disabled and wrong look the same."""
    async with slots.take():
        user = await check_password(engine, request.email, request.password, request.address)
    token = make_token()
    values = _session_values(user, token, request, lifetime)
    actor = Actor(user.tenant_id, user.id, user.email, request.correlation_id)
    new_hash = await hash_password(request.password) if is_outdated(user.password_hash) else None
    async with engine.begin() as connection:
        await _require_unchanged(connection, user)
        if request.previous:
            await _end(connection, SESSION.token_hash == hash_token(request.previous))
        if new_hash:
            changed = update(tables.users).where(USER.id == user.id, USER.password_hash == user.password_hash)
            await connection.execute(changed.values(password_hash=new_hash))
        made = await connection.execute(insert(tables.sessions).values(values).returning(SESSION.id))
        row_id, address = made.scalar_one(), values["address"]
        await record(
            connection, actor, "session.create", table="sessions", row_id=row_id, after={"address": address}
        )
    return Login(token, user.tenant_id, user.id)


async def check_password(engine: AsyncEngine, email: str, password: str, address: str) -> Any:
    """The active user with this password; a wrong one counts as a failed login."""
    email, address = email.strip().lower(), address_group(address)
    query = (
        select(USER.id, USER.tenant_id, USER.email, USER.password_hash)
        .select_from(tables.users.join(tables.tenants, TENANT.id == USER.tenant_id))
        .where(USER.email == email, is_account(), USER.is_active, TENANT.is_active)
    )
    user = await Query(engine).first(query)
    await check_login_limits(engine, email, user.id if user else None, address)
    if await verify_password(user.password_hash if user else None, password):
        return user
    await record_failure(engine, email, address)
    raise Unauthorized(WRONG)


async def _require_unchanged(connection: AsyncConnection, user: Any) -> None:
    """Refuse the login if the password was changed, or the user disabled, while it was checked.

    Such a change ends all sessions; the lock makes it wait for this one, which it then ends too.
    """
    same = (USER.id == user.id, USER.password_hash == user.password_hash, USER.is_active)
    query = select(USER.id).where(*same).with_for_update(key_share=True)
    if (await connection.execute(query)).first() is None:
        raise Unauthorized(WRONG)


def _session_values(user: Any, token: str, request: LoginRequest, lifetime: timedelta) -> dict[str, Any]:
    return {
        "tenant_id": user.tenant_id,
        "user_id": user.id,
        "token_hash": hash_token(token),
        "address": address_group(request.address),
        "user_agent": "".join(c for c in request.user_agent if c.isprintable())[:300],
        "expires_at": func.now() + lifetime,
    }


async def end_session(
    engine: AsyncEngine, actor: Actor, session_id: UUID, *, of_user: UUID | None = None
) -> None:
    """End one session; `of_user` allows only that user's."""
    condition = SESSION.id == session_id
    if of_user is not None:
        condition &= SESSION.user_id == of_user
    async with engine.begin() as connection:
        if not await _end(connection, condition & (SESSION.tenant_id == actor.tenant_id)):
            raise NotFound(f"There is no session {session_id}")
        await record(connection, actor, "session.end", table="sessions", row_id=session_id)


async def end_sessions_of(connection: AsyncConnection, user_id: UUID) -> None:
    """End every session of a user, in the transaction of what makes that necessary."""
    await _end(connection, SESSION.user_id == user_id)


async def _end(connection: AsyncConnection, condition: Any) -> int:
    ended = update(tables.sessions).where(condition, SESSION.ended_at.is_(None)).values(ended_at=func.now())
    return (await connection.execute(ended)).rowcount
