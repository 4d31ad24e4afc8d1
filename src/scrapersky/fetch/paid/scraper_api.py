"""The ScraperAPI tier: off without a key, expensive options off, credits booked before they are spent."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from urllib.parse import urlencode

from scrapersky.engine.circuit import Circuit
from scrapersky.extract.urls.hosts import politeness_key
from scrapersky.fetch.client import Fetcher
from scrapersky.fetch.errors import Failure, NotNow, failure_of_status
from scrapersky.fetch.http.headers import retry_after
from scrapersky.fetch.limits import PAGE, Limits
from scrapersky.fetch.page import Page, Permission
from scrapersky.fetch.paid.credits import Alert, AlertLevels, CreditCaps, CreditLedger

# Our URL travels inside theirs.
LONGEST_URL = 8_192
NEXT_TRY = timedelta(minutes=1)


class PaidTierFailed(Failure):
    """ScraperAPI failed."""

    # Its failures never count against the site that was asked for.
    failure_class = "paid_tier_failed"


class KeyRefused(NotNow):
    """ScraperAPI refused the key, or its account is used up; check SCRAPER_API_KEY."""

    failure_class = "paid_tier_refused"


class PaidTierBusy(NotNow):
    """ScraperAPI is busy."""

    failure_class = "paid_tier_busy"


def is_service_failure(error: BaseException) -> bool:
    """What opens the circuit to the service; what the site itself answered does not."""
    return isinstance(error, PaidTierFailed | KeyRefused)


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


OnAlert = Callable[[Alert], Awaitable[None]]


async def tell_nobody(alert: Alert) -> None:
    return None


class ScraperAPI:
    """Fetches through the service; the site's robots.txt and its turns count as for a direct fetch."""

    def __init__(
        self,
        fetcher: Fetcher,
        options: ScraperAPIOptions,
        ledger: CreditLedger,
        *,
        on_alert: OnAlert = tell_nobody,
        circuit: Circuit | None = None,
    ) -> None:
        self._fetcher = fetcher
        self._options = options
        self._ledger = ledger
        self._on_alert = on_alert
        self._circuit = circuit or Circuit("ScraperAPI", counts=is_service_failure)

    async def get(self, url: str, *, limits: Limits = PAGE, held_host: str | None = None) -> Page:
        self._circuit.check()
        target = self._fetcher.checked(url, limits)
        permission = await self._fetcher.permitted(url, held_host=held_host)
        for tries_left in range(self._options.max_retries, -1, -1):
            try:
                page = await self._asked(
                    target.href, politeness_key(target.host), permission, limits, held_host
                )
            except PaidTierFailed:
                if not tries_left:
                    raise
            else:
                return replace(page, requested_url=target.href)
        raise AssertionError("unreachable")

    async def _asked(
        self, url: str, domain: str, permission: Permission | None, limits: Limits, held_host: str | None
    ) -> Page:
        estimate = await self._booked(domain)
        cost = 0
        try:
            delay = permission.crawl_delay if permission else None
            async with self._fetcher.turns.turn(domain, crawl_delay=delay, held_host=held_host):
                answer = await self._answer(url, limits)
                # The service charges for the site's own answers only.
                if answer.status in (200, 404, 410):
                    cost = _stated_cost(answer, estimate)
                _raise_site_failure(answer)
        finally:
            if cost != estimate:
                await self._ledger.correct(domain, cost - estimate)
        return replace(answer, url=url, from_tier="scraper_api", credits=cost, robots=permission)

    async def _answer(self, url: str, limits: Limits) -> Page:
        """What the service brought; a failure of its own is told apart from the site's and counted."""
        async with self._circuit:
            try:
                answer = await self._fetcher.call(
                    "GET", self._options.query(url), limits=self._options.limits(limits.body)
                )
            except Failure as failure:
                raise PaidTierFailed(f"ScraperAPI: {failure}") from None
            _raise_service_failure(answer)
        return answer

    async def _booked(self, domain: str) -> int:
        estimate = self._options.estimate
        spent = await self._ledger.book(domain, estimate, caps=self._options.caps)
        levels = self._options.levels
        for alert in (levels.of_request(estimate), levels.of_total(spent.day - estimate, spent.day)):
            if alert is not None:
                await self._on_alert(alert)
        return estimate


def _stated_cost(answer: Page, estimate: int) -> int:
    """What the service says the request cost; our estimate when it says nothing sensible."""
    stated = answer.headers.get("sa-credit-cost", "")
    return int(stated) if re.fullmatch(r"\d{1,5}", stated, re.ASCII) else estimate


def _raise_service_failure(answer: Page) -> None:
    if answer.status in (401, 402, 403):
        raise KeyRefused(wait=NEXT_TRY)
    wait = retry_after(answer.headers.get("Retry-After"), now=datetime.now(UTC))
    if answer.status == 429 or (answer.status == 503 and wait is not None):
        raise PaidTierBusy(wait=wait or NEXT_TRY)
    if answer.status >= 500:
        raise PaidTierFailed(f"ScraperAPI answered {answer.status}")


def _raise_site_failure(answer: Page) -> None:
    failure = failure_of_status(answer.status, wait=None)
    if failure is not None:
        raise failure
