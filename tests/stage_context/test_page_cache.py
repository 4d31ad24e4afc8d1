"""A page that was just fetched is handed over once, while it is fresh, within a bounded memory."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from fakes import FakeWeb, context
from scrapersky.extract.report import report_page
from scrapersky.fetch.page import Page
from scrapersky.stage_context import StageContext
from scrapersky.stage_context.page_cache import TTL_SECONDS, HomePageReports, PageCache

HOME = "https://lune.co.uk/"


def page(url: str, size: int = 10) -> Page:
    return Page(url, 200, {}, b"x" * size)


def test_a_page_is_handed_over_once_and_only_while_it_is_fresh() -> None:
    now = [0.0]
    cache = PageCache(clock=lambda: now[0])
    cache.put(HOME, page(HOME))
    assert cache.take("https://lune.co.uk/other") is None
    assert cache.take(HOME)
    assert cache.take(HOME) is None

    cache.put(HOME, page(HOME))
    now[0] += TTL_SECONDS + 1
    assert cache.take(HOME) is None


def test_the_oldest_make_room_and_a_page_put_twice_counts_once() -> None:
    cache = PageCache(max_bytes=100)
    for _ in range(3):
        cache.put(HOME, page(HOME, 60))
    cache.put("https://a.com/", page("https://a.com/", 40))
    assert cache.take(HOME), "it was counted once, so there was room for both"

    cache.put("https://b.com/", page("https://b.com/", 50))
    cache.put("https://c.com/", page("https://c.com/", 50))
    assert cache.take("https://a.com/") is None
    assert cache.take("https://b.com/")
    cache.put("https://large.com/", page("https://large.com/", 1_000))
    assert cache.take("https://large.com/") is None


async def test_a_home_page_is_requested_once_by_two_stages() -> None:
    web = FakeWeb({HOME: "<p>Bread</p>"})
    kit = context(web)

    await kit.fetch.home_page("lune.co.uk")
    first = await kit.fetch(HOME)
    again = await kit.fetch(HOME)

    assert first.body == again.body
    assert web.asked == [HOME, HOME], "the third call is of somebody who wants it anew"


SITEMAP = "https://lune.co.uk/sitemap.xml"


async def read(kit: StageContext, *, keep: bool = False, pieces: int = 1_000) -> tuple[bytes, Any]:
    """What of a sitemap a stage reads that stops after so many pieces."""
    parts: list[bytes] = []
    async with kit.fetch.stream(SITEMAP, keep=keep) as stream:
        async for piece in stream:
            parts.append(piece)
            if len(parts) == pieces:
                break
    return b"".join(parts), stream


async def test_a_sitemap_that_was_read_to_its_end_is_requested_once_by_two_stages() -> None:
    web = FakeWeb({SITEMAP: Page("", 200, {}, b"x" * 5_000, truncated=True, damage="cut")})
    kit = context(web)

    probed, _ = await read(kit, keep=True)
    imported, stream = await read(kit)
    assert imported == probed == b"x" * 5_000
    assert (stream.page.status, stream.truncated, stream.damage) == (200, True, "cut")
    assert web.asked == [SITEMAP]

    await read(kit)
    assert web.asked == [SITEMAP, SITEMAP], "the third call is of somebody who wants it anew"


async def test_a_sitemap_of_which_only_the_beginning_was_read_is_requested_again() -> None:
    web = FakeWeb({SITEMAP: b"x" * 5_000})
    kit = context(web)

    await read(kit, keep=True, pieces=2)
    assert (await read(kit))[0] == b"x" * 5_000
    assert web.asked == [SITEMAP, SITEMAP]


async def test_a_new_probe_asks_the_site_again() -> None:
    web = FakeWeb({SITEMAP: b"<urlset/>"})
    kit = context(web)

    await read(kit, keep=True)
    await read(kit, keep=True)
    assert web.asked == [SITEMAP, SITEMAP]


def test_the_report_of_a_home_page_is_handed_over_once_and_for_the_same_body() -> None:
    now, site, report = [0.0], uuid4(), report_page(b"<p>Bread</p>", HOME, "lune.co.uk", "text/html", None)
    reports = HomePageReports(clock=lambda: now[0])
    reports.put(site, HOME, b"1", report)
    assert reports.take(uuid4(), HOME, b"1") is None, "of another tenant"
    assert reports.take(site, HOME, b"2") is None, "the page has changed"
    assert reports.take(site, HOME, b"1") == report
    assert reports.take(site, HOME, b"1") is None

    reports.put(site, HOME, b"1", report)
    now[0] += TTL_SECONDS + 1
    assert reports.take(site, HOME, b"1") is None
