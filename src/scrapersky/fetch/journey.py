"""One fetch from the first URL to the last: gate, robots, turn and guard are asked again at every hop."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime

import aiohttp

from scrapersky.extract.hosts import politeness_key
from scrapersky.fetch.errors import HTTPRefused, RedirectLoop, RobotsDisallowed, failure_of_status
from scrapersky.fetch.exchange import REDIRECTS, Budget, PageStream, answer, plain_headers, skip_redirect_body
from scrapersky.fetch.headers import retry_after
from scrapersky.fetch.limits import FetchOptions, Limits
from scrapersky.fetch.page import Hop, Page, Permission
from scrapersky.fetch.politeness import Turns
from scrapersky.fetch.robots_cache import RobotsCache
from scrapersky.fetch.url_gate import CheckedURL, URLGate


def gate_for(options: FetchOptions, limits: Limits) -> URLGate:
    return URLGate(options.laboratory, options.ports, limits.url_length)


class Journey:
    """The state of one fetch: where it has been and how much of its time is left."""

    def __init__(
        self,
        session: aiohttp.ClientSession,
        options: FetchOptions,
        limits: Limits,
        *,
        turns: Turns,
        robots: RobotsCache | None,
        refusals: bool,
    ) -> None:
        self._session = session
        self._limits = limits
        self._turns = turns
        self._robots = robots
        self._refusals = refusals
        self._gate = gate_for(options, limits)
        self._hops: list[Hop] = []
        self._budget = Budget(limits.deadline)

    async def page(self, url: str, conditions: Mapping[str, str]) -> Page:
        async with self.stream(url, conditions) as stream:
            body = await stream.read()
        milliseconds = self._budget.milliseconds
        return stream.page.with_body(body, truncated=stream.truncated, milliseconds=milliseconds)

    @asynccontextmanager
    async def stream(self, url: str, conditions: Mapping[str, str]) -> AsyncIterator[PageStream]:
        """Follows redirects one by one; a host's turn is given back before the next host's is awaited."""
        first = target = self._gate.check(url)
        while True:
            decision = await self._permission(target)
            delay = decision.crawl_delay if decision else None
            headers = conditions if target.origin == first.origin else {}
            async with self._turns.turn(politeness_key(target.host), crawl_delay=delay):
                asked = answer(self._session, target, limits=self._limits, headers=headers)
                async with self._budget.running(), asked as response:
                    self._hops.append(Hop(target.href, response.status, decision))
                    if response.status not in REDIRECTS:
                        self._raise_failure(response)
                        yield self._opened(first, target, response, decision)
                        return
                    location = response.headers.get("Location")
                    await skip_redirect_body(response)
            target = self._next(target, location)

    async def _permission(self, target: CheckedURL) -> Permission | None:
        if self._robots is None:
            return None
        decision = await self._robots.decision(target)
        if not decision.allowed:
            raise RobotsDisallowed
        return decision

    def _next(self, target: CheckedURL, location: str | None) -> CheckedURL:
        onward = self._gate.redirect(target.href, location)
        been = {hop.url for hop in self._hops}
        if onward.href in been or len(self._hops) > self._limits.redirects:
            raise RedirectLoop
        return onward

    def _raise_failure(self, response: aiohttp.ClientResponse) -> None:
        wait = retry_after(response.headers.get("Retry-After"), now=datetime.now(UTC))
        failure = failure_of_status(response.status, wait=wait)
        if failure is not None and not (self._refusals and isinstance(failure, HTTPRefused)):
            raise failure

    def _opened(
        self,
        first: CheckedURL,
        target: CheckedURL,
        response: aiohttp.ClientResponse,
        decision: Permission | None,
    ) -> PageStream:
        partial = response.status == 206 or "Content-Range" in response.headers
        page = Page(
            url=target.href,
            status=response.status,
            headers=plain_headers(response.headers),
            truncated=partial,
            hops=tuple(self._hops),
            robots=decision,
            requested_url=first.href,
        )
        return PageStream(page, response, self._limits)
