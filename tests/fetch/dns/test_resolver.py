"""Names: DNS failures have classes and end in time; addresses are judged at each dial (B3, B19, HTTP-14)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator

import pytest
from hostile import HostileServer
from name_server import NameServer, name_server
from rig import QUICK, open_fetcher

from scrapersky.fetch.client import Fetcher
from scrapersky.fetch.errors import BlockedAddress, DNSFailed

INSIDE = "127.0.0.9"  # Not on the allow list below, so it stands for any private address.


@pytest.fixture
def names() -> Iterator[NameServer]:
    with name_server() as server:
        yield server


@pytest.fixture
async def resolving(server: HostileServer, names: NameServer) -> AsyncIterator[Fetcher]:
    """A fetcher that really uses DNS; only 127.0.0.1 on the server's port may be connected to."""
    made = open_fetcher(
        server.port,
        connect_to=f":80::{server.port}",
        name_servers=(f"127.0.0.1:{names.port}",),
        dns_seconds=1.0,
        obey_robots=False,
    )
    async with made as fetcher:
        yield fetcher


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ("NXDOMAIN", {"dns_not_found"}),
        ("SERVFAIL", {"dns_server_failed"}),
        ("REFUSED", {"dns_server_failed"}),
        ([], {"dns_no_address", "dns_not_found"}),
        ("silent", {"dns_timeout"}),
        (["->loop.example"], {"dns_failed", "dns_no_address", "dns_not_found"}),
    ],
)
async def test_a_name_that_does_not_resolve_ends_in_time_with_its_class(
    resolving: Fetcher, names: NameServer, answer: str | list[str], words: set[str]
) -> None:
    names.rules["shop.example"] = lambda n: answer
    names.rules["loop.example"] = lambda n: ["->shop.example"]
    started = asyncio.get_running_loop().time()

    with pytest.raises(DNSFailed) as caught:
        await resolving.get("http://shop.example/ok", limits=QUICK)

    assert caught.value.failure_class in words
    assert asyncio.get_running_loop().time() - started < 2.5


@pytest.mark.parametrize(
    "answer",
    [
        [INSIDE],
        ["0.0.0.0"],
        ["255.255.255.255"],
        ["224.0.0.1"],
        ["10.0.0.1", "169.254.169.254"],
        ["::1"],
        ["::ffff:7f00:1"],
        ["fe80::1"],
        ["->inner.example"],
    ],
)
async def test_a_name_that_leads_inside_is_blocked(
    resolving: Fetcher, names: NameServer, server: HostileServer, answer: list[str]
) -> None:
    names.rules["shop.example"] = lambda n: answer
    names.rules["inner.example"] = lambda n: [INSIDE]
    with pytest.raises(BlockedAddress):
        await resolving.get("http://shop.example/ok", limits=QUICK)
    assert server.connections == 0


async def test_an_inner_address_beside_an_allowed_one_is_left_out(
    resolving: Fetcher, names: NameServer
) -> None:
    names.rules["shop.example"] = lambda n: [INSIDE, "::1", "127.0.0.1"]
    for _ in range(10):
        assert (await resolving.get("http://shop.example/ok", limits=QUICK)).status == 200


async def test_a_thousand_addresses_are_no_trouble(resolving: Fetcher, names: NameServer) -> None:
    names.rules["shop.example"] = lambda n: ["127.0.0.1", *(f"10.{n // 250}.{n % 250}.1" for n in range(999))]
    try:
        page = await resolving.get("http://shop.example/ok", limits=QUICK)
        assert page.status == 200
    except BlockedAddress:
        pass  # The server's order is not promised, and only a few addresses are tried.


async def test_a_name_whose_address_changes_is_checked_at_every_connection(
    server: HostileServer, names: NameServer
) -> None:
    names.rules["shop.example"] = lambda n: ["127.0.0.1"] if n % 2 else [INSIDE]
    outcomes = []
    for _ in range(20):
        made = open_fetcher(
            server.port,
            connect_to=f":80::{server.port}",
            name_servers=(f"127.0.0.1:{names.port}",),
            obey_robots=False,
        )
        async with made as fetcher:
            try:
                outcomes.append((await fetcher.get("http://shop.example/ok", limits=QUICK)).status)
            except BlockedAddress:
                outcomes.append(0)
    assert set(outcomes) == {0, 200}
    assert outcomes.count(200) == server.connections


async def test_a_blocked_target_always_looks_the_same(resolving: Fetcher, names: NameServer) -> None:
    """B19: open, closed and filtered inner ports cannot be told apart by text or by time."""
    names.rules["shop.example"] = lambda n: [INSIDE]
    names.rules["meta.example"] = lambda n: ["169.254.169.254"]
    names.rules["lan.example"] = lambda n: ["10.255.255.1"]
    texts: set[str] = set()
    quickest: dict[str, float] = {}
    for host in ("shop", "meta", "lan") * 5:
        started = asyncio.get_running_loop().time()
        with pytest.raises(BlockedAddress) as caught:
            await resolving.get(f"http://{host}.example/ok", limits=QUICK)
        took = asyncio.get_running_loop().time() - started
        texts.add(str(caught.value))
        quickest[host] = min(took, quickest.get(host, took))
    assert len(texts) == 1
    assert max(quickest.values()) - min(quickest.values()) < 0.05
