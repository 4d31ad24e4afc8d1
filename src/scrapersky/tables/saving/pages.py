"""Pages by the ten thousand: COPY into a staging table and one merge. The one place that uses COPY (D14)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from scrapersky.engine.stage import Item


class PageListed(NamedTuple):
    """One listed page, already in canonical form; `status` is Queued, Filtered or None (D8)."""

    url: str
    page_type: str
    confidence: float
    priority: int
    depth: int
    status: str | None
    last_modified_at: datetime | None = None
    change_frequency: str | None = None
    priority_value: float | None = None


@dataclass(frozen=True, slots=True)
class PageList:
    """Pages of one domain; `sitemap_id` says which file listed them, if any did."""

    domain_id: UUID
    host: str
    pages: Sequence[PageListed]
    lead_source: str = "sitemap_import"
    sitemap_id: UUID | None = None


STAGING = """CREATE TEMPORARY TABLE IF NOT EXISTS pages_incoming (
  url text, page_type text, confidence real, priority smallint, depth smallint, status text,
  last_modified_at timestamptz, change_frequency text, priority_value real) ON COMMIT DELETE ROWS"""
# Sorted by the key, so that the index is filled page by page and two imports lock in one order.
MERGE = """INSERT INTO pages (tenant_id, domain_id, host, url, page_type, page_type_confidence,
  priority_level, path_depth, page_processing_status, last_modified_at, lead_source)
SELECT :tenant, :domain, :host, url, page_type, confidence, priority, depth, status, last_modified_at, :source
FROM pages_incoming ORDER BY md5(url)
ON CONFLICT (tenant_id, domain_id, url_hash) DO NOTHING"""
LINK = """INSERT INTO page_sitemaps (tenant_id, page_id, sitemap_file_id, last_modified_at, change_frequency,
  priority_value)
SELECT p.tenant_id, p.id, :sitemap, i.last_modified_at, i.change_frequency, i.priority_value
FROM pages_incoming i JOIN pages p
  ON p.tenant_id = :tenant AND p.domain_id = :domain AND p.url_hash = md5(i.url)::uuid
ON CONFLICT (page_id, sitemap_file_id) DO UPDATE SET last_modified_at = excluded.last_modified_at"""


async def save_pages(connection: AsyncConnection, item: Item, listed: PageList) -> int:
    """Store the pages that are not there yet; says how many. A URL listed twice is one page (D10)."""
    if not listed.pages:
        return 0
    # SQLAlchemy sends BEGIN with its first statement: a COPY before that would commit alone and be lost.
    await connection.execute(text(STAGING))
    await connection.execute(text("DELETE FROM pages_incoming"))
    raw = await connection.get_raw_connection()
    driver: Any = raw.driver_connection
    unique = {page.url: page for page in listed.pages}
    await driver.copy_records_to_table(
        "pages_incoming", records=unique.values(), columns=list(PageListed._fields)
    )
    values = {"tenant": item.tenant_id, "domain": listed.domain_id}
    merged = await connection.execute(
        text(MERGE), {**values, "host": listed.host, "source": listed.lead_source}
    )
    if listed.sitemap_id:
        await connection.execute(text(LINK), {**values, "sitemap": listed.sitemap_id})
    return int(merged.rowcount)
