"""One fetch over all its redirects; URL policy, robots.txt, rate limit and SSRF check apply at every hop."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import UTC, datetime
from functools import lru_cache

import aiohttp

from scrapersky.extract.urls.hosts import politeness_key
from scrapersky.fetch.egress.url_policy import CheckedURL, URLPolicy
from scrapersky.fetch.errors import PermanentHTTPError, RedirectLoop, RobotsDisallowed, failure_from_status
from scrapersky.fetch.http.headers import parse_retry_after
from scrapersky.fetch.http.request import (
    REDIRECTS,
    HTTPRequest,
    PageStream,
    TimeBudget,
    normalize_headers,
    skip_redirect_body,
)
from scrapersky.fetch.limits import Limits
from scrapersky.fetch.page import Hop, Page, Permission
from scrapersky.fetch.politeness.robots_cache import RobotsCache
from scrapersky.fetch.politeness.slots import HostSlotProvider

# A host is called for page after page.
_key_of = lru_cache(maxsize=10_000)(politeness_key)


class FetchSession:
    """The state of one fetch: its hops, and how much of its time is left."""

    def __init__(
        self,
        session: aiohttp.ClientSession,
        url_policy: URLPolicy,
        limits: Limits,
        *,
        slots: HostSlotProvider,
        robots: RobotsCache | None,
        held_host: str | None = None,
        accept_errors: bool = False,
    ) -> None:
        self._session = session
        self._limits = limits
        self._slots = slots
        self._robots = robots
        self._held_host = held_host
        self._accept_errors = accept_errors
        self._url_policy = url_policy
        self._hops: list[Hop] = []
        self._budget = TimeBudget(limits.deadline)

    async def page(self, url: str, conditions: Mapping[str, str]) -> Page:
        """The whole page after the last redirect."""
        async with self.stream(url, conditions) as stream:
            body = await stream.read()
        return stream.to_page(body, self._budget.milliseconds)

    @asynccontextmanager
    async def stream(self, url: str, conditions: Mapping[str, str]) -> AsyncIterator[PageStream]:
        """Follow redirects one by one; a host's slot is released before the next host's is awaited."""
        first = target = self._url_policy.check(url)
        while True:
            decision = await self._permission(target)
            request = self._request(target, conditions if target.origin == first.origin else {})
            async with self._slot(target, decision), self._budget, request as response:
                stream = self._open(first, target, response, decision)
                if stream is not None:
                    yield stream
                    return
                await skip_redirect_body(response)
            target = self._next(target, response)

    def _slot(self, target: CheckedURL, decision: Permission | None) -> AbstractAsyncContextManager[None]:
        delay = decision.crawl_delay if decision else None
        return self._slots.slot(_key_of(target.host), crawl_delay=delay, held_host=self._held_host)

    def _request(self, target: CheckedURL, headers: Mapping[str, str]) -> HTTPRequest:
        return HTTPRequest(self._session, target, limits=self._limits, headers=headers)

    async def _permission(self, target: CheckedURL) -> Permission | None:
        if self._robots is None:
            return None
        decision = await self._robots.decision(target, self._held_host)
        if not decision.allowed:
            raise RobotsDisallowed
        return decision

    def _next(self, target: CheckedURL, response: aiohttp.ClientResponse) -> CheckedURL:
        onward = self._url_policy.redirect(target.href, response.headers.get("Location"))
        visited = {hop.url for hop in self._hops}
        if onward.href in visited or len(self._hops) > self._limits.redirects:
            raise RedirectLoop
        return onward

    def _raise_failure(self, response: aiohttp.ClientResponse) -> None:
        if response.status < 400:
            return
        wait = parse_retry_after(response.headers.get("Retry-After"), now=datetime.now(UTC))
        failure = failure_from_status(response.status, wait=wait)
        if failure is not None and not (self._accept_errors and isinstance(failure, PermanentHTTPError)):
            raise failure

    def _open(
        self,
        first: CheckedURL,
        target: CheckedURL,
        response: aiohttp.ClientResponse,
        decision: Permission | None,
    ) -> PageStream | None:
        """The response to be read, or None for a redirect."""
        self._hops.append(Hop(target.href, response.status, decision))
        if response.status in REDIRECTS:
            return None
        self._raise_failure(response)
        partial = response.status == 206 or "Content-Range" in response.headers
        page = Page(
            url=target.href,
            status=response.status,
            headers=normalize_headers(response.headers),
            truncated=partial,
            hops=tuple(self._hops),
            robots=decision,
            requested_url=first.href,
        )
        return PageStream(page, response, self._limits)
