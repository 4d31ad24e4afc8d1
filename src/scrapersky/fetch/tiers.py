"""Tiers, cheapest first: direct, a paid service for sites that refuse us, a browser for empty pages."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from scrapersky.engine.circuit import Circuit
from scrapersky.fetch.client import Fetcher
from scrapersky.fetch.errors import Failure, RateLimited
from scrapersky.fetch.limits import PAGE, Limits
from scrapersky.fetch.page import Page
from scrapersky.fetch.paid.credits import CreditLedger
from scrapersky.fetch.paid.scraper_api import OnAlert, ScraperAPI, ScraperAPIOptions

if TYPE_CHECKING:
    from scrapersky.fetch.browser import BrowserOptions

# A page with fewer letters than this has told a reader nothing.
NEARLY_EMPTY = 200
LOOKED_AT = 2**20
# Answers by which sites turn away plain clients.
TURNED_AWAY = frozenset({401, 403, 406, 429, 503})


class Tier(Protocol):
    """One more way to a page."""

    async def get(self, url: str, *, limits: Limits = PAGE, held_host: str | None = None) -> Page: ...


class TieredFetcher:
    """Goes on to the next tier only when it is switched on and the one before brought nothing to read."""

    def __init__(self, direct: Fetcher, *, paid: Tier | None = None, browser: Tier | None = None) -> None:
        self._direct = direct
        self._paid = paid
        self._browser = browser

    async def get(
        self,
        url: str,
        *,
        limits: Limits = PAGE,
        etag: str | None = None,
        last_modified: str | None = None,
        held_host: str | None = None,
    ) -> Page:
        try:
            page = await self._direct.get(
                url, limits=limits, etag=etag, last_modified=last_modified, held_host=held_host
            )
        except Failure as failure:
            if self._paid is None or not turned_away(failure):
                raise
            page = await self._paid.get(url, limits=limits, held_host=held_host)
        if self._browser is not None and nearly_empty(page):
            return await self._browser.get(url, limits=limits, held_host=held_host)
        return page


def turned_away(failure: Failure) -> bool:
    """Whether the site answered, but not to us; a pause it asked for is kept, not bypassed."""
    return failure.status in TURNED_AWAY and not isinstance(failure, RateLimited)


def nearly_empty(page: Page) -> bool:
    """Whether a page is HTML with scripts and next to no text."""
    body = page.body[:LOOKED_AT].lower()
    if page.media_type not in ("", "text/html", "application/xhtml+xml") or b"<script" not in body:
        return False
    return len(_visible(body)) < NEARLY_EMPTY


def _visible(body: bytes) -> bytes:
    """The letters outside tags, scripts and styles, by one pass that cannot be made slow."""
    _, _, body = body.rpartition(b"</head>")
    for tag in (b"script", b"style", b"noscript", b"template"):
        body = _without(body, b"<" + tag, b"</" + tag)
    text = _without(body, b"<", b">")
    return bytes(byte for byte in text if byte > 64)


def _without(body: bytes, start: bytes, end: bytes) -> bytes:
    kept: list[bytes] = []
    at = 0
    while (begin := body.find(start, at)) >= 0:
        kept.append(body[at:begin])
        finish = body.find(end, begin)
        if finish < 0:
            return b"".join(kept)
        at = finish + len(end)
    return b"".join([*kept, body[at:]])


@dataclass(frozen=True, slots=True)
class Routes:
    """None means that a route is off."""

    paid: ScraperAPIOptions | None = None
    browser: BrowserOptions | None = None


@asynccontextmanager
async def tiers(
    direct: Fetcher,
    routes: Routes,
    ledger: CreditLedger,
    on_alert: OnAlert,
    circuit: Circuit | None = None,
) -> AsyncIterator[TieredFetcher]:
    """The tiers in order, cheapest first; a browser lives as long as this does."""
    async with AsyncExitStack() as stack:
        paid: Tier | None = None
        if routes.paid:
            paid = ScraperAPI(direct, routes.paid, ledger, on_alert=on_alert, circuit=circuit)
        browser: Tier | None = None
        if routes.browser:
            # Playwright takes a second to load, and hardly anybody needs it.
            from scrapersky.fetch.browser import BrowserTier

            browser = await stack.enter_async_context(BrowserTier(direct, routes.browser))
        yield TieredFetcher(direct, paid=paid, browser=browser)


async def paid_service_state(fetcher: Fetcher, options: ScraperAPIOptions | None) -> str:
    """Whether the paid service takes our key (R089); the key itself is never told."""
    if options is None:
        return "not configured"
    try:
        answer = await fetcher.call("GET", f"{options.address}account?api_key={options.key}")
    except Failure as failure:
        return f"unreachable: {failure.failure_class}"
    return "ok" if answer.status == 200 else f"answered {answer.status}"
