"""Sitemap job → sitemap files, queued in the same transaction (R001); without any, the home page's links."""

from __future__ import annotations

from typing import Any, Protocol
from uuid import UUID

from scrapersky import tables
from scrapersky.declarations import DISCOVER_SITEMAPS, IMPORT_SITEMAP, READ_PAGE, statuses
from scrapersky.engine.stage import Item, Result
from scrapersky.extract.report import report_home
from scrapersky.log import pluralize
from scrapersky.stage_context import StageContext
from scrapersky.stage_context.jobs import JobRun, parse_job_input
from scrapersky.stages.discover_sitemaps.discovery import Discovery, SitemapJob
from scrapersky.storage import LinkSitemapsToJob, ListedPage, PageList, Update, Upsert

MAX_LINKED_PAGES = 200
MAX_PROBLEMS = 20


class JobRow(Protocol):
    job_id: UUID
    domain_id: UUID
    result_data: dict[str, Any]
    created_by: UUID | None


async def run(item: Item, context: StageContext) -> Result:
    row: JobRow = item.row
    job = parse_job_input(SitemapJob, row.result_data)
    home_url = job.home_url or context.fetch.home_url(job.domain)
    max_files = context.limits.sitemap_files_per_domain
    discovery = Discovery(context.fetch, max_files=max_files, held_host=item.host)
    report_progress = JobRun(item, context).report_progress
    findings = await discovery.find(home_url, job.linked_sitemaps, job.cms, report_progress)
    if findings.cancelled:
        return Result(status=statuses.CANCELLED, fields={"progress_message": findings.cancelled})
    sitemaps = list(findings.sitemaps.values())
    max_pages = job.max_pages or context.limits.job_max_pages
    more = {
        "max_pages": max_pages,
        **context.handover.fields(DISCOVER_SITEMAPS, IMPORT_SITEMAP, context.now()),
    }
    rows: list[Any] = [Upsert(tables.sitemap_files, {**sitemap.values(item), **more}) for sitemap in sitemaps]
    totals = {
        "total_sitemaps": len(sitemaps),
        "sitemap_urls": sum(sitemap.url_count for sitemap in sitemaps),
    }
    rows.append(Update(tables.domains, row.domain_id, totals))
    result = {**row.result_data, "problems": findings.problems[:MAX_PROBLEMS], "probed": findings.probed}
    if findings.fallback_reason:
        result["note"] = f"{findings.fallback_reason}; pages are taken from the links of the home page"
        rows.append(await _linked_pages(item, context, home_url, job.domain, max_pages))
    rows.append(LinkSitemapsToJob())
    fields = {"result_data": result, "progress": 1.0, "progress_percent": 100}
    fields["progress_message"] = f"{pluralize(len(sitemaps), 'sitemap')} found"
    return Result(fields=fields, rows=rows)


async def _linked_pages(
    item: Item, context: StageContext, home_url: str, domain: str, max_pages: int
) -> PageList:
    read = context.home_links.take(home_url)
    if read is None:
        page = await context.fetch(home_url, held_host=item.host)
        report = await context.read(report_home, page.body, page.url, domain, "text/html", None, {})
        read = report.links
    links = [link for link in read if not link.is_excluded][:MAX_LINKED_PAGES]
    queued = context.handover.status(DISCOVER_SITEMAPS, READ_PAGE)
    lowest = 3 if context.handover.reads_all_pages else 2
    pages = [
        ListedPage(link.url, link.page_type, link.confidence, link.priority, link.depth,
                   queued if link.priority <= lowest else None)
        for link in links
    ]  # fmt: skip
    return PageList(item.row.domain_id, str(item.host), pages, lead_source="home_page", max_pages=max_pages)
