"""Reports of pages and home pages: typed values that cross process boundaries as JSON.

`fields` hold the columns of a row; what is stored as JSON is a dictionary.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from scrapersky.extract.contacts import PageContact, collect_contacts
from scrapersky.extract.metadata import SiteMetadata
from scrapersky.extract.model_answers import add_answer, open_question
from scrapersky.extract.page import PageReading, read_page
from scrapersky.extract.page_class import PageClass, detect_page_class
from scrapersky.extract.pagetypes import classify_url
from scrapersky.extract.results import Hints
from scrapersky.extract.sitemaps.discovery import find_sitemap_links
from scrapersky.extract.urls import read_url
from scrapersky.extract.urls.canonical import path_depth, same_site, trap_reason

MAX_LINKS = 500
_MAX_TITLE = 1_000
_MAX_DESCRIPTION = 5_000
_MAX_LANGUAGE = 35
SAMPLE = b"""<!doctype html><html lang="en"><title>Example</title>
<script type="application/ld+json">{"@type": "LocalBusiness", "telephone": "+44 20 7946 0018"}</script>
<a href="/contact">Contact</a> <a href="https://www.facebook.com/example">Facebook</a>
<p>Jane Smith, Managing Director, 020 7946 0018, jane (at) example (dot) com</p>
<a href="mailto:info@example.com">Write</a> <address>1 High Street, London SW1A 1AA</address>"""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageFields:
    """Columns of a page that the page itself fills."""

    title: str | None
    description: str | None
    h1: str | None
    language: str | None
    canonical_url: str | None
    meta_robots: str | None
    schema_types: list[str]
    has_contact_form: bool
    word_count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PageReport:
    """Everything worth keeping from one page; a page with a class, such as a parked one, has no contacts.

    `content` is the evidence of the reading (R082): what was found, how, and in which words.
    """

    fields: PageFields
    content: dict[str, Any]
    page_class: PageClass | None
    contacts: list[PageContact]


@dataclass(frozen=True, slots=True, kw_only=True)
class HomeFields:
    """Columns of a domain that its home page fills."""

    title: str | None
    description: str | None
    language: str | None
    favicon_url: str | None
    logo_url: str | None
    canonical_url: str | None
    generator: str | None
    is_wordpress: bool
    wordpress_version: str | None
    wordpress_theme: str | None
    has_elementor: bool
    has_divi: bool
    has_woocommerce: bool
    has_yoast_seo: bool
    has_contact_form7: bool
    has_wpforms: bool
    google_analytics_id: str | None
    google_tag_manager_id: str | None
    copyright_year: int | None
    email_addresses: list[str]
    phone_numbers: list[str]
    physical_addresses: list[str]
    social_urls: dict[str, str]
    facebook_url: str | None
    twitter_url: str | None
    linkedin_url: str | None
    instagram_url: str | None
    youtube_url: str | None
    tech_stack: dict[str, dict[str, Any]]
    domain_metadata: dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class HomeLink:
    """A page of the same site that the home page links to."""

    url: str
    page_type: str
    confidence: float
    priority: int
    depth: int
    is_excluded: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class HomeReport:
    """What a home page says about its domain: the fields of its row, and the pages and sitemaps to visit.

    `page` is what `report_page` would say of it.
    """

    fields: HomeFields
    page_class: PageClass | None
    links: list[HomeLink]
    sitemaps: list[str]
    page: PageReport


def report_page(body: bytes, url: str, domain: str, content_type: str, country: str | None) -> PageReport:
    """Read one page."""
    reading = read_page(body, Hints(country, domain, url), content_type=content_type)
    return _page_report(reading, detect_page_class(reading, url))


def question_about_page(
    body: bytes, url: str, domain: str, content_type: str, country: str | None
) -> str | None:
    """The text that a language model is to be asked about, if the rules are unsure about the page."""
    return open_question(read_page(body, Hints(country, domain, url), content_type=content_type))


def report_with_answer(
    body: bytes, url: str, domain: str, content_type: str, country: str | None, answer: str
) -> PageReport:
    """Read one page, with what a language model says of it as far as the page says so as well."""
    reading = read_page(body, Hints(country, domain, url), content_type=content_type)
    answered = add_answer(reading, answer)
    report = _page_report(answered.reading, detect_page_class(reading, url))
    counts = {"accepted": answered.accepted, "refused": answered.refused}
    return dataclasses.replace(report, content={**report.content, "language_model": counts})


def report_home(
    body: bytes, url: str, domain: str, content_type: str, country: str | None, headers: Mapping[str, str]
) -> HomeReport:
    """Read the home page of a domain, with one parse for what it says of the domain and of itself."""
    hints = Hints(country, domain, url)
    reading = read_page(body, hints, content_type=content_type, headers=headers, technologies=True)
    page_class = detect_page_class(reading, url)
    return HomeReport(
        fields=_home_fields(reading, is_own=page_class is None),
        page_class=page_class,
        links=_links(reading, url),
        sitemaps=[link.url for link in find_sitemap_links(reading.document.html, base=url)],
        page=_page_report(reading, page_class),
    )


def warm_up() -> None:
    """Read a made-up page, so that what the extractors load or compile on first use is there."""
    report_home(SAMPLE, "https://example.com/", "example.com", "text/html", "GB", {})
    report_page(SAMPLE, "https://example.com/contact", "example.com", "text/html", None)


def column_values(fields: PageFields | HomeFields) -> dict[str, Any]:
    """The fields by the names of their columns."""
    return {field.name: getattr(fields, field.name) for field in dataclasses.fields(fields)}


def _page_report(reading: PageReading, page_class: PageClass | None) -> PageReport:
    metadata = reading.metadata
    return PageReport(
        fields=PageFields(
            title=_cut(metadata.title, _MAX_TITLE),
            description=_cut(metadata.description, _MAX_DESCRIPTION),
            h1=_cut(metadata.h1, _MAX_TITLE),
            language=metadata.language,
            canonical_url=_cut(metadata.canonical_url, 2_048),
            meta_robots=_cut(metadata.robots, 200),
            schema_types=list(metadata.schema_types)[:50],
            has_contact_form=metadata.has_contact_form,
            word_count=metadata.word_count,
        ),
        content=_content(reading),
        page_class=page_class,
        contacts=[] if page_class else collect_contacts(reading),
    )


def _home_fields(reading: PageReading, *, is_own: bool) -> HomeFields:
    """The fields of a home page; contacts on a page that is not the site's own belong to somebody else."""
    metadata = reading.metadata
    socials = {social.network: social.url for social in reversed(reading.socials)}
    return HomeFields(
        title=_cut(metadata.title, _MAX_TITLE),
        description=_cut(metadata.description, _MAX_DESCRIPTION),
        language=_cut(metadata.language, _MAX_LANGUAGE),
        favicon_url=metadata.favicon_url,
        logo_url=metadata.logo_url,
        canonical_url=metadata.canonical_url,
        generator=metadata.generator,
        is_wordpress=metadata.is_wordpress,
        wordpress_version=metadata.wordpress_version,
        wordpress_theme=metadata.wordpress_theme,
        has_elementor=metadata.has_elementor,
        has_divi=metadata.has_divi,
        has_woocommerce=metadata.has_woocommerce,
        has_yoast_seo=metadata.has_yoast_seo,
        has_contact_form7=metadata.has_contact_form7,
        has_wpforms=metadata.has_wpforms,
        google_analytics_id=metadata.google_analytics_id,
        google_tag_manager_id=metadata.google_tag_manager_id,
        copyright_year=metadata.copyright_year,
        email_addresses=[email.address for email in reading.emails[:50]] if is_own else [],
        phone_numbers=[phone.e164 for phone in reading.phones[:50]] if is_own else [],
        physical_addresses=[address.text for address in reading.addresses[:20]] if is_own else [],
        social_urls=socials,
        facebook_url=socials.get("facebook"),
        twitter_url=socials.get("twitter"),
        linkedin_url=socials.get("linkedin"),
        instagram_url=socials.get("instagram"),
        youtube_url=socials.get("youtube"),
        tech_stack=_technologies(reading),
        domain_metadata=_domain_metadata(metadata, reading),
    )


