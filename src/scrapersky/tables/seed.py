"""The rows without which nothing works: the default tenant, and the user that the scheduler acts as."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from sqlalchemy import Connection, Select, case, exists, literal, select
from sqlalchemy.dialects.postgresql import insert

from scrapersky.tables.account_tables import tenants, users

DEFAULT_NAME = "Default"


def make_first_rows(connection: Connection, *, tenant_id: UUID, system_user_id: UUID) -> None:
    """Add the default tenant and the system user unless they are there (D13)."""
    name_taken = exists(select(tenants.c.id).where(tenants.c.name == DEFAULT_NAME))
    name = case((name_taken, f"{DEFAULT_NAME} {tenant_id}"), else_=DEFAULT_NAME)
    tenant = select(literal(tenant_id), name)
    connection.execute(insert(tenants).from_select(["id", "name"], tenant).on_conflict_do_nothing())
    user = {
        "id": system_user_id,
        "tenant_id": tenant_id,
        # The .invalid ending makes sure that nobody can ever receive mail there.
        "email": f"system-{system_user_id}@scrapersky.invalid",
        "name": "ScraperSky",
        "role": "system",
    }
    connection.execute(insert(users).values(user).on_conflict_do_nothing())


def active_user(user_id: UUID) -> Select[Any]:
    """The user of this identifier, if it may act."""
    return select(users.c.id).where(users.c.id == user_id, users.c.is_active)
