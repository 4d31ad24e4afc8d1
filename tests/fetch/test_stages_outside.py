"""Stages with the real fetcher against the hostile server: what each refusal, failure and lure leads to."""

from __future__ import annotations

import socket
import ssl
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
import trustme
from hostile import ANSWERS, HostileServer, Visit, hostile_server
from rig import open_fetcher

from fakes import USER, context, item, rows_of, urlset
from scrapersky.engine.outcome import Outcome, outcome_of
from scrapersky.engine.stage import EngineOptions
from scrapersky.fetch.client import Fetcher
from scrapersky.fetch.errors import ROBOTS_RETRY, Failure, RobotsUnreachable
from scrapersky.fetch.limits import Limits
from scrapersky.stages import import_sitemap, read_metadata, read_page
from scrapersky.storage import PageList

HOST = "http://shop.example"
SCHEDULE = EngineOptions()


def sitemap(path: str) -> Any:
    known = {"domain_id": uuid4(), "url": HOST + path, "depth": 0, "job_id": None, "created_by": USER}
    return item("shop.example", **known, max_urls=None, max_pages=None, additional_json={})


def after(failure: Exception, retries: int) -> Outcome:
    """What the engine makes of a failure of a row that was tried so often before."""
    one = sitemap("/")
    one.retries = retries
    return outcome_of(failure, one, SCHEDULE, chance=0.5)


def serve(monkeypatch: pytest.MonkeyPatch, path: str, body: bytes, headers: str = "") -> None:
    async def answer(visit: Visit) -> None:
        await visit.page(body, headers=headers)

    monkeypatch.setitem(ANSWERS, path, answer)


@pytest.mark.parametrize(
    ("path", "word", "kind", "minutes"),
    [
        ("/HTTP-10?0", "rate_limited", "retried", 2),
        ("/status?429", "rate_limited", "retried", 1),
        ("/status?503", "http_5xx", "retried", 1),
        ("/status?401", "http_4xx", "failed", 0),
        ("/loop", "redirect_loop", "failed", 0),
        ("/to?http://169.254.169.254/sitemap.xml", "bad_redirect|blocked_address", "failed", 0),
    ],
)
async def test_a_sitemap_that_is_refused_has_the_class_and_the_retries_of_any_page(
    fetcher: Fetcher, path: str, word: str, kind: str, minutes: float
) -> None:
    """SM-22."""
    with pytest.raises(Failure) as caught:
        await import_sitemap.run(sitemap(path), context(fetcher))

    assert caught.value.failure_class in word.split("|")
    first, last = after(caught.value, 0), after(caught.value, SCHEDULE.max_retries)
    assert (first.kind, last.kind) == (kind, "failed")
    assert abs(first.wait - timedelta(minutes=minutes)) <= timedelta(seconds=12)
    assert last.reason == str(caught.value)


async def test_a_sitemap_that_moved_to_another_host_is_read_there_for_its_own_domain(
    fetcher: Fetcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SM-22: what it lists is judged by the domain whose sitemap it is."""
    serve(monkeypatch, "/map.xml", urlset(f"{HOST}/contact", "http://maps.example/contact"))
    done = await import_sitemap.run(sitemap("/to?http://maps.example/map.xml"), context(fetcher))

    [listed] = rows_of(done, PageList)
    assert {one.url: one.status for one in listed.pages} == {
        f"{HOST}/contact": "Queued",
        "http://maps.example/contact": "Filtered",
    }


@pytest.mark.parametrize("path", ["/status?500", "/status?503", "/HTTP-02/silent"])
async def test_a_host_whose_robots_txt_fails_is_not_read_and_is_abandoned_after_three_pauses(
    server: HostileServer, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    """ROB-02: tried again after 5 minutes, three times, then left with its class."""
    monkeypatch.setattr("scrapersky.fetch.client.ROBOTS", Limits(first_byte=0.2, deadline=1.0))
    server.robots_as = path
    async with open_fetcher(server.port) as fetcher:
        with pytest.raises(RobotsUnreachable) as caught:
            await fetcher.get(f"{HOST}/ok")

    assert "/ok" not in server.hits
    told = [after(caught.value, retries) for retries in range(SCHEDULE.max_retries + 1)]
    assert [one.kind for one in told] == ["retried"] * 3 + ["failed"]
    assert all(ROBOTS_RETRY - timedelta(seconds=5) < one.wait <= ROBOTS_RETRY for one in told[:3])
    assert (caught.value.failure_class, "robots.txt" in str(told[-1].reason)) == ("robots_unreachable", True)


@pytest.mark.parametrize("trouble", ["refused", "tls"])
async def test_a_host_that_cannot_be_connected_is_not_read_and_says_so(trouble: str) -> None:
    """ROB-02: the page would fail as its robots.txt does, so the class is that of the connection."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    trustme.CA().issue_cert("shop.example").configure_cert(context)
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        async with hostile_server(tls=context) as server:
            port = server.port if trouble == "tls" else nobody.getsockname()[1]
            async with open_fetcher(port) as fetcher:
                with pytest.raises(Failure) as caught:
                    await fetcher.get("https://shop.example/ok")
            assert not server.hits

    assert (
        caught.value.failure_class
        in {"refused": ("connect",), "tls": ("tls_untrusted", "tls_self_signed")}[trouble]
    )
    told = [after(caught.value, retries).kind for retries in range(SCHEDULE.max_retries + 1)]
    assert told == ["retried"] * 3 + ["failed"]


LURES = {
    "internal": "http://169.254.169.254/latest/meta-data/",
    "loopback": "http://127.0.0.1:22/",
    "elsewhere": "http://evil.example/ok",
    "file": "file:///etc/passwd",
    "script": "javascript:alert(1)",
    "itself": f"{HOST}/",
    "nothing": "",
}


@pytest.mark.parametrize("lure", LURES)
async def test_a_refresh_leads_nowhere(
    server: HostileServer, monkeypatch: pytest.MonkeyPatch, lure: str
) -> None:
    """HTML-08, B4: by the page or by a header, at once or later; a loop ends before it begins."""
    refresh = f"0; url={LURES[lure]}".encode()
    body = b'<meta http-equiv="refresh" content="%s"><title>Shop</title><p>office@shop.example</p>' % refresh
    serve(monkeypatch, "/", body, f"Content-Type: text/html\r\nRefresh: {refresh.decode()}\r\n")
    home = item("shop.example", domain="shop.example", country=None, sitemap_analysis_status=None)
    known = {"priority_level": 1, "scraped_content": None, "page_curation_status": "New"}
    known |= dict.fromkeys(("etag", "last_modified_header", "content_hash"))
    one = item("shop.example", url=f"{HOST}/", domain_id=uuid4(), additional_json={}, **known)
    async with open_fetcher(server.port) as fetcher:
        told = await read_metadata.run(home, context(fetcher, schemes=("http",)))
        read = await read_page.run(one, context(fetcher))

    assert dict(server.hits) == {"/robots.txt": 1, "/": 2}
    assert {host for host, *_ in server.log} == {"shop.example"}
    assert told.fields["title"] == read.fields["title"] == "Shop"
    assert [page.url for pages in rows_of(told, PageList) for page in pages.pages] == [f"{HOST}/"]
