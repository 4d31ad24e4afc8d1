"""Lets through only URLs that every parser reads alike: http or https, a host name, an ordinary port."""

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
_ODD = re.compile(r"[@%\s]")
_HIGH = re.compile(r"[\udc80-\udcff]")


@dataclass(frozen=True, slots=True)
class CheckedURL:
    """A URL that passed the gate; `host` is in ASCII and `href` is what goes on the wire."""

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
        """Host, with the port when it is not the scheme's own."""
        return self.host if self.port == _DEFAULT_PORTS[self.scheme] else f"{self.host}:{self.port}"

    @property
    def target(self) -> str:
        """Path and query, as robots.txt rules see them."""
        return self.wire.raw_path_qs or "/"


@dataclass(frozen=True, slots=True)
class URLPolicy:
    """Judges URLs by their text alone; addresses are the dial guard's business."""

    egress_allow: EgressAllowList = NO_EXCEPTIONS
    ports: frozenset[int] = WEB_PORTS
    max_length: int = 2048

    def check(self, text: str) -> CheckedURL:
        """The URL as it will be asked for, or BadURL with the reason."""
        self._refuse_long(text)
        _refuse_ambiguous(text)
        try:
            parsed = can_ada.parse(text)
        except (ValueError, TypeError):
            raise BadURL("the URL cannot be read") from None
        scheme, host, own_port = parsed.protocol.rstrip(":"), parsed.hostname, parsed.port
        if scheme not in _DEFAULT_PORTS:
            raise BadURL("only http and https URLs are fetched")
        if parsed.username or parsed.password:
            raise BadURL("the URL holds a user name")
        port = int(own_port) if own_port else _DEFAULT_PORTS[scheme]
        self._check_place(host, port)
        href = parsed.href.split("#", 1)[0]
        self._refuse_long(href)
        return CheckedURL(href, scheme, host, port, _same_for_client(href, scheme, host, port))

    def redirect(self, page_url: str, location: str | None) -> CheckedURL:
        """Where a redirect leads, judged like any other URL, or BadRedirect."""
        if not location or not location.strip():
            raise BadRedirect("the host redirects without saying where")
        text = _HIGH.sub(lambda byte: f"%{ord(byte[0]) - 0xDC00:02X}", location.strip())
        try:
            self._refuse_long(text)
            _refuse_repaired(text)
            if _AUTHORITY.match(text):
                _refuse_ambiguous(text)
            return self.check(ada_url.join_url(page_url, text))
        except BadURL as why:
            raise BadRedirect(f"bad redirect: {why}") from None
        except ValueError:
            raise BadRedirect from None

    def _refuse_long(self, text: str) -> None:
        if len(text) > self.max_length:
            raise BadURL(f"the URL is longer than {self.max_length} characters")

    def _check_place(self, host: str, port: int) -> None:
        if not host or len(host) > 253:
            raise BadURL("the URL has no usable host")
        if port not in self.ports and not self.egress_allow.allows_port(port):
            raise BadURL("the URL's port is not one of the web's")
        if is_ip(host) and not self.egress_allow.allows(host.strip("[]"), port):
            raise BadURL("the URL names an address, not a host")


def _refuse_repaired(text: str) -> None:
    """Refuse what a parser would silently take out or turn round."""
    if _CONTROL.search(text):
        raise BadURL("the URL holds a control character")
    if "\\" in text and "\\" in text.split("?", 1)[0]:
        raise BadURL("the URL holds a backslash")


def _refuse_ambiguous(text: str) -> None:
    """Refuse what parsers are known to read differently, before any of them repairs it."""
    _refuse_repaired(text)
    match = _AUTHORITY.match(text)
    if match is None:
        raise BadURL("only http and https URLs are fetched")
    authority = match[1]
    if _ODD.search(authority) is not None:
        raise BadURL("the URL holds a user name" if "@" in authority else "the URL's host is not plain")


def _same_for_client(href: str, scheme: str, host: str, port: int) -> URL:
    """The HTTP client's own parser must see the same scheme, host and port."""
    try:
        wire = URL(href, encoded=True)
        same = (wire.scheme, wire.raw_host, wire.port) == (scheme, host.strip("[]"), port)
    except ValueError:
        same = False
    if not same:
        raise BadURL("the URL can be read in two ways")
    return wire
