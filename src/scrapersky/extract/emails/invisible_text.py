"""Repairs mail addresses that contain letters which a page does not show."""

from __future__ import annotations

import re
import string
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice

from selectolax.lexbor import LexborHTMLParser, LexborNode, SelectolaxError

from scrapersky.extract.emails.address_pattern import AddressMatch, match_addresses
from scrapersky.extract.emails.spelled_addresses import find_spelled_out
from scrapersky.extract.text import one_line

_INLINE = (
    "span b i em u s q small strong font code ins del abbr sup sub mark tt var samp cite bdi big wbr label"
    " kbd a"
)
_INLINE_TAGS = frozenset(_INLINE.split())
# What a sign looks like in the text, and how the source may write it.
_SIGNS = {"@": ("@", "&#64;", "&#x40;"), "(at)": ("(at)",), "[at]": ("[at]",)}
_LETTERS = string.ascii_letters + string.digits + "._+-"
# Declarations that take an inline element out of sight.
_UNSEEN = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|font-size\s*:\s*0(?![.\d])|opacity\s*:\s*0(?![.\d])|"
    r"(?:left|top|right|bottom|text-indent|margin-left)\s*:\s*-\d{3,}|clip\s*:\s*rect|clip-path\s*:\s*inset|"
    r"(?:max-)?(?:width|height)\s*:\s*0(?:px)?\s*(?:;|$|!)",
    re.I,
)
# Classes that mean so in the style sheets of most frameworks and plugins, which are files of their own.
_UNSEEN_CLASS = re.compile(
    r"(?<![\w-])(?:hidden|hide|d-none|is-hidden|uk-hidden|display-none|displaynone|no-display|nodisplay|invisible|"
    r"no-?spam|anti-?spam|spam(?:-?(?:filler|protect(?:ion)?|schutz|trap|text))?|filler|honeypot|decoy|unicorn|"
    r"oculto|escondido|nascosto|versteckt|unsichtbar|cach[eé]|masqu[eé]|verborgen|ukryty|skryt[yé]|dold|skjult|"
    r"visually-?hidden|sr-only|screen-reader-text|screenreader|u-hidden|element-invisible|noshow|dont-?show)(?![\w-])",
    re.I,
)
_MAY_HIDE = (
    "none",
    "hidden",
    "collapse",
    "font-size",
    "opacity",
    "left",
    "top",
    "indent",
    "clip",
    "width",
    "height",
)
_COMMENT = re.compile(r"/\*[^*]{0,5000}(?:\*(?!/)[^*]{0,5000}){0,50}\*/")
_MAX_SIGNS = 500
_REACH = 200
_MAX_TAGS = 8
_MAX_NODES = 300
_MAX_RULES = 2_000
_MAX_SELECTORS = 1_000
_LONGEST_FILLER = 60
_LONGEST_TEXT = 2_000


def is_unseen_style(style: str) -> bool:
    """Whether a style attribute takes its element out of sight."""
    return _UNSEEN.search(style) is not None


def has_broken_address(html: str, text: str) -> bool:
    """A first look: whether tags stand among the letters around some sign that the text shows."""
    for visible, written in _SIGNS.items():
        if visible not in text or _stands_whole(html, text, visible):
            continue
        if any(_is_broken(html, sign) for sign in written):
            return True
    return False


def _stands_whole(html: str, text: str, sign: str) -> bool:
    """Whether the letters around every sign in the text stand together in the source as well."""
    place = text.find(sign)
    for _ in range(_MAX_SIGNS):
        if place < 0:
            return True
        before, after = text[max(0, place - 64) : place], text[place + len(sign) : place + len(sign) + 64]
        left = len(before) - len(before.rstrip(_LETTERS))
        right = len(after) - len(after.lstrip(_LETTERS))
        if text[place - left : place + len(sign) + right] not in html:
            return False
        place = text.find(sign, place + 1)
    return False


def _is_broken(html: str, sign: str) -> bool:
    place = html.find(sign)
    for _ in range(_MAX_SIGNS):
        if place < 0:
            return False
        if _pieces_before(html, place) > 1 or _pieces_after(html, place + len(sign)) > 1:
            return True
        place = html.find(sign, place + 1)
    return False


def _pieces_before(html: str, end: int) -> int:
    """How many runs of letters stand before a place with nothing but inline tags between them."""
    pieces = 0
    for _ in range(_MAX_TAGS):
        window = html[max(0, end - _REACH) : end]
        rest = window.rstrip(_LETTERS)
        pieces += len(rest) < len(window)
        tag_start = rest.rfind("<") if rest.endswith(">") else -1
        if tag_start < 0 or not _is_inline(rest[tag_start + 1 :]):
            break
        end -= len(window) - tag_start
    return pieces


