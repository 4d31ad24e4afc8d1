"""One live connection for all tabs of a browser, which returns after the server was restarted."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
from console_world import ConsoleWorld, add_many_pages
from playwright.async_api import expect
from sqlalchemy.ext.asyncio import AsyncEngine

from product import until

pytestmark = pytest.mark.browser


async def test_nine_tabs_share_one_connection_and_all_are_live(
    open_context: Any, console: str, db: AsyncEngine, world: ConsoleWorld
) -> None:
    async with open_context() as context:
        streams: list[str] = []
        context.on(
            "request", lambda request: streams.append(request.url) if "/events" in request.url else None
        )
        tabs = [await context.new_page() for _ in range(9)]
        for tab in tabs:
            await tab.goto(f"{console}/pages")
        for tab in tabs:
            await expect(tab.locator("#live")).to_have_attribute("data-state", "on")
        assert len(streams) == 1
        await tabs[0].close()
        await add_many_pages(db, 1_000)
        for tab in (tabs[1], tabs[8]):
            await tab.bring_to_front()
            await expect(tab.locator("[data-review=page]")).to_contain_text("1\u202f")


async def test_a_page_is_live_again_after_the_server_was_restarted(
    open_context: Any, serve_console: Any, db: AsyncEngine, world: ConsoleWorld
) -> None:
    async with open_context() as context:
        page = await context.new_page()
        async with serve_console() as address:
            port = int(address.rpartition(":")[2])
            await page.goto(f"{address}/pages")
            await expect(page.locator("#live")).to_have_attribute("data-state", "on")
        await expect(page.locator("#live")).not_to_have_attribute("data-state", "on", timeout=60_000)
        async with serve_console(port=port) as address:
            async with httpx.AsyncClient() as client:
                await until(lambda: _answers(client, address))
            await expect(page.locator("#live")).to_have_attribute("data-state", "on", timeout=60_000)


async def _answers(client: httpx.AsyncClient, address: str) -> bool:
    return (await client.get(f"{address}/health/live")).status_code == 200
