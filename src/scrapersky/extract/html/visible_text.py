"""One walk over the parsed page: visible text in blocks with positions, links, forms and main headings."""

from __future__ import annotations

from dataclasses import dataclass, field

from selectolax.lexbor import LexborHTMLParser, LexborNode

from scrapersky.extract.html.line_index import MAX_LINES, TextLine
from scrapersky.extract.text import one_line

MAX_LINKS = 5_000
MAX_BLOCKS = 20_000

_BLOCK = (
    "address article aside blockquote body button caption center dd details dialog dir div dl dt fieldset"
    " figcaption figure footer frameset h2 h3 h4 h5 h6 header hgroup hr label legend li main marquee"
    " menu nav noframes ol optgroup p pre search section summary table tbody tfoot thead tr ul"
)
_NOTED = "form h1"
_CELL = "td th"
_SKIP = "audio canvas datalist head iframe math noscript object select svg template textarea title video"
_CODE = "script style"
_LINK = "a area"
_HIDEABLE = "b em i span"
_STRAY = "link meta"
# What stands from _IS_CELL on ends the text before it.
(
    _INLINE, _IS_CODE, _IS_SKIP, _IS_LINK, _IS_BREAK, _IS_HIDEABLE, _IS_STRAY, _IS_CELL, _IS_BLOCK, _IS_NOTED,
    _IS_TEXT,
) = range(11)  # fmt: skip
_TEXT = 2
# In the source of a page where a picture stands for the sign of a mail address.
PICTURED_SIGNS = (
    'alt="@"', "alt='@'", 'alt="(at)"', 'alt="[at]"', 'alt="at"', "/at.gif", "/at.png", '"at.gif', '"at.png',
    "fa-at", "icon-at", "bi-at",
)  # fmt: skip
_PICTURED = (
    'img[alt="@"],img[alt="(at)"],img[alt="[at]"],img[alt="at" i],img[src$="/at.gif"],img[src$="/at.png"],'
    'img[src="at.gif"],img[src="at.png"],i[class~="fa-at"],span[class~="fa-at"],i[class~="icon-at"],i[class~="bi-at"]'
)


def _kinds() -> dict[int, int]:
    """The parser's number of each tag that matters, mapped to how the walk treats it."""
    groups = {
        _BLOCK: _IS_BLOCK, _NOTED: _IS_NOTED, _CELL: _IS_CELL, _SKIP: _IS_SKIP, _CODE: _IS_CODE,
        _LINK: _IS_LINK, _HIDEABLE: _IS_HIDEABLE, _STRAY: _IS_STRAY, "br": _IS_BREAK,
    }  # fmt: skip
    parser = LexborHTMLParser("<p></p>")
    kinds = {
        parser.create_node(name).tag_id: kind for names, kind in groups.items() for name in names.split()
    }
    return {**kinds, _TEXT: _IS_TEXT}


_KINDS = _kinds()
# A page has many lines: made so, each spares the call of its own class.
_new = tuple.__new__


@dataclass(slots=True)
class PageText:
    """What the walk has gathered; `parts` are the pieces of the open line, `end` is where the next begins.

    `noted` are the forms and main headings, `strays` the elements of a head that stand in the body.
    """

    lines: list[TextLine] = field(default_factory=list)
    links: list[tuple[str, LexborNode]] = field(default_factory=list)
    forms_and_headings: list[LexborNode] = field(default_factory=list)
    strays: list[LexborNode] = field(default_factory=list)
    open_lines: list[str] = field(default_factory=list)
    parts: list[str] = field(default_factory=list)
    chunks: list[str] = field(default_factory=list)
    blocks: int = 0
    words: int = 0
    end: int = 0
    text: str = ""
    separator: str = ""
    truncated: bool = False

    def end_line(self) -> None:
        """Put the pieces of the current line together."""
        line = "".join(self.parts).strip()
        self.parts.clear()
        # Of all white space only the plain blank is printable: most lines stand in the page as they are kept.
        if not line.isprintable() or "  " in line:
            line = one_line(line)
        if line:
            self.open_lines.append(line)

    def end_block(self, node: LexborNode) -> None:
        """Keep the lines of the block that ends here."""
        if self.parts:
            self.end_line()
        open_lines, block = self.open_lines, self.blocks
        if not open_lines:
            return
        if block < MAX_BLOCKS:
            tag, classes = node.tag or "", node.attributes.get("class") or ""
            start, chunks = self.end, self.chunks
            separator = (self.separator or "\n") if start else ""
            for line in open_lines:
                self.lines.append(_new(TextLine, (line, start, tag, classes, block)))
                chunks += (separator, line)
                start += len(line) + 1
                separator = "\n"
            self.end, self.separator, self.blocks = start, "", block + 1
        else:
            self.truncated = True
        open_lines.clear()

    def note_block(self, node: LexborNode, kind: int) -> None:
        """Note a cell, which a tab keeps apart from the one before, or a form or main heading."""
        if kind == _IS_NOTED:
            self.separator = "\n"
            self.forms_and_headings.append(node)
        elif not self.separator:
            self.separator = "\t"

    def add_link(self, node: LexborNode) -> None:
        """Keep a link that points somewhere."""
        href = node.attributes.get("href")
        if not href:
            return
        if len(self.links) >= MAX_LINKS:
            self.truncated = True
            return
        self.links.append((href.strip(), node))


