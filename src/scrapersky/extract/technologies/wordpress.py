"""Detects WordPress: its evidence, version, theme and plugins."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from scrapersky.extract.html import Document
from scrapersky.extract.html.keyword_scan import SourceKeywords
from scrapersky.extract.results import QUOTE_LIMIT, Evidence
from scrapersky.extract.technologies.own_assets import OwnAssets

_MAX_ASSETS = 150
_LONGEST_URL = 400
_OPENING = "\"'(= ,\n\t"
_CLOSING = re.compile(r"""["')\s,>]""")
_VERSION = re.compile(r"WordPress\s+(\d+(?:\.\d+)*)", re.IGNORECASE)
_FOLDER = re.compile(r"/wp-content/(themes|plugins)/([\w.-]+)/")
_API_RELATIONS = frozenset(("https://api.w.org/", "pingback", "edituri"))
_FOLDERS = ("/wp-content/", "/wp-includes/")
# Each of these alone may have been copied from elsewhere; two together may not.
_WORDPRESS = (
    "wp-block-", "wp-emoji", "_wpemojiSettings", "wp-image-", "xmlrpc.php", "wp-json", "/wp-includes/",
    "/wp-content/",
)  # fmt: skip
_KEYWORDS = SourceKeywords((*_WORDPRESS, "elementor"))
_WEAK = frozenset(_WORDPRESS) - {"/wp-content/"}

# By field of the metadata: folders, marks in the page, and the beginning of a generator.
_PLUGINS: dict[str, tuple[tuple[str, ...], tuple[str, ...], str]] = {
    "has_elementor": (
        ("elementor", "elementor-pro"),
        (
            "data-elementor-type",
            "elementor-element",
            "elementor/assets/",
            "elementor-frontend",
            'class="elementor',
        ),
        "elementor",
    ),
    "has_divi": (
        ("Divi", "divi-builder", "Extra"),
        ("et_divi_theme", "et_divi_builder", "et_pb_section"),
        "divi",
    ),
    "has_woocommerce": (
        ("woocommerce",),
        ("woocommerce-page", "wc_add_to_cart_params", "woocommerce-no-js"),
        "woocommerce",
    ),
    "has_yoast_seo": (
        ("wordpress-seo", "wordpress-seo-premium"),
        ("yoast-schema-graph", "optimized with the Yoast SEO"),
        "yoast",
    ),
    "has_contact_form7": (("contact-form-7",), ('class="wpcf7', "wpcf7-form", "_wpcf7_version"), ""),
    "has_wpforms": (("wpforms", "wpforms-lite"), ("wpforms-form", "wpforms-container"), ""),
}


@dataclass(frozen=True, slots=True)
class WordPress:
    """What a page tells of its WordPress."""

    is_present: bool
    version: str | None
    theme: str | None
    plugins: frozenset[str]
    evidence: tuple[Evidence, ...]


def generators_of(doc: Document) -> tuple[str, ...]:
    """What the page names as its makers, in order."""
    return doc.head.generators


def find_wordpress_evidence(doc: Document, assets: OwnAssets) -> list[Evidence]:
    """What proves a WordPress: one strong sign of the site's own, or two weak ones."""
    named = _generator_signs(doc, generators_of(doc))
    if not named and doc.scan(_KEYWORDS).keys().isdisjoint(_WORDPRESS):
        return []
    strong = [*named, *_api_signs(doc, assets)]
    owned = ((url, start) for url, start in _assets(doc) if assets.owns(url))
    strong += [_evidence(url, start) for url, start in islice(owned, 1)]
    return strong or _weak_signs(doc)


