"""Reads a sitemap as it streams in, and says of every URL what it probably is and whether to read it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from scrapersky.declarations import READ_PAGE, statuses
from scrapersky.extract.pagetypes import classify_listed_url
from scrapersky.extract.sitemaps import SitemapEntry, SitemapReader
from scrapersky.extract.sitemaps.discovery import sitemap_type_of
from scrapersky.extract.urls.canonical import host_of, path_depth, site_of
from scrapersky.storage import ListedPage

# Of the pages that are neither contact pages nor excluded, so many are tried in the order of their depth.
SECOND_CHOICE = 10
EXTERNAL = "external"


@dataclass(slots=True)
class Listed:
    pages: list[ListedPage] = field(default_factory=list)
    children: list[SitemapEntry] = field(default_factory=list)
    kind: str = "standard"
    refused: str = ""
    # Named only when the file lies elsewhere.
    site: str = ""
    n_urls: int = 0
    size_bytes: int = 0
    status: int | None = None
    is_partial: bool = False
    has_lastmod: bool = False
    problems: list[str] = field(default_factory=list)
    dropped: dict[str, int] = field(default_factory=dict)

    def fields(self, known: dict[str, Any]) -> dict[str, Any]:
        """What the row of the file is told; `known` is what its additional_json says already."""
        known = {name: value for name, value in known.items() if not name.startswith("left_out")}
        more = {"partial": self.is_partial, "problems": self.problems[:20], "dropped": self.dropped}
        return {
            "sitemap_type": self.kind,
            "url_count": self.n_urls,
            "page_count": len(self.pages),
            "size_bytes": self.size_bytes,
            "status_code": self.status,
            "has_lastmod": self.has_lastmod,
            "additional_json": {**known, **more},
        }


async def read_listings(stream: Any, url: str, site: str, *, max_urls: int, queue: bool) -> Listed:
    """Everything a sitemap lists; `stream` is an answer in pieces, `site` the domain whose sitemap it is.

    A sitemap may lie on another host, so its pages are compared with the domain and not with its address.
    """
    home = site_of(host_of(url)) == site_of(site)
    listed = Listed(status=stream.page.status, site="" if home else site_of(site))
    reader = SitemapReader(url, max_urls=max_urls)
    first: list[SitemapEntry] = []
    async for piece in stream:
        listed.size_bytes += len(piece)
        _take(reader.feed(piece), listed, first)
        if reader.is_done:
            break
    _take(reader.close(), listed, first)
    listed.kind = sitemap_type_of(reader.kind, first) if reader.kind else "standard"
    listed.refused, listed.n_urls = reader.refused, reader.n_urls
    listed.is_partial = reader.is_partial or bool(getattr(stream, "truncated", False))
    listed.problems = [str(problem) for problem in reader.problems]
    if damage := getattr(stream, "damage", ""):
        listed.problems.append(damage)
    listed.dropped = dict(reader.dropped)
    if queue and not listed.refused:
        listed.pages = _queued(listed.pages)
    return listed


def _take(listings: list[SitemapEntry], listed: Listed, first: list[SitemapEntry]) -> None:
    for one in listings:
        is_external = site_of(host_of(one.url)) != listed.site if listed.site else one.is_external
        if one.is_sitemap:
            # Children beside their index or on the domain; others' hosts are not to be called by a stranger.
            if not (one.is_external and is_external):
                listed.children.append(one)
            continue
        if len(first) < 100:
            first.append(one)
        listed.has_lastmod = listed.has_lastmod or one.lastmod is not None
        listed.pages.append(_page(one, is_external))


def _page(one: SitemapEntry, is_external: bool) -> ListedPage:
    url, _, lastmod, weight, changes, *_ = one
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


def _queued(pages: list[ListedPage]) -> list[ListedPage]:
    """The pages with those queued that are worth a request: all of the first choice, some of the second."""
    second = sorted(
        (page for page in pages if page.priority == 2 and page.status is None), key=lambda page: page.depth
    )
    chosen = {page.url for page in second[:SECOND_CHOICE]}
    return [
        page._replace(status=READ_PAGE.statuses.queued)
        if page.status is None and (page.priority == 1 or page.url in chosen)
        else page
        for page in pages
    ]
