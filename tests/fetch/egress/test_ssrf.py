"""Addresses that are never connected to: every block, its edges, its neighbours, its disguises (B1)."""

from __future__ import annotations

import itertools
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

import pytest
from hypothesis import given
from hypothesis import strategies as st
from special_addresses import INNER, NEIGHBOURS, SPECIAL, disguises, edges

from scrapersky.errors import StartupError
from scrapersky.fetch.egress.ssrf import BLOCKS_V4, BLOCKS_V6, block_reason, may_connect
from scrapersky.fetch.egress.test_overrides import parse_connect_to, parse_egress_allow


@pytest.mark.parametrize("block", SPECIAL)
def test_no_address_of_a_special_block_is_connected_to(block: str) -> None:
    for ip in edges(block):
        assert not may_connect(ip, 443), ip
        assert not may_connect(ip, 80), ip


@pytest.mark.parametrize("ip", NEIGHBOURS)
def test_the_neighbours_of_special_blocks_are_connected_to(ip: str) -> None:
    assert may_connect(ip, 443)


@pytest.mark.parametrize("ip", [form for inner in INNER for form in disguises(inner)])
def test_no_disguise_of_a_private_address_is_connected_to(ip: str) -> None:
    assert not may_connect(ip, 80)
    assert not may_connect(ip, 80, nat64=True)


@pytest.mark.parametrize(
    "ip", ["", "localhost", "127.1", "0177.0.0.1", "2606:4700::1111%eth0", "1.1.1.1 ", "[::1]"]
)
def test_an_unusual_notation_is_not_connected_to(ip: str) -> None:
    assert not may_connect(ip, 80)


@pytest.mark.parametrize("port", [0, 22, 25, 79, 81, 442, 444, 5432, 6379, 8080, 65535])
def test_only_web_ports_are_connected_to(port: int) -> None:
    assert not may_connect("8.8.8.8", port)


def test_nat64_is_allowed_only_where_it_is_configured() -> None:
    assert not may_connect("64:ff9b::808:808", 443)
    assert may_connect("64:ff9b::808:808", 443, nat64=True)


@given(st.sampled_from([*BLOCKS_V4, *BLOCKS_V6]), st.data())
def test_every_address_inside_a_block_is_refused(block: str, data: st.DataObject) -> None:
    net = ip_network(block)
    offset = data.draw(st.integers(0, net.num_addresses - 1))
    assert block_reason(str(net[offset])) is not None


@given(st.ip_addresses(v=4))
def test_an_ipv4_address_is_refused_exactly_when_a_registry_lists_it(ip: IPv4Address) -> None:
    listed = any(ip in ip_network(block) for block in SPECIAL if ":" not in block)
    assert may_connect(str(ip), 80) is not listed


@given(st.ip_addresses(v=6))
def test_an_ipv6_address_outside_the_public_part_is_refused(ip: IPv6Address) -> None:
    if ip not in ip_network("2000::/3"):
        assert not may_connect(str(ip), 443)


@given(st.ip_addresses(v=6))
def test_what_python_calls_private_is_never_connected_to(ip: IPv6Address) -> None:
    if not ip.is_global or ip.is_multicast:
        assert not may_connect(str(ip), 80)


def test_blocks_do_not_overlap() -> None:
    for blocks in (BLOCKS_V4, BLOCKS_V6):
        nets = sorted(ip_network(block) for block in blocks)
        assert all(a.broadcast_address < b.network_address for a, b in itertools.pairwise(nets))


def test_the_allow_list_opens_what_it_names_and_no_more() -> None:
    lab = parse_egress_allow(
        "127.0.0.1:8000-8010, 10.1.0.0/16:80 [::1]:9000 [fd00::/8]:443 crm.lan:5000 localhost:7000"
    )

    assert may_connect("127.0.0.1", 8010, egress_allow=lab)
    assert may_connect("10.1.255.255", 80, egress_allow=lab)
    assert may_connect("::1", 9000, egress_allow=lab)
    assert may_connect("fd12::1", 443, egress_allow=lab)
    assert may_connect("192.168.0.9", 5000, name="CRM.lan.", egress_allow=lab)
    assert may_connect("127.0.0.1", 7000, egress_allow=lab)
    assert not may_connect("127.0.0.1", 8011, egress_allow=lab)
    assert not may_connect("127.0.0.2", 8000, egress_allow=lab)
    assert not may_connect("10.2.0.0", 80, egress_allow=lab)
    assert not may_connect("192.168.0.9", 5000, name="other.lan", egress_allow=lab)
    assert not may_connect("192.168.0.9", 5000, egress_allow=lab)
    assert not parse_egress_allow("")


@pytest.mark.parametrize(
    "text",
    [
        "127.0.0.1",
        "127.0.0.1:",
        "127.0.0.1:0",
        "127.0.0.1:65536",
        "127.0.0.1:9-8",
        "10.0.0.1/8:80",
        "::1:80",
        "127.0.0.256:80",
        "[::1:80",
        "a b:x",
        "http://x:80",
        "x:80-",
        "[zz]:80",
        "1.2.3:80",
        "10.0.0.0/40:80",
        "127.0.0.1.5:80",
        "0x7f.0x1:80",
        "yes",
        ",",
        "*:*",
        "host:80:90",
    ],
)
def test_an_invalid_entry_of_the_allow_list_stops_the_start(text: str) -> None:
    with pytest.raises(StartupError, match="EGRESS_ALLOW"):
        parse_egress_allow(text)


@pytest.mark.parametrize(
    ("text", "host", "port", "target"),
    [
        ("a.example:443:127.0.0.1:8443", "a.example", 443, ("127.0.0.1", 8443)),
        ("a.example:443:127.0.0.1:8443", "A.example.", 443, ("127.0.0.1", 8443)),
        ("a.example:443:127.0.0.1:8443", "a.example", 80, ("a.example", 80)),
        ("::127.0.0.1:8080", "b.example", 80, ("127.0.0.1", 8080)),
        ("*:*:127.0.0.1:8080", "b.example", 443, ("127.0.0.1", 8080)),
        (":443:127.0.0.1:1 :80:127.0.0.1:2", "b.example", 80, ("127.0.0.1", 2)),
        ("a.example::[::1]:8080", "a.example", 80, ("::1", 8080)),
        ("a.example:80::8080", "a.example", 80, ("a.example", 8080)),
        ("", "a.example", 80, ("a.example", 80)),
    ],
)
def test_connect_to_leads_a_name_elsewhere(text: str, host: str, port: int, target: tuple[str, int]) -> None:
    assert parse_connect_to(text).target(host, port) == target


@pytest.mark.parametrize(
    "text",
    [
        "a",
        "a:b:c:d",
        "a:80:127.0.0.1",
        "a:80:127.0.0.1:99999",
        "a:80:x y:80",
        "::/x:1",
        ":::",
        "*:*::",
        "a:80:[zz::]:80",
        "a:80:999.1.1.1:80",
        "[]:80:b:80",
        " , ",
        "true",
        "a:80:b:-1",
    ],
)
def test_a_wrong_detour_stops_the_start_with_its_text(text: str) -> None:
    with pytest.raises(StartupError, match="CONNECT_TO"):
        parse_connect_to(text)


def test_the_special_list_covers_both_families() -> None:
    assert {ip_address(edges(block)[0]).version for block in SPECIAL} == {4, 6}
