"""Pages as they were kept: a better extractor reads them again, and no site is asked for them."""

from __future__ import annotations

from sqlalchemy import select

from scrapersky.engine.database import Database
from scrapersky.engine.stage import Item
from scrapersky.fetch.page import Page
from scrapersky.fetch.zstd import zstd
from scrapersky.tables import PageBody, table_of

LARGEST = 64 * 2**20


class Bodies:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def kept(self, item: Item) -> Page | None:
        """The page of this item as it was fetched last; None when its time was over."""
        bodies = table_of(PageBody).c
        query = select(bodies.body, bodies.content_type, bodies.final_url, bodies.status_code)
        rows = await self._database.rows(query.where(bodies.page_id == item.id))
        if not rows:
            return None
        row = rows[0]
        headers = {"Content-Type": row.content_type or ""}
        body = zstd.ZstdDecompressor().decompress(row.body, LARGEST)
        return Page(row.final_url, row.status_code, headers, body, from_tier="kept")
