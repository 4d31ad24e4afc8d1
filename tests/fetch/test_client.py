"""The fetcher against a server that lies, stalls, floods and breaks off (B4, B17, B21, rows 3.6)."""

from __future__ import annotations

import contextlib
import socket
import sys
import time

import pytest
import uvloop
from hostile import ANSWERS, HostileServer, Visit, bombs, hostile_server
from rig import QUICK, open_fetcher

from scrapersky.engine.outcome import Discard, RetryAfter, Snooze
from scrapersky.errors import FetchError
from scrapersky.fetch.client import Fetcher
from scrapersky.fetch.errors import (
    BlockedAddress,
    ConnectFailed,
    ConnectTimeout,
    Failure,
    Gone,
    PermanentHTTPError,
    RateLimited,
    TransientHTTPError,
)
from scrapersky.fetch.limits import Limits

HOST = "http://shop.example"

CLASSES = {
    "/HTTP-01/body": "timeout",
    "/HTTP-01/headers": "timeout",
    "/HTTP-01/early-hints": "timeout",
    "/HTTP-02/silent": "timeout",
    "/HTTP-02/close": "empty_reply",
    "/HTTP-02/reset": "reset",
    "/HTTP-02/half": "truncated",
    "/HTTP-02/half-chunked": "truncated",
    "/HTTP-04/huge": "truncated",
    "/HTTP-04/negative": "protocol_error",
    "/HTTP-04/two": "protocol_error",
    "/HTTP-04/same-twice": "protocol_error",
    "/HTTP-04/digits": "protocol_error",
    "/HTTP-05/many": "protocol_error",
    "/HTTP-05/cookies": "protocol_error",
    "/HTTP-05/large-sum": "protocol_error",
    "/HTTP-05/one-large": "protocol_error",
    "/HTTP-16/smuggled": "protocol_error",
    "/HTTP-16/folded": "protocol_error",
    "/HTTP-16/bare-lf": "protocol_error",
    "/HTTP-16/nul": "protocol_error",
    "/HTTP-16/zero-nine": "protocol_error",
    "/HTTP-16/status-999": "protocol_error",
    "/HTTP-16/no-colon": "protocol_error",
    "/HTTP-16/first": "protocol_error",
    "/HTTP-17/overflow": "truncated",
    "/HTTP-17/overflow-more": "protocol_error",
    "/HTTP-17/not-hex": "protocol_error",
    "/HTTP-17/extension": "protocol_error",
    "/HTTP-17/trailers": "protocol_error",
    "/HTTP-17/tiny-chunks": "protocol_error",
    "/loop": "redirect_loop",
    "/chain?1": "redirect_loop",
    "/no-location": "bad_redirect",
    "/to?": "bad_redirect",
    "/to?/to?/loop": "redirect_loop",
    "/to?file:///etc/passwd": "bad_redirect",
    "/to?data:text/html,x": "bad_redirect",
    "/to?http://user:secret@b.example/": "bad_redirect",
    "/to?http://[::1": "bad_redirect",
    "/to?http://127.0.0.1:22/": "bad_redirect",
    "/to?\\\\b.example\\": "bad_redirect",
    "/status?404": "http_4xx",
    "/status?403": "http_4xx",
    "/status?410": "gone",
    "/status?408": "http_4xx",
    "/status?429": "rate_limited",
    "/status?500": "http_5xx",
    "/status?503": "http_5xx",
    "/bomb?layers": "bad_encoding",
    "/bomb?unknown": "bad_encoding",
    "/bomb?gzip-truncated": "bad_encoding",
    "/bomb?gzip-broken": "bad_encoding",
    "/bomb?gzip-members": "bad_encoding",
    "/bomb?gzip": "too_large",
    "/bomb?deflate": "too_large",
    "/bomb?br": "too_large",
    "/bomb?zstd": "too_large",
}

SLOW = [path for path, word in CLASSES.items() if word == "timeout"]


@pytest.fixture(scope="module", autouse=True)
def _small_bombs() -> None:
    bombs(64)


@pytest.mark.timed
@pytest.mark.parametrize(("path", "word"), CLASSES.items())
async def test_every_bad_answer_ends_in_time_with_its_class(fetcher: Fetcher, path: str, word: str) -> None:
    started = time.monotonic()

    with pytest.raises(FetchError) as caught:
        await fetcher.get(HOST + path, limits=QUICK)

    assert isinstance(caught.value, Failure)
    assert caught.value.failure_class == word
    assert "127.0.0.1" not in str(caught.value)
    assert time.monotonic() - started < QUICK.deadline + 1


