"""Pages that one stage has fetched and the next will ask for soon, so that no site is asked twice."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from time import monotonic

from scrapersky.fetch.page import Page

MAX_INPUT_BYTES = 24 * 2**20
LONGEST_SECONDS = 900.0


class HomePageCache:
    """Each is handed over once, and only while it is fresh; the oldest make room."""

    def __init__(self, *, most_bytes: int = MAX_INPUT_BYTES, clock: Callable[[], float] = monotonic) -> None:
        self._most, self._clock = most_bytes, clock
        self._pages: OrderedDict[str, tuple[float, Page]] = OrderedDict()
        self._bytes = 0

    def keep(self, page: Page) -> None:
        self.take(page.url)
        self._pages[page.url] = (self._clock(), page)
        self._bytes += len(page.body)
        while self._bytes > self._most:
            self._bytes -= len(self._pages.popitem(last=False)[1][1].body)

    def take(self, url: str) -> Page | None:
        fetched, page = self._pages.pop(url, (0.0, None))
        if page is None:
            return None
        self._bytes -= len(page.body)
        return page if self._clock() - fetched <= LONGEST_SECONDS else None
