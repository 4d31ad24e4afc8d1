"""API keys: created once, shown once, revoked; a key is allowed at most what its owner is."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncEngine

from scrapersky import tables
from scrapersky.actions.accounts.authentication import is_account
from scrapersky.actions.accounts.tokens import hash_token, make_api_key
from scrapersky.actions.actor import Actor
from scrapersky.actions.audit import record
from scrapersky.errors import Conflict, Forbidden, InvalidInput, NotFound

USER, KEY = tables.users.c, tables.api_keys.c
# What each scope allows, as the least role that may grant it.
SCOPES = {"read": "viewer", "curate": "operator", "operate": "operator", "admin": "admin"}
ROLES = ("viewer", "operator", "admin")


def check_scopes(scopes: Sequence[str], role: str) -> list[str]:
    """The scopes in their usual order, if they exist and the role may grant them."""
    unknown = [scope for scope in scopes if scope not in SCOPES]
    if unknown or not scopes:
        raise InvalidInput(f"Invalid scopes {unknown}; expected one or more of {', '.join(SCOPES)}")
    beyond = [scope for scope in scopes if ROLES.index(SCOPES[scope]) > ROLES.index(role)]
    if beyond:
        raise Forbidden(f"The role {role} does not allow a key with the scope {beyond[0]}")
    return [scope for scope in SCOPES if scope in scopes]


async def create_api_key(
    engine: AsyncEngine, actor: Actor, *, user_id: UUID, name: str, scopes: Sequence[str], lifetime: timedelta
) -> tuple[UUID, str]:
    """Add a key for the user; gives its id and the key itself, which is not stored."""
    prefix, key = make_api_key()
    owner = select(USER.role).where(USER.id == user_id, USER.tenant_id == actor.tenant_id, is_account())
    async with engine.begin() as connection:
        role = await connection.scalar(owner)
        if role is None:
            raise Conflict("Keys belong to accounts; create one first")
        values: dict[str, Any] = {"name": name.strip(), "scopes": check_scopes(scopes, role)}
        row = {
            **values,
            "tenant_id": actor.tenant_id,
            "user_id": user_id,
            "key_prefix": prefix,
            "secret_hash": hash_token(key),
            "expires_at": func.now() + lifetime,
        }
        made = await connection.execute(insert(tables.api_keys).values(row).returning(KEY.id))
        key_id: UUID = made.scalar_one()
        logged = {**values, "user_id": user_id, "key_prefix": prefix}
        await record(connection, actor, "api_key.create", table="api_keys", row_id=key_id, after=logged)
    return key_id, key


async def revoke_api_key(
    engine: AsyncEngine, actor: Actor, key_id: UUID, *, of_user: UUID | None = None
) -> None:
    """Revoke a key for good; `of_user` allows only that user's."""
    condition = (KEY.id == key_id) & (KEY.tenant_id == actor.tenant_id)
    if of_user is not None:
        condition &= KEY.user_id == of_user
    revoked = update(tables.api_keys).where(condition, KEY.revoked_at.is_(None))
    async with engine.begin() as connection:
        changed = await connection.execute(revoked.values(revoked_at=func.now(), updated_at=func.now()))
        if not changed.rowcount:
            raise NotFound(f"There is no API key {key_id} to revoke")
        await record(connection, actor, "api_key.revoke", table="api_keys", row_id=key_id)