@pytest.mark.parametrize(
    ("path", "status", "body", "truncated"),
    [
        ("/ok", 200, b"<p>hello</p>", False),
        ("/HTTP-08/no-content", 204, b"", False),
        ("/HTTP-08/not-modified", 304, b"", False),
        ("/HTTP-08/partial", 206, b"hello", True),
        ("/HTTP-11/empty-charset", 200, b"ok", False),
        ("/HTTP-11/two-types", 200, b"ok", False),
        ("/HTTP-11/path", 200, b"ok", False),
        ("/HTTP-16/two-answers", 200, b"ok", False),
    ],
)
async def test_odd_answers_are_still_pages(
    fetcher: Fetcher, path: str, status: int, body: bytes, truncated: bool
) -> None:
    page = await fetcher.get(HOST + path, limits=QUICK)
    assert (page.status, page.body, page.truncated) == (status, body, truncated)


async def test_an_endless_page_is_cut_at_its_limit(fetcher: Fetcher) -> None:
    page = await fetcher.get(f"{HOST}/HTTP-04/endless", limits=Limits(body=1_000_000, deadline=5))
    assert len(page.body) == 1_000_000
    assert page.truncated


async def test_an_endless_sitemap_comes_in_pieces_until_its_limit(fetcher: Fetcher) -> None:
    seen = 0
    async with fetcher.stream(f"{HOST}/HTTP-04/endless", limits=Limits(body=3_000_000, deadline=5)) as stream:
        async for piece in stream:
            assert len(piece) <= 2**20
            seen += len(piece)
    assert seen == 3_000_000
    assert stream.truncated


async def test_a_page_says_how_it_was_reached(fetcher: Fetcher) -> None:
    page = await fetcher.get(f"{HOST}/countdown?3")

    assert [hop.status for hop in page.hops] == [308, 308, 308, 200]
    assert page.url == f"{HOST}/ok"
    assert page.requested_url == f"{HOST}/countdown?3"
    assert page.from_tier == "direct"
    assert page.robots is not None
    assert page.robots.allowed
    assert page.media_type == "text/html"


async def test_ten_redirects_are_followed_and_no_more(fetcher: Fetcher) -> None:
    assert (await fetcher.get(f"{HOST}/countdown?10")).status == 200
    with pytest.raises(FetchError, match="redirect loop"):
        await fetcher.get(f"{HOST}/countdown?11")


async def test_a_redirects_body_is_neither_decoded_nor_read_to_the_end(fetcher: Fetcher) -> None:
    page = await fetcher.get(f"{HOST}/redirect-bomb", limits=QUICK)
    assert page.body == b"<p>hello</p>"


async def test_an_unchanged_page_costs_no_body(fetcher: Fetcher) -> None:
    first = await fetcher.get(f"{HOST}/conditional")
    second = await fetcher.get(f"{HOST}/conditional", etag=first.etag)
    assert (first.body, second.body, second.not_modified) == (b"fresh", b"", True)


async def test_connections_are_used_again_for_well_behaved_hosts_only(
    fetcher: Fetcher, server: HostileServer
) -> None:
    for _ in range(5):
        await fetcher.get(f"{HOST}/countdown?2")
    assert server.connections == 1

    await fetcher.get(f"{HOST}/HTTP-16/two-answers")
    await fetcher.get(f"{HOST}/ok")
    assert server.connections == 2


async def test_no_secret_and_no_cookie_travels(fetcher: Fetcher, server: HostileServer) -> None:
    await fetcher.get(f"{HOST}/to?http://other.example/conditional", etag='"secret"')
    await fetcher.get(f"{HOST}/cookie")
    await fetcher.get(f"{HOST}/ok")

    assert b'"secret"' in server.heads[1]
    for head in server.heads[2:]:
        assert b"secret" not in head
        assert not {b"cookie", b"authorization", b"referer"} & {
            line.partition(b":")[0].lower() for line in head.split(b"\r\n")
        }
        assert b"User-Agent: ScraperSky/0.1 (+mailto:ops@example.com)" in head


async def test_headers_can_be_stored_as_text(fetcher: Fetcher, monkeypatch: pytest.MonkeyPatch) -> None:
    """B14, HTTP-19: odd bytes, templates and Python names are data."""

    async def odd(visit: Visit) -> None:
        await visit.send(
            b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX-Odd: caf\xe9 {{7*7}} __import__('os')\r\n\r\nok"
        )

    monkeypatch.setitem(ANSWERS, "/odd", odd)
    page = await fetcher.get(f"{HOST}/odd")
    assert page.headers["x-odd"] == "caf\ufffd {{7*7}} __import__('os')"


