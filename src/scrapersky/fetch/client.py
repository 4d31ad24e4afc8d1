"""The one door to other people's hosts: gated, guarded, polite and bounded."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from datetime import timedelta
from types import TracebackType
from typing import Self

import aiohttp

from scrapersky.fetch.egress.url_policy import CheckedURL, URLGate
from scrapersky.fetch.errors import RobotsDisallowed
from scrapersky.fetch.http.connector import connector_for
from scrapersky.fetch.http.content_encoding import ACCEPT_ENCODING
from scrapersky.fetch.http.headers import validators
from scrapersky.fetch.http.redirects import Journey
from scrapersky.fetch.http.request import Answer, Budget, PageStream, plain_headers
from scrapersky.fetch.limits import PAGE, ROBOTS, SITEMAP, FetchOptions, Limits
from scrapersky.fetch.page import Page, Permission
from scrapersky.fetch.politeness.robots_cache import MemoryRobots, RobotsCache, RobotsStore
from scrapersky.fetch.politeness.slots import MemoryTurns, Turns


class Fetcher:
    """Fetches pages; one per process, used as an async context manager."""

    def __init__(
        self,
        options: FetchOptions,
        *,
        turns: Turns | None = None,
        robots_store: RobotsStore | None = None,
    ) -> None:
        self.options = options
        self.turns = turns or MemoryTurns()
        self._gates: dict[int, URLGate] = {}
        self._robots = RobotsCache(
            robots_store or MemoryRobots(),
            fetch=self._robots_page,
            agent=options.user_agent,
            lifetime=timedelta(hours=options.robots_cache_hours),
        )

    async def __aenter__(self) -> Self:
        self._session = aiohttp.ClientSession(
            connector=connector_for(self.options),
            cookie_jar=aiohttp.DummyCookieJar(),
            auto_decompress=False,
            trust_env=False,
            headers={"User-Agent": self.options.user_agent, "Accept-Encoding": ACCEPT_ENCODING},
        )
        # By itself it asks again at once when a host hangs up; how soon to ask again is politeness' business.
        self._session._retry_connection = False
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._session.close()

    async def get(
        self,
        url: str,
        *,
        limits: Limits = PAGE,
        etag: str | None = None,
        last_modified: str | None = None,
        refusals: bool = False,
        held_host: str | None = None,
    ) -> Page:
        """The page at a URL; with `refusals`, answers such as 404 are pages too instead of failures."""
        journey = self._journey(limits, refusals=refusals, held_host=held_host)
        return await journey.page(url, validators(etag, last_modified))

    def stream(
        self,
        url: str,
        *,
        limits: Limits = SITEMAP,
        etag: str | None = None,
        last_modified: str | None = None,
        refusals: bool = False,
        held_host: str | None = None,
    ) -> AbstractAsyncContextManager[PageStream]:
        """Like `get`, in pieces: `async with fetcher.stream(url) as stream: async for piece in stream`."""
        journey = self._journey(limits, refusals=refusals, held_host=held_host)
        return journey.stream(url, validators(etag, last_modified))

    async def call(
        self,
        method: str,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        body: bytes | None = None,
        limits: Limits = PAGE,
    ) -> Page:
        """One request to a provider or destination: guarded, bounded, any status; no robots, no redirects."""
        target = self.checked(url, limits)
        budget = Budget(limits.deadline)
        asked = Answer(self._session, target, limits=limits, method=method, headers=headers, body=body)
        async with budget, asked as response:
            page = Page(target.href, response.status, plain_headers(response.headers))
            stream = PageStream(page, response, limits)
            content = await stream.read()
        return stream.whole(content, budget.milliseconds)

    async def permission(self, url: str, *, held_host: str | None = None) -> Permission:
        """What the host's robots.txt says about a URL, reading it first when there is no fresh copy."""
        return await self._robots.decision(self.checked(url, PAGE), held_host=held_host)

    async def permitted(self, url: str, *, held_host: str | None = None) -> Permission | None:
        """Like `permission`, but a refusal is a failure; None when robots.txt is not obeyed."""
        if not self.options.obey_robots:
            return None
        permission = await self.permission(url, held_host=held_host)
        if not permission.allowed:
            raise RobotsDisallowed
        return permission

    def checked(self, url: str, limits: Limits) -> CheckedURL:
        return self._gate(limits).check(url)

    def _gate(self, limits: Limits) -> URLGate:
        length = limits.url_length
        if length not in self._gates:
            self._gates[length] = URLGate(self.options.laboratory, self.options.ports, length)
        return self._gates[length]

    def _journey(
        self, limits: Limits, *, refusals: bool, asks_robots: bool = True, held_host: str | None
    ) -> Journey:
        robots = self._robots if asks_robots and self.options.obey_robots else None
        gate = self._gate(limits)
        return Journey(
            self._session,
            gate,
            limits,
            turns=self.turns,
            robots=robots,
            refusals=refusals,
            held_host=held_host,
        )

    async def _robots_page(self, url: str, held_host: str | None) -> Page:
        journey = self._journey(ROBOTS, refusals=True, asks_robots=False, held_host=held_host)
        return await journey.page(url, {})
