"""A page that was just fetched is handed over once, while it is fresh, within a bounded memory."""

from __future__ import annotations

from fakes import FakeWeb, tools
from scrapersky.fetch.page import Page
from scrapersky.stage_context.home_page_cache import LONGEST_SECONDS, HomePageCache

HOME = "https://lune.co.uk/"


def page(url: str, size: int = 10) -> Page:
    return Page(url, 200, {}, b"x" * size)


def test_a_page_is_handed_over_once_and_only_while_it_is_fresh() -> None:
    now = [0.0]
    recent = HomePageCache(clock=lambda: now[0])
    recent.keep(page(HOME))
    assert recent.take("https://lune.co.uk/other") is None
    assert recent.take(HOME)
    assert recent.take(HOME) is None

    recent.keep(page(HOME))
    now[0] += LONGEST_SECONDS + 1
    assert recent.take(HOME) is None


def test_the_oldest_make_room_and_a_page_kept_twice_counts_once() -> None:
    recent = HomePageCache(most_bytes=100)
    for _ in range(3):
        recent.keep(page(HOME, 60))
    recent.keep(page("https://a.com/", 40))
    assert recent.take(HOME), "it was counted once, so there was room for both"

    recent.keep(page("https://b.com/", 50))
    recent.keep(page("https://c.com/", 50))
    assert recent.take("https://a.com/") is None
    assert recent.take("https://b.com/")
    recent.keep(page("https://large.com/", 1_000))
    assert recent.take("https://large.com/") is None


async def test_a_home_page_is_asked_for_once_by_two_stages() -> None:
    web = FakeWeb({HOME: "<p>Bread</p>"})
    kit = tools(web)

    await kit.web.home("lune.co.uk", ("https",))
    first = await kit.web.get(HOME)
    again = await kit.web.get(HOME)

    assert first.body == again.body
    assert web.asked == [HOME, HOME], "the third call is of somebody who wants it anew"
