"""The ScraperAPI tier: off without a key, expensive options off, credits booked before they are spent."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from urllib.parse import urlencode

from scrapersky.extract.hosts import politeness_key
from scrapersky.fetch.client import Fetcher
from scrapersky.fetch.credits import Alert, AlertLevels, CreditCaps, CreditLedger
from scrapersky.fetch.errors import (
    AskedToWait,
    Failure,
    HTTPFailed,
    RateLimited,
    Refused,
    failure_of_status,
)
from scrapersky.fetch.headers import retry_after
from scrapersky.fetch.limits import PAGE, Limits
from scrapersky.fetch.page import Page, Permission

# Our URL travels inside theirs.
LONGEST_URL = 8_192


class KeyRefused(Refused):
    """The paid tier refused our key or its account is used up."""

    failure_class = "paid_tier_refused"


class PaidTierBusy(AskedToWait):
    """The paid tier is busy."""

    failure_class = "paid_tier_busy"


@dataclass(frozen=True, slots=True)
class ScraperAPIOptions:
    """What is asked of the service; `repr` keeps the key to itself."""

    key: str = field(repr=False)
    address: str = "https://api.scraperapi.com/"
    premium: bool = False
    render: bool = False
    geotargeting: bool = False
    max_retries: int = 1
    # The service itself tries for up to 70 s.
    timeout_seconds: float = 75
    caps: CreditCaps = field(default_factory=CreditCaps)
    levels: AlertLevels = field(default_factory=AlertLevels)

    @property
    def estimate(self) -> int:
        """Credits for one request as the service prices its options."""
        return (5 if self.premium else 1) * (10 if self.render else 1) * (2 if self.geotargeting else 1)

    def limits(self, body: int) -> Limits:
        seconds = self.timeout_seconds
        return Limits(body=body, deadline=seconds, first_byte=seconds, url_length=LONGEST_URL)

    def query(self, url: str) -> str:
        asked = {"api_key": self.key, "url": url}
        if self.premium:
            asked["premium"] = "true"
        if self.render:
            asked["render"] = "true"
        if self.geotargeting:
            asked |= {"country_code": "us", "device_type": "desktop"}
        return f"{self.address}?{urlencode(asked)}"


class ScraperAPI:
    """Fetches through the service; the site's robots.txt and its turns count as for a direct fetch."""

    def __init__(
        self,
        fetcher: Fetcher,
        options: ScraperAPIOptions,
        ledger: CreditLedger,
        *,
        on_alert: Callable[[Alert], None] = lambda alert: None,
    ) -> None:
        self._fetcher = fetcher
        self._options = options
        self._ledger = ledger
        self._on_alert = on_alert

    async def get(self, url: str, *, limits: Limits = PAGE) -> Page:
        target = self._fetcher.checked(url, limits)
        permission = await self._fetcher.permitted(url)
        for tries_left in range(self._options.max_retries, -1, -1):
            try:
                page = await self._asked(target.href, politeness_key(target.host), permission, limits)
            except (HTTPFailed, RateLimited, PaidTierBusy):
                if not tries_left:
                    raise
            else:
                return replace(page, requested_url=target.href)
        raise AssertionError("unreachable")

    async def _asked(self, url: str, domain: str, permission: Permission | None, limits: Limits) -> Page:
        estimate = await self._booked(domain)
        cost = 0
        try:
            delay = permission.crawl_delay if permission else None
            async with self._fetcher.turns.turn(domain, crawl_delay=delay):
                answer = await self._fetcher.call(
                    "GET", self._options.query(url), limits=self._options.limits(limits.body)
                )
                # The service charges for the site's own answers only.
                if answer.status in (200, 404, 410):
                    cost = _stated_cost(answer, estimate)
                _raise_failure(answer)
        finally:
            if cost != estimate:
                await self._ledger.correct(domain, cost - estimate)
        return replace(answer, url=url, from_tier="scraper_api", credits=cost, robots=permission)

    async def _booked(self, domain: str) -> int:
        estimate = self._options.estimate
        spent = await self._ledger.book(domain, estimate, caps=self._options.caps)
        levels = self._options.levels
        for alert in (levels.of_request(estimate), levels.of_total(spent.day - estimate, spent.day)):
            if alert is not None:
                self._on_alert(alert)
        return estimate


def _stated_cost(answer: Page, estimate: int) -> int:
    """What the service says the request cost; our estimate when it says nothing sensible."""
    stated = answer.headers.get("sa-credit-cost", "")
    return int(stated) if re.fullmatch(r"\d{1,5}", stated, re.ASCII) else estimate


def _raise_failure(answer: Page) -> None:
    if answer.status in (401, 402, 403):
        raise KeyRefused
    wait = retry_after(answer.headers.get("Retry-After"), now=datetime.now(UTC))
    if answer.status == 429:
        raise PaidTierBusy(wait=wait or timedelta(minutes=1), status=429)
    failure: Failure | None = failure_of_status(answer.status, wait=wait)
    if failure is not None:
        raise failure
