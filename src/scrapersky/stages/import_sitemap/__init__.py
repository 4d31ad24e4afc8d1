"""Sitemap file → pages: every URL is stored, typed and ranked; only the promising ones are queued (D8)."""

from __future__ import annotations

from typing import Any, Protocol
from uuid import UUID

from scrapersky import tables
from scrapersky.declarations import IMPORT_SITEMAP, READ_PAGE
from scrapersky.engine.outcome import Discard
from scrapersky.engine.stage import Item, Result
from scrapersky.extract.sitemaps.discovery import import_level, rank_child_sitemaps
from scrapersky.stage_context import StageContext
from scrapersky.stages.import_sitemap.sitemap_stream import read_sitemap_stream
from scrapersky.storage import PageList, Upsert

# Listed pages that were known already (R065).
PAGES_EXISTING = "pages_existing"


class SitemapRow(Protocol):
    domain_id: UUID
    host: str
    url: str
    depth: int
    job_id: UUID | None
    created_by: UUID | None
    max_urls: int | None
    max_pages: int | None
    additional_json: dict[str, Any]


async def run(item: Item, context: StageContext) -> Result:
    row: SitemapRow = item.row
    limits = context.limits
    max_urls = row.max_urls or limits.sitemap_urls_per_file
    queued = context.handover.status(IMPORT_SITEMAP, READ_PAGE)
    await context.memory_limit.wait()
    async with context.fetch.stream(row.url, held_host=item.host) as stream:
        sitemap = await read_sitemap_stream(
            stream,
            row.url,
            row.host,
            max_urls=max_urls,
            queued=queued,
            queues_all=context.handover.reads_all_pages,
        )
    if sitemap.refused:
        raise Discard(f"not a sitemap: {sitemap.refused}")
    children = [] if row.depth >= limits.sitemap_depth else rank_child_sitemaps(sitemap.children)
    max_files = limits.sitemap_files_per_domain
    rows: list[Any] = [
        Upsert(tables.sitemap_files, _child(child.url, item, context), max_files=max_files)
        for child in children[:max_files]
    ]
    event = {"event": "sitemap_imported", "id": item.id, "domain": row.host, "url": row.url}
    event |= {"listed": len(sitemap.pages), "existing": 0}

    def note_existing(number: int) -> None:
        event["existing"] = number
        item.count(PAGES_EXISTING, number)

    pages = PageList(
        row.domain_id,
        row.host,
        sitemap.pages,
        sitemap_id=item.id,
        max_pages=row.max_pages,
        on_saved=note_existing,
    )
    rows.append(context.memory_limit.hold(pages, len(sitemap.pages)))
    fields = {
        **sitemap.fields(),
        "max_urls": max_urls,
        "additional_json": {**row.additional_json, **sitemap.findings()},
    }
    return Result(fields=fields, rows=rows, events=[event])


def _child(url: str, item: Item, context: StageContext) -> dict[str, Any]:
    row: SitemapRow = item.row
    return {
        "domain_id": row.domain_id,
        "host": row.host,
        "url": url,
        "discovery_method": "sitemap_index",
        "parent_id": item.id,
        "depth": row.depth + 1,
        "job_id": row.job_id,
        "created_by": row.created_by,
        "priority_level": import_level(url),
        "max_pages": row.max_pages,
        **context.handover.fields(IMPORT_SITEMAP, IMPORT_SITEMAP, context.now()),
    }
