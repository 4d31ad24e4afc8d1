"""Accepts only unambiguous URLs: http or https, a host name, a web port."""

from __future__ import annotations

import re
from dataclasses import dataclass

import ada_url
import can_ada
from yarl import URL

from scrapersky.extract.urls.hosts import is_ip
from scrapersky.fetch.egress.ssrf import WEB_PORTS
from scrapersky.fetch.egress.test_overrides import NO_EXCEPTIONS, EgressAllowList
from scrapersky.fetch.errors import BadRedirect, BadURL

_DEFAULT_PORTS = {"http": 80, "https": 443}
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_AUTHORITY = re.compile(r"\A[a-z][a-z0-9+.-]*://([^/?#]*)", re.IGNORECASE)
_SUSPICIOUS = re.compile(r"[@%\s]")
_HIGH = re.compile(r"[\udc80-\udcff]")


@dataclass(frozen=True, slots=True)
class CheckedURL:
    """An accepted URL; `host` is in ASCII and `href` is what is sent."""

    href: str
    scheme: str
    host: str
    port: int
    wire: URL

    @property
    def origin(self) -> tuple[str, str, int]:
        return self.scheme, self.host, self.port

    @property
    def authority(self) -> str:
        """Host, with the port if it is not the default of the scheme."""
        return self.host if self.port == _DEFAULT_PORTS[self.scheme] else f"{self.host}:{self.port}"

    @property
    def target(self) -> str:
        """Path and query, as robots.txt rules see them."""
        return self.wire.raw_path_qs or "/"


@dataclass(frozen=True, slots=True)
class URLPolicy:
    """Checks URLs by their text; the SSRF check judges addresses."""

    egress_allow: EgressAllowList = NO_EXCEPTIONS
    ports: frozenset[int] = WEB_PORTS
    max_length: int = 2048

    def check(self, text: str) -> CheckedURL:
        """The URL as it will be requested, or BadURL with the reason."""
        self._check_length(text)
        _reject_ambiguous(text)
        try:
            parsed = can_ada.parse(text)
        except (ValueError, TypeError):
            raise BadURL("invalid URL: it cannot be parsed") from None
        scheme, host, own_port = parsed.protocol.rstrip(":"), parsed.hostname, parsed.port
        if scheme not in _DEFAULT_PORTS:
            raise BadURL("invalid URL: expected http or https")
        if parsed.username or parsed.password:
            raise BadURL("invalid URL: it contains a user name")
        port = int(own_port) if own_port else _DEFAULT_PORTS[scheme]
        self._check_host(host, port)
        href = parsed.href.split("#", 1)[0]
        self._check_length(href)
        return CheckedURL(href, scheme, host, port, _same_for_client(href, scheme, host, port))

    def redirect(self, page_url: str, location: str | None) -> CheckedURL:
        """The target of a redirect, checked like any other URL, or BadRedirect."""
        if not location or not location.strip():
            raise BadRedirect("redirect without a Location")
        text = _HIGH.sub(lambda byte: f"%{ord(byte[0]) - 0xDC00:02X}", location.strip())
        try:
            self._check_length(text)
            _reject_repaired(text)
            if _AUTHORITY.match(text):
                _reject_ambiguous(text)
            return self.check(ada_url.join_url(page_url, text))
        except BadURL as why:
            raise BadRedirect(f"bad redirect: {why}") from None
        except ValueError:
            raise BadRedirect from None

    def _check_length(self, text: str) -> None:
        if len(text) > self.max_length:
            raise BadURL(f"invalid URL: longer than {self.max_length} characters")

    def _check_host(self, host: str, port: int) -> None:
        if not host or len(host) > 253:
            raise BadURL("invalid URL: no valid host")
        if port not in self.ports and not self.egress_allow.allows_port(port):
            raise BadURL("invalid URL: the port is not allowed")
        if is_ip(host) and not self.egress_allow.allows(host.strip("[]"), port):
            raise BadURL("invalid URL: an IP address instead of a host name")


def _reject_repaired(text: str) -> None:
    """Reject characters that parsers silently remove or replace."""
    if _CONTROL.search(text):
        raise BadURL("invalid URL: it contains a control character")
    if "\\" in text and "\\" in text.split("?", 1)[0]:
        raise BadURL("invalid URL: it contains a backslash")


def _reject_ambiguous(text: str) -> None:
    """Reject what parsers are known to read differently, before one of them repairs it."""
    _reject_repaired(text)
    match = _AUTHORITY.match(text)
    if match is None:
        raise BadURL("invalid URL: expected http or https")
    authority = match[1]
    if _SUSPICIOUS.search(authority) is not None:
        problem = "it contains a user name" if "@" in authority else "the host contains invalid characters"
        raise BadURL(f"invalid URL: {problem}")


def _same_for_client(href: str, scheme: str, host: str, port: int) -> URL:
    """The HTTP client's own parser must see the same scheme, host and port."""
    try:
        wire = URL(href, encoded=True)
        same = (wire.scheme, wire.raw_host, wire.port) == (scheme, host.strip("[]"), port)
    except ValueError:
        same = False
    if not same:
        raise BadURL("invalid URL: it is ambiguous")
    return wire
