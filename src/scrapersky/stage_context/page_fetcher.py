"""The web as stages see it: pages by URL, each asked for once, and read in processes that can be killed."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import ParamSpec, Protocol, TypeVar

from scrapersky.fetch.errors import ConnectFailed, DNSFailed, Failure, TLSFailed, as_clause
from scrapersky.fetch.http.request import PageStream
from scrapersky.fetch.limits import PAGE, SITEMAP, Limits
from scrapersky.fetch.page import Page, Permission
from scrapersky.stage_context.home_page_cache import HomePageCache

P = ParamSpec("P")
R = TypeVar("R")


class Pages(Protocol):
    """Whoever brings pages: the fetcher, or several tiers of it."""

    async def get(
        self,
        url: str,
        *,
        limits: Limits = ...,
        etag: str | None = ...,
        last_modified: str | None = ...,
        held_host: str | None = ...,
    ) -> Page: ...


class Door(Pages, Protocol):
    """What of the fetcher is used here; tests have a FakeWeb instead."""

    def stream(
        self, url: str, *, limits: Limits = ..., held_host: str | None = ...
    ) -> AbstractAsyncContextManager[PageStream]: ...

    async def permission(self, url: str, *, held_host: str | None = ...) -> Permission: ...


class Reading(Protocol):
    async def run(self, function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R: ...


class PageFetcher:
    def __init__(
        self,
        door: Door,
        readers: Reading,
        *,
        pages: Pages | None = None,
        page: Limits = PAGE,
        sitemap: Limits = SITEMAP,
    ) -> None:
        self.door, self.readers = door, readers
        self._pages = pages or door
        self._page, self._sitemap = page, sitemap
        self._recent = HomePageCache()

    async def home(self, domain: str, schemes: tuple[str, ...], *, held_host: str | None = None) -> Page:
        """The home page, by the first scheme under which the domain answers at all."""
        failed: list[Failure] = []
        for scheme in schemes:
            try:
                page = await self._pages.get(f"{scheme}://{domain}/", limits=self._page, held_host=held_host)
            except Failure as error:
                failed.append(error)
                if isinstance(error, DNSFailed | TLSFailed | ConnectFailed):
                    continue
                raise _unreached(schemes, failed) from None
            self._recent.keep(page)
            return page
        raise _unreached(schemes, failed)

    async def get(
        self,
        url: str,
        *,
        etag: str | None = None,
        last_modified: str | None = None,
        held_host: str | None = None,
    ) -> Page:
        """A page; one that this process has just fetched is not asked for again."""
        if known := self._recent.take(url):
            return known
        return await self._pages.get(
            url, limits=self._page, etag=etag, last_modified=last_modified, held_host=held_host
        )

    def stream(self, url: str, *, held_host: str | None = None) -> AbstractAsyncContextManager[PageStream]:
        return self.door.stream(url, limits=self._sitemap, held_host=held_host)

    async def permission(self, url: str, *, held_host: str | None = None) -> Permission:
        return await self.door.permission(url, held_host=held_host)

    async def read(self, function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Run a pure function on a stranger's bytes where it can do no harm."""
        return await self.readers.run(function, *args, **kwargs)


def _unreached(schemes: tuple[str, ...], failed: list[Failure]) -> Failure:
    """The failure to raise when no scheme worked, with the reasons of all of them."""
    if not failed:
        return ConnectFailed()
    chosen = failed[-1]
    if isinstance(chosen, DNSFailed | ConnectFailed):
        # A TLS error says more than that port 80 is closed.
        chosen = next((one for one in failed if isinstance(one, TLSFailed)), chosen)
    if len({str(one) for one in failed}) > 1:
        told = (f"{scheme}: {as_clause(one)}" for scheme, one in zip(schemes, failed, strict=False))
        chosen.args = ("; ".join(told),)
    return chosen
