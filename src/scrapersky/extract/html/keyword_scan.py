"""One fast pass over a page for the words that decide which of the slower readers must look at it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

import ahocorasick_rs

_MOST_PLACES = 200
_QUOTES = (b"'", b'"')

# Every group is what one reader asks for; a longer word stands before a shorter one that begins it. Words
# of four letters or more keep the search in its fastest mode.
STRUCTURED = ("itemscope", "typeof=", "vcard", "h-card")
JSON_LD = ("ld+json", "LD+JSON", "ld+Json")
HIDING = (
    "data-cfemail", "data-mailto", "data-email", "data-mail", "data-user", "data-domain", "data-enc",
    "data-rot13", "data-address", "data-e=", "data-m=", "data-em=", "data-obf", "data-b64", "data-contact",
    "data-href", "data-link", "data-tld", "joomla-hidden-mail",
)  # fmt: skip
REVERSING = ("bidi-override", "<bdo")
HANDLERS = ("onclick", "onmouse")
QUOTED_SIGN = "'@'"
WORDED_SIGN = "a@b"
_FOUND_IN_SCRIPTS = (
    "&#64", "\\x40", "u0040", "fromCharCode", "atob(", "mailto", "znvygb", "'mai'", '"mai"', ".reverse(",
    "kode=", "unescape(", "decodeURI",
)  # fmt: skip
IN_SCRIPTS = (QUOTED_SIGN, *_FOUND_IN_SCRIPTS)
_OF_LINKS = ('href="mailto:', "href='mailto:", 'href="Mailto:')
PICTURED_SIGNS = (
    'alt="@"', "alt='@'", 'alt="(at)"', 'alt="[at]"', 'alt="at"', "/at.gif", "/at.png", '"at.gif', '"at.png',
    "fa-at", "icon-at", "bi-at",
)  # fmt: skip
WORDPRESS = (
    "wp-block-", "wp-emoji", "_wpemojiSettings", "wp-image-", "xmlrpc.php", "wp-json", "/wp-includes/",
    "/wp-content/",
)  # fmt: skip
FACEBOOK = ("fb-page", "plugins/page.php")
ELEMENTS = ("<noscript", "<base", "<BASE", "<NOSCRIPT")

_WORDS = (
    *_OF_LINKS,
    *STRUCTURED,
    *JSON_LD,
    *HIDING,
    *REVERSING,
    *HANDLERS,
    *_FOUND_IN_SCRIPTS,
    *PICTURED_SIGNS,
    *ELEMENTS,
)
# Two small searches are faster than one of more than 64 words.
SCRIPTS = ("<script", "</script")
_MORE_WORDS = (*SCRIPTS, *WORDPRESS, *FACEBOOK, "elementor")


def _search(words: tuple[str, ...]) -> ahocorasick_rs.BytesAhoCorasick:
    kind = ahocorasick_rs.MatchKind.LeftmostFirst
    return ahocorasick_rs.BytesAhoCorasick([word.encode() for word in words], matchkind=kind)


_SEARCH = _search(_WORDS)
_SECOND_SEARCH = _search(_MORE_WORDS)


def marks_in(raw: bytes) -> Mapping[str, list[int]]:
    """The words that occur in the bytes of a page, each with its first places there."""
    marks: defaultdict[str, list[int]] = defaultdict(list)
    for number, start, _ in _SEARCH.find_matches_as_indexes(raw):
        places = marks[_WORDS[number]]
        if len(places) < _MOST_PLACES:
            places.append(start)
    for number, start, _ in _SECOND_SEARCH.find_matches_as_indexes(raw):
        marks[_MORE_WORDS[number]].append(start)
    _mark_signs(raw, marks)
    return dict(marks)


def _mark_signs(raw: bytes, marks: defaultdict[str, list[int]]) -> None:
    """Mark signs beside a quote, where a script puts an address together, and signs between letters."""
    place = raw.find(b"@")
    for _ in range(_MOST_PLACES):
        if place < 0:
            break
        before, after = raw[place - 1 : place], raw[place + 1 : place + 2]
        if after in _QUOTES or before == b"'":
            marks[QUOTED_SIGN].append(place)
        elif before.isalnum() and after.isalnum():
            marks[WORDED_SIGN].append(place)
        place = raw.find(b"@", place + 1)
