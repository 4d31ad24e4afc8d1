"""Finds a domain's sitemaps: robots.txt first, then links of the home page, then the usual paths."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel, Field

from scrapersky.engine.stage import Item
from scrapersky.errors import FetchError
from scrapersky.extract.sitemaps import SitemapEntry, SitemapReader
from scrapersky.extract.sitemaps.discovery import (
    import_level,
    rank_child_sitemaps,
    sitemap_paths,
    sitemap_type_of,
)
from scrapersky.extract.urls import read_url
from scrapersky.fetch.errors import HostFailure, HostPaused
from scrapersky.stage_context.job_progress import Cancelled
from scrapersky.stage_context.page_fetcher import PageFetcher

MOST_PATHS = 12
# These list what was written of late, not what pages there are.
NEWS = frozenset(("rss", "atom", "news"))
MOST_NAMED = 50
# Enough to know what a file is, and all of most; the import reads the rest.
LOOK_BYTES = 2**20
Tell = Callable[[float, str], Awaitable[None]]


class SitemapJob(BaseModel):
    """What a sitemap job must say; everything but the domain has a default."""

    domain: str = Field(min_length=1, max_length=253)
    # Of all its sitemaps together; a job that names none has the number of the settings (R170).
    max_pages: int | None = Field(None, ge=1)
    home_url: str | None = None
    linked_sitemaps: list[str] = []
    cms: str = ""


@dataclass(slots=True)
class FoundSitemap:
    """A file that really is a sitemap, and how it was found."""

    url: str
    method: str
    kind: str = "standard"
    url_count: int = 0
    depth: int = 0
    facts: dict[str, Any] = field(default_factory=dict)

    def values(self, job: Item) -> dict[str, Any]:
        """Its row: of which domain and job, how found, and what is known of it."""
        whose = {"domain_id": job.row.domain_id, "host": job.host, "job_id": job.row.job_id}
        found = {"url": self.url, "sitemap_type": self.kind, "discovery_method": self.method}
        known = {"url_count": self.url_count, "depth": self.depth, **self.facts}
        known["priority_level"] = import_level(self.url)
        return {**whose, **found, **known, "created_by": job.row.created_by, "lead_source": "sitemap_job"}


@dataclass(slots=True)
class Found:
    sitemaps: dict[str, FoundSitemap] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    host_error: Exception | None = None
    probed: int = 0
    cancelled: str = ""

    @property
    def lack(self) -> str:
        """Why the home page must say what pages there are; empty when a sitemap does."""
        if not self.sitemaps:
            return "no sitemap found"
        kinds = {one.kind for one in self.sitemaps.values()}
        return "" if kinds - NEWS else "only feeds and lists of news found"


class Discovery:
    def __init__(self, web: PageFetcher, *, most_files: int, held_host: str | None = None) -> None:
        self._web, self._most, self._held_host = web, most_files, held_host

    async def find(self, home: str, linked: list[str], cms: str, tell: Tell) -> Found:
        """All sitemaps of a site. What was named is looked at in any case; guessing ends at the first hit."""
        found = Found()
        permission = await self._web.permission(home, held_host=self._held_host)
        named = [(url, "robots_txt") for url in permission.sitemaps[:MOST_NAMED]]
        named += [(url, "html_link") for url in linked[:MOST_NAMED]]
        guesses = [(read_url(path, base=home).url, "common_path") for path in sitemap_paths(cms)[:MOST_PATHS]]
        steps = [*named, *((url, how) for url, how in guesses if url)]
        try:
            await self._walk(steps, found, tell)
        except Cancelled as reason:
            found.cancelled = str(reason)
        if found.host_error and not found.sitemaps and not found.cancelled:
            raise found.host_error
        return found

    async def _walk(self, steps: list[tuple[str, str]], found: Found, tell: Tell) -> None:
        for number, (url, how) in enumerate(steps):
            if how == "common_path" and found.sitemaps:
                break
            if url not in found.sitemaps:
                await tell((number + 1) / len(steps) * 100, f"checking {url}")
                await self._probe(url, how, found)

    async def _probe(self, url: str, how: str, found: Found) -> None:
        """Look at one address. That nothing is there is an answer; that the host is ill is not."""
        found.probed += 1
        reader = SitemapReader(url)
        listings: list[SitemapEntry] = []
        try:
            async with self._web.stream(url, held_host=self._held_host) as stream:
                size = 0
                async for piece in stream:
                    size += len(piece)
                    listings += reader.feed(piece)
                    if size >= LOOK_BYTES or reader.is_done:
                        break
                facts = {"status_code": stream.page.status, "size_bytes": size}
        except (HostFailure, HostPaused) as error:
            # That one named file is broken or lies on a dead host says nothing about the others.
            if how == "common_path" or isinstance(error, HostPaused):
                raise
            found.problems.append(f"{url}: {error}")
            found.host_error = error
            return
        except FetchError as error:
            if how != "common_path":
                found.problems.append(f"{url}: {error}")
            return
        listings += reader.close()
        if reader.refused or not reader.kind:
            if how != "common_path":
                found.problems.append(f"{url}: not a sitemap ({reader.refused or 'unknown format'})")
            return
        self._add(
            FoundSitemap(url, how, sitemap_type_of(reader.kind, listings), reader.n_urls, 0, facts), found
        )
        children = [one for one in listings if one.is_sitemap and not one.is_external]
        for child in rank_child_sitemaps(children):
            self._add(FoundSitemap(child.url, "sitemap_index", depth=1), found)

    def _add(self, one: FoundSitemap, found: Found) -> None:
        if len(found.sitemaps) < self._most:
            found.sitemaps.setdefault(one.url, one)
        elif not any("more sitemaps" in problem for problem in found.problems):
            found.problems.append(f"there are more sitemaps than the limit of {self._most}")
