"""Redirects in chains and circles (B4, HTTP-07): they end at ten hops, in time, and never inside."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hostile import ANSWERS, HostileServer, Visit
from rig import open_fetcher

from scrapersky.fetch.client import Fetcher
from scrapersky.fetch.errors import Failure

HOST = "http://shop.example"
INSIDE = ["http://127.0.0.1/", "http://169.254.169.254/latest/", "http://[::1]/", "//10.0.0.1/",
          "\\\\10.0.0.1\\x", "file:///etc/passwd", "data:text/html,x", "gopher://shop.example/", "ftp://shop.example/",
          "javascript:alert(1)", "http://user:secret@shop.example/"]  # fmt: skip


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Where each path of the site leads; more can be put in."""
    leads: dict[str, str] = {}

    async def answer(visit: Visit) -> None:
        onward = leads[visit.path.partition("?")[2]]
        await visit.page(b"moved", status="302 Found", headers=f"Location: {onward}\r\n")

    monkeypatch.setitem(ANSWERS, "/step", answer)
    return leads


async def failure_from_exception(fetcher: Any, url: str) -> tuple[str, float]:
    began = time.monotonic()
    with pytest.raises(Failure) as caught:
        await fetcher.get(url)
    return caught.value.failure_class, time.monotonic() - began


@pytest.mark.timed
@pytest.mark.parametrize("code", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("target", INSIDE)
async def test_the_last_of_ten_hops_is_checked_like_the_first(
    server: HostileServer, steps: dict[str, str], monkeypatch: pytest.MonkeyPatch, target: str, code: int
) -> None:
    async def last(visit: Visit) -> None:
        await visit.page(b"moved", status=f"{code} Moved", headers=f"Location: {target}\r\n")

    monkeypatch.setitem(ANSWERS, "/last", last)
    steps.update({str(hop): f"/step?{hop + 1}" for hop in range(1, 9)} | {"9": "/last"})
    async with open_fetcher(server.port) as fetcher:
        word, seconds = await failure_from_exception(fetcher, f"{HOST}/step?1")
    assert (word, seconds < 5) == ("bad_redirect", True)
    assert server.hits["/last"] == 1
    assert {host for host, *_ in server.log} == {"shop.example"}


@pytest.mark.timed
@pytest.mark.parametrize("length", [1, 2, 11, 50])
async def test_a_circle_ends_at_ten_hops(
    server: HostileServer, fetcher: Fetcher, steps: dict[str, str], length: int
) -> None:
    steps.update({str(hop): f"/step?{(hop + 1) % length}" for hop in range(length)})
    word, seconds = await failure_from_exception(fetcher, f"{HOST}/step?0")
    assert (word, seconds < 5) == ("redirect_loop", True)
    assert sum(count for path, count in server.hits.items() if path.startswith("/step")) <= 11
