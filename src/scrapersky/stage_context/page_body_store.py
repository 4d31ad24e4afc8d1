"""Pages as they were kept: a better extractor reads them again, and no site is asked for them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import func, select

from scrapersky import tables
from scrapersky.declarations import READ_PAGE
from scrapersky.engine.database import Database
from scrapersky.engine.stage import Item
from scrapersky.fetch.http.zstd import zstd
from scrapersky.fetch.page import Page

LARGEST = 64 * 2**20


class PageBodyStore:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def kept(self, item: Item) -> Page | None:
        """The page of this item as it was fetched last; None when its time was over."""
        bodies = tables.page_bodies.c
        query = select(bodies.body, bodies.content_type, bodies.final_url, bodies.status_code)
        rows = await self._database.rows(query.where(bodies.page_id == item.id))
        if not rows:
            return None
        row = rows[0]
        headers = {"Content-Type": row.content_type or ""}
        body = zstd.ZstdDecompressor().decompress(row.body, LARGEST)
        return Page(row.final_url, row.status_code, headers, body, from_tier="kept")

    async def count(self, tenant_id: UUID, *, domain_id: UUID | None = None) -> int:
        """How many pages there are to read again."""
        chosen = self._chosen(tenant_id, domain_id).with_only_columns(func.count())
        return int((await self._database.rows(chosen))[0][0])

    async def after(
        self, last: UUID | None, limit: int, *, tenant_id: UUID, domain_id: UUID | None = None
    ) -> Sequence[Any]:
        """The next pages to read again, in the order of their ids; `asked_at` is the database's time."""
        pages = tables.pages.c
        chosen = self._chosen(tenant_id, domain_id)
        if last is not None:
            chosen = chosen.where(pages.id > last)
        return await self._database.rows(chosen.order_by(pages.id).limit(limit))

    def _chosen(self, tenant_id: UUID, domain_id: UUID | None) -> Any:
        """Pages that were read and are kept; rejected and archived ones are left alone."""
        pages, bodies, queue = tables.pages, tables.page_bodies, READ_PAGE
        names = ("id", "domain_id", "host", "url", "additional_json", "last_scan_at")
        chosen = select(*(pages.c[name] for name in names), func.now().label("asked_at")).where(
            pages.c.tenant_id == tenant_id,
            pages.c[queue.status] == queue.statuses.done,
            pages.c[str(queue.excluded_by)].not_in(queue.excluded_statuses),
        )
        chosen = chosen.join(bodies, bodies.c.page_id == pages.c.id)
        return chosen.where(pages.c.domain_id == domain_id) if domain_id else chosen


# Reused: creating a compressor costs more than compressing a page.
_COMPRESSOR = zstd.ZstdCompressor(3)


def packed(body: bytes) -> bytes:
    """A page's body as it is kept: a third or less of its size."""
    return _COMPRESSOR.compress(body, zstd.ZstdCompressor.FLUSH_FRAME)
