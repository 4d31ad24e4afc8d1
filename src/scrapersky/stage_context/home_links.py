"""Links of home pages that this process has just read: taking a site's pages from them costs no request."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic

from cachetools import TTLCache

from scrapersky.extract.report import HomeLink
from scrapersky.stage_context.page_cache import TTL_SECONDS

MAX_LINKS = 50_000


class HomeLinks:
    """The links of each page are handed out once, and only while they are fresh; the oldest are evicted."""

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
