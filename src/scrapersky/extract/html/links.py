"""A link of a page: its target, its text, and the zone of the page that it is in."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from selectolax.lexbor import LexborNode

from scrapersky.extract.text.cleanup import lower_letters, strip_invisible

_MAX_TEXT = 500
_ZONE_OF_TAG = {
    "header": "header",
    "nav": "nav",
    "footer": "footer",
    "menu": "nav",
    "body": "main",
    "main": "main",
}
_ZONE_TAGS = frozenset(("div", "section", "ul", "aside", "table", "td", "tr", "form"))
_ZONE_WORD = re.compile(
    r"(footer|fusszeile|contentinfo)|(navbar|navigation|\bmenu|\bnav\b)|(header|banner|topbar)"
)
_ZONE_OF_GROUP = (None, "footer", "nav", "header")


class Link(NamedTuple):
    """A link: where it leads (absolute when it can be) and as written; the rest is read when asked for."""

    href: str
    raw: str
    node: LexborNode

    @property
    def text(self) -> str:
        """What the link says."""
        text = " ".join(self.node.text().split()) or self.node.attributes.get("aria-label") or ""
        if len(text) > _MAX_TEXT or not text.isprintable():
            text = strip_invisible(text[:_MAX_TEXT])
        return text

    @property
    def rel(self) -> str:
        """How the page relates to what it links to."""
        return self.node.attributes.get("rel") or ""

    @property
    def title(self) -> str:
        """The title of the link."""
        return self.node.attributes.get("title") or ""

    @property
    def zone(self) -> str:
        """The zone it stands in: that of the nearest ancestor, but all within a footer is footer."""
        nearest = None
        node = self.node.parent
        while node is not None:
            own = _own_zone(node)
            if own == "footer":
                return own
            nearest = nearest or own
            node = node.parent
        return nearest or "main"


def _own_zone(node: LexborNode) -> str | None:
    """The zone an element begins by its tag, role, id or class."""
    tag = node.tag or ""
    if tag not in _ZONE_TAGS:
        return _ZONE_OF_TAG.get(tag)
    attributes = node.attributes
    if not attributes:
        return None
    return _zone_of_words(attributes.get("id"), attributes.get("class"), attributes.get("role"))


@lru_cache(maxsize=8_192)
def _zone_of_words(own_id: str | None, classes: str | None, role: str | None) -> str | None:
    match = _ZONE_WORD.search(lower_letters(f"{own_id or ''} {classes or ''} {role or ''}"[:300]))
    return _ZONE_OF_GROUP[match.lastindex or 0] if match else None
