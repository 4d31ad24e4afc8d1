"""The web as stages see it: pages by URL, each requested once."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from functools import partial
from typing import Protocol

from scrapersky.engine.stage import RUNNING_ITEM
from scrapersky.fetch.errors import ConnectFailed, DNSFailed, Failure, TLSFailed, as_clause
from scrapersky.fetch.http.request import PageStream
from scrapersky.fetch.limits import PAGE, SITEMAP, Limits
from scrapersky.fetch.page import Page, Permission
from scrapersky.stage_context.page_cache import CachedStream, PageCache, RecordingStream

# The figures of fetches by class have names that begin so.
FETCHES = "fetch:"
BodyStream = PageStream | CachedStream | RecordingStream


class PageClient(Protocol):
    """The fetcher, or several tiers of it."""

    async def get(
        self,
        url: str,
        *,
        limits: Limits = ...,
        etag: str | None = ...,
        last_modified: str | None = ...,
        held_host: str | None = ...,
    ) -> Page: ...


class WebClient(PageClient, Protocol):
    """The part of the fetcher that is used here; tests have a FakeWeb instead."""

    def stream(
        self, url: str, *, limits: Limits = ..., held_host: str | None = ...
    ) -> AbstractAsyncContextManager[PageStream]: ...

    async def permission(self, url: str, *, held_host: str | None = ...) -> Permission: ...


@contextmanager
def count_fetch() -> Iterator[None]:
    """Count a fetch of the running item by its class: `ok`, or the class of its failure."""
    outcome = "ok"
    try:
        yield
    except Failure as failure:
        outcome = failure.failure_class
        raise
    finally:
        if item := RUNNING_ITEM.get():
            item.count(f"{FETCHES}{outcome}")


class PageFetcher:
    """Fetches pages through `tiers` and streams sitemaps through `client`.

    `held_host` is the host that the engine has leased for the running item.
    """

    def __init__(
        self,
        client: WebClient,
        *,
        tiers: PageClient | None = None,
        page: Limits = PAGE,
        sitemap: Limits = SITEMAP,
        schemes: tuple[str, ...] = ("https", "http"),
    ) -> None:
        self._client, self._tiers = client, tiers or client
        self._page, self._sitemap, self._schemes = page, sitemap, schemes
        self._home_pages, self._sitemaps = PageCache(), PageCache()

    async def __call__(
        self,
        url: str,
        *,
        etag: str | None = None,
        last_modified: str | None = None,
        held_host: str | None = None,
    ) -> Page:
        """A page; a home page that this process has just fetched is not requested again."""
        if cached := self._home_pages.take(url):
            return cached
        with count_fetch():
            return await self._tiers.get(
                url, limits=self._page, etag=etag, last_modified=last_modified, held_host=held_host
            )

    def home_url(self, domain: str) -> str:
        return f"{self._schemes[0]}://{domain}/"

    async def home_page(self, domain: str, *, held_host: str | None = None) -> Page:
        """The home page, by the first scheme under which the domain answers at all."""
        failures: list[Failure] = []
        for scheme in self._schemes:
            try:
                url = f"{scheme}://{domain}/"
                with count_fetch():
                    page = await self._tiers.get(url, limits=self._page, held_host=held_host)
            except Failure as error:
                failures.append(error)
                if isinstance(error, DNSFailed | TLSFailed | ConnectFailed):
                    continue
                raise self._unreachable(failures) from None
            self._home_pages.put(page.url, page)
            return page
        raise self._unreachable(failures)

    @asynccontextmanager
    async def stream(
        self, url: str, *, held_host: str | None = None, keep: bool = False
    ) -> AsyncIterator[BodyStream]:
        """A sitemap in pieces; with `keep`, one that is read to its end serves the next call too."""
        if not keep and (cached := self._sitemaps.take(url)):
            yield CachedStream(cached)
            return
        with count_fetch():
            async with self._client.stream(url, limits=self._sitemap, held_host=held_host) as stream:
                yield RecordingStream(stream, partial(self._sitemaps.put, url)) if keep else stream

    async def permission(self, url: str, *, held_host: str | None = None) -> Permission:
        return await self._client.permission(url, held_host=held_host)

    def _unreachable(self, failures: list[Failure]) -> Failure:
        """The failure to raise when no scheme worked, with the reasons of all of them."""
        if not failures:
            return ConnectFailed()
        chosen = failures[-1]
        if isinstance(chosen, DNSFailed | ConnectFailed):
            # A TLS error says more than that port 80 is closed.
            chosen = next((failure for failure in failures if isinstance(failure, TLSFailed)), chosen)
        if len({str(failure) for failure in failures}) > 1:
            pairs = zip(self._schemes, failures, strict=False)
            chosen.args = ("; ".join(f"{scheme}: {as_clause(failure)}" for scheme, failure in pairs),)
        return chosen
