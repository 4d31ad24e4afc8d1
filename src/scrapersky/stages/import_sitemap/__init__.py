"""Sitemap file → pages: every URL is stored, typed and ranked; only the promising ones are queued (D8)."""

from __future__ import annotations

from typing import Any

from scrapersky import tables
from scrapersky.engine.outcome import Discard
from scrapersky.engine.stage import Item, Result
from scrapersky.extract.sitemaps.discovery import import_level, rank_child_sitemaps
from scrapersky.stage_context.context import StageContext
from scrapersky.stage_context.handover import import_status
from scrapersky.stages.import_sitemap.listing import read_listings
from scrapersky.storage import PageList, Upsert


async def run(item: Item, tools: StageContext) -> Result:
    row, policy = item.row, tools.policy
    known = dict(row.additional_json or {})
    most = int(known.get("max_urls") or policy.sitemap_urls_per_file)
    await tools.room.wait()
    async with tools.web.stream(row.url, held_host=item.host) as stream:
        listed = await read_listings(stream, row.url, row.host, max_urls=most, queue=policy.auto_page_reading)
    if listed.refused:
        raise Discard(f"not a sitemap: {listed.refused}")
    children = [] if row.depth >= policy.sitemap_depth else rank_child_sitemaps(listed.children)
    files = policy.sitemap_files_per_domain
    rows: list[Any] = [
        Upsert(tables.sitemap_files, _child(one.url, item, tools), most=files) for one in children[:files]
    ]
    limit = known.get("max_pages")
    line = {"event": "sitemap_imported", "id": item.id, "domain": row.host, "url": row.url}
    line |= {"listed": len(listed.pages), "existing": 0}
    pages = PageList(
        row.domain_id,
        row.host,
        listed.pages,
        sitemap_id=item.id,
        most=limit,
        on_saved=lambda existing: line.update(existing=existing),
    )
    rows.append(tools.room.hold(pages, len(listed.pages)))
    return Result(fields=listed.fields({**known, "max_urls": most}), rows=rows, events=[line])


def _child(url: str, item: Item, tools: StageContext) -> dict[str, Any]:
    row = item.row
    limit = {name: value for name, value in (row.additional_json or {}).items() if name == "max_pages"}
    return {
        "domain_id": row.domain_id, "host": row.host, "url": url, "discovery_method": "sitemap_index",
        "parent_id": item.id, "depth": row.depth + 1, "job_id": row.job_id, "created_by": row.created_by,
        "priority_level": import_level(url),
        "additional_json": limit, **import_status(queued=tools.policy.sitemap_auto_import),
    }  # fmt: skip
