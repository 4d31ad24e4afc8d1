"""Politeness: one request at a time, a gap, pauses, rest, and robots.txt first (B13, ROB-01 to ROB-11)."""

from __future__ import annotations

import asyncio
import itertools
from datetime import UTC, datetime, timedelta
from unittest.mock import Mock

import pytest
from hostile import HostileServer
from rig import AGENT, NO_WAIT, open_fetcher

from scrapersky.engine.outcome import Discard, RetryAfter, Snooze
from scrapersky.extract.robots import read_robots
from scrapersky.fetch.client import Fetcher
from scrapersky.fetch.egress.url_policy import URLPolicy
from scrapersky.fetch.errors import (
    EmptyReply,
    Gone,
    HostAbandoned,
    HostBusy,
    HostPaused,
    RateLimited,
    RobotsDisallowed,
    RobotsUnreachable,
    Timeout,
)
from scrapersky.fetch.page import Page
from scrapersky.fetch.politeness.robots_cache import MemoryRobotsStore, RobotsCache, RobotsCopy
from scrapersky.fetch.politeness.slots import LocalHostSlots, RateLimit

HOST = "http://shop.example"


class Clock:
    """A clock that moves when told."""

    def __init__(self) -> None:
        self.seconds = 1000.0

    def __call__(self) -> float:
        return self.seconds

    def moment(self) -> datetime:
        return datetime(2026, 11, 15, tzinfo=UTC) + timedelta(seconds=self.seconds)


async def take(slots: LocalHostSlots, failure: Exception | None = None) -> None:
    async with slots.slot("shop.example"):
        if failure is not None:
            raise failure


async def test_requests_to_one_host_never_overlap_and_keep_their_gap(server: HostileServer) -> None:
    async with open_fetcher(server.port, rate_limit=RateLimit(delay=0.1)) as fetcher:
        urls = [f"http://{name}invented-shop.com/ok?{n}" for n in range(4) for name in ("", "www.")]
        await asyncio.gather(*(fetcher.get(url) for url in urls))

    visits = sorted((started, ended) for _, _, started, ended in server.log)
    gaps = [later[0] - earlier[1] for earlier, later in itertools.pairwise(visits)]
    assert len(visits) == 10  # Eight pages and a robots.txt for each of the two host names.
    assert min(gaps) >= 0.095


async def test_different_hosts_do_not_wait_for_each_other(server: HostileServer) -> None:
    started = asyncio.get_running_loop().time()
    async with open_fetcher(server.port, rate_limit=RateLimit(delay=5), obey_robots=False) as fetcher:
        await asyncio.gather(*(fetcher.get(f"http://shop{n}.example/ok") for n in range(20)))
    assert asyncio.get_running_loop().time() - started < 3


async def test_a_crawl_delay_widens_the_gap_up_to_a_limit() -> None:
    clock = Clock()
    slots = LocalHostSlots(RateLimit(delay=1), clock=clock)
    assert slots._delay(None) == 1
    assert slots._delay(7) == 7
    assert slots._delay(99_999) == 30
    assert slots._delay(-5) == 1


async def test_the_crawl_delay_of_robots_txt_is_kept(server: HostileServer) -> None:
    server.robots = b"User-agent: *\nCrawl-delay: 0.3\n"
    async with open_fetcher(server.port, rate_limit=NO_WAIT) as fetcher:
        for _ in range(3):
            page = await fetcher.get(f"{HOST}/ok")
    pages = [(started, ended) for _, path, started, ended in server.log if path == "/ok"]
    assert page.robots is not None
    assert page.robots.crawl_delay == pytest.approx(0.3)
    assert min(b[0] - a[1] for a, b in itertools.pairwise(pages)) >= 0.29


async def test_a_throttling_host_is_paused_without_holding_a_slot() -> None:
    clock = Clock()
    slots = LocalHostSlots(clock=clock)
    with pytest.raises(RateLimited):
        await take(slots, RateLimited(wait=timedelta(minutes=10)))

    with pytest.raises(HostPaused) as caught:
        await take(slots)

    assert isinstance(caught.value, Snooze)
    assert caught.value.wait == timedelta(minutes=10)
    clock.seconds += 601
    await take(slots)


