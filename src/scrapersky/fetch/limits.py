"""Limits of one fetch and options of the fetcher; every figure has a setting."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from scrapersky.errors import StartupError
from scrapersky.fetch.egress.ssrf import WEB_PORTS
from scrapersky.fetch.egress.test_overrides import NO_EXCEPTIONS, ConnectTo, EgressAllowList

KIB = 2**10
MIB = 2**20


@dataclass(frozen=True, slots=True)
class Limits:
    """How much one fetch may take; times are seconds, sizes are bytes after decoding."""

    # As much as Common Crawl stores of a page.
    body: int = 5 * MIB
    # From the first DNS query to the last byte over all hops, without the wait for a slot.
    deadline: float = 30.0
    connect: float = 10.0
    first_byte: float = 15.0
    redirects: int = 10
    url_length: int = 2048
    header_fields: int = 200
    header_bytes: int = 64 * KIB
    header_field_bytes: int = 8 * KIB


PAGE = Limits()
# The sitemap protocol's own limit.
SITEMAP = Limits(body=50 * MIB)
# RFC 9309 asks for at least 500 KiB and five redirects.
ROBOTS = Limits(body=500 * KIB, redirects=5)


@dataclass(frozen=True, slots=True)
class FetchOptions:
    """Options of a fetcher."""

    user_agent: str
    egress_allow: EgressAllowList = NO_EXCEPTIONS
    connect_to: ConnectTo = field(default_factory=ConnectTo)
    ports: frozenset[int] = WEB_PORTS
    nat64: bool = False
    # A file of additional trusted certificates, for tests and private certificate authorities.
    ca_file: str | None = None
    # Name servers with port, such as "192.0.2.1:53"; empty means those of the system.
    name_servers: tuple[str, ...] = ()
    dns_seconds: float = 5.0
    connections: int = 512
    obey_robots: bool = True
    robots_cache_ttl_hours: int = 24

    def __post_init__(self) -> None:
        check_user_agent(self.user_agent)


def user_agent_for(contact: str, *, product: str = "ScraperSky", version: str = "0.1") -> str:
    """The user agent: product, version, and the operator's e-mail address or URL."""
    contact = contact.strip()
    where = contact if contact.startswith(("http://", "https://")) else f"mailto:{contact}"
    return check_user_agent(f"{product}/{version} (+{where})")


def check_user_agent(text: str) -> str:
    """Reject a user agent without a contact, too long, or with characters that could inject a header."""
    if len(text) > 200:
        raise StartupError("The user agent is longer than 200 characters.")
    if not re.fullmatch(r"[\x20-\x7e]+", text):
        raise StartupError("The user agent contains a line break or a character outside ASCII.")
    if not re.search(r"[^\s@(:+]+@[^\s@)]+\.[^\s@)]+|https?://[^\s)]+\.[^\s)]+", text):
        raise StartupError("The user agent needs a contact: an e-mail address or a URL in brackets.")
    return text
