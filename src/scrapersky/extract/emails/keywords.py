"""Keywords in the source of a page that hint at a hidden mail address."""

from __future__ import annotations

from collections.abc import Mapping

from scrapersky.extract.html import Document
from scrapersky.extract.html.keyword_scan import SourceKeywords

_MAX_PLACES = 200
_QUOTES = (b"'", b'"')

HIDING = (
    "data-cfemail", "data-mailto", "data-email", "data-mail", "data-user", "data-domain", "data-enc",
    "data-rot13", "data-address", "data-e=", "data-m=", "data-em=", "data-obf", "data-b64", "data-contact",
    "data-href", "data-link", "data-tld", "data-before", "data-local", "data-part1", "joomla-hidden-mail",
)  # fmt: skip
REVERSING = ("bidi-override", "<bdo")
HANDLERS = ("onclick", "onmouse")
QUOTED_SIGN = "'@'"
WORDED_SIGN = "a@b"
_IN_SCRIPTS = (
    "&#64", "\\x40", "u0040", "fromCharCode", "atob(", "mailto", "znvygb", "'mai'", '"mai"', ".reverse(",
    "kode=", "unescape(", "decodeURI",
)  # fmt: skip
IN_SCRIPTS = (QUOTED_SIGN, *_IN_SCRIPTS)
# They stand before the bare "mailto" of scripts, so that plain links do not count as a hint.
_PLAIN_LINKS = ('href="mailto:', "href='mailto:", 'href="Mailto:')


class ObfuscationKeywords:
    """Keywords of obfuscation, and at signs beside a quote or between letters."""

    def __init__(self) -> None:
        self._keywords = SourceKeywords(
            (*_PLAIN_LINKS, *HIDING, *REVERSING, *HANDLERS, *_IN_SCRIPTS), max_places=_MAX_PLACES
        )

    def search(self, doc: Document) -> Mapping[str, list[int]]:
        """The keywords that occur in a page, each with its first places."""
        places = self._keywords.search_bytes(doc.raw)
        _add_signs(doc.raw, places)
        return places


OBFUSCATION = ObfuscationKeywords()


def _add_signs(raw: bytes, places: dict[str, list[int]]) -> None:
    """Add at signs beside a quote, where a script builds an address, and at signs between letters."""
    quoted: list[int] = []
    worded: list[int] = []
    place = raw.find(b"@")
    for _ in range(_MAX_PLACES):
        if place < 0:
            break
        before, after = raw[place - 1 : place], raw[place + 1 : place + 2]
        if after in _QUOTES or before == b"'":
            quoted.append(place)
        elif before.isalnum() and after.isalnum():
            worded.append(place)
        place = raw.find(b"@", place + 1)
    if quoted:
        places[QUOTED_SIGN] = quoted
    if worded:
        places[WORDED_SIGN] = worded
