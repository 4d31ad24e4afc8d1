"""Domain → metadata of its home page, and the linked pages that are likely to show contacts."""

from __future__ import annotations

from hashlib import sha256
from typing import Any, Protocol

from scrapersky.declarations import READ_METADATA, READ_PAGE, SUBMIT_DOMAIN
from scrapersky.engine.stage import Item, Result
from scrapersky.extract.report import HomeLink, column_values, report_home
from scrapersky.fetch.page import Page
from scrapersky.fetch.tiers import is_nearly_empty
from scrapersky.stage_context import StageContext
from scrapersky.stage_context.page_class import usable_class
from scrapersky.storage import ListedPage, PageList

MAX_LINKED_PAGES = 20
MAX_HEADER_CHARS = 2_000


class DomainRow(Protocol):
    domain: str
    host: str
    country: str | None
    sitemap_analysis_status: str | None


async def run(item: Item, context: StageContext) -> Result:
    row: DomainRow = item.row
    page = await context.fetch.home_page(row.domain, held_host=item.host)
    headers = {name: value for name, value in page.headers.items() if len(value) < MAX_HEADER_CHARS}
    content_type = page.headers.get("Content-Type", "")
    report = await context.read(
        report_home, page.body, page.url, row.domain, content_type, row.country, headers
    )
    page_class = usable_class(report)
    described = await context.suppressions.redact(
        item.tenant_id, column_values(report.fields), site=row.domain, country=row.country
    )
    fields = {**described, "last_scan_at": context.now()}
    fields["domain_metadata"] |= {"class": page_class._asdict() if page_class else None}
    if page_class:
        # A parked domain has neither sitemaps nor contacts.
        reason = f"{page_class.name}: the home page says “{page_class.sign}”"
        return Result(fields={**fields, SUBMIT_DOMAIN.error: reason})
    fields["domain_metadata"] |= {
        "home_url": page.url,
        "sitemaps": report.sitemaps,
        "robots": _robots(page),
        "needs_browser": is_nearly_empty(page),
    }
    context.home_links.put(page.url, report.links)
    country = context.countries.remember(item.id, row.country)
    if (country, row.host) == (row.country, row.domain):
        # Read by the hints by which the page itself will be read.
        context.home_page_reports.put(item.id, page.url, sha256(page.body).digest(), report.page)
    status = context.handover.status(READ_METADATA, SUBMIT_DOMAIN)
    if status and row.sitemap_analysis_status != SUBMIT_DOMAIN.statuses.processing:
        fields[SUBMIT_DOMAIN.status] = status
    return Result(fields=fields, rows=[_pages(item, context, page.url, report.links)])


def _pages(item: Item, context: StageContext, home_url: str, links: list[HomeLink]) -> PageList:
    """The home page and the linked pages of the first rank."""
    status = context.handover.status(READ_METADATA, READ_PAGE)
    pages = [
        ListedPage(link.url, link.page_type, link.confidence, 1, link.depth, status)
        for link in links
        if link.priority == 1
    ]
    home = ListedPage(home_url, "home", 1.0, 1, 0, status)
    return PageList(item.id, item.row.host, [home, *pages[:MAX_LINKED_PAGES]], lead_source="home_page")


def _robots(page: Page) -> dict[str, Any]:
    return {"allowed": page.robots.allowed, "reason": page.robots.reason} if page.robots else {}
