"""Fetch tiers, cheapest first: direct, a paid service for sites that block us, a browser for empty pages."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from scrapersky.fetch.client import Fetcher
from scrapersky.fetch.errors import Failure, RateLimited
from scrapersky.fetch.limits import PAGE, Limits
from scrapersky.fetch.page import Page
from scrapersky.fetch.paid.circuit_breaker import CircuitBreaker
from scrapersky.fetch.paid.credits import CreditLedger
from scrapersky.fetch.paid.scraper_api import OnAlert, ScraperAPI, ScraperAPIOptions

if TYPE_CHECKING:
    from scrapersky.fetch.browser import BrowserOptions

# A page with fewer visible letters than this is nearly empty.
MIN_VISIBLE_LETTERS = 200
MAX_SCANNED_BYTES = 2**20
# Statuses with which sites block plain HTTP clients.
CLIENT_BLOCKED_STATUSES = frozenset({401, 403, 406, 429, 503})


class Tier(Protocol):
    """One more way to fetch a page."""

    async def get(self, url: str, *, limits: Limits = PAGE, held_host: str | None = None) -> Page: ...


class TieredFetcher:
    """Falls back to the next enabled tier when the previous one was blocked or got an empty page."""

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
            if self._paid is None or not is_blocked_client(failure):
                raise
            page = await self._paid.get(url, limits=limits, held_host=held_host)
        if self._browser is not None and is_nearly_empty(page):
            return await self._browser.get(url, limits=limits, held_host=held_host)
        return page


def is_blocked_client(failure: Failure) -> bool:
    """Whether the site blocks our client; a rate limit is respected, never bypassed."""
    return failure.status in CLIENT_BLOCKED_STATUSES and not isinstance(failure, RateLimited)


def is_nearly_empty(page: Page) -> bool:
    """Whether a page is HTML with scripts and next to no text."""
    body = page.body[:MAX_SCANNED_BYTES].lower()
    if page.media_type not in ("", "text/html", "application/xhtml+xml") or b"<script" not in body:
        return False
    return len(_visible(body)) < MIN_VISIBLE_LETTERS


def _visible(body: bytes) -> bytes:
    """The letters outside tags, scripts and styles, in linear time."""
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
class TierOptions:
    """The optional tiers; None means disabled."""

    paid: ScraperAPIOptions | None = None
    browser: BrowserOptions | None = None


@asynccontextmanager
async def open_tiers(
    direct: Fetcher,
    options: TierOptions,
    ledger: CreditLedger,
    on_alert: OnAlert,
    circuit: CircuitBreaker | None = None,
) -> AsyncIterator[TieredFetcher]:
    """The enabled tiers; the browser is closed at the end."""
    async with AsyncExitStack() as stack:
        paid: Tier | None = None
        if options.paid:
            paid = ScraperAPI(direct, options.paid, ledger, on_alert=on_alert, circuit=circuit)
        browser: Tier | None = None
        if options.browser:
            # Playwright takes a second to import and is rarely used.
            from scrapersky.fetch.browser import BrowserTier

            browser = await stack.enter_async_context(BrowserTier(direct, options.browser))
        yield TieredFetcher(direct, paid=paid, browser=browser)


async def check_scraper_api(fetcher: Fetcher, options: ScraperAPIOptions | None) -> str:
    """Whether ScraperAPI accepts our key (R089); the key itself is never shown."""
    if options is None:
        return "not configured"
    try:
        answer = await fetcher.request("GET", f"{options.address}account?api_key={options.key}")
    except Failure as failure:
        return f"unreachable: {failure.failure_class}"
    return "ok" if answer.status == 200 else f"answered {answer.status}"
