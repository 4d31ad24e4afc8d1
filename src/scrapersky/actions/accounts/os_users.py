"""The person behind a command: the operating system's user, as an account or as the built-in `local`."""

from __future__ import annotations

import getpass
import os
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, select
from sqlalchemy.ext.asyncio import AsyncEngine

from scrapersky import tables
from scrapersky.actions.actor import Actor
from scrapersky.errors import NotFound
from scrapersky.tables.seed import local_user_id

USER = tables.users.c


async def command_line_actor(engine: AsyncEngine, tenant_id: UUID, *, email: str | None = None) -> Actor:
    """The account of this address, else the one mapped to the operating system's user, else `local`."""
    os_user = current_os_user()
    condition = USER.os_user == os_user if email is None else USER.email == email.strip().lower()
    account = await _find_account(engine, condition)
    if account is not None:
        name = account.email if email is None else f"{account.email} by os:{os_user}"
        return Actor(account.tenant_id, account.id, name)
    if email is not None:
        raise NotFound(f"There is no active account {email!r}")
    return Actor(tenant_id, local_user_id(tenant_id), f"os:{os_user}")


def current_os_user() -> str:
    """The name of the user that runs this process; environment variables do not count where it is known."""
    try:
        import pwd
    except ImportError:  # Windows
        return getpass.getuser()
    try:
        return pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:
        return f"uid-{os.geteuid()}"


async def _find_account(engine: AsyncEngine, condition: ColumnElement[bool]) -> Any:
    query = select(USER.id, USER.tenant_id, USER.email).where(
        condition, USER.is_active, USER.password_hash.is_not(None)
    )
    async with engine.connect() as connection:
        return (await connection.execute(query)).first()
