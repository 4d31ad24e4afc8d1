"""Who takes a domain's mail, asked of a name server on loopback."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterator

import pytest
from dnslib import MX, QTYPE, RR, TXT, DNSRecord
from name_server import NameServer, name_server

from scrapersky.fetch.dns.mx_lookup import MailServers, MXLookup
from scrapersky.fetch.egress.test_overrides import parse_connect_to
from scrapersky.fetch.limits import FetchOptions

AGENT = "ScraperSky/0.1 (+mailto:ops@shop.example)"


@pytest.fixture
def server() -> Iterator[NameServer]:
    """Answers MX questions by `mail`, all others as in the other tests."""
    with name_server() as running:
        mail = {"shop.test": [(20, "b.shop.test"), (10, "a.shop.test")], "null.test": [(0, ".")]}
        texts = {"parked.test": ["other", "v=spf1 -all"], "bare.test": ["v=spf1 mx -all"]}
        ordinary = running.add

        def add(answer: DNSRecord, name: str, kind: int, targets: list[str]) -> None:
            if kind == QTYPE.MX:
                running.asked[f"MX {name}"] += 1
                for preference, host in mail.get(name, []):
                    answer.add_answer(RR(name, QTYPE.MX, rdata=MX(host, preference), ttl=60))
                return
            if kind == QTYPE.TXT:
                for words in texts.get(name, []):
                    answer.add_answer(RR(name, QTYPE.TXT, rdata=TXT(words), ttl=60))
                return
            ordinary(answer, name, kind, targets)

        running.add = add  # type: ignore[method-assign]
        for name in ("shop.test", "null.test", "bare.test", "parked.test"):
            running.rules[name] = lambda _: ["127.0.0.1"]
        running.rules["empty.test"] = lambda _: []
        running.rules["broken.test"] = lambda _: "SERVFAIL"
        for number in range(6):
            running.rules[f"silent{number}.test"] = lambda _: "silent"
        yield running


@pytest.fixture
async def mx(server: NameServer) -> AsyncIterator[MXLookup]:
    made = MXLookup(FetchOptions(AGENT, name_servers=(f"127.0.0.1:{server.port}",), dns_seconds=0.6))
    yield made
    await made.close()


async def test_mail_servers_are_sorted_by_preference(mx: MXLookup) -> None:
    assert await mx.lookup("Shop.test.") == MailServers("mx", ("a.shop.test", "b.shop.test"))


@pytest.mark.parametrize(
    ("domain", "state"),
    [
        ("null.test", "null_mx"),
        ("bare.test", "address_only"),
        ("parked.test", "no_mail"),
        ("empty.test", "none"),
        ("nowhere.test", "no_domain"),
        ("broken.test", "failed"),
        ("silent0.test", "unreachable"),
    ],
)
async def test_every_other_answer_has_its_word(mx: MXLookup, domain: str, state: str) -> None:
    assert (await mx.lookup(domain)).state == state


async def test_a_domain_is_looked_up_once(mx: MXLookup, server: NameServer) -> None:
    await asyncio.gather(*(mx.lookup("shop.test") for _ in range(20)))
    await mx.lookup("shop.test")
    assert server.asked["MX shop.test"] == 1


async def test_an_answer_is_kept_as_long_as_its_records_say(server: NameServer) -> None:
    now = [1_000.0]
    options = FetchOptions(AGENT, name_servers=(f"127.0.0.1:{server.port}",), dns_seconds=5)
    mx = MXLookup(options, clock=lambda: now[0])
    for seconds, asked in ((0, 1), (59, 1), (2, 2), (59, 2)):
        now[0] += seconds
        await mx.close()  # The resolver below has a cache of its own, by the real clock.
        await mx.lookup("shop.test")
        assert server.asked["MX shop.test"] == asked
    await mx.close()


@pytest.mark.timed
async def test_a_machine_without_dns_does_not_wait_for_every_domain(mx: MXLookup) -> None:
    began = time.perf_counter()
    answers = [await mx.lookup(f"silent{number}.test") for number in range(6)]
    assert {answer.state for answer in answers} == {"unreachable"}
    assert time.perf_counter() - began < 6 * 0.6


async def test_redirected_names_are_not_looked_up(server: NameServer) -> None:
    options = FetchOptions(
        AGENT, name_servers=(f"127.0.0.1:{server.port}",), connect_to=parse_connect_to("*:80:127.0.0.1:8080")
    )
    assert (await MXLookup(options).lookup("shop.test")).state == "unreachable"
    assert server.asked["MX shop.test"] == 0
