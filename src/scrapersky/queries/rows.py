"""Lists of what people curate, and one row whole with what hangs below it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import desc, func, literal_column, select

from scrapersky import tables
from scrapersky.errors import NotFound
from scrapersky.extract.urls import read_host
from scrapersky.extract.urls.canonical import canonical_url
from scrapersky.queries.entities import Entity, Filters, conditions
from scrapersky.queries.read_model import Query, count_up_to
from scrapersky.tables.counts import counted_rows

# Word for word as the index says it, and never a parameter: otherwise the planner cannot use it.
PROMISING = tables.pages.c.priority_level < literal_column("3")
NOT_PROMISING = tables.pages.c.priority_level == literal_column("3")
WITH_DOMAIN = ("sitemap", "page", "contact")
SEARCH_COLUMNS = (
    "id", "business_type", "location", "source", "params", "status", "error", "places_found", "created_by",
    "created_at", "updated_at",
)  # fmt: skip


class RowQuery(Query):
    async def listed(
        self, entity: Entity, tenant_id: UUID, filters: Filters | None = None, *, limit: int = 50
    ) -> list[dict[str, Any]]:
        """The newest rows that match; pages come by priority, the most promising first (R073)."""
        table = entity.table
        shown = [table.c.id, *(table.c[name] for name in entity.columns if name != "domain_id")]
        query: Any = select(*shown, entity.error.label("error"), table.c.created_at)
        if entity.name in WITH_DOMAIN:
            domains = tables.domains
            query = query.add_columns(domains.c.domain).join(domains, domains.c.id == table.c.domain_id)
        query = query.where(*conditions(entity, tenant_id, filters or Filters()))
        newest = desc(table.c.id)
        if entity.table is not tables.pages:
            return _dicts(await self.rows(query.order_by(newest).limit(limit)))
        # In two steps, because no index gives the order of both: the promising pages, then the newest others.
        promising = query.where(PROMISING).order_by(table.c.priority_level, newest)
        found = _dicts(await self.rows(promising.limit(limit)))
        if len(found) < limit:
            others = query.where(NOT_PROMISING).order_by(newest)
            found += _dicts(await self.rows(others.limit(limit - len(found))))
        return found

    async def count(self, entity: Entity, tenant_id: UUID, filters: Filters) -> int:
        """How many rows match: from the kept counts if they can tell, else counted up to a limit."""
        rows = counted_rows(entity.table.name)
        searched = (filters.contains, filters.domain, filters.error) != (None, None, None)
        if searched or (filters.priority is not None and "priority_level" not in rows.c):
            query = select(count_up_to(entity.table, _all(conditions(entity, tenant_id, filters))))
        else:
            number = func.coalesce(func.sum(rows.c.number), 0)
            query = select(number).where(*conditions(entity, tenant_id, filters, rows))
        return int((await self.rows(query))[0][0])

    async def ids(self, entity: Entity, tenant_id: UUID, which: Sequence[str]) -> list[UUID]:
        """The identifiers of rows named by identifier, host, URL or address."""
        return [await self._id(entity, tenant_id, one) for one in which]

    async def show(self, entity: Entity, tenant_id: UUID, which: str) -> dict[str, Any]:
        """One row whole, and how many rows of which kind hang below it."""
        table = entity.table
        row_id = await self._id(entity, tenant_id, which)
        row = await self.one(select(table).where(table.c.tenant_id == tenant_id, table.c.id == row_id))
        if row is None:
            raise NotFound(f"There is no {entity.name} {which}")
        below = await self._below(row_id) if entity.table is tables.domains else {}
        return {**row._mapping, **below}

    async def _below(self, domain_id: UUID) -> dict[str, Any]:
        counts = [
            select(func.count()).where(row.c.domain_id == domain_id).scalar_subquery().label(name)
            for name, row in (
                ("jobs", tables.jobs),
                ("sitemaps", tables.sitemap_files),
                ("pages", tables.pages),
                ("contacts", tables.contacts),
            )
        ]
        found = await self.one(select(*counts))
        return dict(found._mapping) if found else {}

    async def _id(self, entity: Entity, tenant_id: UUID, which: str) -> UUID:
        try:
            return UUID(which)
        except ValueError:
            pass
        columns = entity.table.c
        names = {which.strip(), _in_our_form(entity, which)}
        query = select(columns.id).where(columns.tenant_id == tenant_id, columns[entity.named_by].in_(names))
        found = await self.rows(query.order_by(columns.id).limit(2))
        if not found:
            raise NotFound(f"There is no {entity.name} {which[:200]!r}")
        if len(found) > 1:
            raise NotFound(f"There is more than one {entity.name} {which[:200]!r}; give its identifier")
        return UUID(str(found[0].id))

    async def searches(self, tenant_id: UUID, *, limit: int = 50) -> list[dict[str, Any]]:
        columns = tables.place_searches.c
        query = select(*(columns[name] for name in SEARCH_COLUMNS)).where(columns.tenant_id == tenant_id)
        return [dict(row._mapping) for row in await self.rows(query.order_by(desc(columns.id)).limit(limit))]

    async def search(self, tenant_id: UUID, search_id: UUID) -> dict[str, Any]:
        columns = tables.place_searches.c
        query = select(*(columns[name] for name in SEARCH_COLUMNS))
        row = await self.one(query.where(columns.tenant_id == tenant_id, columns.id == search_id))
        if row is None:
            raise NotFound(f"There is no search {search_id}")
        return dict(row._mapping)


def _dicts(rows: Sequence[Any]) -> list[dict[str, Any]]:
    return [dict(row._mapping) for row in rows]


def _all(condition: list[Any]) -> Any:
    first, *others = condition
    for other in others:
        first = first & other
    return first


def _in_our_form(entity: Entity, text: str) -> str:
    """A host or URL as it is stored, whatever form it was given in."""
    if entity.named_by == "domain":
        return read_host(text).host or text
    if entity.named_by == "url":
        return canonical_url(text if "://" in text else f"https://{text}") or text
    return text.strip().lower() if entity.named_by == "email" else text
