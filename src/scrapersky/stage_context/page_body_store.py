"""Stored pages: a better extractor reads them again without a request to any site."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import func, select

from scrapersky import tables
from scrapersky.declarations import READ_PAGE
from scrapersky.engine.database import Database
from scrapersky.fetch.http.zstd import zstd
from scrapersky.fetch.page import Page

MAX_BODY_BYTES = 64 * 2**20


class PageBodyStore:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def load(self, page_id: UUID) -> Page | None:
        """The page as it was fetched last; None when its retention is over."""
        bodies = tables.page_bodies.c
        query = select(bodies.body, bodies.content_type, bodies.final_url, bodies.status_code)
        rows = await self._database.rows(query.where(bodies.page_id == page_id))
        if not rows:
            return None
        row = rows[0]
        headers = {"Content-Type": row.content_type or ""}
        body = zstd.ZstdDecompressor().decompress(row.body, MAX_BODY_BYTES)
        return Page(row.final_url, row.status_code, headers, body, from_tier="stored")

    async def count(self, tenant_id: UUID, *, domain_id: UUID | None = None) -> int:
        """How many pages there are to read again."""
        query = self._select(tenant_id, domain_id).with_only_columns(func.count())
        return int((await self._database.rows(query))[0][0])

    async def next_pages(
        self, after: UUID | None, limit: int, *, tenant_id: UUID, domain_id: UUID | None = None
    ) -> Sequence[Any]:
        """The next pages to read again, in the order of their ids; `selected_at` is the database's time."""
        pages = tables.pages.c
        query = self._select(tenant_id, domain_id)
        if after is not None:
            query = query.where(pages.id > after)
        return await self._database.rows(query.order_by(pages.id).limit(limit))

    def _select(self, tenant_id: UUID, domain_id: UUID | None) -> Any:
        """Pages that were read and are stored; rejected and archived ones are left out."""
        pages, bodies = tables.pages, tables.page_bodies
        names = ("id", "domain_id", "host", "url", "last_scan_at")
        query = select(*(pages.c[name] for name in names), func.now().label("selected_at")).where(
            pages.c.tenant_id == tenant_id,
            pages.c[READ_PAGE.status] == READ_PAGE.statuses.done,
            pages.c[str(READ_PAGE.excluded_by)].not_in(READ_PAGE.excluded_statuses),
        )
        query = query.join(bodies, bodies.c.page_id == pages.c.id)
        return query.where(pages.c.domain_id == domain_id) if domain_id else query


# Reused: creating a compressor costs more than compressing a page.
_COMPRESSOR = zstd.ZstdCompressor(3)


def compress_body(body: bytes) -> bytes:
    """A page's body as it is stored: a third or less of its size."""
    return _COMPRESSOR.compress(body, zstd.ZstdCompressor.FLUSH_FRAME)
