"""A page parsed once: text with positions, blocks, links, metas and structured data."""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any, Protocol, TypeVar
from urllib.parse import urlsplit

import ada_url
from selectolax.lexbor import LexborDocumentOptions, LexborHTMLParser, LexborNode

from scrapersky.extract.html.charset import decode_html
from scrapersky.extract.html.head import Head, read_head
from scrapersky.extract.html.keyword_scan import SourceKeywords
from scrapersky.extract.html.line_index import DigitIndex, TextLine, index_digits
from scrapersky.extract.html.links import Link
from scrapersky.extract.html.parse_limits import limit_for_parser
from scrapersky.extract.html.structured_data import STRUCTURED_DATA, read_structured_data
from scrapersky.extract.html.visible_text import PICTURED_SIGNS, walk_body
from scrapersky.extract.text import clean_text
from scrapersky.extract.text.cleanup import make_storable

__all__ = ["Document", "Link", "parse_document"]

Result = TypeVar("Result", covariant=True)
NOSCRIPT = ("<noscript", "<NOSCRIPT")
_BASE = ("<base", "<BASE")
_FACEBOOK_PLUGIN = ("fb-page", "plugins/page.php")
# In the classes of parts in which customers speak.
CUSTOMERS = ("estimonial", "kundenstimmen")
_KEYWORDS = SourceKeywords(
    (
        *STRUCTURED_DATA,
        *PICTURED_SIGNS,
        *NOSCRIPT,
        *_BASE,
        "<script",
        "</script",
        *_FACEBOOK_PLUGIN,
        *CUSTOMERS,
    )
)
_ABSOLUTE = ("https://", "http://", "#")
_OTHER_SCHEMES = (
    "https://", "http://", "mailto:", "tel:", "javascript:", "data:", "callto:", "whatsapp:", "skype:",
    "sms:", "fax:",
)  # fmt: skip
_MAX_URL = 2_048
# Relative addresses without dots, signs or escapes, which joining with the page's own leaves as they are.
_PLAIN = re.compile(
    r"/?[A-Za-z0-9_-][A-Za-z0-9_.-]*(?:/[A-Za-z0-9_-][A-Za-z0-9_.-]*)*/?(?:[?#][A-Za-z0-9_=&-]*)?"
)
# A page has many links: made so, each spares the call of its own class.
_new = tuple.__new__


class Scan(Protocol[Result]):
    """A scan that looks for something on a page."""

    def search(self, doc: Document, /) -> Result:
        """What it finds."""
        ...


@dataclass(frozen=True, eq=False)
class Document:
    """One page after one parse; every extractor reads from it and none changes it.

    `raw` is `html` in UTF-8. `text` separates blocks by a newline and table cells by a tab; `lines` are
    its pieces in document order. `things` are JSON-LD objects, microdata items, RDFa items and hCards as
    flat dictionaries; `keywords` are words of the markup with their places in `raw`.
    `truncated` says that something was dropped or a cap was met.
    """

    url: str
    html: str
    raw: bytes
    tree: LexborHTMLParser
    head: Head
    lang: str | None
    text: str
    lines: list[TextLine]
    links: tuple[Link, ...]
    forms_and_headings: tuple[LexborNode, ...]
    word_count: int
    things: tuple[Mapping[str, Any], ...]
    keywords: Mapping[str, list[int]]
    truncated: bool
    _scans: dict[Scan[Any], Any] = field(default_factory=dict)

    @property
    def title(self) -> str | None:
        """The title of the page."""
        return self.head.title

    @property
    def metas(self) -> Mapping[str, str]:
        """Content of the meta elements by lower-case name."""
        return self.head.metas

    @cached_property
    def lower_text(self) -> str:
        """The text in lower case."""
        return self.text.lower()

    @cached_property
    def line_starts(self) -> list[int]:
        """Where each line begins in the text."""
        return [line.start for line in self.lines]

    @cached_property
    def digits(self) -> DigitIndex:
        """Where digits stand in the text."""
        return index_digits(self.text, self.line_starts)

    def scan(self, scan: Scan[Result]) -> Result:
        """What a scan finds on this page; it runs once."""
        if scan not in self._scans:
            self._scans[scan] = scan.search(self)
        result: Result = self._scans[scan]
        return result


def parse_document(body: bytes | str, *, url: str = "", content_type: str = "") -> Document:
    """Parse a page. It never raises, whatever the bytes are."""
    html, own = _storable_html(body, content_type)
    fitted, cut = limit_for_parser(html)
    raw = own if own is not None and fitted is html else fitted.encode("utf-8")
    tree = LexborHTMLParser(raw, options=LexborDocumentOptions.WO_EVENTS, scripting=True)
    keywords = _KEYWORDS.search_bytes(raw)
    walked = walk_body(tree, has_pictured_signs=not keywords.keys().isdisjoint(PICTURED_SIGNS))
    things, many = read_structured_data(tree, keywords)
    head = read_head(tree, walked.strays)
    base = _base_url(tree, url) if not keywords.keys().isdisjoint(_BASE) else url
    return Document(
        url=url,
        html=fitted,
        raw=raw,
        tree=tree,
        head=head,
        lang=_language(tree, head.metas),
        text=walked.text,
        lines=walked.lines,
        links=tuple([_link(href, node, base) for href, node in walked.links]),
        forms_and_headings=tuple(walked.forms_and_headings),
        word_count=walked.words,
        things=things,
        keywords=keywords,
        truncated=cut or walked.truncated or many,
    )


def _storable_html(body: bytes | str, content_type: str) -> tuple[str, bytes | None]:
    """The page as text and, when they are the very same, its bytes in UTF-8.

    A whole scan for what cannot be stored comes only when there is a sign of it.
    """
    if isinstance(body, str):
        return make_storable(body), None
    html, codec = decode_html(body, content_type=content_type)
    if b"\0" in body or "\uffff" in html or "\ufffe" in html:
        return make_storable(html), None
    is_same = codec == "utf-8" and "\ufffd" not in html and not body.startswith(BOM_UTF8)
    return html, body if is_same else None


def _language(tree: LexborHTMLParser, metas: Mapping[str, str]) -> str | None:
    """The language the page declares, as written there."""
    root = tree.root
    attributes = root.attributes if root is not None and root.tag == "html" else {}
    own = attributes.get("lang") or attributes.get("xml:lang")
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


def _link(href: str, node: LexborNode, base: str) -> Link:
    raw = href[:_MAX_URL]
    return _new(Link, (raw if href.startswith(_ABSOLUTE) else _absolute(href, base), raw, node))


def _absolute(href: str, base: str) -> str:
    """The address a link leads to; as written where nothing better is known."""
    if not base and href[:2] != "//":
        return href[:_MAX_URL]
    if len(href) > _MAX_URL:
        return href[:_MAX_URL]
    if href[:11].lower().startswith(_OTHER_SCHEMES):
        return href
    if not base:
        return "https:" + href if href.startswith("//") else href
    if _PLAIN.fullmatch(href):
        above = _above(base)[href[0] == "/"]
        if above:
            return above + href
    return _joined(base, href)


@lru_cache(maxsize=16)
def _above(base: str) -> tuple[str, str]:
    """What comes before a plain relative address: the folder of the page, or its host; empty when unknown."""
    if not base.startswith(("http://", "https://")):
        return "", ""
    folder, root = _joined(base, "."), _joined(base, "/")
    return (folder, root[:-1]) if folder.endswith("/") and root.endswith("/") else ("", "")


def _joined(base: str, href: str) -> str:
    try:
        return str(ada_url.join_url(base, href)) if base else href
    except ValueError:
        return href
