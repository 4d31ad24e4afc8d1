"""Overrides for test setups: private addresses to allow (EGRESS_ALLOW), names to redirect (CONNECT_TO)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network

from scrapersky.errors import StartupError

Network = IPv4Network | IPv6Network

_RULE = re.compile(r"(?:\[(?P<six>[0-9a-fA-F:.]+(?:/\d{1,3})?)\]|(?P<other>[^\[\]:]+)):(?P<ports>[^:]+)")
_NAME = re.compile(r"(?=.{1,253}\Z)[a-z0-9_]([a-z0-9_-]{0,62})(\.[a-z0-9_][a-z0-9_-]{0,62})*")
_CONNECT_RULE = re.compile(
    r"(?P<host>\[[^\]]*\]|[^\[\]:]*):(?P<port>[^:]*):(?P<to_host>\[[^\]]*\]|[^\[\]:]*):(?P<to_port>[^:]*)"
)


@dataclass(frozen=True, slots=True)
class AllowRule:
    """One entry of EGRESS_ALLOW: an address block or a host name, with its ports."""

    network: Network | None
    name: str
    first_port: int
    last_port: int

    def allows(self, ip: str, port: int, name: str) -> bool:
        if not self.first_port <= port <= self.last_port:
            return False
        if self.network is None:
            return bool(name) and name == self.name
        try:
            return ip_address(ip) in self.network
        except ValueError:
            return False


@dataclass(frozen=True, slots=True)
class EgressAllowList:
    """Addresses and hosts that are exempt from the SSRF check; empty in production."""

    rules: tuple[AllowRule, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.rules)

    def allows(self, ip: str, port: int, *, name: str = "") -> bool:
        return any(rule.allows(ip, port, name.rstrip(".").lower()) for rule in self.rules)

    def allows_port(self, port: int) -> bool:
        """Whether any rule allows the port; the address is checked when it is connected to."""
        return any(rule.first_port <= port <= rule.last_port for rule in self.rules)


NO_EXCEPTIONS = EgressAllowList()


@dataclass(frozen=True, slots=True)
class ConnectRule:
    """One entry of CONNECT_TO, as curl's --connect-to; an empty part means any, or unchanged."""

    host: str
    port: int | None
    to_host: str
    to_port: int | None

    def matches(self, host: str, port: int) -> bool:
        return self.host in ("", host) and self.port in (None, port)


@dataclass(frozen=True, slots=True)
class ConnectTo:
    """Where connections for a host and port really go; the first entry that matches decides."""

    rules: tuple[ConnectRule, ...] = ()

    def target(self, host: str, port: int) -> tuple[str, int]:
        name = host.rstrip(".").lower()
        for rule in self.rules:
            if rule.matches(name, port):
                return rule.to_host or host, rule.to_port or port
        return host, port


def parse_egress_allow(text: str) -> EgressAllowList:
    """Entries `host-or-CIDR:port-range`, separated by commas or white space; IPv6 in square brackets."""
    return EgressAllowList(
        tuple(rule for entry in _entries(text, "EGRESS_ALLOW") for rule in _allow_rules(entry))
    )


def parse_connect_to(text: str) -> ConnectTo:
    """Entries `HOST:PORT:TOHOST:TOPORT`, separated by commas or white space; `*` or nothing matches all."""
    return ConnectTo(tuple(_connect_rule(entry) for entry in _entries(text, "CONNECT_TO")))


def _entries(text: str, setting: str) -> Iterable[str]:
    entries = [entry for entry in re.split(r"[,\s]+", text) if entry]
    if text and not entries:
        raise StartupError(f"{setting}: {text!r} contains no entry")
    return entries


def _allow_rules(entry: str) -> list[AllowRule]:
    match = _RULE.fullmatch(entry)
    if match is None:
        raise StartupError(
            f"EGRESS_ALLOW: {entry!r} is not valid; expected host-or-CIDR:port or host-or-CIDR:first-last"
        )
    first, last = _port_range(match["ports"], entry)
    host = (match["six"] or match["other"]).lower()
    if host == "localhost":
        return [AllowRule(ip_network(block), "", first, last) for block in ("127.0.0.0/8", "::1/128")]
    network = _network(host, entry)
    if network is None and not _is_name(host):
        raise StartupError(f"EGRESS_ALLOW: {entry!r} is not an address, CIDR block or host name")
    return [AllowRule(network, "" if network else host.rstrip("."), first, last)]


def _is_name(host: str) -> bool:
    """Whether it is a host name; one that ends in a number is an invalid address (127.0.0.1.5, 0x7f.1)."""
    last = host.rstrip(".").rpartition(".")[2]
    return bool(_NAME.fullmatch(host)) and not re.fullmatch(r"\d+|0x[0-9a-f]*", last)


def _network(host: str, entry: str) -> Network | None:
    looks_numeric = "/" in host or ":" in host or re.fullmatch(r"[\d.]+", host)
    if not looks_numeric:
        return None
    try:
        return ip_network(host)
    except ValueError as why:
        raise StartupError(f"EGRESS_ALLOW: {entry!r} is not an address or CIDR block ({why})") from None


def _port_range(text: str, entry: str) -> tuple[int, int]:
    first, dash, last = text.partition("-")
    low = _port(first, "EGRESS_ALLOW", entry)
    high = _port(last, "EGRESS_ALLOW", entry) if dash else low
    if high < low:
        raise StartupError(f"EGRESS_ALLOW: the port range of {entry!r} is reversed")
    return low, high


def _port(text: str, setting: str, entry: str) -> int:
    if not re.fullmatch(r"\d{1,5}", text, re.ASCII) or not 1 <= int(text) <= 65535:
        raise StartupError(f"{setting}: {text!r} in {entry!r} is not a port from 1 to 65535")
    return int(text)


def _connect_rule(entry: str) -> ConnectRule:
    match = _CONNECT_RULE.fullmatch(entry)
    if match is None:
        raise StartupError(f"CONNECT_TO: {entry!r} is not valid; expected HOST:PORT:TOHOST:TOPORT")
    ports = [
        None if part in ("", "*") else _port(part, "CONNECT_TO", entry)
        for part in match.group("port", "to_port")
    ]
    hosts = [_plain_host(part, entry) for part in match.group("host", "to_host")]
    if not hosts[1] and ports[1] is None:
        raise StartupError(f"CONNECT_TO: {entry!r} has no target; add TOHOST or TOPORT")
    return ConnectRule(hosts[0], ports[0], hosts[1], ports[1])


def _plain_host(text: str, entry: str) -> str:
    if text in ("", "*"):
        return ""
    host = text.strip("[]").rstrip(".").lower()
    try:
        ip_address(host)
    except ValueError:
        if text.startswith("[") or not _is_name(host):
            raise StartupError(f"CONNECT_TO: {text!r} in {entry!r} is not a host") from None
    return host
