"""What a page names as its maker; whether that is WordPress, and with which version, theme and plugins."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from scrapersky.extract.document import Document
from scrapersky.extract.findings import QUOTE_LIMIT, Evidence
from scrapersky.extract.origin import Origin
from scrapersky.extract.text import clean_text

_MAX_ASSETS = 150
_LONGEST_URL = 400
_OPENING = "\"'(= ,\n\t"
_CLOSING = re.compile(r"""["')\s,>]""")
_VERSION = re.compile(r"WordPress\s+(\d+(?:\.\d+)*)", re.IGNORECASE)
_FOLDER = re.compile(r"/wp-content/(themes|plugins)/([\w.-]+)/")
# Each of these alone may have been copied from elsewhere; two together may not.
_WEAK = ("wp-block-", "wp-emoji", "_wpemojiSettings", "wp-image-", "xmlrpc.php", "wp-json", "/wp-includes/")

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
    if "generator" not in doc.metas:
        return ()
    nodes = doc.tree.css('meta[name="generator" i]')[:10]
    texts = (clean_text(node.attrs.sget("content"), limit=500) for node in nodes)
    return tuple(text for text in texts if text)


def wordpress_of(doc: Document, origin: Origin, generators: tuple[str, ...]) -> WordPress:
    """One strong sign of the site's own, or two weak ones, make a WordPress."""
    assets = [(url, start) for url, start in _assets(doc.html) if origin.owns(url)]
    strong = [*_generator_signs(doc, generators), *_api_signs(doc, origin)]
    strong += [_evidence(url, start) for url, start in assets[:1]]
    proof = strong or _weak_signs(doc)
    if proof and not assets:
        assets = list(_assets(doc.html))
    folders = [match.groups() for url, _ in assets if (match := _FOLDER.search(url))]
    themes = Counter(name for kind, name in folders if kind == "themes")
    return WordPress(
        is_present=bool(proof),
        version=_version(generators),
        theme=themes.most_common(1)[0][0] if themes else None,
        plugins=frozenset(name.lower() for kind, name in folders if kind == "plugins"),
        evidence=tuple(proof[:3]),
    )


def _weak_signs(doc: Document) -> list[Evidence]:
    """Two signs or more that WordPress leaves, or none."""
    if "wp-" not in doc.html:
        return []
    weak = [_evidence(text, doc.html.find(text)) for text in _WEAK if text in doc.html]
    return weak if len(weak) > 1 else []


def _version(generators: tuple[str, ...]) -> str | None:
    return next((match[1] for text in generators if (match := _VERSION.match(text.strip()))), None)


def _generator_signs(doc: Document, generators: tuple[str, ...]) -> list[Evidence]:
    named = [text for text in generators if text.strip().lower().startswith("wordpress")]
    return [_evidence(text, doc.html.find(text)) for text in named]


def _api_signs(doc: Document, origin: Origin) -> list[Evidence]:
    """The links WordPress puts into the head of its own pages."""
    if "api.w.org" not in doc.html and "xmlrpc.php" not in doc.html:
        return []
    nodes = doc.tree.css('link[rel="https://api.w.org/"],link[rel="pingback"],link[rel="EditURI"]')[:5]
    urls = [node.attrs.sget("href") or "" for node in nodes]
    owned = [
        url for url in urls if origin.owns(url) and ("xmlrpc" in url or "wp-json" in url or "rest_" in url)
    ]
    return [_evidence(url, doc.html.find(url)) for url in owned[:1]]


def _assets(html: str) -> Iterator[tuple[str, int]]:
    """Addresses below wp-content or wp-includes with their places; values of attributes, not prose."""
    for folder in ("/wp-content/", "/wp-includes/"):
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


def plugin_signs(doc: Document, wordpress: WordPress, generators: tuple[str, ...]) -> dict[str, str]:
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
