"""Whole lists for export, in chunks of rows: no transaction stays open while the reader is slow."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Select, Table, func, select
from sqlalchemy.ext.asyncio import AsyncEngine

from scrapersky import tables
from scrapersky.destinations.contact_columns import CONTACT_COLUMNS
from scrapersky.queries.contact_rows import contact_rows
from scrapersky.queries.places.duplicates import (
    OTHER_DOMAIN,
    SAME,
    are_not_excluded,
    distinct_businesses,
    is_repeated_contact,
)
from scrapersky.queries.privacy.suppressions import withhold_suppressed
from scrapersky.queries.read_model import COUNT_LIMIT, Query
from scrapersky.queries.rows.attributions import attribution
from scrapersky.queries.rows.entities import Entity
from scrapersky.queries.rows.filters import Filters, conditions, parse_filters

ROWS_PER_CHUNK = 500
Rows = list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Export:
    """The rows of an export: their columns, and the key whose order, the newest first, they have."""

    query: Select[Any]
    columns: Sequence[str]
    key: ColumnElement[Any]
    # Whose rows of which table they are: the suppressions of the tenant hold.
    tenant_id: UUID
    table: Table


class ExportQuery(Query):
    async def count(self, export: Export) -> int:
        """How many rows the file would have, up to `COUNT_LIMIT`."""
        rows = export.query.limit(COUNT_LIMIT).subquery()
        return int(await self.scalar(select(func.count()).select_from(rows)))

    async def chunks(
        self, export: Export, *, limit: int | None = None
    ) -> AsyncIterator[list[dict[str, Any]]]:
        """The rows in chunks. Rows that are created meanwhile are not among them."""
        query = export.query.order_by(export.key.desc())
        name = export.key.name
        rest, left = query, limit
        while left is None or left > 0:
            size = ROWS_PER_CHUNK if left is None else min(ROWS_PER_CHUNK, left)
            rows = await self.dicts(rest.limit(size))
            allowed = await self._allowed(export, rows) if rows else []
            if allowed:
                yield allowed
            if len(rows) < size:
                return
            left = None if left is None else left - len(allowed)
            rest = query.where(export.key < rows[-1][name])

    async def _allowed(self, export: Export, rows: Rows) -> Rows:
        return await self.read(
            lambda connection: withhold_suppressed(connection, export.tenant_id, export.table, rows)
        )


def list_export(engine: AsyncEngine, entity: Entity, tenant_id: UUID, filters: Filters) -> Export:
    """The rows of a list with the columns of the list; contacts with those of `CONTACT_COLUMNS`."""
    if entity.table is tables.contacts:
        return _contact_export(engine, entity, tenant_id, filters)
    table, domains = entity.table, tables.domains
    names = dict.fromkeys(["id", *entity.columns, "created_at", "updated_at"])
    query: Any = select(*(table.c[name] for name in names), entity.error.label("error"))
    columns = [*names, "error"]
    if "domain_id" in table.c:
        query = query.add_columns(domains.c.domain).join(
            domains, domains.c.id == table.c.domain_id, isouter=bool(table.c.domain_id.nullable)
        )
        columns.insert(1, "domain")
    if (named := attribution(table)) is not None:
        query = query.add_columns(named.label("attribution"))
        columns.append("attribution")
    query = query.where(*conditions(entity, tenant_id, filters), *distinct_businesses(table))
    return Export(query, columns, table.c.id, tenant_id, table)


def _contact_export(engine: AsyncEngine, entity: Entity, tenant_id: UUID, filters: Filters) -> Export:
    """Excluded contacts, and those of excluded domains, only if the filters name a curation status."""
    is_listed = conditions(entity, tenant_id, filters)
    is_twin_listed = conditions(entity, tenant_id, filters, SAME)
    if entity.curation_column not in parse_filters(entity, filters.params).params:
        is_listed += are_not_excluded(tables.contacts, tables.domains)
        is_twin_listed += are_not_excluded(SAME, OTHER_DOMAIN)
    query = contact_rows(engine).where(*is_listed, ~is_repeated_contact(*is_twin_listed))
    return Export(query, list(CONTACT_COLUMNS), tables.contacts.c.id, tenant_id, tables.contacts)
