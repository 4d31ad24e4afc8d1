"""Reads a sitemap as it streams in; every URL is typed and ranked, and the promising ones are queued."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from scrapersky.declarations import statuses
from scrapersky.extract.pagetypes import classify_listed_url
from scrapersky.extract.sitemaps import SitemapEntry, SitemapReader
from scrapersky.extract.sitemaps.discovery import classify_sitemap
from scrapersky.extract.urls.canonical import host_of, path_depth, site_of
from scrapersky.storage import ListedPage

# Of the pages that are neither contact pages nor excluded, so many are read, in the order of their depth.
SECOND_CHOICE_PAGES = 10
MAX_PROBLEMS = 20
# So many listings decide the type of the file.
SAMPLE_LISTINGS = 100
EXTERNAL = "external"


@dataclass(slots=True)
class SitemapContent:
    """What a sitemap lists; `site` is set only when the file lies on another site than its pages."""

    pages: list[ListedPage] = field(default_factory=list)
    children: list[SitemapEntry] = field(default_factory=list)
    sitemap_type: str = "standard"
    refused: str = ""
    site: str = ""
    n_urls: int = 0
    size_bytes: int = 0
    status: int | None = None
    is_partial: bool = False
    has_lastmod: bool = False
    problems: list[str] = field(default_factory=list)
    dropped: dict[str, int] = field(default_factory=dict)

    def fields(self) -> dict[str, Any]:
        """The fields of the file's row."""
        return {
            "sitemap_type": self.sitemap_type,
            "url_count": self.n_urls,
            "page_count": len(self.pages),
            "size_bytes": self.size_bytes,
            "status_code": self.status,
            "has_lastmod": self.has_lastmod,
            "is_partial": self.is_partial,
            # What is stored later may not be all of it.
            "left_out_pages": None,
            "left_out_files": None,
        }

    def findings(self) -> dict[str, Any]:
        """What has no column of its own."""
        return {"problems": self.problems[:MAX_PROBLEMS], "dropped": self.dropped}


async def read_sitemap_stream(
    stream: Any, url: str, site: str, *, max_urls: int, queued: str | None, queues_all: bool = False
) -> SitemapContent:
    """Everything a sitemap lists; `stream` is a response in pieces, `site` the domain of the sitemap.

    A sitemap may lie on another host, so its pages are compared with the domain and not with its address.
    `queued` is the status of pages that are worth a request, None when pages wait for a person; with
    `queues_all` every page is, whatever its rank.
    """
    is_at_home = site_of(host_of(url)) == site_of(site)
    content = SitemapContent(status=stream.page.status, site="" if is_at_home else site_of(site))
    reader = SitemapReader(url, max_urls=max_urls)
    sample: list[SitemapEntry] = []
    async for piece in stream:
        content.size_bytes += len(piece)
        _add(reader.feed(piece), content, sample)
        if reader.is_done:
            break
    _add(reader.close(), content, sample)
    content.sitemap_type = classify_sitemap(reader.kind, sample) if reader.kind else "standard"
    content.refused, content.n_urls = reader.refused, reader.n_urls
    content.is_partial = reader.is_partial or bool(getattr(stream, "truncated", False))
    content.problems = [str(problem) for problem in reader.problems]
    if damage := getattr(stream, "damage", ""):
        content.problems.append(damage)
    content.dropped = dict(reader.dropped)
    if queued and not content.refused:
        content.pages = _queue_pages(content.pages, queued, queues_all=queues_all)
    return content


def _add(listings: list[SitemapEntry], content: SitemapContent, sample: list[SitemapEntry]) -> None:
    for listing in listings:
        is_external = site_of(host_of(listing.url)) != content.site if content.site else listing.is_external
        if listing.is_sitemap:
            # Children beside their index or on the domain; a sitemap must not send us to other hosts.
            if not (listing.is_external and is_external):
                content.children.append(listing)
            continue
        if len(sample) < SAMPLE_LISTINGS:
            sample.append(listing)
        content.has_lastmod = content.has_lastmod or listing.lastmod is not None
        content.pages.append(_page(listing, is_external))


def _page(listing: SitemapEntry, is_external: bool) -> ListedPage:
    url, _, lastmod, weight, changes, *_ = listing
    if is_external:
        depth = path_depth(url)
        return ListedPage(url, EXTERNAL, 1.0, 3, depth, statuses.FILTERED, lastmod, changes or None, weight)
    kind, depth, trap = classify_listed_url(url)
    status = statuses.FILTERED if trap or kind.is_excluded else None
    return ListedPage(
        url,
        kind.page_type,
        kind.confidence,
        kind.priority,
        depth,
        status,
        lastmod,
        changes or None,
        weight,
    )


def _queue_pages(pages: list[ListedPage], queued: str, *, queues_all: bool) -> list[ListedPage]:
    """The same pages with those queued that are worth a request: all of rank 1, some of rank 2."""
    second = sorted(
        (page for page in pages if page.priority == 2 and page.status is None), key=lambda page: page.depth
    )
    chosen = {page.url for page in second[:SECOND_CHOICE_PAGES]}
    return [
        page._replace(status=queued)
        if page.status is None and (queues_all or page.priority == 1 or page.url in chosen)
        else page
        for page in pages
    ]
