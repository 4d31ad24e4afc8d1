"""Finds a domain's sitemaps: robots.txt first, then links of the home page, then the usual paths."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel, Field

from scrapersky.engine.stage import Item
from scrapersky.errors import FetchError
from scrapersky.extract.pagetypes.classifier import classify_url
from scrapersky.extract.sitemaps import SitemapEntry, SitemapReader
from scrapersky.extract.sitemaps.discovery import (
    classify_sitemap,
    import_level,
    rank_child_sitemaps,
    sitemap_paths,
)
from scrapersky.extract.urls import read_url
from scrapersky.fetch.errors import HostFailure, HostPaused
from scrapersky.stage_context.job_progress import JobCancelled
from scrapersky.stage_context.page_fetcher import PageFetcher

MAX_COMMON_PATHS = 12
MAX_NAMED = 50
# Addresses that a preview shows, and those whose type is guessed for it.
MAX_PREVIEWED, MAX_CLASSIFIED = 20, 500
# These list what was published recently, not what pages there are.
FEED_TYPES = frozenset(("rss", "atom", "news"))
COMMON_PATH = "common_path"
# Enough to recognise a file, and all of most files; the import reads the rest.
PROBE_BYTES = 2**20
ReportProgress = Callable[[float, str], Awaitable[None]]


class SitemapJob(BaseModel):
    """The input of a sitemap job; everything but the domain has a default."""

    domain: str = Field(min_length=1, max_length=253)
    # Of all its sitemaps together; the settings have the limit of a job that names none (R170).
    max_pages: int | None = Field(None, ge=1)
    home_url: str | None = None
    linked_sitemaps: list[str] = []
    cms: str = ""


@dataclass(slots=True)
class DiscoveredSitemap:
    """A file that really is a sitemap, and how it was discovered."""

    url: str
    method: str
    sitemap_type: str = "standard"
    url_count: int = 0
    depth: int = 0
    response: dict[str, int] = field(default_factory=dict)
    preview: dict[str, Any] = field(default_factory=dict)

    def values(self, job: Item) -> dict[str, Any]:
        """Its row in sitemap_files."""
        return {
            "domain_id": job.row.domain_id,
            "host": job.host,
            "job_id": job.row.job_id,
            "url": self.url,
            "sitemap_type": self.sitemap_type,
            "discovery_method": self.method,
            "url_count": self.url_count,
            "depth": self.depth,
            **self.response,
            "additional_json": self.preview,
            "priority_level": import_level(self.url),
            "created_by": job.row.created_by,
            "lead_source": "sitemap_job",
        }


@dataclass(slots=True)
class Findings:
    sitemaps: dict[str, DiscoveredSitemap] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    host_error: Exception | None = None
    probed: int = 0
    cancelled: str = ""

    @property
    def fallback_reason(self) -> str:
        """Why pages are taken from the home page's links; empty when a sitemap lists them."""
        if not self.sitemaps:
            return "no sitemap found"
        types = {sitemap.sitemap_type for sitemap in self.sitemaps.values()}
        return "" if types - FEED_TYPES else "only feeds and lists of news found"


class Discovery:
    def __init__(self, fetch: PageFetcher, *, max_files: int, held_host: str | None = None) -> None:
        self._fetch, self._max_files, self._held_host = fetch, max_files, held_host

    async def find(
        self, home_url: str, linked: list[str], cms: str, report_progress: ReportProgress
    ) -> Findings:
        """All sitemaps of a site. Named ones are always probed; guessing ends at the first hit."""
        findings = Findings()
        permission = await self._fetch.permission(home_url, held_host=self._held_host)
        paths = [read_url(path, base=home_url).url for path in sitemap_paths(cms)[:MAX_COMMON_PATHS]]
        candidates = [
            *((url, "robots_txt") for url in permission.sitemaps[:MAX_NAMED]),
            *((url, "html_link") for url in linked[:MAX_NAMED]),
            *((url, COMMON_PATH) for url in paths if url),
        ]
        try:
            await self._probe_all(candidates, findings, report_progress)
        except JobCancelled as reason:
            findings.cancelled = str(reason)
        if findings.host_error and not findings.sitemaps and not findings.cancelled:
            raise findings.host_error
        return findings

    async def _probe_all(
        self, candidates: list[tuple[str, str]], findings: Findings, report_progress: ReportProgress
    ) -> None:
        for number, (url, method) in enumerate(candidates):
            if method == COMMON_PATH and findings.sitemaps:
                break
            if url not in findings.sitemaps:
                await report_progress(number / len(candidates) * 100, f"checking {url}")
                await self._probe(url, method, findings)

    async def _probe(self, url: str, method: str, findings: Findings) -> None:
        """Look at one address. A missing file is an answer; a failing host is not."""
        findings.probed += 1
        is_guess = method == COMMON_PATH
        reader = SitemapReader(url)
        listings: list[SitemapEntry] = []
        try:
            async with self._fetch.stream(url, held_host=self._held_host, keep=True) as stream:
                size = 0
                async for piece in stream:
                    size += len(piece)
                    listings += reader.feed(piece)
                    if size >= PROBE_BYTES or reader.is_done:
                        break
                response = {"status_code": stream.page.status, "size_bytes": size}
        except (HostFailure, HostPaused) as error:
            # One named file that is broken or lies on a dead host says nothing about the others.
            if is_guess or isinstance(error, HostPaused):
                raise
            findings.problems.append(f"{url}: {error}")
            findings.host_error = error
            return
        except FetchError as error:
            if not is_guess:
                findings.problems.append(f"{url}: {error}")
            return
        listings += reader.close()
        if reader.refused or not reader.kind:
            if not is_guess:
                findings.problems.append(f"{url}: not a sitemap ({reader.refused or 'unknown format'})")
            return
        sitemap_type = classify_sitemap(reader.kind, listings)
        sitemap = DiscoveredSitemap(url, method, sitemap_type, reader.n_urls, response=response)
        sitemap.preview = preview_pages([listing.url for listing in listings if not listing.is_sitemap])
        self._add(sitemap, findings)
        children = [listing for listing in listings if listing.is_sitemap and not listing.is_external]
        for child in rank_child_sitemaps(children):
            self._add(DiscoveredSitemap(child.url, "sitemap_index", depth=1), findings)

    def _add(self, sitemap: DiscoveredSitemap, findings: Findings) -> None:
        if len(findings.sitemaps) < self._max_files:
            findings.sitemaps.setdefault(sitemap.url, sitemap)
        elif not any("more sitemaps" in problem for problem in findings.problems):
            findings.problems.append(f"there are more sitemaps than the limit of {self._max_files}")


def preview_pages(urls: list[str]) -> dict[str, Any]:
    """What a person sees before the import: the first addresses, and the guessed types of some hundred."""
    types = Counter(classify_url(url).page_type for url in urls[:MAX_CLASSIFIED])
    return {"first_urls": urls[:MAX_PREVIEWED], "guessed_types": dict(types.most_common())} if urls else {}
