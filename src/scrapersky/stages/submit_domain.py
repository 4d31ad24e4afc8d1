"""Domain → a sitemap job, written in the same transaction that calls the domain submitted (R134, D12)."""

from __future__ import annotations

from scrapersky import tables
from scrapersky.engine.stage import Item, Result
from scrapersky.stage_context.context import StageContext
from scrapersky.storage import Upsert
from scrapersky.tables import new_id


async def run(item: Item, tools: StageContext) -> Result:
    row = item.row
    job_id = new_id()
    job = {
        "job_id": job_id,
        "job_type": "sitemap",
        "host": row.host,
        "domain_id": item.id,
        "result_data": {
            "domain": row.domain,
            "max_pages": tools.policy.sitemap_urls_per_domain,
            "home_url": row.domain_metadata.get("home_url"),
            "linked_sitemaps": row.domain_metadata.get("sitemaps", []),
            "cms": "wordpress" if row.is_wordpress else (row.generator or ""),
        },
        "created_by": tools.policy.system_user_id,
    }
    line = {"event": "job_created", "job_type": "sitemap", "job_id": job_id, "domain": row.domain}
    return Result(rows=[Upsert(tables.jobs, job)], events=[line | {"user": tools.policy.system_user_id}])
