"""What a page says of itself: names, language, pictures, WordPress, forms, tracking, notices."""

from __future__ import annotations

import re
from dataclasses import dataclass

import ada_url
import pycld2

from scrapersky.extract.document import Document
from scrapersky.extract.findings import QUOTE_LIMIT, Evidence, Hints, Metadata
from scrapersky.extract.logos import icon_in, logo_in
from scrapersky.extract.notices import contact_form_sign, cookie_notice_sign, copyright_year_in, privacy_sign
from scrapersky.extract.origin import Origin
from scrapersky.extract.structured import types_of
from scrapersky.extract.text import clean_text
from scrapersky.extract.wordpress import generators_of, plugin_signs, wordpress_of

_ENOUGH_TEXT = 40  # Characters; with less the language detector guesses.
_MAX_TEXT = 1_500
_MAX_LISTED = 50
_TAG = re.compile(r"[a-zA-Z]{2,3}(?:[-_][a-zA-Z0-9]{1,8}){0,3}")
_ELEMENTOR = re.compile(r"Elementor\s+(\d+(?:\.\d+)*)", re.IGNORECASE)
_UNIVERSAL_ID = re.compile(r"UA-\d{4,10}-\d{1,4}\b")
_MEASUREMENT_ID = re.compile(r"G-[A-Z0-9]{8,12}\b")
_CONTAINER_ID = re.compile(r"GTM-[A-Z0-9]{4,9}\b")

_MAX_IDS = 500
_BEFORE_ID = ("'", '"', "=", "/")


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteMetadata(Metadata):
    """The metadata with what only some callers keep."""

    meta_description: str | None = None  # As written, without the fallback to Open Graph.
    text_language: str | None = None  # Of the text itself; templates often declare a wrong one.
    h1: str | None = None
    robots: str | None = None
    word_count: int = 0
    forms: int = 0
    has_contact_form: bool = False
    has_cookie_notice: bool = False
    has_privacy_policy: bool = False
    wordpress_plugins: tuple[str, ...] = ()
    schema_types: tuple[str, ...] = ()
    hreflang: tuple[str, ...] = ()


def metadata_of(doc: Document, hints: Hints) -> SiteMetadata:
    """Everything a page says of itself; each true answer has its evidence, named after the field."""
    generators = generators_of(doc)
    description = _meta_description(doc)
    origin = Origin(doc, hints)
    wordpress = wordpress_of(doc, origin, generators)
    logo, logo_method = logo_in(doc, origin)
    language = _language_of(doc.text)
    signs = {**plugin_signs(doc, wordpress, generators), **_notice_signs(doc)}
    evidence = [*wordpress.evidence, *(_evidence(doc, name, quote) for name, quote in signs.items())]
    if logo:
        evidence.append(_evidence(doc, f"logo_url:{logo_method}", logo))
    return SiteMetadata(
        title=doc.title,
        description=description or clean_text(doc.metas.get("og:description"), limit=2_000) or None,
        meta_description=description,
        language=_declared_language(doc) or language,
        text_language=language,
        favicon_url=_absolute(doc, icon_in(doc)),
        logo_url=_absolute(doc, logo),
        canonical_url=_canonical(doc),
        site_name=_site_name(doc),
        generator=generators[0] if generators else None,
        generators=generators,
        is_wordpress=wordpress.is_present,
        wordpress_version=wordpress.version,
        wordpress_theme=wordpress.theme,
        wordpress_plugins=tuple(sorted(wordpress.plugins)),
        has_elementor="has_elementor" in signs,
        elementor_version=next((found[1] for text in generators if (found := _ELEMENTOR.match(text))), None),
        has_divi="has_divi" in signs,
        has_woocommerce="has_woocommerce" in signs,
        has_yoast_seo="has_yoast_seo" in signs,
        has_contact_form7="has_contact_form7" in signs,
        has_wpforms="has_wpforms" in signs,
        google_analytics_id=_analytics_id(doc.html),
        google_tag_manager_id=_quoted_id("GTM-", _CONTAINER_ID, doc.html),
        copyright_year=copyright_year_in(doc.text),
        h1=_h1(doc),
        robots=clean_text(doc.metas.get("robots")) or None,
        word_count=len(doc.text.split()),
        forms=len(doc.tree.css("form")),
        has_contact_form="has_contact_form" in signs,
        has_cookie_notice="has_cookie_notice" in signs,
        has_privacy_policy="has_privacy_policy" in signs,
        schema_types=_schema_types(doc),
        hreflang=_hreflang(doc),
        evidence=tuple(evidence),
    )


