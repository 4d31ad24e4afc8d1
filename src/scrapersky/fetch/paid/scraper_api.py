"""The ScraperAPI tier: disabled without a key; credits are booked before they are spent."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from urllib.parse import urlencode

from scrapersky.extract.urls.hosts import politeness_key
from scrapersky.fetch.client import Fetcher
from scrapersky.fetch.errors import Deferred, Failure, failure_from_status
from scrapersky.fetch.http.headers import parse_retry_after
from scrapersky.fetch.limits import PAGE, Limits
from scrapersky.fetch.page import Page, Permission
from scrapersky.fetch.paid.circuit_breaker import CircuitBreaker
from scrapersky.fetch.paid.credits import CreditAlert, CreditAlertLevels, CreditCaps, CreditLedger

# The service's URL contains ours.
MAX_URL_LENGTH = 8_192
RETRY_AFTER = timedelta(minutes=1)


class PaidTierFailed(Failure):
    """ScraperAPI failed."""

    # Its failures never count against the site.
    failure_class = "paid_tier_failed"


class APIKeyRejected(Deferred):
    """ScraperAPI rejected the key or its account has no credits left; check SCRAPER_API_KEY."""

    failure_class = "paid_tier_refused"


class PaidTierBusy(Deferred):
    """ScraperAPI is busy."""

    failure_class = "paid_tier_busy"


def is_service_failure(error: BaseException) -> bool:
    """Whether the service itself failed, which opens its circuit; errors of the site do not."""
    return isinstance(error, PaidTierFailed | APIKeyRejected)


@dataclass(frozen=True, slots=True)
class ScraperAPIOptions:
    """Options of the service; `repr` hides the key."""

    key: str = field(repr=False)
    address: str = "https://api.scraperapi.com/"
    premium: bool = False
    render: bool = False
    geotargeting: bool = False
    max_retries: int = 1
    # The service itself tries for up to 70 s.
    timeout_seconds: float = 75
    caps: CreditCaps = field(default_factory=CreditCaps)
    levels: CreditAlertLevels = field(default_factory=CreditAlertLevels)

    @property
    def estimate(self) -> int:
        """Credits for one request as the service prices its options."""
        return (5 if self.premium else 1) * (10 if self.render else 1) * (2 if self.geotargeting else 1)

    def limits(self, body: int) -> Limits:
        seconds = self.timeout_seconds
        return Limits(body=body, deadline=seconds, first_byte=seconds, url_length=MAX_URL_LENGTH)

    def query(self, url: str) -> str:
        params = {"api_key": self.key, "url": url}
        if self.premium:
            params["premium"] = "true"
        if self.render:
            params["render"] = "true"
        if self.geotargeting:
            params |= {"country_code": "us", "device_type": "desktop"}
        return f"{self.address}?{urlencode(params)}"


OnAlert = Callable[[CreditAlert], Awaitable[None]]


async def ignore_alert(alert: CreditAlert) -> None:
    return None


class ScraperAPI:
    """Fetches through the service; the site's robots.txt and rate limit apply as for a direct fetch."""

    def __init__(
        self,
        fetcher: Fetcher,
        options: ScraperAPIOptions,
        ledger: CreditLedger,
        *,
        on_alert: OnAlert = ignore_alert,
        circuit: CircuitBreaker | None = None,
    ) -> None:
        self._fetcher = fetcher
        self._options = options
        self._ledger = ledger
        self._on_alert = on_alert
        self._circuit = circuit or CircuitBreaker("ScraperAPI", counts=is_service_failure)

    async def get(self, url: str, *, limits: Limits = PAGE, held_host: str | None = None) -> Page:
        self._circuit.check()
        target = self._fetcher.check_url(url, limits)
        permission = await self._fetcher.require_permission(url, held_host)
        for tries_left in range(self._options.max_retries, -1, -1):
            try:
                domain = politeness_key(target.host)
                page = await self._fetch(target.href, domain, permission, limits, held_host)
            except PaidTierFailed:
                if not tries_left:
                    raise
            else:
                return replace(page, requested_url=target.href)
        raise AssertionError("unreachable")

    async def _fetch(
        self, url: str, domain: str, permission: Permission | None, limits: Limits, held_host: str | None
    ) -> Page:
        estimate = await self._book(domain)
        cost = 0
        try:
            delay = permission.crawl_delay if permission else None
            async with self._fetcher.slots.slot(domain, crawl_delay=delay, held_host=held_host):
                response = await self._call(url, limits)
                # The service charges only for responses of the site.
                if response.status in (200, 404, 410):
                    cost = _stated_cost(response, estimate)
                _raise_site_failure(response)
        finally:
            if cost != estimate:
                await self._ledger.correct(domain, cost - estimate)
        return replace(response, url=url, from_tier="scraper_api", credits=cost, robots=permission)

    async def _call(self, url: str, limits: Limits) -> Page:
        """The response of the service; its own failures raise and count for the circuit."""
        async with self._circuit:
            try:
                response = await self._fetcher.request(
                    "GET", self._options.query(url), limits=self._options.limits(limits.body)
                )
            except Failure as failure:
                raise PaidTierFailed(f"ScraperAPI: {failure}") from None
            _raise_service_failure(response)
        return response

    async def _book(self, domain: str) -> int:
        estimate = self._options.estimate
        spent = await self._ledger.book(domain, estimate, caps=self._options.caps)
        levels = self._options.levels
        for alert in (levels.of_request(estimate), levels.of_total(spent.day - estimate, spent.day)):
            if alert is not None:
                await self._on_alert(alert)
        return estimate


def _stated_cost(response: Page, estimate: int) -> int:
    """The cost that the service states; our estimate if it states none."""
    stated = response.headers.get("sa-credit-cost", "")
    return int(stated) if re.fullmatch(r"\d{1,5}", stated, re.ASCII) else estimate


def _raise_service_failure(response: Page) -> None:
    if response.status in (401, 402, 403):
        raise APIKeyRejected(wait=RETRY_AFTER)
    wait = parse_retry_after(response.headers.get("Retry-After"), now=datetime.now(UTC))
    if response.status == 429 or (response.status == 503 and wait is not None):
        raise PaidTierBusy(wait=wait or RETRY_AFTER)
    if response.status >= 500:
        raise PaidTierFailed(f"ScraperAPI returned HTTP {response.status}")


def _raise_site_failure(response: Page) -> None:
    failure = failure_from_status(response.status, wait=None)
    if failure is not None:
        raise failure
