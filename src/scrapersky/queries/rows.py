"""Lists of curated rows, and one whole row with the number of rows below it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import desc, func, literal_column, select, text

from scrapersky import tables
from scrapersky.errors import NotFound
from scrapersky.extract.urls import read_host
from scrapersky.extract.urls.canonical import canonical_url
from scrapersky.queries.entities import Entity, Filters, conditions
from scrapersky.queries.read_model import Query, count_up_to
from scrapersky.tables.counts import counted_rows

# Exactly as in the index and never a parameter, or the planner cannot use it.
PROMISING = tables.pages.c.priority_level < literal_column("3")
NOT_PROMISING = tables.pages.c.priority_level == literal_column("3")
SEARCH_COLUMNS = (
    "id", "business_type", "location", "source", "params", "status", "error", "places_found", "created_by",
    "created_at", "updated_at",
)  # fmt: skip
ROWS_BELOW_DOMAIN = text("""
SELECT (SELECT count(*) FROM jobs WHERE domain_id = :domain_id) AS jobs,
       (SELECT count(*) FROM sitemap_files WHERE domain_id = :domain_id) AS sitemaps,
       (SELECT count(*) FROM pages WHERE domain_id = :domain_id) AS pages,
       (SELECT count(*) FROM contacts WHERE domain_id = :domain_id) AS contacts
""")


class RowQuery(Query):
    async def list_rows(
        self, entity: Entity, tenant_id: UUID, filters: Filters | None = None, *, limit: int = 50
    ) -> list[dict[str, Any]]:
        """The newest matching rows; pages are ordered by priority first (R073)."""
        table = entity.table
        columns = [table.c.id, *(table.c[name] for name in entity.columns if name != "domain_id")]
        query: Any = select(*columns, entity.error.label("error"), table.c.created_at)
        if "domain_id" in entity.columns:
            domains = tables.domains
            query = query.add_columns(domains.c.domain).join(domains, domains.c.id == table.c.domain_id)
        query = query.where(*conditions(entity, tenant_id, filters or Filters()))
        newest = desc(table.c.id)
        if entity.table is not tables.pages:
            return await self.dicts(query.order_by(newest).limit(limit))
        # Two statements, because no index has the order of both: the promising pages, then the newest others.
        promising = query.where(PROMISING).order_by(table.c.priority_level, newest)
        rows = await self.dicts(promising.limit(limit))
        if len(rows) < limit:
            others = query.where(NOT_PROMISING).order_by(newest)
            rows += await self.dicts(others.limit(limit - len(rows)))
        return rows

    async def count(self, entity: Entity, tenant_id: UUID, filters: Filters) -> int:
        """The number of matching rows, from the row counts where possible, otherwise up to a limit."""
        rows = counted_rows(entity.table.name)
        is_search = (filters.contains, filters.domain, filters.error) != (None, None, None)
        if is_search or (filters.priority is not None and "priority_level" not in rows.c):
            query = select(count_up_to(entity.table, *conditions(entity, tenant_id, filters)))
        else:
            number = func.coalesce(func.sum(rows.c.number), 0)
            query = select(number).where(*conditions(entity, tenant_id, filters, rows))
        return int(await self.scalar(query))

    async def ids(self, entity: Entity, tenant_id: UUID, which: Sequence[str]) -> list[UUID]:
        """The ids of rows that are named by id, host, URL or e-mail address."""
        return [await self._id(entity, tenant_id, name) for name in which]

    async def show(self, entity: Entity, tenant_id: UUID, which: str) -> dict[str, Any]:
        """One whole row; for a domain also the number of rows below it."""
        table = entity.table
        row_id = await self._id(entity, tenant_id, which)
        rows = await self.dicts(select(table).where(table.c.tenant_id == tenant_id, table.c.id == row_id))
        if not rows:
            raise NotFound(f"There is no {entity.name} {which}")
        return {**rows[0], **(await self._count_below(row_id) if table is tables.domains else {})}

    async def _count_below(self, domain_id: UUID) -> dict[str, Any]:
        return (await self.dicts(ROWS_BELOW_DOMAIN, {"domain_id": domain_id}))[0]

    async def _id(self, entity: Entity, tenant_id: UUID, which: str) -> UUID:
        try:
            return UUID(which)
        except ValueError:
            pass
        columns = entity.table.c
        names = {which.strip(), _canonical(entity, which)}
        query = select(columns.id).where(
            columns.tenant_id == tenant_id, columns[entity.name_column].in_(names)
        )
        rows = await self.rows(query.order_by(columns.id).limit(2))
        if not rows:
            raise NotFound(f"There is no {entity.name} {which[:200]!r}")
        if len(rows) > 1:
            raise NotFound(f"There is more than one {entity.name} {which[:200]!r}; use its id")
        return UUID(str(rows[0].id))

    async def searches(self, tenant_id: UUID, *, limit: int = 50) -> list[dict[str, Any]]:
        columns = tables.place_searches.c
        query = select(*(columns[name] for name in SEARCH_COLUMNS)).where(columns.tenant_id == tenant_id)
        return await self.dicts(query.order_by(desc(columns.id)).limit(limit))

    async def search(self, tenant_id: UUID, search_id: UUID) -> dict[str, Any]:
        columns = tables.place_searches.c
        query = select(*(columns[name] for name in SEARCH_COLUMNS))
        rows = await self.dicts(query.where(columns.tenant_id == tenant_id, columns.id == search_id))
        if not rows:
            raise NotFound(f"There is no search {search_id}")
        return rows[0]


def _canonical(entity: Entity, name: str) -> str:
    """A host, URL or address in the form in which it is stored."""
    if entity.name_column == "domain":
        return read_host(name).host or name
    if entity.name_column == "url":
        return canonical_url(name if "://" in name else f"https://{name}") or name
    return name.strip().lower() if entity.name_column == "email" else name
