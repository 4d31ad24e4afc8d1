"""Adds the tenant of the demo world, and removes it with everything in it."""

from __future__ import annotations

from dataclasses import replace
from uuid import UUID

from sqlalchemy import and_, delete, exists, func, insert, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncEngine

from scrapersky import tables
from scrapersky.actions.actor import Actor
from scrapersky.actions.audit import record
from scrapersky.errors import Conflict, Forbidden
from scrapersky.tables.batches import delete_in_batches
from scrapersky.tables.columns import metadata
from scrapersky.tables.seed import DEMO_NAME, DEMO_TENANT_ID, local_user_id

BATCH = 1_000
# Tells the guard of the audit log, for this transaction, that the tenant goes with its log.
MAY_DELETE = func.set_config("scrapersky.retention", "on", True) == "on"


async def add_demo_tenant(engine: AsyncEngine, actor: Actor, default_tenant_id: UUID) -> None:
    """Add the tenant and its built-in user; the engine is the owner's."""
    _check(actor, default_tenant_id)
    user = {
        "id": local_user_id(DEMO_TENANT_ID),
        "tenant_id": DEMO_TENANT_ID,
        "email": f"local-{DEMO_TENANT_ID}@scrapersky.invalid",
        "name": "local",
        "role": "admin",
    }
    async with engine.begin() as connection:
        try:
            await connection.execute(insert(tables.tenants).values(id=DEMO_TENANT_ID, name=DEMO_NAME))
        except IntegrityError:
            raise Conflict(f"There is a tenant {DEMO_NAME!r} already") from None
        await connection.execute(insert(tables.users).values(user))
        await record(connection, actor, "demo.add", table="tenants", row_id=DEMO_TENANT_ID)


async def remove_demo_tenant(engine: AsyncEngine, actor: Actor, default_tenant_id: UUID) -> None:
    """Delete every row of the tenant, and the hosts that nobody else has; the engine is the owner's."""
    home = replace(actor, tenant_id=default_tenant_id)
    domains, hosts = tables.domains.c, tables.hosts.c
    names = select(domains.host).where(domains.tenant_id == DEMO_TENANT_ID)
    others = exists().where(domains.host == hosts.host, domains.tenant_id != DEMO_TENANT_ID)
    async with engine.begin() as connection:
        await connection.execute(delete(tables.hosts).where(hosts.host.in_(names), ~others))
    # Children before parents, each table in small transactions: pages alone may be many thousands.
    for table in reversed(metadata.sorted_tables):
        if "tenant_id" not in table.c:
            continue
        mine = table.c.tenant_id == DEMO_TENANT_ID
        if table.primary_key.columns:
            is_audit = table in (tables.audit_log, tables.audit_values)
            await delete_in_batches(engine, table, and_(mine, MAY_DELETE) if is_audit else mine, BATCH)
    async with engine.begin() as connection:
        for table in (tables.row_count_changes, tables.row_counts):
            await connection.execute(delete(table).where(table.c.tenant_id == DEMO_TENANT_ID))
        await connection.execute(delete(tables.tenants).where(tables.tenants.c.id == DEMO_TENANT_ID))
        await record(connection, home, "demo.remove", table="tenants", row_id=DEMO_TENANT_ID)


def _check(actor: Actor, default_tenant_id: UUID) -> None:
    if actor.tenant_id != default_tenant_id:
        raise Forbidden("The demo world is added by admins of the default tenant")
