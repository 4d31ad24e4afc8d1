"""Whether the demo world is here, and whether there is anything else."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from sqlalchemy import exists, func, or_, select

from scrapersky import tables
from scrapersky.queries.read_model import Query
from scrapersky.tables.seed import DEMO_TENANT_ID

# Whoever has one of these has begun to work.
FIRST_TABLES = (
    tables.place_searches,
    tables.places_staging,
    tables.local_businesses,
    tables.domains,
)


class DemoTenantQuery(Query):
    """Needs the owner's engine: a request of a tenant sees itself only."""

    async def exists(self) -> bool:
        return bool(await self.scalar(select(exists().where(tables.tenants.c.id == DEMO_TENANT_ID))))

    async def is_empty(self, tenant_id: UUID) -> bool:
        """Whether a tenant has no rows to work on."""
        rows = [exists().where(table.c.tenant_id == tenant_id) for table in FIRST_TABLES]
        return not await self.scalar(select(or_(*rows)))

    async def numbers(self) -> dict[str, int]:
        """How many domains, pages and contacts the demo world has."""
        counts: list[Any] = [
            select(func.count())
            .where(table.c.tenant_id == DEMO_TENANT_ID)
            .scalar_subquery()
            .label(table.name)
            for table in (tables.domains, tables.pages, tables.contacts)
        ]
        return (await self.dicts(select(*counts)))[0]
