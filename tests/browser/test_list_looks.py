"""How a list looks is the choice of the person: columns, density, and keys that can be switched off."""

from __future__ import annotations

import pytest
from console_world import ConsoleWorld
from playwright.async_api import Page, expect

pytestmark = pytest.mark.browser


async def test_columns_and_density_are_chosen_and_kept(page: Page, console: str, world: ConsoleWorld) -> None:
    await page.goto(f"{console}/contacts")
    head, row = page.locator("#rows thead"), page.locator("#rows tbody tr").first
    await expect(head).to_contain_text("Phone")
    comfortable = await row.bounding_box()
    await page.get_by_text("Columns", exact=True).first.click()
    await page.get_by_label("Phone", exact=True).uncheck()
    await page.get_by_label("Compact").check()
    await page.get_by_role("button", name="Show these columns").click()
    await expect(head).not_to_contain_text("Phone")
    await page.goto(f"{console}/contacts?sort=created_at")
    await expect(head).not_to_contain_text("Phone")
    compact = await row.bounding_box()
    assert comfortable
    assert compact
    assert compact["height"] < comfortable["height"]


async def test_single_letters_can_be_switched_off(page: Page, console: str, world: ConsoleWorld) -> None:
    await page.goto(f"{console}/settings/look")
    await page.get_by_label("Off").check()
    await page.goto(f"{console}/pages")
    await page.locator("#rows tbody tr").first.focus()
    before = await page.locator("#rows tbody").inner_text()
    for key in ("r", "x", "p", "T", "g", "c"):
        await page.keyboard.press(key)
    assert page.url == f"{console}/pages"
    assert await page.locator("#rows tbody").inner_text() == before
    await expect(page.locator("#live")).to_have_attribute("aria-pressed", "false")
    await expect(page.locator("html")).not_to_have_attribute("data-theme", "light")
