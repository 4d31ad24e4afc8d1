"""An element of OpenStreetMap as a place: its tags become fields."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from scrapersky.extract.emails.address_pattern import normalize_address
from scrapersky.extract.urls import read_host
from scrapersky.sources.kinds import OSMTags
from scrapersky.sources.openstreetmap.element import Element
from scrapersky.sources.source import ListedPlace

ATTRIBUTION = "© OpenStreetMap contributors"
LICENCE = "ODbL-1.0"
# The keys that say what an element is, the most telling first.
CATEGORY_KEYS = ("shop", "craft", "office", "healthcare", "tourism", "leisure", "amenity", "club", "man_made")
# Where the values are names of accounts, what stands before them in an address.
PROFILES = {
    "facebook": "https://www.facebook.com/",
    "instagram": "https://www.instagram.com/",
    "twitter": "https://x.com/",
    "linkedin": "https://www.linkedin.com/company/",
    "youtube": "https://www.youtube.com/@",
    "tiktok": "https://www.tiktok.com/@",
}
MAX_EMAILS, MAX_SOCIALS = 5, 10
_ACCOUNT = re.compile(r"@?([\w.-]{2,100})")


def osm_place(element: Element, kind: OSMTags | None = None) -> ListedPlace:
    """The element must have a name. With a kind, the place's category is the tag that made it match."""
    tags, emails = element.tags, _emails(element)
    city, country = tags.get("addr:city"), tags.get("addr:country", "")
    return ListedPlace(
        place_id=element.place_id,
        name=element.name[:500],
        category=_category(element, kind),
        address=_address(element),
        street=_street(element),
        city=city,
        state=tags.get("addr:state"),
        postcode=tags.get("addr:postcode"),
        country=country.upper() if len(country) == 2 else None,
        latitude=element.position.latitude if element.position else None,
        longitude=element.position.longitude if element.position else None,
        phone=next((phone[:50] for phone in _values(element, "phone", "mobile")), None),
        website=_website(element),
        email=emails[0] if emails else None,
        emails=emails[1:],
        socials=tuple(dict.fromkeys(_socials(element)))[:MAX_SOCIALS],
        record_url=f"https://www.openstreetmap.org/{element.place_id}",
        licence=LICENCE,
        attribution=ATTRIBUTION,
        raw=dict(tags),
    )


def _values(element: Element, *names: str) -> Iterator[str]:
    """What the tags of these names hold, also behind `contact:`; a semicolon separates values."""
    for name in names:
        for key in (name, f"contact:{name}"):
            yield from filter(None, (value.strip() for value in element.tags.get(key, "").split(";")))


def _category(element: Element, kind: OSMTags | None) -> str | None:
    keys: Iterable[str] = [*(kind.keys if kind else ()), *CATEGORY_KEYS]
    value = next((element.tags[key] for key in keys if key in element.tags), "")
    return value.partition(";")[0].strip()[:200] or None


def _street(element: Element) -> str | None:
    tags = element.tags
    street = tags.get("addr:street") or tags.get("addr:place") or ""
    return " ".join(f"{street} {tags.get('addr:housenumber', '')}".split())[:300] or None if street else None


def _address(element: Element) -> str | None:
    tags = element.tags
    if full := tags.get("addr:full"):
        return full[:1_000]
    parts = [
        _street(element),
        *(tags.get(f"addr:{part}") for part in ("postcode", "city", "state", "country")),
    ]
    return ", ".join(filter(None, parts))[:1_000] or None


def _website(element: Element) -> str | None:
    """The first website of its own; a page on a platform only if there is no other."""
    urls = [url for url in _values(element, "website", "url") if len(url) <= 2_048]
    return next((url for url in urls if read_host(url).ok), urls[0] if urls else None)


def _emails(element: Element) -> tuple[str, ...]:
    addresses = (normalize_address(value) for text in _values(element, "email") for value in text.split(","))
    unique = dict.fromkeys(address for address in addresses if address and len(address) <= 254)
    return tuple(unique)[:MAX_EMAILS]


def _socials(element: Element) -> Iterator[str]:
    for network, prefix in PROFILES.items():
        for value in _values(element, network):
            if value.lower().startswith(("http://", "https://")):
                yield value[:2_048]
            elif account := _ACCOUNT.fullmatch(value):
                yield prefix + account[1]
