"""View contacts: the dialog of a page with its groups, counts, copy buttons and cost."""

from __future__ import annotations

from typing import Any

import pytest
from console_world import ConsoleWorld
from playwright.async_api import expect

pytestmark = pytest.mark.browser


@pytest.mark.req("R077", "R078", "R079", "R080", "R081", "R082", "R251")
async def test_contacts_of_a_page_are_shown_and_copied(
    open_context: Any, watch: Any, console: str, world: ConsoleWorld
) -> None:
    async with open_context(permissions=["clipboard-read", "clipboard-write"]) as context:
        page = await context.new_page()
        await page.goto(f"{console}/pages?q=bakery-0.example/contact_root/0")
        button = page.get_by_role("link", name="View contacts").or_(
            page.get_by_role("button", name="View contacts")
        )
        await button.first.click()
        dialog = page.locator("dialog[open]")
        await expect(dialog).to_contain_text("bakery-0.example/contact_root/0")
        await expect(dialog).to_contain_text("E-mails (1)")
        await expect(dialog).to_contain_text("Phone numbers (1)")
        await expect(dialog.get_by_text("none found", exact=False).first).to_be_visible()
        await expect(dialog).to_contain_text("credit")
        await dialog.get_by_role("button", name="Copy info@bakery-0.example").click()
        assert await page.evaluate("navigator.clipboard.readText()") == "info@bakery-0.example"
        await dialog.get_by_role("checkbox", name="info@bakery-0.example").check()
        await dialog.get_by_role("checkbox", name="+3292234567").check()
        await dialog.get_by_role("button", name="Copy selected").click()
        copied = await page.evaluate("navigator.clipboard.readText()")
        assert copied.split() == ["info@bakery-0.example", "+3292234567"]
        # What the dialog shows is stored with the page, and the API gives it.
        stored = await (await page.request.get(f"{console}/api/v3/pages/{world.page_id}")).json()
        assert [entry["value"] for entry in stored["scraped_content"]["emails"]] == copied.split()[:1]
        assert {"extraction_timestamp", "credits"} <= set(stored["scraped_content"])
        await dialog.get_by_role("button", name="Close").first.click()
        await expect(dialog).to_have_count(0)
    assert not watch.errors
