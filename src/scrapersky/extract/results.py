"""What the extractors return: plain values, each with its evidence."""

from __future__ import annotations

from dataclasses import dataclass

QUOTE_LIMIT = 300


@dataclass(frozen=True, slots=True)
class Evidence:
    """Where a value was seen: by which method, the exact text, and its position.

    `start` counts characters of `Document.text` when `place` is "text" and of `Document.html`
    when it is "html"; -1 means that the position is not known.
    """

    method: str
    quote: str
    start: int = -1
    place: str = "text"


@dataclass(frozen=True, slots=True)
class Hints:
    """What is known of a page before it is read."""

    country: str | None = None
    site_domain: str | None = None
    url: str = ""


@dataclass(frozen=True, slots=True)
class Email:
    """A mail address; kind is role, person or no-reply, relation is own, free or other."""

    address: str
    kind: str
    relation: str
    hidden: bool
    confidence: float
    evidence: tuple[Evidence, ...]


@dataclass(frozen=True, slots=True)
class Phone:
    """A phone number in E.164; kind is phone, mobile or fax."""

    e164: str
    kind: str
    extension: str | None
    country: str | None
    confidence: float
    evidence: tuple[Evidence, ...]


@dataclass(frozen=True, slots=True)
class Address:
    """A postal address; `text` is the whole of it on one line, `country` is ISO-2."""

    street: str
    postcode: str | None
    city: str | None
    country: str | None
    text: str
    confidence: float
    evidence: tuple[Evidence, ...]


@dataclass(frozen=True, slots=True)
class Social:
    """A profile of the organisation in a social network; `url` is the canonical one."""

    network: str
    url: str
    handle: str
    confidence: float
    evidence: tuple[Evidence, ...]


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody of the organisation, with the address and number bound to the name."""

    name: str
    role: str | None
    email: str | None
    phone: str | None
    confidence: float
    evidence: tuple[Evidence, ...]


@dataclass(frozen=True, slots=True)
class Technology:
    """Something the page is made with; confidence is a percentage."""

    name: str
    categories: tuple[str, ...]
    version: str | None
    confidence: int
    evidence: tuple[Evidence, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Metadata:
    """What a page says of itself; None where it says nothing."""

    title: str | None = None
    description: str | None = None
    language: str | None = None
    favicon_url: str | None = None
    logo_url: str | None = None
    canonical_url: str | None = None
    site_name: str | None = None
    generator: str | None = None
    generators: tuple[str, ...] = ()
    is_wordpress: bool = False
    wordpress_version: str | None = None
    wordpress_theme: str | None = None
    has_elementor: bool = False
    elementor_version: str | None = None
    has_divi: bool = False
    has_woocommerce: bool = False
    has_yoast_seo: bool = False
    has_contact_form7: bool = False
    has_wpforms: bool = False
    google_analytics_id: str | None = None
    google_tag_manager_id: str | None = None
    copyright_year: int | None = None
    evidence: tuple[Evidence, ...] = ()


def combine_confidences(confidences: list[float] | tuple[float, ...]) -> float:
    """The noisy-or of independent confidences: what one layer leaves open the next may close."""
    doubt = 1.0
    for confidence in confidences:
        doubt *= 1.0 - confidence
    return round(1.0 - doubt, 4)
