"""What an import of another database looks up in ours: which rows are here already, and under which id."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import Table, func, select

from scrapersky import tables
from scrapersky.engine.database import Database
from scrapersky.queries.read_model import in_array

COUNTED = (
    tables.place_searches, tables.places_staging, tables.local_businesses, tables.domains, tables.jobs,
    tables.sitemap_files, tables.pages, tables.contacts,
)  # fmt: skip


class LegacyTarget:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def counts(self, tenant_id: UUID) -> dict[str, int]:
        """The rows of the tenant, by table."""
        counts = {}
        for table in COUNTED:
            query = select(func.count()).select_from(table).where(table.c.tenant_id == tenant_id)
            counts[str(table.name)] = int((await self._database.rows(query))[0][0])
        return counts

    async def ids(
        self, table: Table, tenant_id: UUID, names: Sequence[str], keys: Sequence[tuple[Any, ...]]
    ) -> dict[tuple[Any, ...], UUID]:
        """The ids of the tenant's rows with these keys, whose columns are `names`."""
        if not keys:
            return {}
        columns = [table.c[name] for name in names]
        query = select(_id(table).label("_id"), *columns).where(table.c.tenant_id == tenant_id)
        for column, values in zip(columns, zip(*keys, strict=True), strict=True):
            query = query.where(in_array(column, set(values)))
        key_set = set(keys)
        rows = [tuple(row) for row in await self._database.rows(query)]
        return {key: row_id for row_id, *rest in rows if (key := tuple(rest)) in key_set}

    async def linked(self, tenant_id: UUID, pairs: Collection[tuple[Any, UUID]]) -> set[tuple[Any, UUID]]:
        """Those of the pairs of a page and a sitemap file that are linked."""
        links = tables.page_sitemaps.c
        query = select(links.page_id, links.sitemap_file_id).where(
            links.tenant_id == tenant_id,
            in_array(links.page_id, {page for page, _ in pairs}),
            in_array(links.sitemap_file_id, {sitemap for _, sitemap in pairs}),
        )
        return {(row.page_id, row.sitemap_file_id) for row in await self._database.rows(query)} & set(pairs)

    async def taken(self, table: Table, tenant_id: UUID, ids: Sequence[UUID]) -> set[UUID]:
        """Those of the ids that rows of other tenants have."""
        query = select(_id(table)).where(in_array(_id(table), ids), table.c.tenant_id != tenant_id)
        return {row[0] for row in await self._database.rows(query)}


def _id(table: Table) -> Any:
    return table.c.job_id if table is tables.jobs else table.c.id
