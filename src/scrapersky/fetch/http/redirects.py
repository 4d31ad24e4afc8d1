"""One fetch from the first URL to the last: gate, robots, turn and guard are asked again at every hop."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import UTC, datetime
from functools import lru_cache

import aiohttp

from scrapersky.extract.urls.hosts import politeness_key
from scrapersky.fetch.egress.url_policy import CheckedURL, URLGate
from scrapersky.fetch.errors import HTTPRefused, RedirectLoop, RobotsDisallowed, failure_of_status
from scrapersky.fetch.http.headers import retry_after
from scrapersky.fetch.http.request import (
    REDIRECTS,
    Answer,
    Budget,
    PageStream,
    plain_headers,
    skip_redirect_body,
)
from scrapersky.fetch.limits import Limits
from scrapersky.fetch.page import Hop, Page, Permission
from scrapersky.fetch.politeness.robots_cache import RobotsCache
from scrapersky.fetch.politeness.slots import Turns

# A host is asked for page after page.
_key_of = lru_cache(maxsize=10_000)(politeness_key)


class Journey:
    """The state of one fetch: where it has been and how much of its time is left."""

    def __init__(
        self,
        session: aiohttp.ClientSession,
        gate: URLGate,
        limits: Limits,
        *,
        turns: Turns,
        robots: RobotsCache | None,
        refusals: bool,
        held_host: str | None = None,
    ) -> None:
        self._session = session
        self._limits = limits
        self._turns = turns
        self._robots = robots
        self._refusals = refusals
        self._held_host = held_host
        self._gate = gate
        self._hops: list[Hop] = []
        self._budget = Budget(limits.deadline)

    async def page(self, url: str, conditions: Mapping[str, str]) -> Page:
        """The whole page at the end of the way."""
        async with self.stream(url, conditions) as stream:
            body = await stream.read()
        return stream.whole(body, self._budget.milliseconds)

    @asynccontextmanager
    async def stream(self, url: str, conditions: Mapping[str, str]) -> AsyncIterator[PageStream]:
        """Follows redirects one by one; a host's turn is given back before the next host's is awaited."""
        first = target = self._gate.check(url)
        while True:
            decision = await self._permission(target)
            asked = self._asked(target, conditions if target.origin == first.origin else {})
            async with self._turn(target, decision), self._budget, asked as response:
                stream = self._opened(first, target, response, decision)
                if stream is not None:
                    yield stream
                    return
                await skip_redirect_body(response)
            target = self._next(target, response)

    def _turn(self, target: CheckedURL, decision: Permission | None) -> AbstractAsyncContextManager[None]:
        delay = decision.crawl_delay if decision else None
        return self._turns.turn(_key_of(target.host), crawl_delay=delay, held_host=self._held_host)

    def _asked(self, target: CheckedURL, headers: Mapping[str, str]) -> Answer:
        return Answer(self._session, target, limits=self._limits, headers=headers)

    async def _permission(self, target: CheckedURL) -> Permission | None:
        if self._robots is None:
            return None
        decision = await self._robots.decision(target, held_host=self._held_host)
        if not decision.allowed:
            raise RobotsDisallowed
        return decision

    def _next(self, target: CheckedURL, response: aiohttp.ClientResponse) -> CheckedURL:
        onward = self._gate.redirect(target.href, response.headers.get("Location"))
        been = {hop.url for hop in self._hops}
        if onward.href in been or len(self._hops) > self._limits.redirects:
            raise RedirectLoop
        return onward

    def _raise_failure(self, response: aiohttp.ClientResponse) -> None:
        if response.status < 400:
            return
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
    ) -> PageStream | None:
        """The answer to be read, or None when it leads on to somewhere else."""
        self._hops.append(Hop(target.href, response.status, decision))
        if response.status in REDIRECTS:
            return None
        self._raise_failure(response)
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
