"""Users, their sessions and their API keys, without anything secret."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import Select, exists, func, select
from sqlalchemy.ext.asyncio import AsyncEngine

from scrapersky import tables
from scrapersky.errors import NotFound
from scrapersky.queries.read_model import Query, TenantRowsQuery

USER, SESSION, KEY = tables.users.c, tables.sessions.c, tables.api_keys.c
# More accounts than this in one tenant are not foreseen.
MAX_ROWS = 1_000
USER_COLUMNS = (
    *(USER.id, USER.email, USER.name, USER.role, USER.os_user, USER.is_active),
    *(USER.last_seen_at, USER.created_at, USER.updated_at),
)


class AccountQuery(TenantRowsQuery):
    async def users(self) -> list[dict[str, Any]]:
        return await self.dicts(self._users().order_by(USER.email).limit(MAX_ROWS))

    async def user(self, user_id: UUID) -> dict[str, Any]:
        rows = await self.dicts(self._users().where(USER.id == user_id))
        if not rows:
            raise NotFound(f"There is no user {user_id}")
        return rows[0]

    def _users(self) -> Select[Any]:
        is_account = USER.password_hash.is_not(None)
        return select(*USER_COLUMNS).where(USER.tenant_id == self._tenant_id, is_account)

    async def find_user(self, email: str) -> UUID:
        """The user of an e-mail address."""
        user_id = await self.scalar(self._users().where(USER.email == email.strip().lower()))
        if user_id is None:
            raise NotFound(f"There is no account {email!r}")
        return UUID(str(user_id))

    async def sessions(self, idle: timedelta, *, of_user: UUID | None = None) -> list[dict[str, Any]]:
        """The sessions that are open, newest first."""
        columns = (
            *(SESSION.id, SESSION.user_id, USER.email, SESSION.address, SESSION.user_agent),
            *(SESSION.created_at, SESSION.last_seen_at, SESSION.expires_at),
        )
        query = (
            select(*columns)
            .select_from(tables.sessions.join(tables.users, USER.id == SESSION.user_id))
            .where(SESSION.tenant_id == self._tenant_id, SESSION.ended_at.is_(None))
            .where(SESSION.expires_at > func.now(), SESSION.last_seen_at > func.now() - idle)
            .order_by(SESSION.created_at.desc(), SESSION.id)
            .limit(MAX_ROWS)
        )
        return await self.dicts(query if of_user is None else query.where(SESSION.user_id == of_user))

    async def api_keys(self, *, of_user: UUID | None = None) -> list[dict[str, Any]]:
        """Every key, also the revoked ones, newest first."""
        query = self._keys().order_by(KEY.created_at.desc(), KEY.id).limit(MAX_ROWS)
        return await self.dicts(query if of_user is None else query.where(KEY.user_id == of_user))

    async def api_key(self, key_id: UUID) -> dict[str, Any]:
        rows = await self.dicts(self._keys().where(KEY.id == key_id))
        if not rows:
            raise NotFound(f"There is no API key {key_id}")
        return rows[0]

    def _keys(self) -> Select[Any]:
        columns = (
            *(KEY.id, KEY.user_id, USER.email, KEY.name, KEY.key_prefix, KEY.scopes),
            *(KEY.expires_at, KEY.last_used_at, KEY.revoked_at, KEY.created_at),
        )
        return (
            select(*columns)
            .select_from(tables.api_keys.join(tables.users, USER.id == KEY.user_id))
            .where(KEY.tenant_id == self._tenant_id)
        )


async def has_admin(engine: AsyncEngine) -> bool:
    """Whether somebody can log in as an administrator."""
    is_admin = (USER.role == "admin", USER.is_active, USER.password_hash.is_not(None))
    return bool(await Query(engine).scalar(select(exists().where(*is_admin))))