def test_the_same_holds_on_uvloop() -> None:
    async def everything() -> dict[str, str]:
        seen = {}
        async with hostile_server() as server, open_fetcher(server.port) as fetcher:
            for path in [path for path in CLASSES if path not in SLOW]:
                try:
                    await fetcher.get(f"http://h{len(seen)}.example{path}", limits=QUICK)
                except Failure as failure:
                    seen[path] = failure.failure_class
        return seen

    seen = uvloop.run(everything())
    assert seen == {path: word for path, word in CLASSES.items() if path not in SLOW}


async def test_a_page_is_fetched_with_one_generator_of_the_event_loop(fetcher: Fetcher) -> None:
    """The loop keeps a list of those that run; five for each request are a tenth of its cost."""
    await fetcher.get(f"{HOST}/ok")
    made: list[str] = []
    before = sys.get_asyncgen_hooks()
    sys.set_asyncgen_hooks(firstiter=lambda generator: made.append(generator.ag_code.co_filename))
    try:
        page = await fetcher.get(f"{HOST}/ok?again")
    finally:
        sys.set_asyncgen_hooks(*before)

    assert (page.status, len([file for file in made if "scrapersky" in file])) == (200, 1)


async def test_an_error_response_can_be_accepted_as_a_page(fetcher: Fetcher) -> None:
    assert (await fetcher.get(f"{HOST}/status?404", accept_errors=True)).status == 404
    with pytest.raises(TransientHTTPError):
        await fetcher.get(f"{HOST}/status?500", accept_errors=True)


@pytest.mark.parametrize(
    ("kind", "signal"),
    [(Gone, Discard), (PermanentHTTPError, Discard), (BlockedAddress, Discard), (RateLimited, RetryAfter)],
)
def test_each_failure_determines_what_the_engine_does(kind: type[Failure], signal: type[Exception]) -> None:
    assert issubclass(kind, signal)
    assert issubclass(kind, FetchError)
    assert not issubclass(TransientHTTPError, Discard | RetryAfter | Snooze)


async def test_an_address_that_is_not_allowed_is_blocked_and_not_revealed(
    server: HostileServer,
) -> None:
    async with open_fetcher(server.port, allow="127.0.0.9:1", obey_robots=False) as fetcher:
        with pytest.raises(BlockedAddress) as caught:
            await fetcher.get(f"{HOST}/ok")
    assert str(caught.value) == "blocked address: the host is not on the public internet"
    assert caught.value.__cause__ is None
    assert server.connections == 0


async def test_a_provider_is_called_without_robots_or_redirects(
    fetcher: Fetcher, server: HostileServer
) -> None:
    page = await fetcher.request("POST", f"{HOST}/to?/ok", headers={"X-Key": "k"}, body=b"{}")
    assert (page.status, page.body) == (302, b"moved")
    assert "/robots.txt" not in server.hits


async def test_a_site_that_speaks_http_alone_says_so_and_is_read_by_http(server: HostileServer) -> None:
    """Its robots.txt cannot be reached by https either, which must not close the whole host."""
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        closed = nobody.getsockname()[1]
    lab = {
        "allow": f"127.0.0.1:{server.port},127.0.0.1:{closed}",
        "connect_to": f":80:127.0.0.1:{server.port},:443:127.0.0.1:{closed}",
    }
    async with open_fetcher(server.port, **lab) as fetcher:
        with pytest.raises(ConnectFailed):
            await fetcher.get("https://shop.example/ok")
        assert (await fetcher.get(f"{HOST}/ok")).status == 200


async def test_a_port_whose_packets_are_dropped_counts_as_not_connected(server: HostileServer) -> None:
    """Only then is the site asked by http; a host that is connected and silent is not."""
    with socket.socket() as full, contextlib.ExitStack() as callers:
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        port = full.getsockname()[1]
        for _ in range(4):
            # Nobody takes these calls, so there is no room in the queue and further ones are dropped.
            caller = callers.enter_context(socket.socket())
            caller.setblocking(False)
            caller.connect_ex(("127.0.0.1", port))
        lab = {
            "allow": f"127.0.0.1:{server.port},127.0.0.1:{port}",
            "connect_to": f":80:127.0.0.1:{server.port},:443:127.0.0.1:{port}",
        }
        async with open_fetcher(server.port, obey_robots=False, **lab) as fetcher:
            with pytest.raises(ConnectTimeout):
                await fetcher.get("https://shop.example/ok", limits=Limits(connect=0.3))
            assert (await fetcher.get(f"{HOST}/ok")).status == 200


async def test_a_dropped_connection_is_not_retried_at_once_b13(server: HostileServer) -> None:
    async with open_fetcher(server.port, obey_robots=False) as fetcher:
        with pytest.raises(Failure):
            await fetcher.get(f"{HOST}/HTTP-02/close")
    assert server.hits["/HTTP-02/close"] == 1
