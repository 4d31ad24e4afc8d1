"""Home pages that one stage has fetched and the next will need soon, so that no site is asked twice."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic

from cachetools import TTLCache

from scrapersky.fetch.page import Page

MAX_BYTES = 24 * 2**20
TTL_SECONDS = 900.0


class HomePageCache:
    """Each page is handed out once, and only while it is fresh; the oldest are evicted."""

    def __init__(self, *, max_bytes: int = MAX_BYTES, clock: Callable[[], float] = monotonic) -> None:
        self._pages: TTLCache[str, Page] = TTLCache(
            max_bytes, TTL_SECONDS, timer=clock, getsizeof=lambda page: len(page.body)
        )

    def put(self, page: Page) -> None:
        self._pages.pop(page.url, None)
        if len(page.body) <= self._pages.maxsize:
            self._pages[page.url] = page

    def take(self, url: str) -> Page | None:
        return self._pages.pop(url, None)
