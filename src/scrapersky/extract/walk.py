"""One walk over the parsed page: its visible text in blocks with positions, and its links."""

from __future__ import annotations

from dataclasses import dataclass, field

from selectolax.lexbor import LexborHTMLParser, LexborNode

from scrapersky.extract.text import visible

MAX_LINKS = 5_000
MAX_BLOCKS = 20_000

_BLOCK = (
    "address article aside blockquote body button caption center dd details dialog dir div dl dt fieldset figcaption"
    " figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr legend li main marquee menu nav ol p pre section summary"
    " table tbody tfoot thead tr ul label frameset noframes optgroup search"
)
_CELL = "td th"
_SKIP = "script style noscript template svg iframe select textarea datalist head title math object audio video canvas"
_LINK = "a area"
_FILLER = "span b i em strong small s u font ins del bdo tt code var samp abbr"
_ZONE = {"header": "header", "nav": "nav", "footer": "footer", "main": "main", "menu": "nav"}
_ZONE_QUERIES = (
    ("footer", '[id*="footer" i],[class*="footer" i],[role="contentinfo"]'),
    ("nav", '[role="navigation"],[class*="navbar" i],[id*="menu" i],[class~="menu" i],[class~="nav" i]'),
    ("header", '[id*="header" i],[class*="header" i],[role="banner"],[class*="topbar" i]'),
)
_INLINE, _IS_BLOCK, _IS_CELL, _IS_SKIP, _IS_LINK, _IS_BREAK, _IS_FILLER = range(7)


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of visible text that stands by itself; lines within it are separated by a newline."""

    text: str
    start: int
    tag: str
    classes: str


@dataclass(frozen=True, slots=True)
class RawLink:
    """A link as it was written, with the zone of the page it stands in."""

    href: str
    text: str
    rel: str
    zone: str
    title: str


def _kinds() -> dict[int, int]:
    """The parser's number of each tag that matters, mapped to how the walk treats it."""
    kinds: dict[int, int] = {}
    groups = ((_BLOCK, _IS_BLOCK), (_CELL, _IS_CELL), (_SKIP, _IS_SKIP), (_LINK, _IS_LINK), ("br", _IS_BREAK),
              (_FILLER, _IS_FILLER))  # fmt: skip
    for names, kind in groups:
        for name in names.split():
            node = LexborHTMLParser("<p></p>").create_node(name)
            kinds[node.tag_id] = kind
    return kinds


_KINDS = _kinds()
_TEXT = 2


@dataclass(slots=True)
class _Page:
    """What the walk has gathered so far."""

    zones: dict[int, str]
    hidden: frozenset[int]
    blocks: list[Block] = field(default_factory=list)
    links: list[RawLink] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    parts: list[str] = field(default_factory=list)
    chunks: list[str] = field(default_factory=list)
    length: int = 0
    separator: str = ""
    truncated: bool = False

    def end_line(self) -> None:
        """Put the pieces of the current line together."""
        if self.parts:
            line = " ".join("".join(self.parts).split())
            self.parts.clear()
            if not (line.isascii() and line.isprintable()):
                line = " ".join(visible(line).split())
            if line:
                self.lines.append(line)

    def end_block(self, node: LexborNode, separator: str) -> None:
        """Close the current block, if it holds any text, and remember what separates it from the next."""
        if self.parts:
            self.end_line()
        if self.lines:
            self._keep(node)
        if separator == "\n" or self.separator != "\n":
            self.separator = separator

    def _keep(self, node: LexborNode) -> None:
        text = "\n".join(self.lines)
        self.lines.clear()
        if len(self.blocks) >= MAX_BLOCKS:
            self.truncated = True
            return
        if self.blocks:
            self.chunks.append(self.separator or "\n")
            self.length += 1
        self.blocks.append(Block(text, self.length, node.tag or "", node.attrs.sget("class")))
        self.chunks.append(text)
        self.length += len(text)
        self.separator = ""

    def add_link(self, node: LexborNode, zone: str) -> None:
        """Keep a link that points somewhere."""
        attributes = node.attributes
        href = attributes.get("href")
        if not href:
            return
        if len(self.links) >= MAX_LINKS:
            self.truncated = True
            return
        text = " ".join(visible(node.text()).split()) or attributes.get("aria-label") or ""
        self.links.append(
            RawLink(
                href.strip(), text[:500], attributes.get("rel") or "", zone, attributes.get("title") or ""
            )
        )


