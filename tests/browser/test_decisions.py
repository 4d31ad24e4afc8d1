"""Decisions in a list: by key, by mouse, about all that match, undone, and by two people at once."""

from __future__ import annotations

from typing import Any

import pytest
from console_world import ConsoleWorld, add_many_pages
from playwright.async_api import Page, expect
from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncEngine

from product import until
from scrapersky import tables

pytestmark = pytest.mark.browser
PAGE = tables.pages.c
AFTER_A_KEY = """(decided) => {
  const rows = [...document.querySelectorAll("#rows tbody tr")];
  return [rows.indexOf(document.activeElement), rows[decided].innerText];
}"""
# The larger number is proven by make reliability.
# Degrees on the colour wheel of oklch.
RED, GREEN = range(10, 40), range(135, 170)
MANY = [6_000, pytest.param(100_000, marks=pytest.mark.reliability)]


async def count(db: AsyncEngine, status: str) -> int:
    query = select(func.count()).where(PAGE.page_curation_status == status)
    async with db.connect() as connection:
        return int((await connection.execute(query)).scalar_one())


@pytest.mark.req("R152")
async def test_sixty_decisions_by_key_change_sixty_rows(page: Page, console: str, db: AsyncEngine) -> None:
    await add_many_pages(db, 200)
    await page.goto(f"{console}/pages?page_curation_status=New&limit=100")
    await page.locator("#rows tbody tr").first.focus()
    for number in range(60):
        await page.keyboard.press("s")
        # The next row has the focus and the decided one its mark before the next key: nothing is waited for.
        focused, text = await page.evaluate(AFTER_A_KEY, number)
        assert focused == number + 1
        assert "Selected" in text
    # All of them are sent, one after the other.
    await until(lambda: _is(db, "Selected", 60), seconds=120)
    async with db.connect() as connection:
        query = select(func.count()).where(PAGE.page_processing_status == "Queued")
        assert (await connection.execute(query)).scalar_one() == 60
    await page.keyboard.press("z")
    await until(lambda: _is(db, "Selected", 59))


async def _is(db: AsyncEngine, status: str, number: int) -> bool:
    return await count(db, status) == number


@pytest.mark.req("R016", "R071")
@pytest.mark.parametrize("number", MANY)
async def test_all_that_match_are_decided_with_progress_and_undone(
    number: int, page: Page, console: str, db: AsyncEngine
) -> None:
    shown = f"{number:,}".replace(",", "\u202f")
    await add_many_pages(db, number)
    await page.goto(f"{console}/pages?page_curation_status=New")
    await page.locator("#pick-all").check()
    await page.locator("[data-pick-matching]").click()
    await expect(page.locator("#bulk-text")).to_contain_text(shown)
    await page.locator("#bulk [data-decision=Rejected]").click()
    dialog = page.locator("dialog[open]")
    await expect(dialog).to_contain_text(shown)
    await dialog.get_by_role("button", name="Reject").click()
    if number > 10_000:
        await expect(page.locator("#operations progress").first).to_be_visible()
    await until(lambda: _is(db, "Rejected", number), seconds=120)
    await expect(page.locator("#operations progress")).to_have_count(0, timeout=60_000)
    await page.goto(f"{console}/activity")
    await page.get_by_role("button", name="Undo").first.click()
    await until(lambda: _is(db, "New", number), seconds=120)


@pytest.mark.req("R016", "R068", "R069", "R070", "R071", "R242")
async def test_sitemaps_are_updated_by_the_batch_area(
    page: Page, console: str, db: AsyncEngine, world: ConsoleWorld
) -> None:
    await page.goto(f"{console}/sitemaps?sitemap_curation_status=New")
    heads = [await each.inner_text() for each in await page.locator("#rows thead th").all()]
    assert {"URL", "Domain"} <= {head.strip() for head in heads}
    await page.locator("#rows tbody .pick input").first.check()
    offered = await page.locator("#batch-status option").all_inner_texts()
    assert {"New", "Selected", "Rejected"} <= set(offered)
    await page.locator("#batch-status").select_option("Selected")
    await page.get_by_role("button", name="Update Selected").click()
    await expect(page.locator("#toasts")).to_contain_text("Selected")
    files = tables.sitemap_files.c
    query = select(func.count()).where(
        files.sitemap_curation_status == "Selected", files.sitemap_import_status == "Queued"
    )
    async with db.connect() as connection:
        assert (await connection.execute(query)).scalar_one() == 1
    button = page.get_by_role("button", name="Update ALL Filtered")
    left = await page.locator("#total strong").inner_text()
    await expect(button).to_contain_text(f"({left} items)")
    await button.click()
    await expect(page.locator("#toasts")).to_contain_text(f"{left} sitemaps set to Selected")
    async with db.connect() as connection:
        assert (await connection.execute(query)).scalar_one() == 1 + int(left)


