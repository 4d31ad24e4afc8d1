"""The browser tier: headless Chromium of the system for pages without text; disabled by default."""

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
from scrapersky.fetch.errors import BlockedAddress, Failure, Timeout, failure_from_status
from scrapersky.fetch.limits import PAGE, Limits
from scrapersky.fetch.page import Page, Permission

NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
PASSED_ENVIRONMENT = ("PATH", "HOME", "LANG", "LC_ALL", "TZ", "TMPDIR", "XDG_RUNTIME_DIR")
# Resource types that scripts need to build the page.
ALLOWED_RESOURCES = frozenset({"document", "script", "xhr", "fetch"})


class RenderFailed(Failure):
    """The browser could not render the page."""

    failure_class = "render_failed"


@dataclass(frozen=True, slots=True)
class BrowserOptions:
    """How pages are rendered; times are seconds."""

    executable: str = ""
    load_seconds: float = 20.0
    settle_seconds: float = 3.0
    concurrency: int = 2

    def find_executable(self) -> str:
        """The path of a Chromium, or StartupError with what to install."""
        path = self.executable or next(filter(None, map(shutil.which, NAMES)), "")
        if not path or not os.access(path, os.X_OK):
            raise StartupError(
                f"Chromium not found (tried {', '.join(NAMES)}). Install it or set BROWSER_EXECUTABLE."
            )
        return path


def flags(proxy_port: int) -> list[str]:
    """Force all of Chromium's traffic through our proxy, loopback, DNS and UDP included."""
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
        # Chromium's own sandbox needs an unprivileged user; as root only the proxy protects us.
        self.sandboxed = os.geteuid() != 0

    async def __aenter__(self) -> Self:
        path = self._options.find_executable()
        async with AsyncExitStack() as stack:
            self._proxy = await stack.enter_async_context(EgressProxy(self._fetcher.options))
            playwright = await stack.enter_async_context(async_playwright())
            self._browser: Browser = await playwright.chromium.launch(
                executable_path=path,
                args=flags(self._proxy.port),
                chromium_sandbox=self.sandboxed,
                # Hostile pages must not find our keys in the environment.
                env={name: os.environ[name] for name in PASSED_ENVIRONMENT if name in os.environ},
            )
            stack.push_async_callback(self._browser.close)
            self._stack = stack.pop_all()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._stack.aclose()

    async def get(self, url: str, *, limits: Limits = PAGE, held_host: str | None = None) -> Page:
        """The page after its scripts have run."""
        target = self._fetcher.check_url(url, limits)
        permission = await self._fetcher.require_permission(url, held_host)
        delay = permission.crawl_delay if permission else None
        started = time.monotonic()
        slot = self._fetcher.slots.slot(politeness_key(target.host), crawl_delay=delay, held_host=held_host)
        async with slot, self._open_pages:
            page = await self._render(target.href, permission, limits)
        return page.with_body(
            page.body, truncated=page.truncated, milliseconds=round((time.monotonic() - started) * 1000)
        )

    async def _render(self, url: str, permission: Permission | None, limits: Limits) -> Page:
        context = await self._browser.new_context(
            user_agent=self._fetcher.options.user_agent,
            accept_downloads=False,
            service_workers="block",
            ignore_https_errors=False,
        )
        try:
            return await self._load(context, url, permission, limits)
        finally:
            await context.close()

    async def _load(
        self, context: BrowserContext, url: str, permission: Permission | None, limits: Limits
    ) -> Page:
        refused = self._proxy.refused
        await context.route("**/*", _filter_resources)
        tab = await context.new_page()
        try:
            response = await tab.goto(url, timeout=self._options.load_seconds * 1000, wait_until="load")
            with suppress(PlaywrightTimeout):
                await tab.wait_for_load_state("networkidle", timeout=self._options.settle_seconds * 1000)
            # Cut inside the browser, so that an endless page never reaches us whole.
            text = await tab.evaluate(
                "limit => document.documentElement.outerHTML.slice(0, limit)", limits.body + 1
            )
            content = str(text).encode("utf-8", "replace")
        except Error as why:
            raise self._failure(why, refused) from None
        status = response.status if response is not None else 200
        failure = failure_from_status(status, wait=None)
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
        return Timeout() if isinstance(why, PlaywrightTimeout) else RenderFailed()


async def _filter_resources(route: Route) -> None:
    await (route.continue_() if route.request.resource_type in ALLOWED_RESOURCES else route.abort())
