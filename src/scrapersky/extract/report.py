"""A page's or home page's reading as plain values, fit to be sent between processes and stored as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scrapersky.extract.contacts import collect_contacts
from scrapersky.extract.metadata import SiteMetadata
from scrapersky.extract.page import PageReading, read_page
from scrapersky.extract.page_class import detect_page_class
from scrapersky.extract.pagetypes import classify_url
from scrapersky.extract.results import Hints
from scrapersky.extract.sitemaps.discovery import find_sitemap_links
from scrapersky.extract.urls import read_url
from scrapersky.extract.urls.canonical import path_depth, same_site, trap_reason

MOST_LINKS = 500
SOCIAL_COLUMNS = ("facebook", "twitter", "linkedin", "instagram", "youtube")
SAME_FIELDS = (
    "title", "description", "language", "favicon_url", "logo_url", "canonical_url", "generator",
    "is_wordpress", "wordpress_version", "wordpress_theme", "has_elementor", "has_divi", "has_woocommerce",
    "has_yoast_seo", "has_contact_form7", "has_wpforms", "google_analytics_id", "google_tag_manager_id",
    "copyright_year",
)  # fmt: skip
LONGEST = {"title": 1_000, "description": 5_000, "language": 35}


def page_report(body: bytes, url: str, domain: str, content_type: str, country: str | None) -> dict[str, Any]:
    """Everything worth keeping from one page; one that is something else has a class and no contacts."""
    hints = Hints(country, domain, url)
    reading = read_page(body, hints, content_type=content_type, technologies=False)
    metadata, instead = reading.metadata, detect_page_class(reading, url)
    return {
        "fields": {
            "title": _cut(metadata.title, 1_000),
            "description": _cut(metadata.description, 5_000),
            "h1": _cut(metadata.h1, 1_000),
            "language": metadata.language,
            "canonical_url": _cut(metadata.canonical_url, 2_048),
            "meta_robots": _cut(metadata.robots, 200),
            "schema_types": list(metadata.schema_types)[:50],
            "has_contact_form": metadata.has_contact_form,
            "word_count": metadata.word_count,
        },
        "content": content_of(reading),
        "class": instead._asdict() if instead else None,
        "contacts": [] if instead else collect_contacts(reading),
    }


def home_report(
    body: bytes, url: str, domain: str, content_type: str, country: str | None, headers: Mapping[str, str]
) -> dict[str, Any]:
    """What a domain's home page says of it: the fields of its row, and where to go on."""
    hints = Hints(country, domain, url)
    reading = read_page(body, hints, content_type=content_type, headers=headers, technologies=True)
    metadata, html, instead = reading.metadata, reading.document.html, detect_page_class(reading, url)
    fields: dict[str, Any] = {name: getattr(metadata, name) for name in SAME_FIELDS}
    fields |= {name: _cut(fields[name], most) for name, most in LONGEST.items()}
    # What stands on a page that is something else belongs to whoever holds the place.
    own = reading.emails, reading.phones, reading.addresses
    emails, phones, addresses = ((), (), ()) if instead else own
    fields["email_addresses"] = [one.address for one in emails][:50]
    fields["phone_numbers"] = [one.e164 for one in phones][:50]
    fields["physical_addresses"] = [one.text for one in addresses][:20]
    socials = {one.network: one.url for one in reversed(reading.socials)}
    fields["social_urls"] = socials
    fields |= {f"{name}_url": socials.get(name) for name in SOCIAL_COLUMNS}
    fields["tech_stack"] = _technologies(reading)
    fields["domain_metadata"] = _more(metadata, reading)
    return {
        "fields": fields,
        "class": instead._asdict() if instead else None,
        "links": _links(reading, url),
        "sitemaps": [link.url for link in find_sitemap_links(html, base=url)],
    }


def content_of(reading: PageReading) -> dict[str, Any]:
    """The evidence of one reading (R082): what was found, how, and in which words."""

    def told(one: Any, **more: Any) -> dict[str, Any]:
        first = one.evidence[0] if one.evidence else None
        proof = {"method": first.method, "quote": first.quote, "start": first.start} if first else {}
        return {**more, "confidence": one.confidence, **proof}

    return {
        "emails": [
            told(e, value=e.address, kind=e.kind, relation=e.relation, hidden=e.hidden)
            for e in reading.emails
        ],
        "phones": [told(p, value=p.e164, kind=p.kind, extension=p.extension) for p in reading.phones],
        "addresses": [
            told(a, value=a.text, street=a.street, postcode=a.postcode, city=a.city, country=a.country)
            for a in reading.addresses
        ],
        "socials": [told(s, value=s.url, network=s.network) for s in reading.socials],
        "people": [told(p, value=p.name, role=p.role, email=p.email, phone=p.phone) for p in reading.people],
        "country": reading.country,
        "truncated": reading.truncated,
    }


def _technologies(reading: PageReading) -> dict[str, Any]:
    return {
        one.name: {"version": one.version, "categories": list(one.categories), "confidence": one.confidence}
        for one in reading.technologies
    }


def _more(metadata: SiteMetadata, reading: PageReading) -> dict[str, Any]:
    """What has no column of its own."""
    more = {name: getattr(metadata, name) for name in ("site_name", "elementor_version", "h1", "word_count")}
    more |= {"has_contact_form": metadata.has_contact_form, "has_cookie_notice": metadata.has_cookie_notice}
    more |= {"has_privacy_policy": metadata.has_privacy_policy, "country": reading.country}
    more["wordpress_plugins"] = list(metadata.wordpress_plugins)[:100]
    more["schema_types"] = list(metadata.schema_types)[:50]
    return more


def _links(reading: PageReading, base: str) -> list[dict[str, Any]]:
    """Pages of the same site that the home page links to, each once, the most promising first."""
    found: dict[str, dict[str, Any]] = {}
    for link in reading.document.links:
        url = read_url(link.href, base=base).url
        if not url or url in found or trap_reason(url) or not same_site(url, base):
            continue
        kind = classify_url(url, anchor=link.text)
        found[url] = {
            "url": url, "type": kind.page_type, "confidence": kind.confidence, "priority": kind.priority,
            "depth": path_depth(url), "excluded": kind.is_excluded,
        }  # fmt: skip
        if len(found) >= MOST_LINKS:
            break
    return sorted(found.values(), key=lambda one: (one["priority"], one["depth"]))


def _cut(text: str | None, most: int) -> str | None:
    return text[:most] if text else None