def walk(tree: LexborHTMLParser, html: str) -> tuple[str, tuple[Block, ...], list[RawLink], bool]:
    """The visible text, its blocks, the links, and whether a cap was met."""
    page = _Page(_zones(tree), _hidden(tree, html))
    body = tree.body or tree.root
    if body is not None:
        _walk(page, body)
        page.end_block(body, "")
    return "".join(page.chunks), tuple(page.blocks), page.links, page.truncated


def _walk(page: _Page, body: LexborNode) -> None:
    """Visit every node in document order; a block ends where another begins or ends."""
    node: LexborNode | None = body.first_child
    open_nodes: list[tuple[LexborNode | None, int, LexborNode, str]] = []
    block, zone, after_link = body, "main", False
    kinds, zones, hidden = _KINDS, page.zones, page.hidden
    parts = page.parts
    while True:
        if node is None:
            if not open_nodes:
                return
            node, kind, block_before, zone = open_nodes.pop()
            if kind == _IS_BLOCK:
                page.end_block(block, "\n")
            elif kind == _IS_CELL:
                page.end_block(block, "\t")
            after_link = kind == _IS_LINK
            block = block_before
            continue
        tag = node.tag_id
        if tag == _TEXT:
            parts.append(node.text_content or "")
            node, after_link = node.next, False
            continue
        kind = kinds.get(tag, _INLINE)
        if kind == _IS_SKIP or (kind == _IS_FILLER and hidden and node.mem_id in hidden):
            node = node.next
            continue
        if kind == _IS_BREAK:
            page.end_line()
            node = node.next
            continue
        zone_before, block_before = zone, block
        if kind == _IS_BLOCK or kind == _IS_CELL:
            page.end_block(block, "\n" if kind == _IS_BLOCK else "\t")
            block = node
            zone = _zone(zones, node, zone)
        elif kind == _IS_LINK:
            page.add_link(node, zone)
            if after_link:
                parts.append(" ")
        child, following = node.first_child, node.next
        if child is None:
            if kind == _IS_BLOCK or kind == _IS_CELL:
                zone, block = zone_before, block_before
            node = following
        else:
            open_nodes.append((following, kind, block_before, zone_before))
            node = child


def _zone(zones: dict[int, str], node: LexborNode, zone: str) -> str:
    """The zone inside a block: its own, unless it lies in a footer."""
    own = zones.get(node.mem_id)
    return zone if own is None or zone == "footer" else own


def _zones(tree: LexborHTMLParser) -> dict[int, str]:
    """The elements that begin a zone of the page."""
    zones: dict[int, str] = {}
    for zone, query in _ZONE_QUERIES:
        for node in tree.css(query):
            zones.setdefault(node.mem_id, zone)
    for node in tree.css("header,nav,footer,main,menu"):
        zones[node.mem_id] = _ZONE[node.tag or "main"]
    return zones


def _hidden(tree: LexborHTMLParser, html: str) -> frozenset[int]:
    """Inline elements that a style attribute hides: filler between the letters of an address."""
    if "display" not in html and "hidden" not in html:
        return frozenset()
    nodes = tree.css('span[style*="none"],b[style*="none"],i[style*="none"],em[style*="none"],span[hidden]')
    shut = (node for node in nodes if "hidden" in node.attrs or _is_shut(node.attrs.sget("style")))
    return frozenset(node.mem_id for node in shut)


def _is_shut(style: str) -> bool:
    return "display:none" in style.lower().replace(" ", "")
