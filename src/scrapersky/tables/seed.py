"""The rows without which nothing works: the default tenant, and the user that the scheduler acts as."""

from __future__ import annotations

from uuid import UUID

from sqlalchemy import Connection, Select, case, exists, literal, select
from sqlalchemy.dialects.postgresql import insert

from scrapersky.tables.tenant import Tenant
from scrapersky.tables.user import User

DEFAULT_NAME = "Default"


def make_first_rows(connection: Connection, *, tenant_id: UUID, system_user_id: UUID) -> None:
    """Add the default tenant and the system user unless they are there (D13)."""
    name_taken = exists(select(Tenant.id).where(Tenant.name == DEFAULT_NAME))
    name = case((name_taken, f"{DEFAULT_NAME} {tenant_id}"), else_=DEFAULT_NAME)
    tenant = select(literal(tenant_id), name)
    connection.execute(insert(Tenant).from_select(["id", "name"], tenant).on_conflict_do_nothing())
    user = {
        "id": system_user_id,
        "tenant_id": tenant_id,
        # The .invalid ending makes sure that nobody can ever receive mail there.
        "email": f"system-{system_user_id}@scrapersky.invalid",
        "name": "ScraperSky",
        "role": "system",
    }
    connection.execute(insert(User).values(user).on_conflict_do_nothing())


def active_user(user_id: UUID) -> Select[UUID]:
    """The user of this identifier, if it may act."""
    return select(User.id).where(User.id == user_id, User.is_active)
