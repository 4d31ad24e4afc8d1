"""A page that was just fetched is handed over once, while it is fresh, within a bounded memory."""

from __future__ import annotations

from fakes import FakeWeb, context
from scrapersky.fetch.page import Page
from scrapersky.stage_context.home_page_cache import TTL_SECONDS, HomePageCache

HOME = "https://lune.co.uk/"


def page(url: str, size: int = 10) -> Page:
    return Page(url, 200, {}, b"x" * size)


def test_a_page_is_handed_over_once_and_only_while_it_is_fresh() -> None:
    now = [0.0]
    cache = HomePageCache(clock=lambda: now[0])
    cache.put(page(HOME))
    assert cache.take("https://lune.co.uk/other") is None
    assert cache.take(HOME)
    assert cache.take(HOME) is None

    cache.put(page(HOME))
    now[0] += TTL_SECONDS + 1
    assert cache.take(HOME) is None


def test_the_oldest_make_room_and_a_page_put_twice_counts_once() -> None:
    cache = HomePageCache(max_bytes=100)
    for _ in range(3):
        cache.put(page(HOME, 60))
    cache.put(page("https://a.com/", 40))
    assert cache.take(HOME), "it was counted once, so there was room for both"

    cache.put(page("https://b.com/", 50))
    cache.put(page("https://c.com/", 50))
    assert cache.take("https://a.com/") is None
    assert cache.take("https://b.com/")
    cache.put(page("https://large.com/", 1_000))
    assert cache.take("https://large.com/") is None


async def test_a_home_page_is_requested_once_by_two_stages() -> None:
    web = FakeWeb({HOME: "<p>Bread</p>"})
    kit = context(web)

    await kit.fetch.home_page("lune.co.uk")
    first = await kit.fetch(HOME)
    again = await kit.fetch(HOME)

    assert first.body == again.body
    assert web.asked == [HOME, HOME], "the third call is of somebody who wants it anew"
