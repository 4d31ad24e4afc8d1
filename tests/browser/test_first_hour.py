"""From the first page of an empty installation to an exported CSV, on the demo world."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Page, expect

from demo_lab import find_domain, running_product, well

pytestmark = pytest.mark.browser

WORLD = well(3, 40)
SETTINGS = {"WORKER_PROCESSES": "1", "DECISION_GRACE_SECONDS": "0", "AUTO_EMAIL_VALIDATION": "false"}
# A small machine under load reads the pages of a site in this time.
PATIENCE = 120_000

FOCUSED = """(() => {
  const element = document.activeElement;
  return element.getAttribute("aria-label") || element.labels?.[0]?.innerText || element.innerText || "";
})()"""


def domain_and_emails() -> tuple[str, set[str]]:
    domain = find_domain(WORLD, sitemap="standard")
    return domain, WORLD.truth().domains[domain].values("email", "expected")


async def saved_emails(download: Any) -> set[str]:
    text = Path(await download.path()).read_text(encoding="utf-8-sig")
    return {row["email"] for row in csv.DictReader(io.StringIO(text))}


async def wait_for_contacts(page: Page, number: int) -> None:
    """What a person does who waits: load the list again."""
    await page.wait_for_url("**/contacts**")
    for _ in range(PATIENCE // 1_000):
        await page.reload()
        if await page.locator("#rows tbody tr").count() >= number:
            return
        await page.wait_for_timeout(1_000)
    raise AssertionError("no contacts")


async def tab_to(page: Page, name: str) -> None:
    """Press Tab until the element with this text or label has the focus."""
    for _ in range(150):
        await page.keyboard.press("Tab")
        focused = str(await page.evaluate(FOCUSED)).strip()
        if focused.casefold().startswith(name.casefold()):
            return
    raise AssertionError(f"Tab does not lead to {name!r}")


async def test_from_the_first_page_to_a_csv_by_mouse(
    open_context: Any, empty_database_url: str, tmp_path: Path
) -> None:
    domain, emails = domain_and_emails()
    listed = tmp_path / "sites.csv"
    listed.write_text(f"website\n{domain}\n", encoding="utf-8")
    async with (
        running_product(empty_database_url, WORLD, tmp_path, **SETTINGS) as address,
        open_context() as context,
    ):
        page = await context.new_page()
        await page.goto(address)
        await page.get_by_role("link", name="Upload a file").click()
        await page.get_by_label("CSV file").set_input_files(str(listed))
        await page.get_by_role("button", name="Preview").click()
        await page.get_by_role("button", name="Import").click()
        await expect(page.locator("main")).to_contain_text(domain)
        await page.get_by_role("navigation", name="Main").get_by_role("link", name="Contacts").click()
        await wait_for_contacts(page, len(emails))
        await page.get_by_text("Export", exact=True).first.click()
        async with page.expect_download() as download:
            await page.get_by_role("link", name="CSV").first.click()
        assert await saved_emails(await download.value) >= emails


async def test_from_the_first_page_to_a_csv_by_keyboard(
    open_context: Any, empty_database_url: str, tmp_path: Path
) -> None:
    domain, emails = domain_and_emails()
    async with (
        running_product(empty_database_url, WORLD, tmp_path, **SETTINGS) as address,
        open_context() as context,
    ):
        page = await context.new_page()
        await page.goto(address)
        await tab_to(page, "Add domains")
        await page.keyboard.press("Enter")
        await page.wait_for_url("**/add")
        await tab_to(page, "Domains one per line")
        await page.keyboard.type(domain)
        await tab_to(page, "Add domains")
        await page.keyboard.press("Enter")
        await expect(page.locator("main")).to_contain_text(domain)
        await tab_to(page, "Contacts")
        await page.keyboard.press("Enter")
        await wait_for_contacts(page, len(emails))
        await tab_to(page, "Export")
        await page.keyboard.press("Enter")
        await tab_to(page, "CSV")
        async with page.expect_download() as download:
            await page.keyboard.press("Enter")
        assert await saved_emails(await download.value) >= emails