def _pieces_after(html: str, start: int) -> int:
    """How many runs of letters stand behind a place with nothing but inline tags between them."""
    pieces = 0
    for _ in range(_MAX_TAGS):
        window = html[start : start + _REACH]
        rest = window.lstrip(_LETTERS)
        pieces += len(rest) < len(window)
        shut = rest.find(">") if rest.startswith("<") else -1
        if shut < 0 or not _is_inline(rest[1:shut]):
            break
        start += len(window) - len(rest) + shut + 1
    return pieces


def _is_inline(tag: str) -> bool:
    """Whether the inside of a tag is that of an inline element or of one that the page made up."""
    name = tag.lstrip("/").rstrip(">/").partition(" ")[0].lower()
    return name in _INLINE_TAGS or ("-" in name and name[0].isalpha())


def repair_addresses(tree: LexborHTMLParser) -> Iterator[tuple[str, str, str]]:
    """Each address that appears once the filler is taken out, the text then, and what it seemed to be."""
    unseen = _unseen_nodes(tree)
    done = set[int]()
    for node in unseen.values():
        whole = _whole(node)
        if whole is None or whole.mem_id in done:
            continue
        done.add(whole.mem_id)
        visible = one_line(_text(whole, {})[:_LONGEST_TEXT])
        text = one_line(_text(whole, unseen)[:_LONGEST_TEXT])
        before, after = _addresses(visible), _addresses(text)
        new = [address for address in after if address not in before]
        gone = [address for address in before if address not in after]
        for place, address in enumerate(new):
            yield address, text[:300], gone[place] if place < len(gone) else ""


def _addresses(text: str) -> list[str]:
    matches: list[AddressMatch] = [seen for seen in match_addresses(text) if not seen.spaced]
    matches += [seen for seen, weak in find_spelled_out(text) if not weak]
    return [seen.address for seen in matches]


def _unseen_nodes(tree: LexborHTMLParser) -> dict[int, LexborNode]:
    """Short inline elements out of sight, by attribute, by a rule of the page, or by a class of that name."""
    nodes = [*tree.css("[hidden]"), *(node for node in tree.css("[style]") if _is_styled_away(node))]
    nodes += [node for node in tree.css("[class]") if _UNSEEN_CLASS.search(node.attrs.sget("class") or "")]
    for selector in islice(_hiding_selectors(tree), _MAX_SELECTORS):
        # Each one asks the whole page, and one that matches everything brings all of it.
        if len(nodes) > 10 * _MAX_NODES:
            break
        with suppress(SelectolaxError):
            nodes += tree.css(selector)
    # What holds an address of its own is not filler.
    return {node.mem_id: node for node in nodes[: 10 * _MAX_NODES] if _is_filler(node)}


def _is_styled_away(node: LexborNode) -> bool:
    return is_unseen_style(node.attrs.sget("style") or "")


def _is_filler(node: LexborNode) -> bool:
    if node.tag not in _INLINE_TAGS and "-" not in (node.tag or ""):
        return False
    text = node.text()
    return 0 < len(text) <= _LONGEST_FILLER and not _addresses(text)


def _hiding_selectors(tree: LexborHTMLParser) -> Iterator[str]:
    rules = "".join(sheet.text() for sheet in tree.css("style")[:20])
    hiding = [rule for rule in rules.split("}") if any(map(rule.__contains__, _MAY_HIDE))]
    for rule in hiding[:_MAX_RULES]:
        selectors, _, declarations = rule.rpartition("{")
        if not _UNSEEN.search(declarations):
            continue
        for selector in _COMMENT.sub("", selectors.rpartition("{")[2]).split(",")[:20]:
            yield selector.strip() or "style"


def _whole(node: LexborNode) -> LexborNode | None:
    """The nearest element around a piece of filler that is more than one stretch of letters."""
    parent = node.parent
    for _ in range(6):
        if parent is None or parent.tag not in _INLINE_TAGS:
            break
        parent = parent.parent
    return parent


def _text(node: LexborNode, unseen: dict[int, LexborNode]) -> str:
    """The text of an element without what is out of sight."""
    parts: list[str] = []
    pending = [node]
    for _ in range(_MAX_NODES):
        if not pending:
            break
        here = pending.pop()
        if here.is_text_node:
            parts.append(here.text_content or "")
        elif here.mem_id not in unseen and here.tag not in ("script", "style"):
            parts.append(" " if here.tag in ("br", "td", "li", "p", "div") else "")
            pending += reversed([*here.iter(include_text=True)])
    return "".join(parts)
