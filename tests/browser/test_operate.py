"""Operating in a real browser: jobs, one job live, dead letters, credits, health, and a contact."""

from __future__ import annotations

import math
from typing import Any

import pytest
from console_world import ConsoleWorld
from playwright.async_api import Page, expect
from sqlalchemy import func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncEngine

from product import TENANT, until
from scrapersky import tables

pytestmark = pytest.mark.browser
# Width, height and the number of hues of the picture on the clipboard.
READ_PICTURE = """async () => {
  const [item] = await navigator.clipboard.read();
  const picture = await createImageBitmap(await item.getType("image/png"));
  const canvas = new OffscreenCanvas(picture.width, picture.height);
  const context = canvas.getContext("2d");
  context.drawImage(picture, 0, 0);
  const { data } = context.getImageData(0, 0, picture.width, picture.height);
  const colours = new Set();
  for (let place = 0; place < data.length; place += 4) {
    const [red, green, blue] = data.slice(place, place + 3);
    const isGrey = Math.max(red, green, blue) - Math.min(red, green, blue) < 20;
    if (!isGrey) colours.add(`${red >> 5} ${green >> 5} ${blue >> 5}`);
  }
  return [picture.width, picture.height, colours.size];
}"""


async def scalar(db: AsyncEngine, query: Any) -> Any:
    async with db.connect() as connection:
        return (await connection.execute(query)).scalar_one()


@pytest.mark.req("R034", "R063")
async def test_jobs_show_their_figures_and_one_job_is_followed_live(
    page: Page, console: str, db: AsyncEngine, world: ConsoleWorld
) -> None:
    await page.goto(f"{console}/jobs")
    for label in ("Created", "Completed", "Failed", "Stuck", "Average"):
        await expect(page.locator(".tiles")).to_contain_text(label, ignore_case=True)
    await page.goto(f"{console}/jobs/{world.job_id}")
    await expect(page.locator("#live")).to_have_attribute("data-state", "on")
    jobs = tables.jobs
    async with db.begin() as connection:
        lease = {"lease_seq": 1, "worker": 1, "lease_until": func.now() + func.make_interval(0, 0, 0, 0, 1)}
        values = {"status": "running", "progress_percent": 5, **lease}
        await connection.execute(update(jobs).where(jobs.c.id == world.job_id).values(values))
    await expect(page.locator("[data-job-percent]")).to_have_text("5 %")
    async with db.begin() as connection:
        progress = {"progress_percent": 62, "progress_message": "Checking /wp-sitemap.xml"}
        await connection.execute(update(jobs).where(jobs.c.id == world.job_id).values(progress))
    await expect(page.locator("[data-job-percent]")).to_have_text("62 %")
    await expect(page.locator("[data-job-message]")).to_have_text("Checking /wp-sitemap.xml")


@pytest.mark.req("R060", "R162", "R263")
async def test_a_dead_letter_is_investigated_requeued_and_another_discarded(
    page: Page, console: str, db: AsyncEngine, world: ConsoleWorld
) -> None:
    pages = tables.pages.c
    await page.goto(f"{console}/dead-letters?stage=read_page")
    await expect(page.locator("main")).to_contain_text("HTTP 500")
    await page.goto(f"{console}/dead-letters/read_page/{world.dead_letter_id}")
    await page.get_by_label("State").select_option("investigating")
    await page.get_by_label("Note").fill("The host is being moved")
    await page.get_by_role("button", name="Save").click()
    await expect(page.get_by_label("Note")).to_have_value("The host is being moved")
    await page.get_by_role("button", name="Requeue").click()
    status = select(pages.page_processing_status).where(pages.id == world.dead_letter_id)
    await until(lambda: _equals(db, status, "Queued"))

    failed = select(func.count()).where(pages.page_processing_status == "Error")
    before = await scalar(db, failed)
    other = await scalar(db, select(pages.id).where(pages.page_processing_status == "Error").limit(1))
    await page.goto(f"{console}/dead-letters/read_page/{other}")
    await page.get_by_role("button", name="Discard").click()
    await until(lambda: _equals(db, failed, before - 1))


async def _equals(db: AsyncEngine, query: Any, value: Any) -> bool:
    return bool(await scalar(db, query) == value)


@pytest.mark.req("R206", "R265")
async def test_the_system_page_shows_schedulers_and_credits(
    page: Page, console: str, db: AsyncEngine, world: ConsoleWorld
) -> None:
    async with db.begin() as connection:
        use = {"tenant_id": TENANT, "domain": world.domain, "job_id": world.job_id, "spent": 37}
        use["day"] = func.current_date()
        await connection.execute(insert(tables.credit_uses).values(use))
    await page.goto(f"{console}/system")
    await expect(page.locator("main")).to_contain_text("process_sitemap_imports")
    await expect(page.locator("main")).to_contain_text("37 spent")
    await expect(page.locator("main")).to_contain_text(world.domain)


@pytest.mark.req("R266")
async def test_a_contact_is_edited_tagged_and_deleted(
    page: Page, console: str, db: AsyncEngine, world: ConsoleWorld
) -> None:
    contacts = tables.contacts.c
    await page.goto(f"{console}/contacts/{world.contact_id}")
    await page.get_by_label("Name", exact=True).fill("Ada Lovelace")
    await page.get_by_role("button", name="Save contact").click()
    name = select(contacts.name).where(contacts.id == world.contact_id)
    await until(lambda: _equals(db, name, "Ada Lovelace"))
    await page.get_by_label("New tag").fill("vip")
    await page.get_by_role("button", name="Add tag").click()
    await expect(page.locator("main")).to_contain_text("vip")
    await page.get_by_role("link", name="Delete").click()
    await page.get_by_role("button", name="Delete").click()
    left = select(func.count()).where(contacts.id == world.contact_id)
    await until(lambda: _equals(db, left, 0))


@pytest.mark.req("R258")
async def test_all_pages_of_low_priority_are_read_by_one_click(
    page: Page, console: str, db: AsyncEngine, world: ConsoleWorld
) -> None:
    pages = tables.pages.c
    is_low = pages.priority_level == 3
    # Rejected and archived pages are not read, nor those of such domains.
    ours = select(tables.domains.c.id).where(tables.domains.c.sitemap_curation_status == "New")
    is_wanted = pages.domain_id.in_(ours), pages.page_curation_status == "Maybe"
    unread = select(func.count()).where(is_low, *is_wanted, pages.page_processing_status.is_(None))
    assert await scalar(db, unread) > 0
    await page.goto(f"{console}/pages")
    await expect(page.locator("#unread")).to_contain_text("not read automatically")
    await page.get_by_role("button", name="Read them all").click()
    await until(lambda: _equals(db, unread, 0))


async def test_a_chart_is_copied_as_a_picture(
    open_context: Any, watch: Any, console: str, world: ConsoleWorld
) -> None:
    """With its heading and its colours; the policy that forbids styles in a page is not in the way."""
    async with open_context(permissions=["clipboard-read", "clipboard-write"]) as context:
        page = await context.new_page()
        await page.goto(f"{console}/")
        flow = page.locator("#flow")
        await flow.get_by_role("button", name="Copy picture").click()
        await expect(page.locator("#toasts")).to_contain_text("Picture copied")
        width, height, colours = await page.evaluate(READ_PICTURE)
        box = await flow.bounding_box()
        assert box
        assert width == 2 * math.ceil(box["width"])
        assert box["height"] < height < 2 * box["height"]
        # The bars, the streams and the losses; plain text on a background has none of them.
        assert colours > 3
    assert not watch.errors, watch.errors