def detect_wordpress(doc: Document, assets: OwnAssets, generators: tuple[str, ...]) -> WordPress:
    """Whether a page is made with WordPress, and what it tells of it."""
    proof = find_wordpress_evidence(doc, assets)
    every = list(_assets(doc)) if proof else []
    urls = [url for url, _ in every if assets.owns(url)] or [url for url, _ in every]
    folders = [match.groups() for url in urls if (match := _FOLDER.search(url))]
    themes = Counter(name for kind, name in folders if kind == "themes")
    return WordPress(
        is_present=bool(proof),
        version=find_wordpress_version(generators),
        theme=themes.most_common(1)[0][0] if themes else None,
        plugins=frozenset(name.lower() for kind, name in folders if kind == "plugins"),
        evidence=tuple(proof[:3]),
    )


def _weak_signs(doc: Document) -> list[Evidence]:
    """Two signs or more that WordPress leaves, or none."""
    keywords = doc.scan(_KEYWORDS)
    weak = [_evidence(text, doc.html.find(text)) for text in _WORDPRESS if text in keywords and text in _WEAK]
    return weak if len(weak) > 1 else []


def find_wordpress_version(generators: tuple[str, ...]) -> str | None:
    """The version of WordPress that a maker's name tells."""
    return next((match[1] for text in generators if (match := _VERSION.match(text.strip()))), None)


def _generator_signs(doc: Document, generators: tuple[str, ...]) -> list[Evidence]:
    named = [text for text in generators if text.strip().lower().startswith("wordpress")]
    return [_evidence(text, doc.html.find(text)) for text in named]


def _api_signs(doc: Document, assets: OwnAssets) -> list[Evidence]:
    """The links WordPress puts into the head of its own pages."""
    urls = [relation.href for relation in doc.head.relations if relation.rel in _API_RELATIONS][:5]
    owned = [
        url for url in urls if assets.owns(url) and ("xmlrpc" in url or "wp-json" in url or "rest_" in url)
    ]
    return [_evidence(url, doc.html.find(url)) for url in owned[:1]]


def _assets(doc: Document) -> Iterator[tuple[str, int]]:
    """Addresses below wp-content or wp-includes with their places; values of attributes, not prose."""
    html = doc.html
    for folder in _FOLDERS:
        if folder not in doc.scan(_KEYWORDS):
            continue
        place = html.find(folder)
        for _ in range(_MAX_ASSETS):
            if place < 0:
                break
            if url := _url_around(html, place):
                yield url
            place = html.find(folder, place + len(folder))


def _url_around(html: str, place: int) -> tuple[str, int] | None:
    floor = max(0, place - _LONGEST_URL)
    start = max(html.rfind(mark, floor, place) for mark in _OPENING) + 1
    if start <= floor:
        return None
    closing = _CLOSING.search(html, place, place + _LONGEST_URL)
    end = closing.start() if closing else place + _LONGEST_URL
    is_value = html[start - 1] in "(=" or html[max(0, start - 2)] == "="
    return (html[start:end], start) if is_value or html.startswith(("http", "//"), start) else None


def _evidence(quote: str, start: int) -> Evidence:
    return Evidence("is_wordpress", quote[:QUOTE_LIMIT], start, "html")


def find_plugins(doc: Document, wordpress: WordPress, generators: tuple[str, ...]) -> dict[str, str]:
    """For each plugin the metadata has a field for: the text that shows it."""
    if not wordpress.is_present:
        return {}
    html, signs = doc.html, {}
    for name, (folders, texts, maker) in _PLUGINS.items():
        folder = next(
            (folder for folder in folders if folder in wordpress.plugins or folder == wordpress.theme), ""
        )
        text = next((text for text in texts if text in html), "")
        named = next((text for text in generators if maker and text.lower().startswith(maker)), "")
        if quote := named or folder or text:
            signs[name] = quote
    return signs


def has_elementor(doc: Document, assets: OwnAssets) -> bool:
    """Whether a page of a WordPress is built with Elementor."""
    generators = generators_of(doc)
    _, texts, maker = _PLUGINS["has_elementor"]
    if any(text.lower().startswith(maker) for text in generators):
        return True
    if "elementor" not in doc.scan(_KEYWORDS):
        return False
    if any(text in doc.html for text in texts):
        return True
    return "has_elementor" in find_plugins(doc, detect_wordpress(doc, assets, generators), generators)
