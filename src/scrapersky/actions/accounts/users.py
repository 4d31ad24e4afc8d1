"""Users: created, changed, disabled, with a password; the last administrator stays."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from uuid import UUID

from sqlalchemy import exists, func, insert, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from scrapersky import tables
from scrapersky.actions.accounts.authentication import is_account
from scrapersky.actions.accounts.passwords import check_new_password, hash_password
from scrapersky.actions.accounts.sessions import end_sessions_of
from scrapersky.actions.actor import Actor
from scrapersky.actions.audit import record
from scrapersky.declarations.statuses import ROLE, SYSTEM_ROLE
from scrapersky.errors import Conflict, InvalidInput, NotFound

USER = tables.users.c
ADMIN = "admin"
EMAIL = re.compile(r"[^\s@]{1,64}@[^\s@.]+(?:\.[^\s@.]+)+")
# A change of these makes the sessions of before invalid.
PRIVILEGES = ("role", "is_active")


def check_email(email: str) -> str:
    """The address as it is stored."""
    plain = email.strip().lower()
    if len(plain) > 254 or not EMAIL.fullmatch(plain) or not plain.isprintable():
        raise InvalidInput("The e-mail address is invalid")
    return plain


def check_role(role: str) -> str:
    people = [known for known in ROLE if known != SYSTEM_ROLE]
    if role not in people:
        raise InvalidInput(f"Invalid role {role!r}; expected one of {', '.join(people)}")
    return role


async def create_user(
    engine: AsyncEngine, actor: Actor, *, email: str, password: str, role: str, **more: str | None
) -> UUID:
    """Add an account to the actor's tenant; `more` are `name` and `os_user`."""
    values = {"email": check_email(email), "role": check_role(role), **more}
    check_new_password(password, values["email"] or "", more.get("name") or "")
    password_hash = await hash_password(password)
    async with engine.begin() as connection:
        return await add_user(connection, actor, {**values, "password_hash": password_hash})


async def add_user(connection: AsyncConnection, actor: Actor, values: Mapping[str, Any]) -> UUID:
    """Add an account whose values were checked, in the caller's transaction."""
    if values["role"] != ADMIN and not await connection.scalar(select(_other_admin(actor.tenant_id, None))):
        raise Conflict("The first account must have the role admin")
    added = insert(tables.users).values(**values, tenant_id=actor.tenant_id).returning(USER.id)
    try:
        user_id: UUID = (await connection.execute(added)).scalar_one()
    except IntegrityError:
        raise Conflict("The e-mail address or the operating-system user belongs to another account") from None
    await record(connection, actor, "user.create", table="users", row_id=user_id, after=_without_hash(values))
    return user_id


async def edit_user(engine: AsyncEngine, actor: Actor, user_id: UUID, changes: Mapping[str, Any]) -> None:
    """Change name, role, os_user or is_active; a change of privileges ends the user's sessions."""
    if "role" in changes:
        check_role(changes["role"])
    async with engine.begin() as connection:
        user = await _lock(connection, actor, user_id)
        after = {**user, **changes}
        is_admin_no_more = after["role"] != ADMIN or not after["is_active"]
        if user["role"] == ADMIN and user["is_active"] and is_admin_no_more:
            await _require_other_admin(connection, actor, user_id)
        try:
            await connection.execute(
                update(tables.users).where(USER.id == user_id).values(**changes, updated_at=func.now())
            )
        except IntegrityError:
            raise Conflict("The operating-system user belongs to another account") from None
        if any(user[name] != after[name] for name in PRIVILEGES):
            await end_sessions_of(connection, user_id)
        await record(
            connection, actor, "user.update", table="users", row_id=user_id, before=user, after=after
        )


async def set_password(engine: AsyncEngine, actor: Actor, user_id: UUID, password: str) -> None:
    """Give the user a new password, and end all sessions."""
    async with engine.begin() as connection:
        user = await _lock(connection, actor, user_id)
    check_new_password(password, user["email"], user["name"])
    password_hash = await hash_password(password)
    async with engine.begin() as connection:
        await _lock(connection, actor, user_id)
        await store_password(connection, actor, user_id, password_hash)


async def store_password(
    connection: AsyncConnection, actor: Actor, user_id: UUID, password_hash: str
) -> None:
    changed = update(tables.users).where(USER.id == user_id)
    await connection.execute(changed.values(password_hash=password_hash, updated_at=func.now()))
    await end_sessions_of(connection, user_id)
    await record(connection, actor, "user.password", table="users", row_id=user_id, after={"password": None})


async def _lock(connection: AsyncConnection, actor: Actor, user_id: UUID) -> dict[str, Any]:
    """The account, which nobody else changes until the transaction ends; built-in users are not accounts."""
    columns = USER.email, USER.name, USER.role, USER.os_user, USER.is_active
    own = (USER.id == user_id, USER.tenant_id == actor.tenant_id, is_account())
    row = (await connection.execute(select(*columns).where(*own).with_for_update())).mappings().first()
    if row is None:
        raise NotFound(f"There is no user {user_id}")
    return dict(row)


async def _require_other_admin(connection: AsyncConnection, actor: Actor, user_id: UUID) -> None:
    # Two administrators who demote each other at the same moment must not both succeed.
    lock = func.hashtextextended(f"administrators of {actor.tenant_id}", 0)
    await connection.execute(select(func.pg_advisory_xact_lock(lock)))
    if not await connection.scalar(select(_other_admin(actor.tenant_id, user_id))):
        raise Conflict("This is the last active administrator; make another one first")


def _other_admin(tenant_id: UUID, user_id: UUID | None) -> Any:
    conditions = [USER.tenant_id == tenant_id, USER.role == ADMIN, USER.is_active, is_account()]
    return exists().where(*conditions, *([USER.id != user_id] if user_id else []))


def _without_hash(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if name != "password_hash"}