def walk_body(tree: LexborHTMLParser, *, has_pictured_signs: bool = False) -> PageText:
    """Everything one walk over the body gives."""
    page = PageText()
    body = tree.body or tree.root
    if body is not None:
        signs = tree.css(_PICTURED) if has_pictured_signs else []
        _walk(page, body, frozenset(node.mem_id for node in signs))
    page.text = "".join(page.chunks)
    # Within a line only single blanks are left, and one between two words.
    page.words = page.text.count(" ") + len(page.lines)
    del page.lines[MAX_LINES:]
    return page


def _walk(page: PageText, body: LexborNode, signs: frozenset[int]) -> None:
    """Visit the nodes in document order; a block ends where another begins or text of another follows."""
    # Most texts are white space between blocks and passed over: it counts only where a line is open.
    block, block_id = body, body.mem_id
    kind_of, parts, lines, hidden = _KINDS.get, page.parts, page.open_lines, set[int]()
    last_in_link, after_code = False, False
    for node in body.traverse(include_text=True, skip_empty=True):
        kind = kind_of(node.tag_id, _INLINE)
        if kind == _IS_BLOCK:
            if parts or lines:
                page.end_block(block)
            page.separator = "\n"
            continue
        if kind == _IS_TEXT:
            if after_code:
                after_code = False
                if _is_code(node):
                    last_in_link = False
                    continue
            text = node.text_content or ""
            is_blank = text.isspace()
            if parts and (is_blank or _follows_blank(node)):
                parts.append(" ")
                last_in_link = False
            if is_blank:
                continue
            owner, last_in_link = _owner(node.parent, hidden)
            if owner is None:
                continue
            owner_id = owner.mem_id
            if owner_id != block_id:
                if parts or lines:
                    page.end_block(block)
                block, block_id = owner, owner_id
            parts.append(text)
            continue
        if kind >= _IS_CELL:
            page.end_block(block)
            page.note_block(node, kind)
            continue
        if parts:
            if _follows_blank(node):
                parts.append(" ")
                last_in_link = False
            if kind == _IS_BREAK:
                page.end_line()
            elif kind == _IS_LINK and last_in_link:
                parts.append(" ")
            elif signs and node.mem_id in signs:
                parts.append("@")
        if kind == _IS_LINK:
            page.add_link(node)
        elif kind == _IS_HIDEABLE and _is_hidden(node):
            hidden.add(node.mem_id)
        elif kind == _IS_CODE:
            after_code = True
        elif kind == _IS_STRAY:
            page.strays.append(node)
    page.end_block(block)


def _follows_blank(node: LexborNode) -> bool:
    """Whether white space that the walk passes over stands right before a node; within code it counts not."""
    before = node.prev
    while before is not None and before.tag_id != _TEXT:
        before = before.last_child if _KINDS.get(before.tag_id) != _IS_CODE else None
    return before is not None and before.is_empty_text_node


def _is_code(node: LexborNode) -> bool:
    """Whether a text stands within a script or style, and so need not be read."""
    parent = node.parent
    return parent is not None and _KINDS.get(parent.tag_id) == _IS_CODE


def _owner(parent: LexborNode | None, hidden: set[int]) -> tuple[LexborNode | None, bool]:
    """The block that a text belongs to, or None when it is not shown; and whether a link holds the text."""
    in_link = False
    while parent is not None:
        kind = _KINDS.get(parent.tag_id, _INLINE)
        if kind >= _IS_CELL:
            return parent, in_link
        if kind == _IS_LINK:
            in_link = True
        elif kind and (kind <= _IS_SKIP or (hidden and parent.mem_id in hidden)):
            return None, in_link
        parent = parent.parent
    return None, in_link


def _is_hidden(node: LexborNode) -> bool:
    """Whether an attribute hides an inline element: filler between the letters of an address."""
    attributes = node.attributes
    if not attributes:
        return False
    if "hidden" in attributes:
        return True
    style = attributes.get("style")
    if not style or ("none" not in style and "hidden" not in style):
        return False
    compact = style.lower().replace(" ", "")
    return "display:none" in compact or "visibility:hidden" in compact
