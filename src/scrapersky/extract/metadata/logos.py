"""The icon and the logo of a site."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from selectolax.lexbor import LexborNode

from scrapersky.extract.html import Document
from scrapersky.extract.html.structured_data import types_of
from scrapersky.extract.technologies.own_assets import OwnAssets

_MAX_IMAGES = 300
_MAX_CLIMB = 6
_FIRST = 5  # A logo that is not called one is among the first images.
_ENOUGH = 3
_LONGEST = 2_048
_LONGEST_DATA = 16_384  # Small icons are sometimes written into the page itself.
_ICON_RELS = ("icon", "shortcut icon", "apple-touch-icon", "apple-touch-icon-precomposed", "mask-icon")
_OTHERS = re.compile(
    r"partner|sponsor|client|customer|kunden|referen|certif|zertifik|payment|zahlung|brands|supplier|lieferant|member"
    r"|mitglied|award|press|testimonial|cookie|footer|flag|lang|social|carousel|slider|widget",
    re.IGNORECASE,
)
_CALLED_LOGO = re.compile(r"(?<![a-z])logo(?!s)", re.IGNORECASE)
_FRAME = re.compile(r"header|navbar|brand|masthead|topbar|site-title|banner", re.IGNORECASE)
_SOURCES = ("data-src", "data-lazy-src", "data-original", "src")
_NOT_OWNERS = frozenset(
    {"Article", "NewsArticle", "BlogPosting", "Product", "Brand", "Event", "Person", "Offer"}
)


def find_icon(doc: Document) -> str:
    """The address of the site's icon as written: a plain icon before a touch icon."""
    by_rel: dict[str, str] = {}
    for rel, href, _ in doc.head.relations:
        if "icon" in rel and len(href) <= (_LONGEST_DATA if href.startswith("data:image") else _LONGEST):
            by_rel.setdefault("icon" if rel in ("shortcut icon", "icon shortcut") else rel, href)
    return next((by_rel[rel] for rel in _ICON_RELS if rel in by_rel), "")


def find_logo(doc: Document, assets: OwnAssets) -> tuple[str, str]:
    """The address of the logo as written and how it was found; the preview picture is the last resort."""
    for thing in doc.things:
        if not _NOT_OWNERS.issuperset(types_of(thing)) and (url := _picture(doc, thing.get("logo"))):
            return url, "json-ld"
    best = max(_rated_images(doc, assets), key=lambda rated: rated[0], default=(0, ""))
    if best[0] >= _ENOUGH:
        return best[1], "image"
    preview = doc.metas.get("og:image", "").strip()
    return (preview, "og:image") if preview and "placeholder" not in preview else ("", "")


def _picture(doc: Document, value: Any) -> str:
    """The address of a picture: a text, an object, or the id of an object elsewhere."""
    if isinstance(value, list):
        value = value[0] if value else None
    if isinstance(value, Mapping):
        name = value.get("@id")
        named = next(
            (thing for thing in doc.things if name and thing.get("@id") == name and thing.get("url")), value
        )
        value = value.get("url") or value.get("contentUrl") or named.get("url") or named.get("contentUrl")
    return value.strip()[:_LONGEST] if isinstance(value, str) and "." in value else ""


def _rated_images(doc: Document, assets: OwnAssets) -> Iterator[tuple[int, str]]:
    """Images with the points that speak for each being the logo."""
    for number, node in enumerate(doc.tree.css("img")[:_MAX_IMAGES]):
        if number >= _FIRST and "logo" not in (node.html or "").lower():
            continue
        attributes = node.attributes
        url = next(
            (value for name in _SOURCES if (value := attributes.get(name)) and value[:5] != "data:"), ""
        )
        if url and len(url) <= _LONGEST:
            # A logo on a stranger's host is more often a partner's, unless it is called ours in many ways.
            yield _points(node, attributes, url) - (0 if assets.owns(url) else 2), url.strip()


def _points(node: LexborNode, attributes: Mapping[str, str | None], url: str) -> int:
    own = f"{attributes.get('class') or ''} {attributes.get('id') or ''}"
    said = f"{attributes.get('alt') or ''} {url.rpartition('/')[2]}"
    if _OTHERS.search(own) or _OTHERS.search(said):
        return 0
    points = 2 * ("logo" in own.lower()) + 2 * ("logo" in said.lower())
    return points + _points_of_place(node)


def _points_of_place(node: LexborNode) -> int:
    """Points for what stands around an image: a header, a link home, a word for logo."""
    points = 0
    parent = node.parent
    for _ in range(_MAX_CLIMB):
        if parent is None or parent.tag in ("body", "html"):
            break
        words = f"{parent.attrs.sget('class') or ''} {parent.attrs.sget('id') or ''}"
        if parent.tag == "footer" or _OTHERS.search(words):
            return -9
        points = max(points, 3 if _CALLED_LOGO.search(words) else 0)
        if parent.tag in ("header", "nav") or _FRAME.search(words):
            return points + 1 + _leads_home(node)
        parent = parent.parent
    return points


def _leads_home(node: LexborNode) -> bool:
    link = node.parent
    if link is None or link.tag != "a":
        return False
    path = (link.attrs.sget("href") or "").partition("//")[2].partition("/")[2].rstrip("#")
    href = link.attrs.sget("href") or ""
    return href in ("/", "./", "#", "index.html", "index.php", "../index.html") or ("//" in href and not path)