async def test_too_many_waiting_requests_are_snoozed() -> None:
    slots = LocalHostSlots(RateLimit(delay=10, max_wait=35))
    waiting = [asyncio.create_task(take(slots)) for _ in range(6)]
    await asyncio.sleep(0.01)
    turned_back = [task for task in waiting if task.done() and isinstance(task.exception(), HostBusy)]
    for task in waiting:
        task.cancel()
    await asyncio.gather(*waiting, return_exceptions=True)
    assert len(turned_back) == 2


async def test_retry_after_is_honoured_by_the_fetcher(fetcher: Fetcher) -> None:
    with pytest.raises(RateLimited) as caught:
        await fetcher.get(f"{HOST}/HTTP-10?0")
    assert isinstance(caught.value, RetryAfter)
    assert caught.value.wait == timedelta(seconds=120)
    with pytest.raises(HostPaused):
        await fetcher.get(f"{HOST}/ok")


@pytest.mark.parametrize(("number", "seconds"), [(1, 60), (2, 60), (3, 86_400), (4, 60), (5, 60), (6, 60)])
async def test_a_nonsensical_pause_becomes_the_default(fetcher: Fetcher, number: int, seconds: int) -> None:
    with pytest.raises(RateLimited) as caught:
        await fetcher.get(f"{HOST}/HTTP-10?{number}")
    assert caught.value.wait == timedelta(seconds=seconds)


async def test_a_host_is_paused_after_five_errors_and_abandoned_after_three_pauses() -> None:
    clock = Clock()
    slots = LocalHostSlots(RateLimit(delay=0), clock=clock)

    for _ in range(3):
        for _ in range(5):
            with pytest.raises(Timeout):
                await take(slots, Timeout())
        with pytest.raises(HostPaused):
            await take(slots)
        clock.seconds += 301
    for _ in range(5):
        with pytest.raises(EmptyReply):
            await take(slots, EmptyReply())

    with pytest.raises(HostAbandoned) as caught:
        await take(slots)
    assert isinstance(caught.value, Discard)
    clock.seconds += 86_401
    await take(slots)


async def test_a_success_between_errors_resets_the_count() -> None:
    slots = LocalHostSlots(RateLimit(delay=0), clock=Clock())
    for _ in range(3):
        for _ in range(4):
            with pytest.raises(Timeout):
                await take(slots, Timeout())
        await take(slots)
    with pytest.raises(Gone):
        await take(slots, Gone(410))
    await take(slots)


async def test_a_cancelled_wait_releases_the_slot() -> None:
    slots = LocalHostSlots(RateLimit(delay=30))
    await take(slots)
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.01):
            await take(slots)
    assert slots._hosts["shop.example"].waiting == 0
    assert not slots._hosts["shop.example"].lock.locked()


async def test_a_disallowed_page_is_not_requested(server: HostileServer, fetcher: Fetcher) -> None:
    server.robots = b"User-agent: scrapersky\nDisallow: /private\n"
    with pytest.raises(RobotsDisallowed) as caught:
        await fetcher.get(f"{HOST}/private/page")
    assert isinstance(caught.value, Discard)
    assert (await fetcher.get(f"{HOST}/ok")).body == b"<p>hello</p>"
    assert "/private/page" not in server.hits
    assert server.hits["/robots.txt"] == 1


async def test_a_redirect_into_a_disallowed_page_is_not_followed(
    server: HostileServer, fetcher: Fetcher
) -> None:
    server.robots = b"User-agent: *\nDisallow: /ok\n"
    with pytest.raises(RobotsDisallowed):
        await fetcher.get(f"{HOST}/to?http://other.example/ok")
    assert "/ok" not in server.hits


