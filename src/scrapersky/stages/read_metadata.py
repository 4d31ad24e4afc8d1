"""Domain → what its home page says of it, and the pages it links to that are likely to show contacts."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from scrapersky.declarations import READ_PAGE, SUBMIT_DOMAIN
from scrapersky.engine.stage import Item, Result
from scrapersky.extract.report import HomeLink, column_values, report_home
from scrapersky.fetch.tiers import is_nearly_empty
from scrapersky.stage_context.context import StageContext
from scrapersky.stage_context.page_class import reason_of, what_instead
from scrapersky.storage import ListedPage, PageList

MOST_LINKED_PAGES = 20


async def run(item: Item, tools: StageContext) -> Result:
    row, policy = item.row, tools.policy
    page = await tools.web.home(row.domain, policy.schemes, held_host=item.host)
    kind = page.headers.get("Content-Type", "")
    headers = {name: value for name, value in page.headers.items() if len(value) < 2_000}
    report = await tools.web.read(report_home, page.body, page.url, row.domain, kind, row.country, headers)
    instead = what_instead(report)
    fields = {**column_values(report.fields), "last_scan_at": datetime.now(UTC)}
    fields["domain_metadata"] |= {"class": instead}
    if instead:
        # Nobody lives here, so there is nothing to look for.
        return Result(fields={**fields, SUBMIT_DOMAIN.error: reason_of(instead)})
    fields["domain_metadata"] |= {"home_url": page.url, "sitemaps": report.sitemaps, "robots": _robots(page)}
    fields["domain_metadata"]["needs_browser"] = is_nearly_empty(page)
    if policy.auto_sitemap_analysis and row.sitemap_analysis_status != SUBMIT_DOMAIN.statuses.processing:
        fields["sitemap_analysis_status"] = SUBMIT_DOMAIN.statuses.queued
    linked = [_linked(link) for link in report.links if link.priority == 1]
    pages = [_home(page.url), *linked[:MOST_LINKED_PAGES]]
    if not policy.auto_page_reading:
        pages = [one._replace(status=None) for one in pages]
    return Result(fields=fields, rows=[PageList(item.id, row.host, pages, lead_source="home_page")])


def _home(url: str) -> ListedPage:
    return ListedPage(url, "home", 1.0, 1, 0, READ_PAGE.statuses.queued)


def _linked(link: HomeLink) -> ListedPage:
    return ListedPage(link.url, link.page_type, link.confidence, 1, link.depth, READ_PAGE.statuses.queued)


def _robots(page: Any) -> dict[str, Any]:
    return {"allowed": page.robots.allowed, "reason": page.robots.reason} if page.robots else {}
