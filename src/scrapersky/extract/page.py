"""Everything that one page shows, read with one parse."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from operator import attrgetter
from typing import Any, TypeVar

from scrapersky.extract.addresses import find_addresses
from scrapersky.extract.country import detect_country
from scrapersky.extract.emails import find_emails
from scrapersky.extract.emails.extractor import RefusedEmail
from scrapersky.extract.html import Document, parse_document
from scrapersky.extract.metadata import SiteMetadata, read_page_metadata, read_site_metadata
from scrapersky.extract.pagetypes import PageType, classify_url
from scrapersky.extract.people import find_people
from scrapersky.extract.phones import find_phones
from scrapersky.extract.results import (
    Address,
    Email,
    Evidence,
    Hints,
    Person,
    Phone,
    Social,
    Technology,
)
from scrapersky.extract.socials import find_socials
from scrapersky.extract.technologies import find_technologies
from scrapersky.extract.text.cleanup import make_storable

MAX_OF_A_KIND = 200
Finding = TypeVar("Finding", Email, Phone, Address, Social, Person, Technology)
_TEXTS: Mapping[type[Any], tuple[str, ...]] = {
    kind: tuple(field.name for field in fields(kind) if str(field.type).startswith("str"))
    for kind in (Email, Phone, Address, Social, Person, Technology)
}
_texts_of: Mapping[type[Any], Callable[[Any], tuple[str | None, ...]]] = {
    kind: attrgetter(*names) for kind, names in _TEXTS.items()
}


@dataclass(frozen=True, slots=True, eq=False)
class PageReading:
    """What was found on a page; `truncated` says that something was dropped or a cap was met.

    `page_type` is None when the hints hold no URL.
    """

    document: Document
    country: str | None
    emails: tuple[Email, ...]
    phones: tuple[Phone, ...]
    addresses: tuple[Address, ...]
    socials: tuple[Social, ...]
    people: tuple[Person, ...]
    technologies: tuple[Technology, ...]
    metadata: SiteMetadata
    page_type: PageType | None
    refused_emails: tuple[RefusedEmail, ...]
    truncated: bool


def read_page(
    body: bytes | str,
    hints: Hints,
    *,
    content_type: str = "",
    headers: Mapping[str, str] | None = None,
    technologies: bool = False,
) -> PageReading:
    """Read everything from a page. It never raises, whatever the bytes are.

    With `technologies`, as for a home page, also what the site is made with and all of its metadata.
    """
    doc = parse_document(body, url=hints.url, content_type=content_type)
    country = detect_country(doc, hints)
    emails, refused = find_emails(doc, hints)
    phones = find_phones(doc, hints, country=country)
    addresses = find_addresses(doc, hints, country=country)
    socials = find_socials(doc, hints)
    people = find_people(doc, hints, emails, phones)
    used = find_technologies(doc, hints, headers=headers) if technologies else ()
    largest = max(map(len, (emails, phones, addresses, socials, people, used)))
    return PageReading(
        document=doc,
        country=country,
        emails=_kept(emails),
        phones=_kept(phones),
        addresses=_kept(addresses),
        socials=_kept(socials),
        people=_kept(people),
        technologies=_kept(used),
        metadata=read_site_metadata(doc, hints) if technologies else read_page_metadata(doc, hints),
        page_type=classify_url(hints.url, title=doc.title or "") if hints.url else None,
        refused_emails=refused[:MAX_OF_A_KIND],
        truncated=doc.truncated or largest >= MAX_OF_A_KIND,
    )


def _kept(findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
    """The findings of a kind that are kept, each fit to be stored."""
    return tuple(_storable(finding) for finding in findings[:MAX_OF_A_KIND])


def _storable(finding: Finding) -> Finding:
    """The finding with its texts cleaned; as a rule there is nothing to do."""
    changes: dict[str, Any] = {}
    kind = type(finding)
    texts = _texts_of[kind](finding)
    if not all(map(str.isprintable, filter(None, texts))):
        changes = {name: make_storable(text) for name, text in zip(_TEXTS[kind], texts, strict=True) if text}
    for evidence in finding.evidence:
        if not evidence.quote.isprintable():
            changes["evidence"] = tuple(map(_storable_evidence, finding.evidence))
            break
    return replace(finding, **changes) if changes else finding


def _storable_evidence(evidence: Evidence) -> Evidence:
    return replace(evidence, quote=make_storable(evidence.quote))
