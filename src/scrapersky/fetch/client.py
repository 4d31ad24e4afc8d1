"""The HTTP client for other people's hosts: SSRF-safe, polite and bounded."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from datetime import timedelta
from types import TracebackType
from typing import Self

import aiohttp

from scrapersky.fetch.egress.url_policy import CheckedURL, URLPolicy
from scrapersky.fetch.errors import RobotsDisallowed
from scrapersky.fetch.http.connector import make_connector
from scrapersky.fetch.http.content_decoder import ACCEPT_ENCODING
from scrapersky.fetch.http.headers import conditional_headers
from scrapersky.fetch.http.redirects import FetchSession
from scrapersky.fetch.http.request import HTTPRequest, PageStream, TimeBudget, normalize_headers
from scrapersky.fetch.limits import PAGE, ROBOTS, SITEMAP, FetchOptions, Limits
from scrapersky.fetch.page import Page, Permission
from scrapersky.fetch.politeness.robots_cache import MemoryRobotsStore, RobotsCache, RobotsStore
from scrapersky.fetch.politeness.slots import HostSlotProvider, LocalHostSlots


class Fetcher:
    """Fetches pages; one per process, used as an async context manager."""

    def __init__(
        self,
        options: FetchOptions,
        *,
        slots: HostSlotProvider | None = None,
        robots_store: RobotsStore | None = None,
    ) -> None:
        self.options = options
        self.slots = slots or LocalHostSlots()
        self._url_policies: dict[int, URLPolicy] = {}
        self._robots = RobotsCache(
            robots_store or MemoryRobotsStore(),
            fetch=self._robots_page,
            agent=options.user_agent,
            lifetime=timedelta(hours=options.robots_cache_ttl_hours),
        )

    async def __aenter__(self) -> Self:
        self._session = aiohttp.ClientSession(
            connector=make_connector(self.options),
            cookie_jar=aiohttp.DummyCookieJar(),
            auto_decompress=False,
            trust_env=False,
            headers={"User-Agent": self.options.user_agent, "Accept-Encoding": ACCEPT_ENCODING},
        )
        # aiohttp would retry a dropped connection at once; retries are up to the rate limit.
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
        held_host: str | None = None,
        accept_errors: bool = False,
    ) -> Page:
        """The page at a URL; with `accept_errors`, responses such as 404 are pages instead of failures.

        `held_host` is the host that the running item holds in the engine.
        """
        session = self._session_for(limits, held_host, accept_errors=accept_errors)
        return await session.page(url, conditional_headers(etag, last_modified))

    def stream(
        self,
        url: str,
        *,
        limits: Limits = SITEMAP,
        etag: str | None = None,
        last_modified: str | None = None,
        held_host: str | None = None,
        accept_errors: bool = False,
    ) -> AbstractAsyncContextManager[PageStream]:
        """Like `get`, in pieces: `async with fetcher.stream(url) as stream: async for piece in stream`."""
        session = self._session_for(limits, held_host, accept_errors=accept_errors)
        return session.stream(url, conditional_headers(etag, last_modified))

    async def request(
        self,
        method: str,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        body: bytes | None = None,
        limits: Limits = PAGE,
    ) -> Page:
        """One request to a service: SSRF-safe and bounded, any status; without robots.txt and redirects."""
        target = self.check_url(url, limits)
        budget = TimeBudget(limits.deadline)
        request = HTTPRequest(self._session, target, limits=limits, method=method, headers=headers, body=body)
        async with budget, request as response:
            page = Page(target.href, response.status, normalize_headers(response.headers))
            stream = PageStream(page, response, limits)
            content = await stream.read()
        return stream.to_page(content, budget.milliseconds)

    async def permission(self, url: str, held_host: str | None = None) -> Permission:
        """What the host's robots.txt says about a URL; fetched first if there is no fresh copy."""
        return await self._robots.decision(self.check_url(url, PAGE), held_host)

    async def require_permission(self, url: str, held_host: str | None = None) -> Permission | None:
        """Like `permission`, but raises RobotsDisallowed; None if robots.txt is not obeyed."""
        if not self.options.obey_robots:
            return None
        permission = await self.permission(url, held_host)
        if not permission.allowed:
            raise RobotsDisallowed
        return permission

    def check_url(self, url: str, limits: Limits) -> CheckedURL:
        return self._url_policy(limits).check(url)

    def _url_policy(self, limits: Limits) -> URLPolicy:
        length = limits.url_length
        if length not in self._url_policies:
            self._url_policies[length] = URLPolicy(self.options.egress_allow, self.options.ports, length)
        return self._url_policies[length]

    def _session_for(
        self, limits: Limits, held_host: str | None, *, accept_errors: bool, obey_robots: bool = True
    ) -> FetchSession:
        return FetchSession(
            self._session,
            self._url_policy(limits),
            limits,
            slots=self.slots,
            robots=self._robots if obey_robots and self.options.obey_robots else None,
            held_host=held_host,
            accept_errors=accept_errors,
        )

    async def _robots_page(self, url: str, held_host: str | None) -> Page:
        session = self._session_for(ROBOTS, held_host, accept_errors=True, obey_robots=False)
        return await session.page(url, {})
