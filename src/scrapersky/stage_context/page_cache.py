"""What one stage has fetched or read and the next will need soon: no site is asked twice for it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from time import monotonic
from uuid import UUID

from cachetools import TTLCache

from scrapersky.extract.report import HomeLink, PageReport
from scrapersky.fetch.http.request import PageStream
from scrapersky.fetch.page import Page

MAX_BYTES = 24 * 2**20
MAX_LINKS = 50_000
MAX_REPORTS = 1_000
TTL_SECONDS = 900.0


class PageCache:
    """Each page is handed out once, and only while it is fresh; the oldest are evicted."""

    def __init__(self, *, max_bytes: int = MAX_BYTES, clock: Callable[[], float] = monotonic) -> None:
        self._pages: TTLCache[str, Page] = TTLCache(
            max_bytes, TTL_SECONDS, timer=clock, getsizeof=lambda page: len(page.body)
        )

    def put(self, url: str, page: Page) -> None:
        self._pages.pop(url, None)
        if len(page.body) <= self._pages.maxsize:
            self._pages[url] = page

    def take(self, url: str) -> Page | None:
        return self._pages.pop(url, None)


class HomeLinks:
    """The links of home pages, with which a site's pages can be listed without a request.

    Those of each page are handed out once, and only while they are fresh; the oldest are evicted.
    """

    def __init__(self, *, max_links: int = MAX_LINKS, clock: Callable[[], float] = monotonic) -> None:
        self._links: TTLCache[str, list[HomeLink]] = TTLCache(
            max_links, TTL_SECONDS, timer=clock, getsizeof=lambda links: len(links) + 1
        )

    def put(self, url: str, links: list[HomeLink]) -> None:
        self._links.pop(url, None)
        if len(links) < self._links.maxsize:
            self._links[url] = links

    def take(self, url: str) -> list[HomeLink] | None:
        return self._links.pop(url, None)


class HomePageReports:
    """The page reports of home pages, by domain, address and body: another body has to be read.

    Each is handed out once, and only while it is fresh; the oldest are evicted.
    """

    def __init__(self, *, max_reports: int = MAX_REPORTS, clock: Callable[[], float] = monotonic) -> None:
        self._reports: TTLCache[tuple[UUID, str, bytes], PageReport] = TTLCache(
            max_reports, TTL_SECONDS, timer=clock
        )

    def put(self, domain_id: UUID, url: str, digest: bytes, report: PageReport) -> None:
        self._reports[domain_id, url, digest] = report

    def take(self, domain_id: UUID, url: str, digest: bytes) -> PageReport | None:
        return self._reports.pop((domain_id, url, digest), None)


class CachedStream:
    """A page that was fetched before, as a stream."""

    def __init__(self, page: Page) -> None:
        self.page, self.truncated, self.damage = page, page.truncated, page.damage

    async def __aiter__(self) -> AsyncIterator[bytes]:
        yield self.page.body


class RecordingStream:
    """A stream that hands over the whole page to `keep` if it is read to its end."""

    def __init__(self, stream: PageStream, keep: Callable[[Page], None]) -> None:
        self.page, self._stream, self._keep = stream.page, stream, keep

    @property
    def truncated(self) -> bool:
        return self._stream.truncated

    @property
    def damage(self) -> str:
        return self._stream.damage

    async def __aiter__(self) -> AsyncIterator[bytes]:
        parts: list[bytes] = []
        async for piece in self._stream:
            parts.append(piece)
            yield piece
        body = b"".join(parts)
        self._keep(self.page.with_body(body, truncated=self.truncated, milliseconds=0, damage=self.damage))
