"""Paid and rendered tiers: off by default, counted, capped, behind the same SSRF check (R081, R089, B5)."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qs, urlsplit

import pytest
from hostile import ANSWERS, HostileServer, Visit
from rig import AGENT, QUICK, open_fetcher

from scrapersky.errors import StartupError
from scrapersky.fetch.browser import NAMES, BrowserOptions, BrowserTier, flags
from scrapersky.fetch.client import Fetcher
from scrapersky.fetch.egress.proxy import EgressProxy
from scrapersky.fetch.egress.test_overrides import parse_connect_to, parse_egress_allow
from scrapersky.fetch.errors import CreditsExhausted, PermanentHTTPError, RobotsDisallowed
from scrapersky.fetch.limits import FetchOptions, Limits
from scrapersky.fetch.page import Page, Permission
from scrapersky.fetch.paid.credits import (
    CreditAlert,
    CreditAlertLevels,
    CreditCaps,
    MemoryCreditLedger,
    TooExpensive,
)
from scrapersky.fetch.paid.scraper_api import APIKeyRejected, PaidTierFailed, ScraperAPI, ScraperAPIOptions
from scrapersky.fetch.tiers import TieredFetcher, is_nearly_empty

KEY = "very-secret-key"
SITE = "http://shop.example/forbidden"
SHELL = b"<head><title>Shop</title></head><body><div id=root></div><script src=/app.js></script></body>"


async def service(visit: Visit) -> None:
    asked = parse_qs(urlsplit(visit.path).query)
    status = "401 Unauthorized" if asked["api_key"] != [KEY] else "200 OK"
    if "/busy" in asked["url"][0]:
        status = "500 Failed"
    await visit.page(
        b"<p>by service</p>", status=status, headers="sa-credit-cost: 7\r\nContent-Type: text/html\r\n"
    )


async def forbidden(visit: Visit) -> None:
    await visit.page(b"no", status="403 Forbidden")


@pytest.fixture(autouse=True)
def _service_paths(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ANSWERS, "/service/", service)
    monkeypatch.setitem(ANSWERS, "/forbidden", forbidden)


def tier_of(
    fetcher: Fetcher, ledger: MemoryCreditLedger, alerts: list[CreditAlert], **options: object
) -> ScraperAPI:
    made = ScraperAPIOptions(**{"key": KEY, "address": "http://service.example/service/", **options})  # type: ignore[arg-type]

    async def note(alert: CreditAlert) -> None:
        alerts.append(alert)

    return ScraperAPI(fetcher, made, ledger, on_alert=note)


async def test_a_refused_page_comes_by_the_paid_tier_with_its_cost(
    fetcher: Fetcher, server: HostileServer
) -> None:
    alerts: list[CreditAlert] = []
    tiers = TieredFetcher(fetcher, paid=tier_of(fetcher, MemoryCreditLedger(), alerts))

    page = await tiers.get(SITE)

    assert (page.body, page.from_tier, page.credits, page.url) == (
        b"<p>by service</p>",
        "scraper_api",
        7,
        SITE,
    )
    assert alerts == []
    asked = next(path for path in server.hits if path.startswith("/service/"))
    assert set(parse_qs(urlsplit(asked).query)) == {"api_key", "url"}


async def test_without_a_paid_tier_the_refusal_stands(fetcher: Fetcher) -> None:
    with pytest.raises(PermanentHTTPError):
        await TieredFetcher(fetcher).get(SITE)


async def test_the_paid_tier_obeys_robots_txt(fetcher: Fetcher, server: HostileServer) -> None:
    server.robots = b"User-agent: *\nDisallow: /forbidden\n"
    with pytest.raises(RobotsDisallowed):
        await tier_of(fetcher, MemoryCreditLedger(), []).get(SITE)
    assert not any(path.startswith("/service/") for path in server.hits)


async def test_a_wrong_key_is_reported_without_being_shown(fetcher: Fetcher) -> None:
    tier = tier_of(fetcher, MemoryCreditLedger(), [], key="wrong-secret")
    with pytest.raises(APIKeyRejected) as caught:
        await tier.get(SITE)
    assert "wrong-secret" not in repr(caught.value) + repr(tier._options)


async def test_a_failed_request_is_tried_once_more_and_costs_nothing(
    fetcher: Fetcher, server: HostileServer
) -> None:
    ledger = MemoryCreditLedger()
    with pytest.raises(PaidTierFailed, match="ScraperAPI returned HTTP 500"):
        await tier_of(fetcher, ledger, []).get("http://shop.example/busy")
    assert sum(count for path, count in server.hits.items() if path.startswith("/service/")) == 2
    assert (await ledger.book("shop.example", 0, caps=CreditCaps())).day == 0


async def test_a_service_that_hangs_is_left_after_the_timeout(
    fetcher: Fetcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def hang(visit: Visit) -> None:
        await asyncio.sleep(30)

    monkeypatch.setitem(ANSWERS, "/service/", hang)
    began = asyncio.get_running_loop().time()
    with pytest.raises(PaidTierFailed, match="took too long"):
        await tier_of(fetcher, MemoryCreditLedger(), [], timeout_seconds=1, max_retries=0).get(SITE)
    assert asyncio.get_running_loop().time() - began < 10


async def test_the_browser_opens_no_more_pages_at_once_than_allowed(fetcher: Fetcher) -> None:
    most = open_now = 0

    class Counting(BrowserTier):
        async def _render(self, url: str, permission: Permission | None, limits: Limits) -> Page:
            nonlocal most, open_now
            open_now += 1
            most = max(most, open_now)
            await asyncio.sleep(0.05)
            open_now -= 1
            return Page(url, 200, {}, b"")

    tier = Counting(fetcher, BrowserOptions(concurrency=2))
    await asyncio.gather(*(tier.get(f"http://site{number}.example/ok") for number in range(6)))
    assert most == 2


@pytest.mark.parametrize(
    ("options", "estimate"),
    [
        ({}, 1),
        ({"premium": True}, 5),
        ({"render": True}, 10),
        ({"premium": True, "render": True}, 50),
        ({"geotargeting": True}, 2),
        ({"premium": True, "render": True, "geotargeting": True}, 100),
    ],
)
def test_expensive_options_multiply(options: dict[str, bool], estimate: int) -> None:
    assert ScraperAPIOptions(KEY, **options).estimate == estimate


async def test_caps_are_hard_and_a_new_day_begins_at_nothing() -> None:
    now = datetime(2026, 11, 15, 22, tzinfo=UTC)
    ledger = MemoryCreditLedger(clock=lambda: now)
    caps = CreditCaps(request=10, domain_per_day=12, day=20)

    with pytest.raises(TooExpensive):
        await ledger.book("a.example", 11, caps=caps)
    await ledger.book("a.example", 10, caps=caps)
    with pytest.raises(CreditsExhausted) as caught:
        await ledger.book("a.example", 3, caps=caps)
    assert caught.value.wait == timedelta(hours=2)
    await ledger.book("b.example", 10, caps=caps)
    with pytest.raises(CreditsExhausted):
        await ledger.book("c.example", 1, caps=caps)
    now += timedelta(hours=3)
    assert (await ledger.book("c.example", 1, caps=caps)).day == 1


def test_alerts_are_raised_at_their_levels() -> None:
    levels = CreditAlertLevels()
    assert levels.of_request(4) is None
    assert levels.of_request(5) == CreditAlert("warning", "rather expensive request", 5)
    assert levels.of_request(10) == CreditAlert("alert", "expensive request", 10)
    assert levels.of_total(998, 999) is None
    assert levels.of_total(999, 1000) is not None
    assert levels.of_total(1000, 1001) is None


@pytest.mark.parametrize(
    ("body", "empty"),
    [
        (SHELL, True),
        (SHELL.replace(b"<div id=root>", b"<p>" + b"words of a real page " * 20), False),
        (b"<p>short but without scripts</p>", False),
        (b"<script>" * 100_000, True),
        (b"<" * 1_000_000 + b"<script", True),
        (b"", False),
    ],
)
def test_only_a_page_of_scripts_without_text_goes_to_the_browser(body: bytes, empty: bool) -> None:
    assert is_nearly_empty(Page("http://a.example/", 200, {"Content-Type": "text/html"}, body)) is empty


def test_a_missing_chromium_is_named_at_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(StartupError, match="Chromium"):
        BrowserOptions().find_executable()
    assert "--proxy-bypass-list=<-loopback>" in flags(1)


@contextlib.asynccontextmanager
async def proxy_for(server: HostileServer, *, allow: str | None = None) -> AsyncIterator[EgressProxy]:
    options = FetchOptions(
        AGENT,
        egress_allow=parse_egress_allow(f"127.0.0.1:{server.port}" if allow is None else allow),
        connect_to=parse_connect_to(f"shop.example::127.0.0.1:{server.port} lan.example::10.0.0.1:"),
    )
    async with EgressProxy(options) as proxy:
        yield proxy


async def through(proxy: EgressProxy, request: bytes) -> bytes:
    reader, writer = await asyncio.open_connection("127.0.0.1", proxy.port)
    writer.write(request)
    answer = await reader.read(65_536)
    writer.close()
    await writer.wait_closed()
    return answer


async def test_the_proxy_carries_plain_requests_and_tunnels(server: HostileServer) -> None:
    async with proxy_for(server) as proxy:
        plain = await through(
            proxy, b"GET http://shop.example/ok HTTP/1.1\r\nHost: shop.example\r\nProxy-Secret: x\r\n\r\n"
        )
        tunnel = await through(proxy, b"CONNECT shop.example:443 HTTP/1.1\r\n\r\n")
    assert plain.startswith(b"HTTP/1.1 200")
    assert b"hello" in plain
    assert tunnel.startswith(b"HTTP/1.1 200")
    assert b"Proxy-Secret" not in server.heads[0]
    assert server.heads[0].startswith(b"GET /ok HTTP/1.1\r\n")


@pytest.mark.parametrize(
    "request_line",
    [
        b"GET http://127.0.0.1/ HTTP/1.1",
        b"CONNECT 127.0.0.1:443 HTTP/1.1",
        b"CONNECT [::1]:443 HTTP/1.1",
        b"CONNECT lan.example:443 HTTP/1.1",
        b"CONNECT shop.example:22 HTTP/1.1",
        b"CONNECT u@shop.example:443 HTTP/1.1",
        b"GET http://0x7f.1/ HTTP/1.1",
        b"GET http://lan.example/ HTTP/1.1",
        b"GET file:///etc/passwd HTTP/1.1",
        b"GET / HTTP/1.1",
        b"nonsense",
    ],
)
async def test_the_proxy_blocks_what_the_ssrf_check_blocks(
    server: HostileServer, request_line: bytes
) -> None:
    async with proxy_for(server, allow="127.0.0.1:1") as proxy:
        answer = await through(proxy, request_line + b"\r\n\r\n")
        assert proxy.refused == 1
    assert answer.startswith(b"HTTP/1.1 403")
    assert server.connections == 0


@pytest.mark.reliability
async def test_a_rendered_page_cannot_reach_inside(server: HostileServer) -> None:
    try:
        BrowserOptions().find_executable()
    except StartupError:
        pytest.skip(f"no Chromium on PATH ({', '.join(NAMES)})")

    async def app(visit: Visit) -> None:
        script = (
            "fetch('http://127.0.0.1:9/');new WebSocket('ws://127.0.0.1:9/');document.body.append('rendered')"
        )
        await visit.page(
            f"<body><script>{script}</script></body>".encode(), headers="Content-Type: text/html\r\n"
        )

    ANSWERS["/app"] = app
    async with open_fetcher(server.port) as fetcher, BrowserTier(fetcher) as browser:
        page = await browser.get("http://shop.example/app", limits=QUICK)
    assert b"rendered" in page.body
    assert page.from_tier == "browser"
