"""Setup links: each creates one administrator or sets one user's password, once, within an hour."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta
from uuid import UUID

from sqlalchemy import ColumnElement, delete, exists, func, insert, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from scrapersky import tables
from scrapersky.actions.accounts.authentication import is_account
from scrapersky.actions.accounts.passwords import check_new_password, hash_password
from scrapersky.actions.accounts.tokens import hash_token, make_token
from scrapersky.actions.accounts.users import ADMIN, add_user, check_email, store_password
from scrapersky.actions.actor import Actor
from scrapersky.actions.audit import record
from scrapersky.errors import NotFound, Unauthorized
from scrapersky.queries.read_model import Query
from scrapersky.tables.seed import local_user_id

LINK, USER = tables.setup_links.c, tables.users.c
LIFETIME = timedelta(minutes=60)
INVALID = "The setup link is wrong, used or expired"


@dataclass(frozen=True, slots=True, kw_only=True)
class SetupRequest:
    """What the person behind the link chose."""

    token: str
    email: str
    password: str
    name: str = ""
    correlation_id: str | None = None


async def create_setup_link(engine: AsyncEngine, actor: Actor, *, email: str | None = None) -> str:
    """The token of a new link; `email` names the account whose password it sets, else it makes an admin."""
    token = make_token()
    async with engine.begin() as connection:
        user_id = await _find_user(connection, email) if email else None
        await connection.execute(delete(tables.setup_links).where(LINK.expires_at < func.now()))
        link = {"token_hash": hash_token(token), "user_id": user_id, "expires_at": func.now() + LIFETIME}
        await connection.execute(insert(tables.setup_links).values(link))
        await record(connection, actor, "setup_link.create", table="users", row_id=user_id)
    return token


async def use_setup_link(engine: AsyncEngine, tenant_id: UUID, request: SetupRequest) -> UUID:
    """Create the administrator, or set the password; of several at once, one succeeds."""
    email = check_email(request.email)
    check_new_password(request.password, email, request.name)
    if await Query(engine).first(select(LINK.id).where(*_is_valid(request.token))) is None:
        raise Unauthorized(INVALID)
    password_hash = await hash_password(request.password)
    used = update(tables.setup_links).where(*_is_valid(request.token)).values(used_at=func.now())
    async with engine.begin() as connection:
        # The row lock makes the others wait, and then they see that the link is used.
        link = (await connection.execute(used.returning(LINK.user_id))).first()
        if link is None:
            raise Unauthorized(INVALID)
        actor = Actor(tenant_id, local_user_id(tenant_id), "setup link", request.correlation_id)
        if link.user_id is not None:
            return await _reset_password(connection, actor, link.user_id, email, password_hash)
        values = {"email": email, "name": request.name.strip(), "role": ADMIN, "password_hash": password_hash}
        return await add_user(connection, actor, values)


def _is_valid(token: str) -> list[ColumnElement[bool]]:
    """The link of this token, if it can be used; a link for the first account ends with that account."""
    newer_account = exists().where(USER.created_at > LINK.created_at, is_account())
    return [
        LINK.token_hash == hash_token(token),
        LINK.used_at.is_(None),
        LINK.expires_at > func.now(),
        or_(LINK.user_id.is_not(None), ~newer_account),
    ]


async def _reset_password(
    connection: AsyncConnection, actor: Actor, user_id: UUID, email: str, password_hash: str
) -> UUID:
    user = (await connection.execute(select(USER.email, USER.tenant_id).where(USER.id == user_id))).one()
    if user.email != email:
        raise Unauthorized(INVALID)
    own = replace(actor, tenant_id=user.tenant_id, user_id=user_id)
    await store_password(connection, own, user_id, password_hash)
    return user_id


async def _find_user(connection: AsyncConnection, email: str) -> UUID:
    account = (USER.email == email.strip().lower(), is_account())
    user_id: UUID | None = await connection.scalar(select(USER.id).where(*account))
    if user_id is None:
        raise NotFound(f"There is no account {email!r}")
    return user_id
