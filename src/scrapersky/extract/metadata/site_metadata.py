"""Metadata of a site from its home page: page metadata, logo, plugins, tracking and notices."""

from __future__ import annotations

import re
from dataclasses import replace

from scrapersky.extract.html import Document
from scrapersky.extract.html.structured_data import types_of
from scrapersky.extract.metadata.logos import find_logo
from scrapersky.extract.metadata.page_metadata import (
    SiteMetadata,
    absolute,
    evidence_of,
    language_of,
    read_page_metadata,
)
from scrapersky.extract.metadata.site_features import (
    find_contact_form,
    find_cookie_notice,
    find_copyright_year,
    find_privacy_policy,
)
from scrapersky.extract.results import Hints
from scrapersky.extract.technologies.own_assets import OwnAssets
from scrapersky.extract.technologies.wordpress import detect_wordpress, find_plugins, generators_of
from scrapersky.extract.text import clean_text

__all__ = ["SiteMetadata", "read_site_metadata"]

_MAX_LISTED = 50
_UNIVERSAL_ID = re.compile(r"UA-\d{4,10}-\d{1,4}\b")
_MEASUREMENT_ID = re.compile(r"G-[A-Z0-9]{8,12}\b")
_CONTAINER_ID = re.compile(r"GTM-[A-Z0-9]{4,9}\b")

_MAX_IDS = 500
_BEFORE_ID = ("'", '"', "=", "/")


def read_site_metadata(doc: Document, hints: Hints) -> SiteMetadata:
    """Everything a page says of itself; each true answer has its evidence, named after the field."""
    generators = generators_of(doc)
    assets = OwnAssets(doc, hints)
    wordpress = detect_wordpress(doc, assets, generators)
    logo, logo_method = find_logo(doc, assets)
    signs = {**find_plugins(doc, wordpress, generators), **_notice_signs(doc)}
    evidence = [*wordpress.evidence, *(evidence_of(doc, name, quote) for name, quote in signs.items())]
    if logo:
        evidence.append(evidence_of(doc, f"logo_url:{logo_method}", logo))
    return replace(
        read_page_metadata(doc, hints),
        text_language=language_of(doc.text),
        logo_url=absolute(doc, logo),
        site_name=_site_name(doc),
        wordpress_theme=wordpress.theme,
        wordpress_plugins=tuple(sorted(wordpress.plugins)),
        has_elementor="has_elementor" in signs,
        has_divi="has_divi" in signs,
        has_woocommerce="has_woocommerce" in signs,
        has_yoast_seo="has_yoast_seo" in signs,
        has_contact_form7="has_contact_form7" in signs,
        has_wpforms="has_wpforms" in signs,
        google_analytics_id=_analytics_id(doc.html),
        google_tag_manager_id=_quoted_id("GTM-", _CONTAINER_ID, doc.html),
        copyright_year=find_copyright_year(doc.text),
        has_cookie_notice="has_cookie_notice" in signs,
        has_privacy_policy="has_privacy_policy" in signs,
        hreflang=_hreflang(doc),
        evidence=tuple(evidence),
    )


def _notice_signs(doc: Document) -> dict[str, str]:
    signs = {
        "has_contact_form": find_contact_form(doc),
        "has_cookie_notice": find_cookie_notice(doc),
        "has_privacy_policy": find_privacy_policy(doc),
    }
    return {name: quote for name, quote in signs.items() if quote}


def _site_name(doc: Document) -> str | None:
    for name in ("og:site_name", "application-name", "apple-mobile-web-app-title"):
        if text := clean_text(doc.metas.get(name)):
            return text
    for thing in doc.things:
        if "WebSite" in types_of(thing) and isinstance(thing.get("name"), str):
            return clean_text(thing["name"]) or None
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


def _hreflang(doc: Document) -> tuple[str, ...]:
    listed = [
        relation.hreflang
        for relation in doc.head.relations
        if relation.rel == "alternate" and relation.hreflang
    ]
    tags = (clean_text(tag, limit=35).lower() for tag in listed[:_MAX_LISTED])
    return tuple(dict.fromkeys(tag for tag in tags if tag))