def _content(reading: PageReading) -> dict[str, Any]:
    def evidence(result: Any, **more: Any) -> dict[str, Any]:
        first = result.evidence[0] if result.evidence else None
        proof = {"method": first.method, "quote": first.quote, "start": first.start} if first else {}
        return {**more, "confidence": result.confidence, **proof}

    return {
        "emails": [
            evidence(e, value=e.address, kind=e.kind, relation=e.relation, hidden=e.hidden)
            for e in reading.emails
        ],
        "phones": [evidence(p, value=p.e164, kind=p.kind, extension=p.extension) for p in reading.phones],
        "addresses": [
            evidence(a, value=a.text, street=a.street, postcode=a.postcode, city=a.city, country=a.country)
            for a in reading.addresses
        ],
        "socials": [evidence(s, value=s.url, network=s.network) for s in reading.socials],
        "people": [
            evidence(p, value=p.name, role=p.role, email=p.email, phone=p.phone) for p in reading.people
        ],
        "country": reading.country,
        "truncated": reading.truncated,
    }


def _technologies(reading: PageReading) -> dict[str, dict[str, Any]]:
    return {
        technology.name: {
            "version": technology.version,
            "categories": list(technology.categories),
            "confidence": technology.confidence,
        }
        for technology in reading.technologies
    }


def _domain_metadata(metadata: SiteMetadata, reading: PageReading) -> dict[str, Any]:
    """What has no column of its own."""
    return {
        "site_name": metadata.site_name,
        "elementor_version": metadata.elementor_version,
        "h1": metadata.h1,
        "word_count": metadata.word_count,
        "has_contact_form": metadata.has_contact_form,
        "has_cookie_notice": metadata.has_cookie_notice,
        "has_privacy_policy": metadata.has_privacy_policy,
        "country": reading.country,
        "wordpress_plugins": list(metadata.wordpress_plugins)[:100],
        "schema_types": list(metadata.schema_types)[:50],
    }


def _links(reading: PageReading, base: str) -> list[HomeLink]:
    """Pages of the same site that the home page links to, each once, the most promising first."""
    links: dict[str, HomeLink] = {}
    for link in reading.document.links:
        url = read_url(link.href, base=base).url
        if not url or url in links or trap_reason(url) or not same_site(url, base):
            continue
        kind = classify_url(url, anchor=link.text)
        links[url] = HomeLink(
            url=url,
            page_type=kind.page_type,
            confidence=kind.confidence,
            priority=kind.priority,
            depth=path_depth(url),
            is_excluded=kind.is_excluded,
        )
        if len(links) >= MAX_LINKS:
            break
    return sorted(links.values(), key=lambda link: (link.priority, link.depth))


def _cut(text: str | None, limit: int) -> str | None:
    return text[:limit] if text else None