def _notice_signs(doc: Document) -> dict[str, str]:
    signs = {
        "has_contact_form": contact_form_sign(doc),
        "has_cookie_notice": cookie_notice_sign(doc),
        "has_privacy_policy": privacy_sign(doc),
    }
    return {name: quote for name, quote in signs.items() if quote}


def _evidence(doc: Document, method: str, quote: str) -> Evidence:
    quote = quote[:QUOTE_LIMIT]
    return Evidence(method, quote, doc.html.find(quote), "html")


def _meta_description(doc: Document) -> str | None:
    """The first description that says something; templates leave an empty one before it."""
    if "description" not in doc.metas:
        return None
    if text := clean_text(doc.metas["description"], limit=2_000):
        return text
    nodes = doc.tree.css('meta[name="description" i][content]')[:5]
    texts = (clean_text(node.attrs.sget("content"), limit=2_000) for node in nodes)
    return next((text for text in texts if text), None)


def _declared_language(doc: Document) -> str | None:
    """The language the page declares, as a lower-case tag such as pt-br."""
    return doc.lang.replace("_", "-").lower() if doc.lang and _TAG.fullmatch(doc.lang) else None


def _language_of(text: str) -> str | None:
    text = text[:_MAX_TEXT]
    if len(text) < _ENOUGH_TEXT:
        return None
    try:
        reliable, _, guesses = pycld2.detect(text.encode("utf-8", "replace"), isPlainText=True)
    except pycld2.error:
        return None
    code: str = guesses[0][1]
    return code if reliable and code != "un" else None


def _absolute(doc: Document, url: str) -> str | None:
    """An address made absolute when the page's own is known."""
    if not url:
        return None
    try:
        return str(ada_url.join_url(doc.url, url)) if doc.url else url
    except ValueError:
        return url


def _canonical(doc: Document) -> str | None:
    node = doc.tree.css_first('link[rel="canonical" i][href]')
    href = clean_text(node.attrs.sget("href"), limit=2_048) if node is not None else ""
    return _absolute(doc, href)


def _site_name(doc: Document) -> str | None:
    for name in ("og:site_name", "application-name", "apple-mobile-web-app-title"):
        if text := clean_text(doc.metas.get(name)):
            return text
    for thing in doc.things:
        if "WebSite" in types_of(thing) and isinstance(thing.get("name"), str):
            return clean_text(thing["name"]) or None
    return None


def _h1(doc: Document) -> str | None:
    for node in doc.tree.css("h1")[:5]:
        if text := clean_text(node.text(separator=" ")[:5_000]):
            return text
    return None


def _analytics_id(html: str) -> str | None:
    return _quoted_id("G-", _MEASUREMENT_ID, html) or _quoted_id("UA-", _UNIVERSAL_ID, html)


def _quoted_id(prefix: str, pattern: re.Pattern[str], html: str) -> str | None:
    """The first id that stands in quotes or behind an equals sign, as scripts and addresses write it."""
    place = html.find(prefix)
    for _ in range(_MAX_IDS):
        if place < 0:
            break
        if html[place - 1 : place] in _BEFORE_ID and (match := pattern.match(html, place)):
            return match[0]
        place = html.find(prefix, place + 1)
    return None


def _schema_types(doc: Document) -> tuple[str, ...]:
    types = (name for thing in doc.things for name in types_of(thing) if isinstance(name, str) and name)
    return tuple(dict.fromkeys(types))[:_MAX_LISTED]


def _hreflang(doc: Document) -> tuple[str, ...]:
    if "hreflang" not in doc.html:
        return ()
    nodes = doc.tree.css('link[rel="alternate"][hreflang]')[:_MAX_LISTED]
    tags = (clean_text(node.attrs.sget("hreflang"), limit=35).lower() for node in nodes)
    return tuple(dict.fromkeys(tag for tag in tags if tag))
