"""Pages by the ten thousand: COPY into a staging table and one merge. The one place that uses COPY (D14)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
  tenant_id uuid, domain_id uuid, host text, lead_source text, sitemap_id uuid,
  url text, page_type text, confidence real, priority smallint, depth smallint, status text,
  last_modified_at timestamptz, change_frequency text, priority_value real) ON COMMIT DELETE ROWS"""
# Sorted by host, as hosts are locked everywhere, then by the key, so that its index is filled page by page.
MERGE = """INSERT INTO pages (tenant_id, domain_id, host, url, page_type, page_type_confidence,
  priority_level, path_depth, page_processing_status, last_modified_at, lead_source)
SELECT tenant_id, domain_id, host, url, page_type, confidence, priority, depth, status, last_modified_at,
  lead_source
FROM pages_incoming ORDER BY host, tenant_id, domain_id, md5(url)::uuid
ON CONFLICT (tenant_id, domain_id, url_hash) DO NOTHING"""
LINK = """INSERT INTO page_sitemaps (tenant_id, page_id, sitemap_file_id, last_modified_at, change_frequency,
  priority_value)
SELECT p.tenant_id, p.id, i.sitemap_id, i.last_modified_at, i.change_frequency, i.priority_value
FROM pages_incoming i JOIN pages p
  ON p.tenant_id = i.tenant_id AND p.domain_id = i.domain_id AND p.url_hash = md5(i.url)::uuid
WHERE i.sitemap_id IS NOT NULL
ORDER BY p.id
ON CONFLICT (page_id, sitemap_file_id) DO UPDATE SET last_modified_at = excluded.last_modified_at"""
COLUMNS = ["tenant_id", "domain_id", "host", "lead_source", "sitemap_id", *PageListed._fields]
_STAGING, _EMPTY, _MERGE, _LINK = map(text, (STAGING, "DELETE FROM pages_incoming", MERGE, LINK))


async def save_pages(connection: AsyncConnection, rows: Sequence[tuple[Item, PageList]]) -> int:
    """Store the pages that are not there yet; says how many. A URL listed twice is one page (D10)."""
    if not any(listed.pages for _, listed in rows):
        return 0
    # SQLAlchemy sends BEGIN with its first statement: a COPY before that would commit alone and be lost.
    await connection.execute(_STAGING)
    await connection.execute(_EMPTY)
    raw = await connection.get_raw_connection()
    driver: Any = raw.driver_connection
    await driver.copy_records_to_table("pages_incoming", records=_records(rows), columns=COLUMNS)
    merged = await connection.execute(_MERGE)
    if any(listed.sitemap_id for _, listed in rows):
        await connection.execute(_LINK)
    return int(merged.rowcount)


def _records(rows: Sequence[tuple[Item, PageList]]) -> Iterator[tuple[Any, ...]]:
    for item, listed in rows:
        whose = (item.tenant_id, listed.domain_id, listed.host, listed.lead_source, listed.sitemap_id)
        unique = {page.url: page for page in listed.pages}
        for page in unique.values():
            yield whose + page
