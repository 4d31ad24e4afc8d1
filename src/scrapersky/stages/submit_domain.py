"""Domain → a sitemap job, written in the same transaction that marks the domain submitted (R134, D12)."""

from __future__ import annotations

from typing import Any, Protocol

from scrapersky import tables
from scrapersky.declarations import DISCOVER_SITEMAPS, SUBMIT_DOMAIN
from scrapersky.engine.stage import Item, Result
from scrapersky.stage_context import StageContext
from scrapersky.storage import Upsert
from scrapersky.tables import new_id


class DomainRow(Protocol):
    domain: str
    host: str
    domain_metadata: dict[str, Any]
    is_wordpress: bool | None
    generator: str | None


async def run(item: Item, context: StageContext) -> Result:
    row: DomainRow = item.row
    job_id = new_id()
    job = {
        "job_id": job_id,
        "job_type": "sitemap",
        "host": row.host,
        "domain_id": item.id,
        "result_data": {
            "domain": row.domain,
            "max_pages": context.limits.sitemap_urls_per_domain,
            "home_url": row.domain_metadata.get("home_url"),
            "linked_sitemaps": row.domain_metadata.get("sitemaps", []),
            "cms": "wordpress" if row.is_wordpress else (row.generator or ""),
        },
        "created_by": context.system_user_id,
        **context.handover.fields(SUBMIT_DOMAIN, DISCOVER_SITEMAPS, context.now()),
    }
    event = {
        "event": "job_created",
        "job_type": "sitemap",
        "job_id": job_id,
        "domain": row.domain,
        "user": context.system_user_id,
    }
    return Result(rows=[Upsert(tables.jobs, job)], events=[event])
