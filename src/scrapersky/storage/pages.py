"""Pages by the ten thousand: COPY into a staging table and one merge. The one place that uses COPY (D14)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import md5
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from scrapersky.engine.stage import Item
from scrapersky.tables.ids import ids_in_order


class ListedPage(NamedTuple):
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


@dataclass(frozen=True, slots=True, weakref_slot=True)
class PageList:
    """Pages of one domain; `sitemap_id` says which file listed them, if any did.

    `max_pages` is the number of pages that the domain may have; the best ones are kept.
    """

    domain_id: UUID
    host: str
    pages: Sequence[ListedPage]
    lead_source: str = "sitemap_import"
    sitemap_id: UUID | None = None
    max_pages: int | None = None
    # Called with the number of pages that existed already.
    on_saved: Callable[[int], None] | None = None


STAGING = """CREATE TEMPORARY TABLE IF NOT EXISTS pages_incoming (
  id uuid, list integer, url text, page_type text, confidence real, priority smallint, depth smallint,
  status text, last_modified_at timestamptz, change_frequency text, priority_value real)
  ON COMMIT DELETE ROWS"""
# What an earlier list of the same transaction left is gone; and all of a sitemap is sorted in memory.
READY = "DELETE FROM pages_incoming; SET LOCAL work_mem = '32MB'"
_LISTS = """unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::uuid[])
  WITH ORDINALITY AS l (tenant_id, domain_id, host, lead_source, sitemap_id, list)"""
# Identifiers rise in the order of hosts, as hosts are locked everywhere, and then of the key.
MERGE = """INSERT INTO pages (id, tenant_id, domain_id, host, url, page_type, page_type_confidence,
  priority_level, path_depth, page_processing_status, last_modified_at, lead_source)
SELECT i.id, l.tenant_id, l.domain_id, l.host, i.url, i.page_type, i.confidence, i.priority, i.depth,
  i.status, i.last_modified_at, l.lead_source
FROM pages_incoming i JOIN :lists USING (list) ORDER BY i.id
ON CONFLICT (tenant_id, domain_id, url_hash) DO NOTHING""".replace(":lists", _LISTS)
# Of pages that are all new, the identifiers are known and no link can be there yet.
LINK_NEW = """INSERT INTO page_sitemaps (tenant_id, page_id, sitemap_file_id, last_modified_at,
  change_frequency, priority_value)
SELECT l.tenant_id, i.id, l.sitemap_id, i.last_modified_at, i.change_frequency, i.priority_value
FROM pages_incoming i JOIN :lists USING (list)
WHERE l.sitemap_id IS NOT NULL ORDER BY i.id""".replace(":lists", _LISTS)
LINK = """INSERT INTO page_sitemaps (tenant_id, page_id, sitemap_file_id, last_modified_at,
  change_frequency, priority_value)
SELECT l.tenant_id, p.id, l.sitemap_id, i.last_modified_at, i.change_frequency, i.priority_value
FROM pages_incoming i JOIN :lists USING (list)
JOIN pages p ON p.tenant_id = l.tenant_id AND p.domain_id = l.domain_id AND p.url_hash = md5(i.url)::uuid
WHERE l.sitemap_id IS NOT NULL ORDER BY p.id
ON CONFLICT (page_id, sitemap_file_id) DO UPDATE SET last_modified_at = excluded.last_modified_at
""".replace(":lists", _LISTS)
# A page that was there has another identifier than the one made for it here.
EXISTING = """SELECT i.list, count(*) AS number FROM pages_incoming i JOIN :lists USING (list)
JOIN pages p ON p.tenant_id = l.tenant_id AND p.domain_id = l.domain_id AND p.url_hash = md5(i.url)::uuid
WHERE p.id <> i.id GROUP BY i.list""".replace(":lists", _LISTS)
COLUMNS = ["id", "list", *ListedPage._fields]
_STAGING = text(STAGING)


async def save_pages(connection: AsyncConnection, rows: Sequence[tuple[Item, PageList]]) -> int:
    """Store the pages that are not there yet; says how many. A URL listed twice is one page (D10)."""
    if not any(listed.pages for _, listed in rows):
        return 0
    # SQLAlchemy sends BEGIN with its first statement: a COPY before that would commit alone and be lost.
    await connection.execute(_STAGING)
    raw = await connection.get_raw_connection()
    driver: Any = raw.driver_connection
    await driver.execute(READY)
    domains = _by_key(rows)
    total = sum(map(len, domains))
    await driver.copy_records_to_table("pages_incoming", records=_records(domains, total), columns=COLUMNS)
    lists = _lists(rows)
    merged = int((await driver.execute(MERGE, *lists)).rpartition(" ")[2])
    if any(listed.sitemap_id for _, listed in rows):
        await driver.execute(LINK_NEW if merged == total else LINK, *lists)
    if any(listed.on_saved for _, listed in rows):
        counted = [] if merged == total else await driver.fetch(EXISTING, *lists)
        existing = {row["list"]: row["number"] for row in counted}
        for number, (_, listed) in enumerate(rows, start=1):
            if listed.on_saved:
                listed.on_saved(existing.get(number, 0))
    return merged


def _lists(rows: Sequence[tuple[Item, PageList]]) -> tuple[list[Any], ...]:
    """What all pages of a list have in common, column by column."""
    return (
        [item.tenant_id for item, _ in rows],
        [listed.domain_id for _, listed in rows],
        [listed.host for _, listed in rows],
        [listed.lead_source for _, listed in rows],
        [listed.sitemap_id for _, listed in rows],
    )


def _by_key(rows: Sequence[tuple[Item, PageList]]) -> list[dict[bytes, ListedPage]]:
    """The pages of each domain, by the key of the page and the number of its list, as plain bytes."""
    domains: dict[tuple[str, UUID, UUID], dict[bytes, ListedPage]] = defaultdict(dict)
    for number, (item, listed) in enumerate(rows, start=1):
        pages, tail = domains[listed.host, item.tenant_id, listed.domain_id], number.to_bytes(4, "big")
        for page in listed.pages:
            pages[md5(page.url.encode(), usedforsecurity=False).digest() + tail] = page
    return [domains[place] for place in sorted(domains)]


def _records(domains: Sequence[dict[bytes, ListedPage]], total: int) -> Iterator[tuple[Any, ...]]:
    ids = ids_in_order(total)
    for pages in domains:
        for key, page_id in zip(sorted(pages), ids, strict=False):
            yield (page_id, int.from_bytes(key[16:], "big"), *pages[key])
