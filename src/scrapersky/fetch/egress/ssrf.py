"""SSRF check: decides for the address of every connection whether it may be opened."""

from __future__ import annotations

from bisect import bisect_right
from ipaddress import AddressValueError, IPv4Address, IPv6Address, ip_network

from scrapersky.fetch.egress.test_overrides import NO_EXCEPTIONS, EgressAllowList

WEB_PORTS = frozenset({80, 443})

# https://www.iana.org/assignments/iana-ipv4-special-registry, multicast, and cloud metadata addresses.
BLOCKS_V4: dict[str, str] = {
    "0.0.0.0/8": "this network",
    "10.0.0.0/8": "private",
    "100.64.0.0/10": "shared by carriers, and Alibaba's metadata",
    "127.0.0.0/8": "loopback",
    "168.63.129.16/32": "Azure's metadata",
    "169.254.0.0/16": "link-local, and most clouds' metadata",
    "172.16.0.0/12": "private",
    "192.0.0.0/24": "protocol assignments, and Oracle's metadata",
    "192.0.2.0/24": "documentation",
    "192.31.196.0/24": "AS112",
    "192.52.193.0/24": "AMT",
    "192.88.99.0/24": "6to4 relay",
    "192.168.0.0/16": "private",
    "192.175.48.0/24": "AS112",
    "198.18.0.0/15": "benchmarking",
    "198.51.100.0/24": "documentation",
    "203.0.113.0/24": "documentation",
    "224.0.0.0/4": "multicast",
    "240.0.0.0/4": "reserved, and broadcast",
}

# The part of IPv6 that is assigned to public addresses; everything outside it is blocked.
PUBLIC_V6 = ip_network("2000::/3")

# https://www.iana.org/assignments/iana-ipv6-special-registry within it. Forms that embed an IPv4 address are
# blocked entirely: no public site needs them, except through NAT64 (`may_connect`).
BLOCKS_V6: dict[str, str] = {
    "2001::/23": "protocol assignments, Teredo, ORCHID, benchmarking",
    "2001:db8::/32": "documentation",
    "2002::/16": "6to4",
    "2620:4f:8000::/48": "AS112",
    "3ffe::/16": "the former 6bone",
    "3fff::/20": "documentation",
}

_NAT64 = int(IPv6Address("64:ff9b::")) >> 32
# An ISATAP interface identifier begins with one of these, under any prefix (RFC 5214).
_ISATAP = frozenset({0x00005EFE, 0x02005EFE})


class _Ranges:
    """Sorted, disjoint ranges of integers with a reason each."""

    def __init__(self, blocks: dict[str, str]) -> None:
        nets = sorted((ip_network(text), why) for text, why in blocks.items())
        self._starts = [int(net.network_address) for net, _ in nets]
        self._rest = [(int(net.broadcast_address), why) for net, why in nets]

    def reason(self, number: int) -> str | None:
        at = bisect_right(self._starts, number) - 1
        if at < 0:
            return None
        end, why = self._rest[at]
        return why if number <= end else None


_V4 = _Ranges(BLOCKS_V4)
_V6 = _Ranges(BLOCKS_V6)


def block_reason(ip: str, *, nat64: bool = False) -> str | None:
    """Why the address is blocked, or None; for logs only, never for messages."""
    try:
        return _blocked_v6(IPv6Address(ip), nat64) if ":" in ip else _V4.reason(int(IPv4Address(ip)))
    except AddressValueError:
        return "not an address"


def _blocked_v6(address: IPv6Address, nat64: bool) -> str | None:
    number = int(address)
    if address.scope_id is not None:
        return "scoped"
    if nat64 and number >> 32 == _NAT64:
        return _V4.reason(number & 0xFFFFFFFF)
    if (number >> 32) & 0xFFFFFFFF in _ISATAP:
        return "ISATAP"
    return _V6.reason(number) if address in PUBLIC_V6 else "not a public address"


def may_connect(
    ip: str,
    port: int,
    *,
    name: str = "",
    egress_allow: EgressAllowList = NO_EXCEPTIONS,
    ports: frozenset[int] = WEB_PORTS,
    nat64: bool = False,
) -> bool:
    """Whether a connection to this address and port may be opened.

    `name` is the host name of the connection, for rules by name. `nat64` is for machines that reach IPv4 only
    through 64:ff9b::/96: then the embedded address is checked.
    """
    if egress_allow.allows(ip, port, name=name):
        return True
    return port in ports and block_reason(ip, nat64=nat64) is None
