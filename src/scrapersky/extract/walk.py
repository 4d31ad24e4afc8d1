"""One walk over the parsed page: its visible text in blocks with positions, and its links."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from selectolax.lexbor import LexborHTMLParser, LexborNode

from scrapersky.extract.text import visible

MAX_LINKS = 5_000
MAX_BLOCKS = 20_000
_MAX_LINK_TEXT = 500

_BLOCK = (
    "address article aside blockquote body button caption center dd details dialog dir div dl dt fieldset"
    " figcaption figure footer form frameset h1 h2 h3 h4 h5 h6 header hgroup hr label legend li main marquee"
    " menu nav noframes ol optgroup p pre search section summary table tbody tfoot thead tr ul"
)
_CELL = "td th"
_SKIP = (
    "audio canvas datalist head iframe math noscript object script select style svg template textarea"
    " title video"
)
_LINK = "a area"
_FILLER = "abbr b bdo code del em font i ins s samp small span strong tt u var"
_INLINE, _IS_BLOCK, _IS_CELL, _IS_SKIP, _IS_LINK, _IS_BREAK, _IS_FILLER = range(7)
_TEXT = 2
_PICTURED = (
    'img[alt="@"],img[alt="(at)"],img[alt="[at]"],img[alt="at" i],img[src$="/at.gif"],img[src$="/at.png"],'
    'img[src="at.gif"],img[src="at.png"],i[class~="fa-at"],span[class~="fa-at"],i[class~="icon-at"],i[class~="bi-at"]'
)

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
    r"(footer|fusszeile|contentinfo)|(navbar|navigation|\bmenu|\bnav\b)|(header|banner|topbar)", re.I
)
_ZONE_OF_GROUP = (None, "footer", "nav", "header")


class Block(NamedTuple):
    """A piece of visible text that stands by itself; lines within it are separated by a newline."""

    text: str
    start: int
    tag: str
    classes: str


class RawLink(NamedTuple):
    """A link as it was written, with the zone of the page it stands in."""

    href: str
    text: str
    rel: str
    zone: str
    title: str


def _kinds() -> dict[int, int]:
    """The parser's number of each tag that matters, mapped to how the walk treats it."""
    groups = {
        _BLOCK: _IS_BLOCK, _CELL: _IS_CELL, _SKIP: _IS_SKIP, _LINK: _IS_LINK, _FILLER: _IS_FILLER,
        "br": _IS_BREAK,
    }  # fmt: skip
    parser = LexborHTMLParser("<p></p>")
    return {parser.create_node(name).tag_id: kind for names, kind in groups.items() for name in names.split()}


_KINDS = _kinds()


@dataclass(slots=True)
class _Page:
    """What the walk has gathered so far; `parts` are the pieces of the line that is open."""

    blocks: list[Block] = field(default_factory=list)
    links: list[RawLink] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    parts: list[str] = field(default_factory=list)
    chunks: list[str] = field(default_factory=list)
    zones: dict[int, str] = field(default_factory=dict)
    length: int = 0
    separator: str = ""
    truncated: bool = False

    def end_line(self) -> None:
        """Put the pieces of the current line together."""
        parts = self.parts
        line = " ".join((parts[0] if len(parts) == 1 else "".join(parts)).split())
        parts.clear()
        if not line.isprintable():
            line = " ".join(visible(line).split())
        if line:
            self.lines.append(line)

    def end_block(self, node: LexborNode) -> None:
        """Keep the text of the block that ends here."""
        lines = self.lines
        if self.parts:
            self.end_line()
        if not lines:
            return
        text = lines[0] if len(lines) == 1 else "\n".join(lines)
        lines.clear()
        if self.blocks:
            if len(self.blocks) >= MAX_BLOCKS:
                self.truncated = True
                return
            self.chunks.append(self.separator or "\n")
            self.length += 1
        self.blocks.append(Block(text, self.length, node.tag or "", node.attrs.sget("class")))
        self.chunks.append(text)
        self.length += len(text)
        self.separator = ""

    def add_link(self, node: LexborNode) -> None:
        """Keep a link that points somewhere."""
        attributes = node.attributes
        href = attributes.get("href")
        if not href:
            return
        if len(self.links) >= MAX_LINKS:
            self.truncated = True
            return
        text = " ".join(node.text().split()) or attributes.get("aria-label") or ""
        if len(text) > _MAX_LINK_TEXT or not text.isprintable():
            text = visible(text[:_MAX_LINK_TEXT])
        rel, title = attributes.get("rel") or "", attributes.get("title") or ""
        parent = node.parent
        zone = "main" if parent is None else self.zones.get(parent.mem_id) or self.zone_of(parent)
        self.links.append(RawLink(href.strip(), text, rel, zone, title))

    def zone_of(self, block: LexborNode) -> str:
        """The zone a block lies in: its own or its nearest ancestor's, but all within a footer is footer."""
        path: list[tuple[int, str | None]] = []
        node: LexborNode | None = block
        zone = "main"
        while node is not None:
            known = self.zones.get(node.mem_id)
            if known is not None:
                zone = known
                break
            path.append((node.mem_id, _own_zone(node)))
            node = node.parent
        for mem_id, own in reversed(path):
            if own is not None and zone != "footer":
                zone = own
            self.zones[mem_id] = zone
        return zone


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
    found = _ZONE_WORD.search(f"{own_id or ''} {classes or ''} {role or ''}"[:300])
    return _ZONE_OF_GROUP[found.lastindex or 0] if found else None


