"""Metadata of any page: title, language, icon, forms, and whether it is built with WordPress."""

from __future__ import annotations

import re
from dataclasses import dataclass

import ada_url

from scrapersky.extract.html import Document
from scrapersky.extract.html.structured_data import types_of
from scrapersky.extract.metadata.logos import find_icon
from scrapersky.extract.metadata.site_features import find_contact_form
from scrapersky.extract.results import QUOTE_LIMIT, Evidence, Hints, Metadata
from scrapersky.extract.technologies.own_assets import OwnAssets
from scrapersky.extract.technologies.wordpress import (
    find_wordpress_evidence,
    find_wordpress_version,
    generators_of,
    has_elementor,
)
from scrapersky.extract.text import clean_text
from scrapersky.extract.text.language import detect_language

_ENOUGH_TEXT = 40  # Characters; with less the language detector guesses.
_MAX_TEXT = 1_500
_MAX_LISTED = 50
_TAG = re.compile(r"[a-zA-Z]{2,3}(?:[-_][a-zA-Z0-9]{1,8}){0,3}")
_ELEMENTOR = re.compile(r"Elementor\s+(\d+(?:\.\d+)*)", re.IGNORECASE)


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


def read_page_metadata(doc: Document, hints: Hints) -> SiteMetadata:
    """What is worth knowing of any page; the rest of the fields stays empty."""
    generators = generators_of(doc)
    description = _meta_description(doc)
    assets = OwnAssets(doc, hints)
    proof = find_wordpress_evidence(doc, assets)
    form = find_contact_form(doc)
    return SiteMetadata(
        title=doc.title,
        description=description or clean_text(doc.metas.get("og:description"), limit=2_000) or None,
        meta_description=description,
        language=_declared_language(doc) or language_of(doc.text),
        favicon_url=absolute(doc, find_icon(doc)),
        canonical_url=_canonical(doc),
        generator=generators[0] if generators else None,
        generators=generators,
        is_wordpress=bool(proof),
        wordpress_version=find_wordpress_version(generators),
        has_elementor=bool(proof) and has_elementor(doc, assets),
        elementor_version=next((match[1] for text in generators if (match := _ELEMENTOR.match(text))), None),
        h1=_h1(doc),
        robots=clean_text(doc.metas.get("robots")) or None,
        word_count=doc.word_count,
        forms=sum(node.tag == "form" for node in doc.forms_and_headings),
        has_contact_form=bool(form),
        schema_types=_schema_types(doc),
        evidence=(*proof[:3], *([evidence_of(doc, "has_contact_form", form)] if form else ())),
    )


def evidence_of(doc: Document, method: str, quote: str) -> Evidence:
    """Where a quote that shows something stands in the source."""
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


def language_of(text: str) -> str | None:
    """The language a text is written in, if it can be detected."""
    text = text[:_MAX_TEXT]
    if len(text) < _ENOUGH_TEXT:
        return None
    return detect_language(text.encode("utf-8", "replace"), isPlainText=True)


def absolute(doc: Document, url: str) -> str | None:
    """An address made absolute when the page's own is known."""
    if not url:
        return None
    try:
        return str(ada_url.join_url(doc.url, url)) if doc.url else url
    except ValueError:
        return url


def _canonical(doc: Document) -> str | None:
    href = next((relation.href for relation in doc.head.relations if relation.rel == "canonical"), "")
    return absolute(doc, clean_text(href, limit=2_048))


def _h1(doc: Document) -> str | None:
    for node in [node for node in doc.forms_and_headings if node.tag == "h1"][:5]:
        if text := clean_text(node.text(separator=" ")[:5_000]):
            return text
    return None


def _schema_types(doc: Document) -> tuple[str, ...]:
    types = (name for thing in doc.things for name in types_of(thing) if isinstance(name, str) and name)
    return tuple(dict.fromkeys(types))[:_MAX_LISTED]
