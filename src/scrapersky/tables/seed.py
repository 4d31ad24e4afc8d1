"""The rows without which nothing works: the default tenant and its two built-in users.

The scheduler acts as the system user; people without an account act as `local`.
"""

from __future__ import annotations

from typing import Any
from uuid import UUID, uuid5

from sqlalchemy import Connection, Select, case, exists, literal, select
from sqlalchemy.dialects.postgresql import insert

from scrapersky.tables.account_tables import tenants, users

DEFAULT_NAME = "Default"
# The tenant of invented firms; its identifier is fixed, so that no worker ever calls one of their hosts.
DEMO_NAME = "demo"
DEMO_TENANT_ID = UUID("de300000-0000-4000-8000-000000000001")


def make_first_rows(connection: Connection, *, tenant_id: UUID, system_user_id: UUID) -> None:
    """Add the default tenant and the built-in users unless they are there (D13)."""
    name_taken = exists(select(tenants.c.id).where(tenants.c.name == DEFAULT_NAME))
    name = case((name_taken, f"{DEFAULT_NAME} {tenant_id}"), else_=DEFAULT_NAME)
    tenant = select(literal(tenant_id), name)
    connection.execute(
        insert(tenants).from_select(["id", "name"], tenant, include_defaults=False).on_conflict_do_nothing()
    )
    # The .invalid ending makes sure that nobody can ever receive mail there.
    system = {"email": f"system-{system_user_id}@scrapersky.invalid", "name": "ScraperSky", "role": "system"}
    local = {"email": f"local-{tenant_id}@scrapersky.invalid", "name": "local", "role": "admin"}
    for user_id, user in ((system_user_id, system), (local_user_id(tenant_id), local)):
        row = {"id": user_id, "tenant_id": tenant_id, **user}
        connection.execute(insert(users).values(row).on_conflict_do_nothing())


def local_user_id(tenant_id: UUID) -> UUID:
    """The built-in user that people without an account act as."""
    return uuid5(tenant_id, "local")


def active_user(user_id: UUID) -> Select[Any]:
    """The user of this identifier, if it may act."""
    return select(users.c.id).where(users.c.id == user_id, users.c.is_active)
