"""A real server, database and Chromium; whatever a page reports to its console fails the test."""

from __future__ import annotations

import shutil
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.async_api import Browser, BrowserContext, ConsoleMessage, Page, Request, async_playwright
from sqlalchemy.ext.asyncio import AsyncEngine

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parent))

from console_world import ConsoleWorld, fill

from scrapersky.log import Log
from scrapersky.processes.serve import listen, running_web
from scrapersky.settings import Settings

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), "")
FLAGS = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update"),
)
SECRET = "k3Jq9-Zx7vB2nM5tR8wY1uC4sD6fG0hL"


@dataclass
class Watch:
    """What went wrong in the pages of a test: errors in the console, and requests that left our server."""

    errors: list[str] = field(default_factory=list)
    foreign: list[str] = field(default_factory=list)
    # Answers with these statuses are part of the test.
    expected: set[int] = field(default_factory=set)

    def follow(self, page: Page) -> None:
        page.on("console", self._on_message)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("request", self._on_request)

    def _on_message(self, message: ConsoleMessage) -> None:
        is_expected = any(f"status of {status}" in message.text for status in self.expected)
        if message.type in ("error", "warning") and not is_expected:
            self.errors.append(f"{message.type}: {message.text}")

    def _on_request(self, request: Request) -> None:
        url = urlsplit(request.url)
        if url.scheme in ("http", "https", "ws", "wss") and url.hostname != "127.0.0.1":
            self.foreign.append(request.url)


@pytest.fixture
async def browser() -> AsyncIterator[Browser]:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        yield browser
        await browser.close()


@pytest.fixture
def watch() -> Watch:
    return Watch()


OpenContext = Callable[..., AbstractAsyncContextManager[BrowserContext]]


@pytest.fixture
def open_context(browser: Browser, watch: Watch) -> OpenContext:
    """A browser window of its own: cookies, storage and theme."""

    @asynccontextmanager
    async def open_window(**options: Any) -> AsyncIterator[BrowserContext]:
        context = await browser.new_context(**{"viewport": {"width": 1440, "height": 900}, **options})
        context.on("page", watch.follow)
        context.set_default_timeout(30_000)
        yield context
        await context.close()

    return open_window


@pytest.fixture
async def page(open_context: OpenContext, watch: Watch, console: str) -> AsyncIterator[Page]:
    """One page, closed before the server; nothing may have been reported or requested elsewhere."""
    async with open_context() as context:
        page = await context.new_page()
        yield page
    assert not watch.errors, watch.errors
    assert not watch.foreign, watch.foreign


ServeConsole = Callable[..., AbstractAsyncContextManager[str]]


@pytest.fixture
def serve_console(db: AsyncEngine, folder: Path) -> ServeConsole:
    """The address of the whole web application on loopback; keywords are settings."""

    @asynccontextmanager
    async def serve(port: int = 0, **more: Any) -> AsyncIterator[str]:
        with listen("127.0.0.1", port) as listening:
            values = {"secret_key": SECRET, "data_folder": str(folder), **more}
            settings = Settings(port=listening.getsockname()[1], **values)
            async with running_web(settings, db, listening, Log(level="error")):
                yield f"http://127.0.0.1:{settings.port}"

    return serve


@pytest.fixture
async def console(serve_console: ServeConsole) -> AsyncIterator[str]:
    async with serve_console() as address:
        yield address


@pytest.fixture
async def world(db: AsyncEngine) -> ConsoleWorld:
    """Rows in every list, in every state that a page shows."""
    return await fill(db)