def cache_of(answer: Page | Exception, clock: Clock, *, hours: int = 24) -> tuple[RobotsCache, list[str]]:
    asked: list[str] = []

    async def fetch(url: str, held_host: str | None) -> Page:
        asked.append(url)
        if isinstance(answer, Exception):
            raise answer
        return answer

    lifetime = timedelta(hours=hours)
    cache = RobotsCache(MemoryRobotsStore(), fetch=fetch, agent=AGENT, clock=clock.moment, lifetime=lifetime)
    return cache, asked


def page_of(status: int, body: bytes = b"") -> Page:
    return Page(f"{HOST}/robots.txt", status, {}, body)


URL = URLPolicy().check(f"{HOST}/page")


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410, 451])
async def test_a_refused_robots_txt_allows_everything(status: int) -> None:
    cache, _ = cache_of(page_of(status, b"User-agent: *\nDisallow: /"), Clock())
    assert (await cache.decision(URL)).allowed


@pytest.mark.parametrize(
    "path", ["/status?500", "/status?503", "/HTTP-02/half", "/HTTP-02/close", "/HTTP-16/nul"]
)
async def test_an_unreadable_robots_txt_closes_the_host_for_five_minutes(
    server: HostileServer, path: str
) -> None:
    server.robots_as = path
    async with open_fetcher(server.port) as fetcher:
        for _ in range(2):
            with pytest.raises(RobotsUnreachable) as caught:
                await fetcher.get(f"{HOST}/ok")
    assert timedelta(minutes=4, seconds=50) < caught.value.wait <= timedelta(minutes=5)
    assert "/ok" not in server.hits
    assert server.hits["/robots.txt"] in (
        1,
        2,
    )  # A connection that was closed at once is tried a second time.


@pytest.mark.parametrize("hours", [24, 3])
async def test_a_copy_is_fetched_again_after_its_lifetime_and_reports_its_age(hours: int) -> None:
    clock = Clock()
    cache, asked = cache_of(page_of(200, b"User-agent: *\nDisallow: /x"), clock, hours=hours)

    assert (await cache.decision(URL)).age_seconds == 0
    clock.seconds += hours * 3_600 - 1
    assert (await cache.decision(URL)).age_seconds == hours * 3_600 - 1
    clock.seconds += 2
    assert (await cache.decision(URL)).age_seconds == 0
    assert asked == [f"{HOST}/robots.txt"] * 2


async def test_many_pages_at_once_read_robots_txt_once() -> None:
    cache, asked = cache_of(page_of(200), Clock())
    await asyncio.gather(*(cache.decision(URL) for _ in range(50)))
    assert len(asked) == 1


@pytest.mark.parametrize(("status", "rules"), [(200, 1), (404, 0)])
async def test_a_fresh_copy_is_looked_up_and_its_rules_are_read_once(
    status: int, rules: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache, asked = cache_of(page_of(status, b"User-agent: *\nDisallow: /x"), Clock())
    looked, read = Mock(wraps=cache._store.get), Mock(wraps=read_robots)
    monkeypatch.setattr(cache._store, "get", looked)
    monkeypatch.setattr("scrapersky.fetch.politeness.robots_cache.read_robots", read)

    await asyncio.gather(*(cache.decision(URL) for _ in range(20)))
    await asyncio.gather(*(cache.decision(URL) for _ in range(20)))

    assert (len(asked), looked.call_count, read.call_count) == (1, 1, rules)


async def test_an_unreachable_host_is_tried_again_after_its_pause() -> None:
    clock = Clock()
    cache, asked = cache_of(Timeout(), clock)
    for _ in range(3):
        with pytest.raises(RobotsUnreachable):
            await cache.decision(URL)
        with pytest.raises(RobotsUnreachable):
            await cache.decision(URL)
        clock.seconds += 301
    assert len(asked) == 3


def test_a_copy_from_the_future_is_not_fresh() -> None:
    now = Clock().moment()
    assert RobotsCopy("none", now).is_fresh(now)
    assert not RobotsCopy("none", now + timedelta(hours=1)).is_fresh(now)
