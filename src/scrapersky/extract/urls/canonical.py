"""One canonical form for URLs, and signs of a trap.

Canonical: WHATWG parsing, no fragment, no tracking or session parameters; the order of the parameters and the
trailing slash are kept.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import NamedTuple

import ada_url
import can_ada

from scrapersky.extract.urls.hosts import is_ip, registrable_domain

MAX_URL = 2_048
MAX_SEGMENTS = 20
MAX_REPEATS = 2
_MAX_RAW = 4 * MAX_URL  # Tracking parameters and fragments may make up most of a long but harmless link.

_HTTP = re.compile(r"https?://", re.IGNORECASE)
_SCHEME = re.compile(r"[a-z][a-z0-9+.\-]*:", re.IGNORECASE)
_EDGES = "".join(map(chr, range(0x21)))
_SESSION_IN_PATH = re.compile(r";(?:jsessionid|phpsessid|sid)=[^/?#]*", re.IGNORECASE)
_TRACKING = re.compile(
    r"(?:utm_\w+|utm|[dgy]clid|gclsrc|[gw]braid|fbclid|fb_(?:action_ids|action_types|ref|source)|msclkid|twclid|ttclid"
    r"|li_fat_id|igshid|igsh|epik|mc_[ce]id|mkt_tok|_hsenc|_hsmi|__hs\w+|hsa_\w+|hsctatracking|_ga|_gl|_gac|_ke|_openstat"
    r"|vero_(?:id|conv)|oly_(?:enc|anon)_id|ml_subscriber(?:_hash)?|s_kwcid|ef_id|srsltid|wickedid|rb_clickid|piwik_\w+|pk_\w+"
    r"|mtm_\w+|matomo_\w+|trk_\w+|ns_(?:source|mchannel|campaign)|at_(?:medium|campaign)|phpsessid|jsessionid|aspsessionid\w*|cftoken)",
    re.IGNORECASE,
)
_TRAP_PARAMETER = re.compile(
    r"[?&](replytocom|add-to-cart|add_to_cart|add_to_wishlist|remove_item|calendar_month|tribe-bar-date|ical|outlook-ical|print)=",
    re.IGNORECASE,
)
_TRAP_PATH = re.compile(
    r"/(?:calendar|events?|termine|agenda)/\d{4}[-/]\d{1,2}(?:[-/]\d{1,2})?/?$", re.IGNORECASE
)


# Links that parsing would give back unchanged; most are, and looking costs a fifth of parsing.
_IS_CANONICAL = re.compile(
    r"https?+://(?!xn--)(?:[a-z0-9](?:[a-z0-9]|-(?!-))*+\.)++[a-z]{2,20}+(?:/(?!\.)[\w.~!$()*+,=:@\-]*+)++",
    re.ASCII,
)


class URLReading(NamedTuple):
    """A canonical URL, or an empty one with the reason."""

    url: str
    reason: str = ""


def is_canonical(text: str) -> bool:
    """True for links that are surely canonical; of others only reading them tells."""
    return len(text) <= MAX_URL and _IS_CANONICAL.fullmatch(text) is not None


def read_url(text: str, *, base: str = "") -> URLReading:
    """The canonical form of a link, joined to `base` when it is relative; never raises."""
    if is_canonical(text):
        return URLReading(text)
    if len(text) > _MAX_RAW:
        return URLReading("", "too long")
    text = text.strip(_EDGES)
    if not text:
        return URLReading("", "empty")
    if not _HTTP.match(text):
        if not base:
            return URLReading("", "scheme" if _SCHEME.match(text) else "relative without a base")
        try:
            text = ada_url.join_url(base, text)
        except ValueError:
            return URLReading("", "not a URL")
    return _canonical(text)


def canonical_url(text: str, *, base: str = "") -> str:
    """As `read_url`, for callers who need no reason: an empty string when refused."""
    return read_url(text, base=base).url


def _canonical(text: str) -> URLReading:
    try:
        url = can_ada.parse(text)
    except (ValueError, TypeError):
        return URLReading("", "not a URL")
    if url.protocol not in ("http:", "https:"):
        return URLReading("", "scheme")
    if url.has_credentials():
        return URLReading("", "user name in the URL")
    url.hash = ""
    if ";" in url.pathname:
        url.pathname = _SESSION_IN_PATH.sub("", url.pathname)
    url.search = _kept_parameters(url.search)
    if len(url.href) > MAX_URL:
        return URLReading("", "too long")
    return URLReading(str(url.href))


def _kept_parameters(search: str) -> str:
    if len(search) < 2:
        return ""
    parts = search[1:].split("&")
    kept = [part for part in parts if not _TRACKING.fullmatch(part.partition("=")[0])]
    return search if len(kept) == len(parts) else "&".join(kept)


def host_of(url: str) -> str:
    """The host of a URL in lower-case ASCII without trailing dot, or an empty string."""
    try:
        return str(can_ada.parse(url).hostname).removesuffix(".")
    except (ValueError, TypeError):
        return ""


def same_site(url: str, other: str) -> bool:
    """The one rule for "on this site": both hosts have the same registrable domain.

    Scheme, port, www, sub-domain and parent domain make no difference; `a.github.io` and `b.github.io`
    are two sites. Addresses and names without a public suffix are the same site only when they are equal.
    """
    first, second = host_of(url), host_of(other)
    return bool(first) and site_of(first) == site_of(second)


def site_of(host: str) -> str:
    """The name under which all hosts of one site meet."""
    return host if is_ip(host) else registrable_domain(host) or host.removeprefix("www.")


def path_segments(url: str) -> list[str]:
    """The non-empty parts of the path, in order."""
    try:
        return [part for part in can_ada.parse(url).pathname.split("/") if part]
    except (ValueError, TypeError):
        return []


def path_depth(url: str) -> int:
    """Number of non-empty path segments; 0 for a home page."""
    return len(path_segments(url))


def trap_reason(url: str) -> str:
    """Why a canonical URL looks like part of an endless space, or an empty string."""
    segments = path_segments(url)
    if len(segments) > MAX_SEGMENTS:
        return "too many path segments"
    if len(segments) > MAX_REPEATS:
        # Dates repeat short numbers by nature (2024/01/01), so these are not counted.
        counts = Counter(part.lower() for part in segments if not (part.isdecimal() and len(part) <= 2))
        if counts and max(counts.values()) > MAX_REPEATS:
            return "a path segment repeats"
    return _query_trap(url) or ("a calendar without an end" if _TRAP_PATH.search(url) else "")


def _query_trap(url: str) -> str:
    query = url.partition("?")[2]
    if not query:
        return ""
    if match := _TRAP_PARAMETER.search("?" + query):
        return f"parameter {match[1].lower()}"
    names = Counter(part.partition("=")[0] for part in query.split("&"))
    if len(names) > 12 or max(names.values()) > 8:
        return "too many parameters"
    return ""