def walk(
    tree: LexborHTMLParser, *, has_pictured_signs: bool = False
) -> tuple[str, tuple[Block, ...], list[RawLink], bool]:
    """The visible text, its blocks, the links, and whether a cap was met."""
    page = _Page()
    body = tree.body or tree.root
    if body is not None:
        signs = tree.css(_PICTURED) if has_pictured_signs else []
        _walk(page, body, _hidden(tree), frozenset(node.mem_id for node in signs))
    return "".join(page.chunks), tuple(page.blocks), page.links, page.truncated


def _walk(page: _Page, body: LexborNode, hidden: frozenset[int], signs: frozenset[int]) -> None:
    """Visit every node in document order; a block ends where another begins or text of another follows."""
    block, block_id = body, body.mem_id
    kinds, parts, lines = _KINDS, page.parts, page.lines
    last_in_link = False
    for node in body.traverse(include_text=True):
        tag = node.tag_id
        if tag == _TEXT:
            text = node.text_content or ""
            if text.isspace():
                if parts:
                    parts.append(" ")
                    last_in_link = False
                continue
            owner, last_in_link = _owner(node, hidden)
            if owner is None:
                continue
            owner_id = owner.mem_id
            if owner_id != block_id:
                if parts or lines:
                    page.end_block(block)
                block, block_id = owner, owner_id
            parts.append(text)
            continue
        kind = kinds.get(tag, _INLINE)
        if kind == _IS_BLOCK or kind == _IS_CELL:  # noqa: SIM109 - the plain form is faster here.
            if parts or lines:
                page.end_block(block)
            if kind == _IS_BLOCK or page.separator != "\n":
                page.separator = "\n" if kind == _IS_BLOCK else "\t"
        elif kind == _IS_LINK:
            page.add_link(node)
            if last_in_link and parts:
                parts.append(" ")
        elif kind == _IS_BREAK and parts:
            page.end_line()
        elif signs and node.mem_id in signs and parts:
            parts.append("@")
    page.end_block(block)


def _owner(node: LexborNode, hidden: frozenset[int]) -> tuple[LexborNode | None, bool]:
    """The block that a text belongs to, or None when it is not shown; and whether a link holds the text."""
    in_link = False
    parent = node.parent
    while parent is not None:
        kind = _KINDS.get(parent.tag_id, _INLINE)
        if kind == _IS_BLOCK or kind == _IS_CELL:  # noqa: SIM109
            return parent, in_link
        if kind == _IS_SKIP or (hidden and kind == _IS_FILLER and parent.mem_id in hidden):
            return None, in_link
        if kind == _IS_LINK:
            in_link = True
        parent = parent.parent
    return None, in_link


def _hidden(tree: LexborHTMLParser) -> frozenset[int]:
    """Inline elements that a style attribute hides: filler between the letters of an address."""
    nodes = tree.css('span[style*="none"],b[style*="none"],i[style*="none"],em[style*="none"],span[hidden]')
    shut = (node for node in nodes if "hidden" in node.attrs or _is_shut(node.attrs.sget("style")))
    return frozenset(node.mem_id for node in shut)


def _is_shut(style: str) -> bool:
    return "display:none" in style.lower().replace(" ", "")
