"""A page parsed once: text with positions, blocks, links, metas and structured data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import ada_url
from selectolax.lexbor import LexborDocumentOptions, LexborHTMLParser

from scrapersky.extract.charset import decoded
from scrapersky.extract.guards import fit_to_parse
from scrapersky.extract.marks import PICTURED_SIGNS, marks_in
from scrapersky.extract.structured import things_in
from scrapersky.extract.text import clean_text, storable
from scrapersky.extract.walk import Block, RawLink, walk

__all__ = ["Block", "Document", "Link", "read_document"]

_ABSOLUTE = ("https://", "http://", "#")
_OTHER_SCHEMES = (
    "https://", "http://", "mailto:", "tel:", "javascript:", "data:", "callto:", "whatsapp:", "skype:",
    "sms:", "fax:",
)  # fmt: skip
_MAX_METAS = 300
_MAX_URL = 2_048


class Link(NamedTuple):
    """A link: where it leads (absolute when it can be), as written, and what it says."""

    href: str
    raw: str
    text: str
    rel: str
    zone: str
    title: str


@dataclass(frozen=True, slots=True, eq=False)
class Document:
    """One page after one parse; every extractor reads from it and none changes it.

    `text` separates blocks by a newline and table cells by a tab; `blocks` are its pieces in document
    order. `things` are JSON-LD objects, microdata items, RDFa items and hCards as flat dictionaries;
    `marks` are telling words with their places in the UTF-8 bytes of `html`. `truncated` says that
    something was dropped or a cap was met.
    """

    url: str
    html: str
    tree: LexborHTMLParser
    lang: str | None
    title: str | None
    text: str
    blocks: tuple[Block, ...]
    links: tuple[Link, ...]
    metas: Mapping[str, str]
    things: tuple[Mapping[str, Any], ...]
    marks: Mapping[str, list[int]]
    truncated: bool


def read_document(body: bytes | str, *, url: str = "", content_type: str = "") -> Document:
    """Parse a page. It never raises, whatever the bytes are."""
    fitted, cut = fit_to_parse(_storable_html(body, content_type))
    tree = LexborHTMLParser(fitted, options=LexborDocumentOptions.WO_EVENTS, scripting=True)
    marks = marks_in(fitted.encode("utf-8"))
    pictured = any(mark in marks for mark in PICTURED_SIGNS)
    text, blocks, raw_links, capped = walk(tree, has_pictured_signs=pictured)
    things, many = things_in(tree, marks)
    metas = _metas(tree)
    base = _base_url(tree, url) if "<base" in marks or "<BASE" in marks else url
    return Document(
        url=url,
        html=fitted,
        tree=tree,
        lang=_language(tree, metas),
        title=_title(tree),
        text=text,
        blocks=blocks,
        links=tuple(_links(raw_links, base)),
        metas=metas,
        things=things,
        marks=marks,
        truncated=cut or capped or many,
    )


def _storable_html(body: bytes | str, content_type: str) -> str:
    """The page as text; a whole scan for what cannot be stored only when there is a sign of it."""
    if isinstance(body, str):
        return storable(body)
    nul = b"\0" in body
    html, _ = decoded(body, content_type=content_type)
    return storable(html) if nul or "\uffff" in html or "\ufffe" in html else html


def _metas(tree: LexborHTMLParser) -> dict[str, str]:
    """Content of the meta elements by lower-case name; the first of a name counts."""
    metas: dict[str, str] = {}
    head = tree.head
    nodes = head.css("meta[content]") if head is not None else []
    for node in (nodes or tree.css("meta[content]"))[:_MAX_METAS]:
        attributes = node.attributes
        content = attributes.get("content") or ""
        for key in ("name", "property", "http-equiv", "itemprop"):
            name = attributes.get(key)
            if name:
                metas.setdefault(name.lower()[:100], storable(content[:5_000]))
                break
    return metas


def _title(tree: LexborHTMLParser) -> str | None:
    head = tree.head
    node = (head.css_first("title") if head is not None else None) or tree.css_first("title")
    return (clean_text(node.text(), limit=1_000) or None) if node is not None else None


def _language(tree: LexborHTMLParser, metas: Mapping[str, str]) -> str | None:
    """The language the page declares, as written there."""
    root = tree.css_first("html")
    own = (root.attrs.sget("lang") or root.attrs.sget("xml:lang")) if root is not None else ""
    return clean_text(own or metas.get("content-language"), limit=35) or None


def _base_url(tree: LexborHTMLParser, url: str) -> str:
    """What relative links are relative to: a base element counts only on its own host."""
    node = tree.css_first("base[href]")
    if node is None:
        return url
    base = _joined(url, (node.attrs.sget("href") or "").strip())
    if not base.lower().startswith(("http://", "https://")):
        return url
    return base if not url or _host(base) == _host(url) else url


def _host(url: str) -> str:
    try:
        return (urlsplit(url).hostname or "").removeprefix("www.")
    except ValueError:
        return ""


def _links(raw: list[RawLink], base: str) -> Iterator[Link]:
    for href, text, rel, zone, title in raw:
        if href.startswith(_ABSOLUTE):
            yield Link(href[:_MAX_URL], href[:_MAX_URL], text, rel, zone, title)
        else:
            yield Link(_absolute(href, base), href[:_MAX_URL], text, rel, zone, title)


def _absolute(href: str, base: str) -> str:
    """The address a link leads to; as written where nothing better is known."""
    if len(href) > _MAX_URL:
        return href[:_MAX_URL]
    if href[:11].lower().startswith(_OTHER_SCHEMES):
        return href
    if not base:
        return "https:" + href if href.startswith("//") else href
    return _joined(base, href)


def _joined(base: str, href: str) -> str:
    try:
        return str(ada_url.join_url(base, href)) if base else href
    except ValueError:
        return href
