"""The browser tier: the system's Chromium, headless, off by default, for pages whose text is nearly empty."""

from __future__ import annotations

import asyncio
import os
import shutil
import time
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from playwright.async_api import Browser, BrowserContext, Error, Route, async_playwright
from playwright.async_api import TimeoutError as PlaywrightTimeout

from scrapersky.errors import StartupError
from scrapersky.extract.urls.hosts import politeness_key
from scrapersky.fetch.client import Fetcher
from scrapersky.fetch.egress.proxy import EgressProxy
from scrapersky.fetch.errors import BlockedAddress, Failure, Timeout, failure_of_status
from scrapersky.fetch.limits import PAGE, Limits
from scrapersky.fetch.page import Page, Permission

NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
HARMLESS = ("PATH", "HOME", "LANG", "LC_ALL", "TZ", "TMPDIR", "XDG_RUNTIME_DIR")
# Only what scripts need to build the page.
WANTED = frozenset({"document", "script", "xhr", "fetch"})


class RenderingFailed(Failure):
    """The browser could not show the page."""

    failure_class = "render_failed"


@dataclass(frozen=True, slots=True)
class BrowserOptions:
    """How pages are rendered; seconds."""

    executable: str = ""
    load_seconds: float = 20.0
    settle_seconds: float = 3.0
    concurrency: int = 2

    def found(self) -> str:
        """The path of a Chromium, or StartError with what to install."""
        path = self.executable or next((found for name in NAMES if (found := shutil.which(name))), "")
        if not path or not os.access(path, os.X_OK):
            raise StartupError(
                f"No Chromium was found: install it, or name it (looked for {', '.join(NAMES)})."
            )
        return path


def flags(proxy_port: int) -> list[str]:
    """Leave Chromium one way out, our proxy, even for loopback, names, UDP and its own chatter."""
    return [
        f"--proxy-server=http://127.0.0.1:{proxy_port}",
        "--proxy-bypass-list=<-loopback>",
        "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
        "--disable-quic",
        "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
        "--webrtc-ip-handling-policy=disable_non_proxied_udp",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-domain-reliability",
        "--disable-sync",
        "--dns-prefetch-disable",
        "--no-pings",
        "--no-first-run",
        "--mute-audio",
    ]


class BrowserTier:
    """Renders pages, each in a fresh profile; an async context manager."""

    def __init__(self, fetcher: Fetcher, options: BrowserOptions | None = None) -> None:
        self._fetcher = fetcher
        self._options = options or BrowserOptions()
        self._open_pages = asyncio.Semaphore(self._options.concurrency)
        # Chromium's own sandbox needs an ordinary user; as root the proxy is the only fence.
        self.sandboxed = os.geteuid() != 0

    async def __aenter__(self) -> Self:
        path = self._options.found()
        async with AsyncExitStack() as stack:
            self._proxy = await stack.enter_async_context(EgressProxy(self._fetcher.options))
            playwright = await stack.enter_async_context(async_playwright())
            self._browser: Browser = await playwright.chromium.launch(
                executable_path=path,
                args=flags(self._proxy.port),
                chromium_sandbox=self.sandboxed,
                # A browser on hostile pages has no use for our keys.
                env={name: os.environ[name] for name in HARMLESS if name in os.environ},
            )
            stack.push_async_callback(self._browser.close)
            self._stack = stack.pop_all()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._stack.aclose()

    async def get(self, url: str, *, limits: Limits = PAGE, held_host: str | None = None) -> Page:
        """The page as it stands after its scripts have run."""
        target = self._fetcher.checked(url, limits)
        permission = await self._fetcher.permitted(url, held_host=held_host)
        delay = permission.crawl_delay if permission else None
        started = time.monotonic()
        key = politeness_key(target.host)
        turn = self._fetcher.turns.turn(key, crawl_delay=delay, held_host=held_host)
        async with turn, self._open_pages:
            page = await self._rendered(target.href, permission, limits)
        return page.with_body(
            page.body, truncated=page.truncated, milliseconds=round((time.monotonic() - started) * 1000)
        )

    async def _rendered(self, url: str, permission: Permission | None, limits: Limits) -> Page:
        context = await self._browser.new_context(
            user_agent=self._fetcher.options.user_agent,
            accept_downloads=False,
            service_workers="block",
            ignore_https_errors=False,
        )
        try:
            return await self._shown(context, url, permission, limits)
        finally:
            await context.close()

    async def _shown(
        self, context: BrowserContext, url: str, permission: Permission | None, limits: Limits
    ) -> Page:
        refused = self._proxy.refused
        await context.route("**/*", _only_wanted)
        tab = await context.new_page()
        try:
            response = await tab.goto(url, timeout=self._options.load_seconds * 1000, wait_until="load")
            with suppress(PlaywrightTimeout):
                await tab.wait_for_load_state("networkidle", timeout=self._options.settle_seconds * 1000)
            # Cut inside the browser, so that an endless page never reaches us whole.
            text = await tab.evaluate(
                "most => document.documentElement.outerHTML.slice(0, most)", limits.body + 1
            )
            content = str(text).encode("utf-8", "replace")
        except Error as why:
            raise self._failure(why, refused) from None
        status = response.status if response is not None else 200
        failure = failure_of_status(status, wait=None)
        if failure is not None:
            raise failure
        return Page(
            url=tab.url,
            status=status,
            headers={"Content-Type": "text/html; charset=utf-8"},
            body=content[: limits.body],
            truncated=len(content) > limits.body,
            from_tier="browser",
            robots=permission,
            requested_url=url,
        )

    def _failure(self, why: Error, refused_before: int) -> Failure:
        if self._proxy.refused > refused_before:
            return BlockedAddress()
        return Timeout() if isinstance(why, PlaywrightTimeout) else RenderingFailed()


async def _only_wanted(route: Route) -> None:
    await (route.continue_() if route.request.resource_type in WANTED else route.abort())
