"""The server's manners and bad manners, seen from a client's side of the wire."""

import asyncio
import gzip
import zlib

import pytest

from scrapersky_demo import RequestLog, serve_world
from scrapersky_demo.server.server import ResponseCache
from scrapersky_demo.world import World


async def test_a_page_is_served_under_its_host_name(world, ask, domain_with):
    host = domain_with()

    reply = await ask(host)

    assert reply.status == 200
    assert reply.body == world.answer(host, "/").body


async def test_one_port_answers_for_every_host(ask, domain_with):
    hosts = [domain_with(builder=builder) for builder in ("wix", "shopify", "typo3")]

    bodies = {(await ask(host)).body for host in hosts}

    assert len(bodies) == 3


async def test_gzip_is_used_only_when_accepted(ask, domain_with):
    host = domain_with()

    plain, packed = await ask(host), await ask(host, Accept_Encoding="gzip, br")

    assert "content-encoding" not in plain.headers
    assert packed.headers["content-encoding"] == "gzip"
    assert gzip.decompress(packed.body) == plain.body


async def test_an_unchanged_page_is_not_sent_again(ask, domain_with):
    host = domain_with(validators="both")
    first = await ask(host)

    by_tag = await ask(host, If_None_Match=first.headers["etag"])
    by_date = await ask(host, If_Modified_Since="Mon, 06 May 2024 08:30:00 GMT")
    changed = await ask(host, If_None_Match='"other"', If_Modified_Since="Mon, 06 May 2024 08:30:00 GMT")

    assert (by_tag.status, by_date.status, changed.status) == (304, 304, 200)
    assert by_tag.body == b""


async def test_a_site_without_validators_sends_every_time(ask, domain_with):
    host = domain_with(validators="none")

    reply = await ask(host, If_None_Match="*", If_Modified_Since="Mon, 06 May 2024 08:30:00 GMT")

    assert reply.status == 200


async def test_head_has_the_headers_of_get_and_no_body(ask, domain_with):
    host = domain_with()

    head, whole = await ask(host, method="HEAD"), await ask(host)

    assert head.headers == whole.headers
    assert head.body == b""


async def test_a_busy_host_asks_for_patience_and_then_answers(ask, domain_with):
    host = domain_with(fate="busy")

    replies = [await ask(host) for _ in range(5)]

    assert [reply.status for reply in replies] == [200, 200, 200, 429, 200]
    assert replies[3].headers["retry-after"] == "1"


async def test_a_flaky_host_fails_once_and_then_answers(world, ask, domain_with):
    host = domain_with(fate="flaky")
    paths = list(world.site(host).pages)

    first = {path: (await ask(host, path)).status for path in paths}
    second = {(await ask(host, path)).status for path in paths if first[path] == 503}

    assert 503 in first.values()
    assert second == {200}


@pytest.mark.parametrize(
    ("fate", "status"), [("failing", 500), ("storm", 503), ("parked", 200), ("loop", 302)]
)
async def test_a_bad_host_has_a_readable_robots_file_and_bad_pages(ask, domain_with, fate, status):
    host = domain_with(fate=fate)

    reply = await ask(host)

    assert reply.status == status


async def test_moved_sites_redirect_to_where_they_live(ask, domain_with):
    www, moved = domain_with(fate="www"), domain_with(fate="moved")

    assert (await ask(www, "/x?y=1")).headers["location"] == f"http://www.{www}/x?y=1"
    assert (await ask(moved)).headers["location"] == f"http://new-{moved}/"
    assert (await ask(f"new-{moved}")).status == 200


async def test_a_soft_404_site_says_yes_to_everything(ask, domain_with):
    host = domain_with(fate="soft404")

    assert {(await ask(host, path)).status for path in ("/robots.txt", "/sitemap.xml", "/nowhere")} == {200}
    assert (await ask(domain_with(), "/nowhere")).status == 404


async def test_a_calendar_never_ends(ask, domain_with):
    host = domain_with(fate="calendar")

    assert b"?m=1" in (await ask(host)).body
    assert b"?m=991" in (await ask(host, "/events/?m=990")).body


async def test_fates_can_be_chosen_and_a_crowd_has_five_thousand_strangers(world):
    crowded = type(world)(seed=1, size=20, fates={"crowd": 1})
    domain = crowded.domains()[0]

    body = crowded.answer(domain, "/members/").body

    assert {crowded.plan(name).fate for name in crowded.domains()} == {"crowd"}
    assert body.count(b"<li>person") == 5_000
    assert b'href="/members/"' in crowded.answer(domain, "/").body


