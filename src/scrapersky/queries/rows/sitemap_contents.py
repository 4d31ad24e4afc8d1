"""What one sitemap lists: its pages by type once it is imported, and the files above and below it."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from sqlalchemy import cast, desc, func, select
from sqlalchemy.ext.asyncio import AsyncEngine

from scrapersky import tables
from scrapersky.queries.read_model import TenantRowsQuery

MAX_PAGES, MAX_FILES = 20, 50


class SitemapContentQuery(TenantRowsQuery):
    """One sitemap of one tenant."""

    def __init__(self, engine: AsyncEngine, tenant_id: UUID, file_id: UUID) -> None:
        super().__init__(engine, tenant_id)
        self._file_id = file_id

    async def page_types(self) -> dict[str, int]:
        """How many of its pages are of each type, the most first."""
        page_type, number = tables.pages.c.page_type, func.count().label("number")
        query = self._listed(page_type, number).group_by(page_type).order_by(desc(number), page_type)
        return {row.page_type or "unknown": row.number for row in await self.rows(query)}

    async def pages(self) -> list[dict[str, Any]]:
        """Its most promising pages."""
        pages = tables.pages.c
        columns = pages.id, pages.url, pages.title, pages.page_type, pages.priority_level
        return await self.dicts(
            self._listed(*columns).order_by(pages.priority_level, pages.id).limit(MAX_PAGES)
        )

    async def known(self, domain_id: UUID, urls: list[str]) -> int:
        """How many of these addresses are pages already."""
        pages = tables.pages.c
        is_known = pages.url_hash.in_([cast(func.md5(url), pages.url_hash.type) for url in urls])
        mine = pages.tenant_id == self._tenant_id, pages.domain_id == domain_id
        return int(await self.scalar(select(func.count()).where(*mine, is_known)) or 0) if urls else 0

    async def files_below(self) -> list[dict[str, Any]]:
        """The files that an index lists."""
        files = tables.sitemap_files.c
        mine = files.tenant_id == self._tenant_id, files.parent_id == self._file_id
        columns = files.id, files.url, files.url_count, files.sitemap_import_status
        return await self.dicts(select(*columns).where(*mine).order_by(files.url).limit(MAX_FILES))

    def _listed(self, *columns: Any) -> Any:
        listings, pages = tables.page_sitemaps, tables.pages
        joined = select(*columns).select_from(listings.join(pages, pages.c.id == listings.c.page_id))
        return joined.where(
            listings.c.tenant_id == self._tenant_id, listings.c.sitemap_file_id == self._file_id
        )