@pytest.mark.req("R139", "R083")
async def test_a_domain_is_selected_without_javascript(
    open_context: Any, console: str, db: AsyncEngine, world: ConsoleWorld
) -> None:
    async with open_context(java_script_enabled=False) as context:
        page = await context.new_page()
        await page.goto(f"{console}/domains?sitemap_curation_status=New")
        await page.locator("#rows tbody .pick input").first.check()
        await page.locator("#batch-status").select_option("Selected")
        await page.get_by_role("button", name="Update Selected").click()
        await expect(page.locator("body")).to_contain_text("Undo")
        domains = tables.domains.c
        query = select(func.count()).where(
            domains.sitemap_curation_status == "Selected", domains.sitemap_analysis_status == "queued"
        )
        async with db.connect() as connection:
            assert (await connection.execute(query)).scalar_one() == 1
        await page.get_by_role("button", name="Undo").first.click()
        async with db.connect() as connection:
            assert (await connection.execute(query)).scalar_one() == 0


async def test_two_people_see_each_others_changes_and_no_row_moves(
    open_context: Any, console: str, db: AsyncEngine
) -> None:
    await add_many_pages(db, 60)
    async with open_context() as first, open_context() as second:
        one, two = await first.new_page(), await second.new_page()
        for page in (one, two):
            await page.goto(f"{console}/pages?page_curation_status=New")
            await expect(page.locator("#live")).to_have_attribute("data-state", "on")
        row = two.locator("#rows tbody tr").nth(5)
        await row.hover()
        before = await row.bounding_box()
        await one.locator("#rows tbody tr").first.focus()
        await one.keyboard.press("r")
        await until(lambda: _is(db, "Rejected", 1))
        await expect(two.locator("[data-review=page]")).to_have_text("59")
        assert await row.bounding_box() == before


@pytest.mark.req("R072", "R073", "R074", "R075", "R076", "R243")
async def test_pages_come_by_priority_with_colour_and_word(
    page: Page, console: str, world: ConsoleWorld
) -> None:
    await page.goto(f"{console}/pages")
    levels = [await each.inner_text() for each in await page.locator("#rows tbody .priority").all()]
    assert levels == sorted(levels, key=lambda each: each[-2])
    assert "High" in levels[0]
    assert await _hue_of_first_priority(page) in RED
    await expect(page.locator("#rows tbody")).to_contain_text("CONTACT_ROOT")
    await page.locator("#facets").get_by_text("Low", exact=False).first.click()
    await expect(page.locator("#rows tbody .priority").first).to_contain_text("Low")
    assert await _hue_of_first_priority(page) in GREEN


async def _hue_of_first_priority(page: Page) -> int:
    """The last number of a colour such as `oklch(0.51 0.18 25)`."""
    bars = page.locator("#rows tbody .priority .bars").first
    colour: str = await bars.evaluate("(each) => getComputedStyle(each).color")
    return round(float(colour.rstrip(")").split()[-1]))


async def test_the_address_holds_the_view_and_back_returns_to_it(
    page: Page, console: str, world: ConsoleWorld
) -> None:
    await page.goto(f"{console}/pages")
    await page.locator("#q").fill("bakery-3")
    await expect(page.locator("#rows tbody tr").first).to_contain_text("bakery-3.example")
    assert "q=bakery-3" in page.url
    await page.locator("#rows tbody a").first.click()
    await page.go_back()
    await expect(page.locator("#q")).to_have_value("bakery-3")


async def test_one_key_in_triage_decides_about_all_pages_of_a_type_on_a_domain(
    page: Page, console: str, db: AsyncEngine
) -> None:
    await add_many_pages(db, 40)
    await page.goto(f"{console}/pages?view=triage&page_curation_status=New")
    await expect(page.locator("#cards article:not([hidden])")).to_be_focused()
    await page.keyboard.press("R")
    await until(lambda: _is(db, "Rejected", 40))
    await expect(page.locator("#triage-count")).to_have_text("0 left")
    await expect(page.locator("#triage-done")).to_be_visible()
    await page.keyboard.press("z")
    await until(lambda: _is(db, "New", 40))
    await expect(page.locator("#triage-count")).to_have_text("40 left")
    await page.get_by_role("button", name="Select all").first.click()
    await until(lambda: _is(db, "Selected", 40))