async def test_a_bomb_is_small_on_the_wire_and_large_unpacked(ask, domain_with):
    reply = await ask(domain_with(fate="bomb"))
    unpacker = zlib.decompressobj(31)

    unpacked = len(unpacker.decompress(reply.body, 64 * 2**20))

    assert len(reply.body) < 2**20
    assert unpacked == 64 * 2**20


@pytest.mark.parametrize("host", ["refused", "unknown", "stranger"])
async def test_a_dead_host_closes_without_a_word(server, domain_with, host):
    name = domain_with(fate=host) if host != "stranger" else "nobody-knows-it.com"
    reader, writer = await asyncio.open_connection(server.host, server.port)
    writer.write(f"GET / HTTP/1.1\r\nHost: {name}\r\n\r\n".encode())

    with pytest.raises((ConnectionResetError, asyncio.IncompleteReadError)):
        await reader.readexactly(1)
    writer.close()


async def test_an_endless_page_goes_on_and_a_drip_is_slow(server, domain_with):
    for fate, least in (("endless", 5 * 2**20), ("drip", 1)):
        reader, writer = await asyncio.open_connection(server.host, server.port)
        writer.write(f"GET / HTTP/1.1\r\nHost: {domain_with(fate=fate)}\r\n\r\n".encode())
        await reader.readuntil(b"\r\n\r\n")
        await reader.readexactly(least)
        writer.close()


async def test_requests_on_one_connection_are_answered_in_order(server, domain_with):
    hosts = [domain_with(fate="slow"), domain_with()]
    reader, writer = await asyncio.open_connection(server.host, server.port)

    writer.write("".join(f"GET /robots.txt HTTP/1.1\r\nHost: {host}\r\n\r\n" for host in hosts).encode())
    for _ in hosts:
        head = await reader.readuntil(b"\r\n\r\n")
        await reader.readexactly(int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0]))
    writer.close()

    assert [request.host for request in server.log] == hosts


async def test_a_form_is_not_accepted(server):
    reader, writer = await asyncio.open_connection(server.host, server.port)
    writer.write(b"POST / HTTP/1.1\r\nHost: a\r\n\r\n")

    assert b" 405 " in await reader.readline()
    writer.close()


async def test_the_log_tells_host_path_status_and_times(server, ask, domain_with, tmp_path):
    host = domain_with()
    await ask(host, "/robots.txt")
    await ask(host, "/?a=1")

    server.log.save(tmp_path / "log.tsv")
    read = RequestLog.load(tmp_path / "log.tsv")

    assert [(request.host, request.target, request.method) for request in read] == [
        (host, "/robots.txt", "GET"),
        (host, "/?a=1", "GET"),
    ]
    assert all(request.start <= request.end and request.sent > 0 for request in read)
    (traffic,) = read.traffic()
    assert (traffic.requests, traffic.most_at_once) == (2, 1)
    assert traffic.shortest_gap >= 0


async def test_the_log_shows_two_requests_at_once(server, domain_with):
    host = domain_with(fate="slow")
    both = [await asyncio.open_connection(server.host, server.port) for _ in range(2)]
    for _, writer in both:
        writer.write(f"GET / HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
    for reader, _ in both:
        await reader.read()

    (traffic,) = server.log.traffic()

    assert traffic.most_at_once == 2
    assert traffic.shortest_gap < 0
    for _, writer in both:
        writer.close()


async def test_a_request_that_its_client_gave_up_is_in_the_log(world, domain_with):
    host = domain_with(fate="slow")
    async with serve_world(world) as server:
        _, writer = await asyncio.open_connection(server.host, server.port)
        writer.write(f"GET / HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
        await asyncio.sleep(0.05)
        writer.close()

    assert [(request.host, request.status) for request in server.log] == [(host, 0)]


async def test_many_requests_are_all_answered(world, domain_with):
    host = domain_with(robots="allow")
    async with serve_world(world) as server:
        reader, writer = await asyncio.open_connection(server.host, server.port)
        for _ in range(20):
            writer.write(f"GET /robots.txt HTTP/1.1\r\nHost: {host}\r\n\r\n".encode() * 100)
            await writer.drain()
        while len(server.log) < 2_000:
            await reader.read(2**16)
        writer.close()

    assert {request.status for request in server.log} == {200}


def test_a_filled_cache_makes_nothing_more_for_the_pages_and_files_of_its_sites(monkeypatch):
    world = World(seed=2, size=3)
    cache = ResponseCache(world)
    cache.fill()
    monkeypatch.setattr(world, "answer", None)

    for domain in world.domains():
        site = world.site(domain)
        for path in ("/robots.txt", *site.sitemaps, *site.pages):
            assert cache.response(site.plan.served_host.encode(), path.encode())
