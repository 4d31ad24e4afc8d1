"""Sitemap job → sitemap files, queued in the same transaction (R001); without any, the home page's links."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from scrapersky import tables
from scrapersky.declarations import READ_PAGE, statuses
from scrapersky.engine.stage import Item, Result
from scrapersky.extract.report import report_home
from scrapersky.stage_context.context import StageContext
from scrapersky.stage_context.handover import import_status
from scrapersky.stage_context.jobs import JobRun, checked
from scrapersky.stages.discover_sitemaps.discovery import Discovery, SitemapJob
from scrapersky.storage import LinkSitemapsToJob, ListedPage, PageList, Update, Upsert


async def run(item: Item, tools: StageContext) -> Result:
    job = checked(SitemapJob, item.row.result_data)
    home = job.home_url or f"{tools.policy.schemes[0]}://{job.domain}/"
    most_files = tools.policy.sitemap_files_per_domain
    discovery = Discovery(tools.web, most_files=most_files, held_host=item.host)
    found = await discovery.find(home, job.linked_sitemaps, job.cms, JobRun(item, tools).tell)
    if found.cancelled:
        return Result(status=statuses.CANCELLED, fields={"progress_message": found.cancelled})
    sitemaps = list(found.sitemaps.values())
    most = job.max_pages or tools.policy.job_max_pages
    status = {
        **import_status(queued=tools.policy.sitemap_auto_import),
        "additional_json": {"max_pages": most},
    }
    rows: list[Any] = [Upsert(tables.sitemap_files, {**one.values(item), **status}) for one in sitemaps]
    urls = sum(one.url_count for one in sitemaps)
    rows.append(
        Update(tables.domains, item.row.domain_id, {"total_sitemaps": len(sitemaps), "sitemap_urls": urls})
    )
    result: dict[str, Any] = {**item.row.result_data, "problems": found.problems[:20], "probed": found.probed}
    if found.lack:
        result["note"] = f"{found.lack}; pages are taken from the links of the home page"
        rows.append(replace(await _linked_pages(item, tools, home, job.domain), most=most))
    rows.append(LinkSitemapsToJob())
    return Result(fields={"result_data": result, "progress": 1.0, "progress_percent": 100}, rows=rows)


async def _linked_pages(item: Item, tools: StageContext, home: str, domain: str) -> PageList:
    page = await tools.web.get(home, held_host=item.host)
    report = await tools.web.read(report_home, page.body, page.url, domain, "text/html", None, {})
    links = [link for link in report.links if not link.is_excluded][:200]
    queued = READ_PAGE.statuses.queued if tools.policy.auto_page_reading else None
    pages = [
        ListedPage(link.url, link.page_type, link.confidence, link.priority, link.depth,
                   queued if link.priority <= 2 else None)
        for link in links
    ]  # fmt: skip
    return PageList(item.row.domain_id, str(item.host), pages, lead_source="home_page")
