"""Normalises domains: every form that people paste gives one key, or the reason why it is invalid.

The key is the host in lower-case ASCII (A-labels) without a leading "www.", path or trailing dot.
A port other than the web's is refused, because it would name another site. A sub-domain is a domain of its
own, because it is often another website; its registrable domain is kept beside it.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache

import ada_url
import can_ada
import tldextract

from scrapersky.extract.urls.platforms import platform_of

MAX_TEXT = 2_048  # The same limit as for a URL; a longer line is a mistake or an attack.
MAX_NAME = 253  # RFC 1035, without the trailing dot.
MAX_LABEL = 63

_INVISIBLE = "\ufeff\u200b\u200c\u200d\u2060\u00ad"
_SCHEME = re.compile(r"([a-z][a-z0-9+.\-]*):(?![0-9]+(?:[/?#]|$))", re.IGNORECASE)
_PORT = re.compile(r":([^:\]]*)\Z")
# The fetcher asks no other ports, so a line with another one must not become its neighbour on these.
_WEB_PORTS = frozenset({80, 443})
_LABEL = re.compile(r"[a-z0-9](?:[a-z0-9\-]{0,61}[a-z0-9])?")
_FORBIDDEN = re.compile(r"[\x00-\x20\x7f-\xa0\\\ud800-\udfff\s]")
# Top levels that are in the public suffix list or in common use, and still never lead to a public website.
_PRIVATE_ENDINGS = frozenset(
    {"alt", "arpa", "corp", "example", "home", "i2p", "internal", "intranet", "invalid", "lan", "local"}
    | {"localdomain", "localhost", "onion", "private", "svc", "test"}
)


@dataclass(frozen=True, slots=True)
class HostReading:
    """What one line of text says: a domain (`host`), a page on a platform (`platform`), or a refusal."""

    text: str
    host: str = ""
    display: str = ""
    registrable: str = ""
    url: str = ""
    platform: str = ""
    reason: str = ""

    @property
    def ok(self) -> bool:
        """True when the text names a domain that may become a row."""
        return bool(self.host) and not self.reason


_USER_NAME = "a user name (@) is not part of a domain"


class _Refused(Exception):
    """Carries the reason from the check that failed to the reading."""


def read_host(text: str, *, lab_suffixes: Collection[str] = ()) -> HostReading:
    """Read a domain in any form people use; never raises. Only tests use `lab_suffixes`."""
    try:
        return _read(text, lab_suffixes)
    except _Refused as find_refusal:
        return HostReading(text=_clipped(text), reason=str(find_refusal))


def _read(text: str, lab_suffixes: Collection[str]) -> HostReading:
    authority, rest = _split(text)
    host = _without_www(_ascii_host(authority), lab_suffixes)
    registrable = _registrable_or_refuse(host, lab_suffixes)
    port = _port_of(authority)
    if port and port not in _WEB_PORTS and host.rpartition(".")[2] not in lab_suffixes:
        raise _Refused(f"port {port}: only sites on port 80 or 443 are read")
    url = _url(f"{host}:{port}" if port else host, rest)
    platform = platform_of(registrable)
    reason = "a page on a platform, not a domain of its own" if platform else ""
    return HostReading(
        text=_clipped(text),
        host="" if platform else host,
        display=unicode_host(host),
        registrable=registrable,
        url=url,
        platform=platform,
        reason=reason,
    )


def _clipped(text: str) -> str:
    return text[:200].encode("utf-8", "replace").decode("utf-8").replace("\x00", "")


def _split(text: str) -> tuple[str, str]:
    """Authority and the rest, by rules strict enough that no other parser can see another host."""
    if len(text) > MAX_TEXT:
        raise _Refused(f"longer than {MAX_TEXT:,} characters")
    line = text.strip().strip(_INVISIBLE).strip()
    if not line:
        raise _Refused("empty")
    if _FORBIDDEN.search(line):
        raise _Refused("white space, a backslash or a control character inside")
    line = _without_scheme(line)
    head = line.partition("/")[0]
    # The part before the first slash is looked at whole: some parsers end the host at ? or #, others do not.
    if "@" in head:
        raise _Refused(_USER_NAME)
    if "%" in head:
        raise _Refused("a percent sign in the host name")
    authority = re.split(r"[/?#]", line, maxsplit=1)[0]
    return authority, line[len(authority) :]


def _without_scheme(line: str) -> str:
    if line.startswith("/"):
        raise _Refused("scheme missing before //" if line.startswith("//") else "starts with a slash")
    match = _SCHEME.match(line)
    if not match:
        return line
    rest = line[match.end() :]
    if "." in match[1] and not rest.startswith("//"):
        # A name with a dot is a host whose port is not one; schemes have none.
        return line
    if match[1].lower() not in ("http", "https") or not rest.startswith("//"):
        is_user = "@" in rest.partition("/")[0] and match[1].lower() != "mailto"
        raise _Refused(_USER_NAME if is_user else "scheme is not http or https")
    return rest[2:]


def _port_of(authority: str) -> int | None:
    """The port that is named, if one is."""
    match = _PORT.search(authority)
    if not match:
        return None
    if not match[1]:
        raise _Refused("no port behind the colon")
    if not (match[1].isascii() and match[1].isdecimal()):
        raise _Refused("port is not a number")
    if len(match[1]) > 5 or not 0 < int(match[1]) < 65_536:
        raise _Refused("port out of range")
    return int(match[1])


def _ascii_host(authority: str) -> str:
    if authority.startswith("[") or authority.count(":") > 1:
        raise _Refused("an IP address, not a domain")
    name = _PORT.sub("", authority)
    if not name:
        raise _Refused("no host name")
    _port_of(authority)
    parsed = _parsed_host(name)
    host = parsed.removesuffix(".")
    if is_ip(host):
        raise _Refused("an IP address, not a domain")
    _check_labels(host)
    return host


def _parsed_host(name: str) -> str:
    try:
        return str(can_ada.parse(f"http://{name}/").hostname)
    except (ValueError, TypeError):
        raise _Refused("not a valid host name") from None


def _check_labels(host: str) -> None:
    if len(host) > MAX_NAME:
        raise _Refused(f"name longer than {MAX_NAME} characters")
    for label in host.split("."):
        if len(label) > MAX_LABEL:
            raise _Refused(f"a part longer than {MAX_LABEL} characters")
        if not _LABEL.fullmatch(label):
            raise _Refused("characters that a domain cannot have")


def _without_www(host: str, lab_suffixes: Collection[str]) -> str:
    """Drop "www." for as long as a registrable domain remains, so that a second reading changes nothing."""
    while host.startswith("www.") and _registrable(host[4:], lab_suffixes):
        host = host[4:]
    return host


def _registrable_or_refuse(host: str, lab_suffixes: Collection[str]) -> str:
    registrable = _registrable(host, lab_suffixes)
    if registrable:
        return registrable
    if host.rpartition(".")[2] in _PRIVATE_ENDINGS or not public_suffix(host):
        raise _Refused("not a public domain")
    raise _Refused("a public suffix under which others register, not a domain")


def _registrable(host: str, lab_suffixes: Collection[str]) -> str:
    ending = host.rpartition(".")[2]
    if ending in lab_suffixes:
        return ".".join(host.split(".")[-2:]) if "." in host else ""
    return "" if ending in _PRIVATE_ENDINGS else registrable_domain(host)


def _url(authority: str, rest: str) -> str:
    try:
        parsed = can_ada.parse(f"https://{authority}{rest}")
    except (ValueError, TypeError):
        return f"https://{authority}/"
    parsed.hash = ""
    return str(parsed.href)


@lru_cache(maxsize=1)
def _suffix_list() -> tldextract.TLDExtract:
    """The list shipped with the library: no network, no cache, private suffixes (github.io) counted."""
    return tldextract.TLDExtract(cache_dir=None, suffix_list_urls=(), include_psl_private_domains=True)


@lru_cache(maxsize=65_536)
def registrable_domain(host: str) -> str:
    """The domain somebody registered (`shop.example.co.uk` gives `example.co.uk`), or an empty string."""
    parts = _suffix_list().extract_str(host)
    return f"{parts.domain}.{parts.suffix}" if parts.domain and parts.suffix else ""


def public_suffix(host: str) -> str:
    """The ending under which people register names, or an empty string when nobody can."""
    return str(_suffix_list().extract_str(host).suffix)


def is_internal_name(host: str) -> bool:
    """True for a name that only an inner network answers: localhost, a single label, or a private ending."""
    name, ending = host.lower().removesuffix("."), host.lower().removesuffix(".").rpartition(".")[2]
    if ending == "example":  # Reserved for documentation: nobody answers it, inside or outside.
        return False
    return "." not in name or ending in _PRIVATE_ENDINGS or not public_suffix(name)


def is_ip(host: str) -> bool:
    """True for a host in the form can_ada gives to an address (dotted quad, or in brackets)."""
    return host.startswith("[") or (host.count(".") == 3 and host.replace(".", "").isdecimal())


def unicode_host(host: str) -> str:
    """The host as people write it (`münchen.de`), or as it is when that form would not lead back to it."""
    if "xn--" not in host:
        return host
    try:
        name = str(ada_url.idna_to_unicode(host))
        return name if can_ada.parse(f"http://{name}/").hostname == host else host
    except (ValueError, TypeError):
        return host


def politeness_key(url_or_host: str) -> str:
    """What counts as one host for pace: the registrable domain, else the bare host; never raises."""
    text = url_or_host.strip()[:MAX_TEXT]
    try:
        host = can_ada.parse(text if "://" in text else f"http://{text}/").hostname
    except (ValueError, TypeError):
        return ""
    host = str(host).strip(".")
    return host if is_ip(host) else registrable_domain(host) or host
