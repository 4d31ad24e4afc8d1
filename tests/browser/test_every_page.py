"""Every page in both themes and on a phone: accessible, silent, without overflow; and a picture of each."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Literal

import axe_playwright_python
import pytest
from console_world import ConsoleWorld, add_search_of_two_sources, add_work_of_people, fill
from playwright.async_api import Page
from sqlalchemy.ext.asyncio import AsyncEngine

from scrapersky_demo.contracts.google_city import BOX, clustered_city
from scrapersky_demo.contracts.google_places import GooglePlacesServer, serve_google_places

pytestmark = pytest.mark.browser

PICTURES = os.environ.get("SCREENSHOTS")
LISTS = ("searches", "places", "businesses", "domains", "sitemaps", "pages", "contacts", "deliveries")
OTHERS = (
    *(
        "",
        "jobs",
        "stages",
        "dead-letters",
        "activity",
        "views",
        "schedules",
        "system",
        "settings",
        "settings/score",
        "matches",
        "report",
        "styleguide",
    ),
    "settings/destinations",
    "settings/integrations",
    "settings/privacy",
    "settings/sources",
    "add/search",
    "contacts/send",
    *("add", "add/file", "docs", "docs/problems", "pages?view=triage", "pages?q=nothing-is-called-this"),
)
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text(encoding="utf-8")
# Only what is wrong leaves the page: the list of all that is right is long.
# Further rows of a table and further routes of the API are drawn as the first ones are.
ALIKE = "tbody tr:nth-child(n+13), .operation:nth-of-type(n+4)"
REMOVE = "(alike) => document.querySelectorAll(alike).forEach((each) => each.remove())"
RUN_AXE = """async (rules) => {
  const { violations } = await axe.run(document, { runOnly: rules, resultTypes: ["violations"] });
  const brief = ({ id, nodes }) => nodes.slice(0, 3).map(({ html }) => `${id}: ${html.slice(0, 160)}`);
  return violations.flatMap(brief);
}"""
ALL_RULES = {"type": "tag", "values": TAGS}
# In another theme only the colours differ.
CONTRAST = {"type": "rule", "values": ["color-contrast"]}
WIDE, WIDTHS = {"width": 1440, "height": 900}, (1440, 768, 320)


async def findings(page: Page, theme: Literal["light", "dark"]) -> list[str]:
    """What axe finds in this theme, one line each. Without motion the colours are there at once."""
    await page.emulate_media(color_scheme=theme, reduced_motion="reduce")
    found: list[str] = await page.evaluate(RUN_AXE, ALL_RULES if theme == "light" else CONTRAST)
    return [f"{theme}: {line}" for line in found]


async def overflows(page: Page) -> AsyncIterator[str]:
    """The widths at which the document is wider than the window."""
    for width in WIDTHS:
        await page.set_viewport_size({"width": width, "height": 800})
        if (pixels := await overflow(page)) > 0:
            yield f"{width} px: {pixels} px too wide"


async def overflow(page: Page) -> int:
    """By how many pixels the document is wider than the window."""
    return int(await page.evaluate("document.documentElement.scrollWidth - window.innerWidth"))


async def keep_picture(page: Page, name: str) -> None:
    if PICTURES:
        folder = Path(PICTURES)
        folder.mkdir(parents=True, exist_ok=True)
        await page.screenshot(path=str(folder / f"{name}.png"), full_page=True)


async def look(page: Page, name: str) -> list[str]:
    """What is wrong with the page in both themes and on small windows; with a picture of each."""
    await page.evaluate(REMOVE, ALIKE)
    found = await findings(page, "light")
    await keep_picture(page, f"{name}-light")
    found += await findings(page, "dark")
    await keep_picture(page, f"{name}-dark")
    found += [line async for line in overflows(page)]
    await keep_picture(page, f"{name}-phone")
    return found


def paths(world: ConsoleWorld) -> list[str]:
    single = (
        *(f"domains/{world.domain}", f"contacts/{world.contact_id}", f"pages/{world.page_id}/contacts"),
        *(f"jobs/{world.job_id}", f"dead-letters/read_page/{world.dead_letter_id}", "stages/read_page"),
        *(f"sitemaps/{world.sitemap_id}", f"searches/{world.search_id}"),
        f"settings/destinations/{world.destination_id}",
    )
    return [*OTHERS, *LISTS, *single]


@pytest.fixture
async def world(db: AsyncEngine) -> ConsoleWorld:
    """Every state once: more rows of a kind are no other page."""
    world = await fill(db, businesses=7, pages=8)
    await add_work_of_people(db, world)
    return world


async def test_every_page_is_accessible_silent_and_fits_the_window(
    page: Page, watch: Any, console: str, world: ConsoleWorld
) -> None:
    """One visit: all rules of axe in light, contrast in dark, then a tablet and a phone."""
    # No maintenance runs here, and the page about the system says so.
    watch.expected.add(503)
    await page.add_init_script(AXE)
    wrong: dict[str, list[str]] = {}
    for path in paths(world):
        await page.set_viewport_size(WIDE)
        response = await page.goto(f"{console}/{path}")
        assert response is not None
        assert response.status == 200 or (path, response.status) == ("system", 503), path
        found = await look(page, _name(path, world))
        if found:
            wrong[path] = found
    assert not wrong, wrong


async def test_the_coverage_of_a_search_is_accessible_and_fits_the_window(
    page: Page, console: str, db: AsyncEngine
) -> None:
    search_id = await add_search_of_two_sources(db)
    await page.add_init_script(AXE)
    await page.goto(f"{console}/searches/{search_id}")
    await page.get_by_role("region", name="Coverage by cell").wait_for()
    wrong = await look(page, "searches-coverage")
    assert not wrong, wrong


async def test_the_price_of_a_search_is_accessible_and_fits_the_window(
    page: Page, serve_console: Any
) -> None:
    """Beyond the cap, so that its warning is there too."""
    await page.add_init_script(AXE)
    async with serve_google_places(GooglePlacesServer(clustered_city(45))) as google:
        settings = {
            "google_maps_api_key": "test-key",
            "google_places_url": "http://google.example/",
            "google_places_search_cap": 2,
            "egress_allow": f"127.0.0.1:{google.port}",
            "connect_to": f"::127.0.0.1:{google.port}",
        }
        async with serve_console(**settings) as address:
            box = ",".join(str(BOX[side]) for side in ("south", "west", "north", "east"))
            await page.goto(f"{address}/add/search?what=bakery&source=google_places&box={box}")
            await page.get_by_role("button", name="Search", exact=True).click()
            await page.get_by_role("heading", name="Price of the search").wait_for()
            await page.get_by_text("more calls than the cap leaves").wait_for()
            wrong = await look(page, "add-search-price")
    assert not wrong, wrong


async def test_pages_can_be_read_without_javascript(
    open_context: Any, console: str, world: ConsoleWorld
) -> None:
    async with open_context(java_script_enabled=False) as context:
        page = await context.new_page()
        for path in (*LISTS, *paths(world)[-9:], "", "jobs", "add", "settings"):
            response = await page.goto(f"{console}/{path}")
            assert response is not None
            assert response.status == 200, path
            assert await page.locator("h1").first.inner_text()


def _name(path: str, world: ConsoleWorld) -> str:
    plain = path.replace(str(world.contact_id), "one").replace(str(world.page_id), "one")
    plain = (
        plain.replace(str(world.sitemap_id), "one")
        .replace(str(world.search_id), "one")
        .replace(str(world.dead_letter_id), "one")
        .replace(str(world.destination_id), "one")
        .replace(world.domain, "one")
    )
    return "".join(sign if sign.isalnum() else "-" for sign in plain) or "overview"
