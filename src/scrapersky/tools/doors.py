"""The ways to a page that the operator has switched on: direct always, the others only when asked for."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from scrapersky.engine.circuit import Circuit
from scrapersky.fetch.client import Fetcher
from scrapersky.fetch.credits import CreditLedger
from scrapersky.fetch.errors import Failure
from scrapersky.fetch.scraper_api import OnAlert, ScraperAPI, ScraperAPIOptions
from scrapersky.fetch.tiers import Tier, TieredFetcher

if TYPE_CHECKING:
    from scrapersky.fetch.browser import BrowserOptions


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
