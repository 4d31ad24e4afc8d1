"""Postal addresses of a page: from markup, from lines with a postcode, from lines with a street."""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from scrapersky.extract.addresses.east_asian_addresses import EAST_ASIAN_PLACES, find_east_asian_addresses
from scrapersky.extract.addresses.postcode_addresses import AddressHit, find_postcode_addresses
from scrapersky.extract.addresses.postcodes import expected_country
from scrapersky.extract.addresses.street_addresses import UNCODED_CITIES, find_street_addresses
from scrapersky.extract.addresses.streets import is_placeholder_address
from scrapersky.extract.addresses.third_parties import THIRD_PARTIES, follows_third_party, is_third_party
from scrapersky.extract.geography import country_code
from scrapersky.extract.geography.country_names import COUNTRY_OF_NAME
from scrapersky.extract.html import Document
from scrapersky.extract.html.keyword_scan import LineKeywords
from scrapersky.extract.html.line_index import TextLine
from scrapersky.extract.results import QUOTE_LIMIT, Address, Evidence, Hints, combine_confidences
from scrapersky.extract.text.site_credits import mentions_vendor

PLACE_NAMES = LineKeywords(COUNTRY_OF_NAME, EAST_ASIAN_PLACES, UNCODED_CITIES)
MAX_ADDRESSES = 50
_MAX_HITS = 400
# A line of at least this length is running text; an address of the organisation stands on its own.
_RUNNING_TEXT = 200
# The confidence of an address that only programs can read: below what is delivered unseen.
_UNSEEN = 0.85
_MOST_LINES = 6
_ALPHANUMERIC = re.compile(r"[^\W_]+")


def find_addresses(doc: Document, hints: Hints, *, country: str | None = None) -> tuple[Address, ...]:
    """The addresses on a page, each once, the surest first.

    `country` is the one that the page speaks from, if it is known.
    """
    hinted = country_code(hints.country) if hints.country else country
    home = expected_country(hinted, hints.site_domain or hints.url or doc.url, doc.lang)
    lines, numbered = doc.lines, doc.digits.lines
    countries, east_asian_places, cities = doc.scan(PLACE_NAMES)
    hits = [*find_postcode_addresses(lines, numbered, home)]
    hits += find_east_asian_addresses(lines, east_asian_places, home)
    hits += _apart(find_street_addresses(lines, numbered, countries, home, cities), hits)
    signs = doc.scan(THIRD_PARTIES)[0] if hits else set[int]()
    if signs and is_third_party(doc.title or ""):
        signs = set()  # A page of such a body itself.
    hits = [
        hit
        for hit in hits
        if not _is_of_others(doc.text, hit, home)
        and not (signs and follows_third_party(lines, _line_of(doc, hit), hit.start, signs))
    ]
    addresses = [*_marked_up(doc, home), *(_address(doc, hit) for hit in hits[:_MAX_HITS])]
    return tuple(_merged(addresses))[:MAX_ADDRESSES]


def _line_of(doc: Document, hit: AddressHit) -> int:
    return bisect_right(doc.line_starts, hit.start) - 1


def _is_of_others(text: str, hit: AddressHit, home: str | None) -> bool:
    """Whether running text, such as a privacy policy, gives the address of somebody abroad or of a vendor."""
    is_abroad = home is not None and hit.country is not None and hit.country != home
    if (is_abroad or home is None) and mentions_vendor(text[max(0, hit.start - 100) : hit.start]):
        return True
    start = text.rfind("\n", 0, hit.start) + 1
    end = text.find("\n", hit.end)
    length = (end if end >= 0 else len(text)) - start
    if length < _RUNNING_TEXT:
        return False
    return is_abroad or mentions_vendor(text[max(start, hit.start - 100) : hit.end])


def _apart(bare: Iterable[AddressHit], hits: list[AddressHit]) -> list[AddressHit]:
    """The addresses without a postcode that do not overlap one with a postcode."""
    return [
        address
        for address in bare
        if not any(address.start < hit.end and hit.start < address.end for hit in hits)
    ]


def _address(doc: Document, hit: AddressHit) -> Address:
    quote = doc.text[hit.start : hit.end][:QUOTE_LIMIT]
    text = _as_written(quote, hit)
    evidence = Evidence(hit.method, quote, hit.start, "text")
    return Address(hit.street, hit.postcode, hit.city, hit.country, text, hit.confidence, (evidence,))


def _as_written(quote: str, hit: AddressHit) -> str:
    """The whole address on one line, as the page writes it, with all districts and regions."""
    parts = [part.strip(" ,;|") for part in quote.split("\n")]
    text = ", ".join(part for part in parts if part)
    if len(parts) <= _MOST_LINES and all(part in text for part in (hit.street, hit.postcode or "", hit.city)):
        return text
    return ", ".join(
        part for part in (hit.street, " ".join(p for p in (hit.postcode, hit.city) if p)) if part
    )


def _marked_up(doc: Document, home: str | None) -> Iterator[Address]:
    """Addresses that the page itself declares."""
    for thing in doc.things:
        types = thing.get("@type")
        written = thing.get("address")
        if isinstance(written, str):
            yield from _from_text(thing, written, home)
        if types == "PostalAddress" or (isinstance(types, list) and "PostalAddress" in types):
            address = _from_markup(thing, home)
            if address is not None:
                yield address if _is_shown(doc, address) else replace(address, confidence=_UNSEEN)


def _from_text(thing: Mapping[str, Any], written: str, home: str | None) -> Iterator[Address]:
    """An address that the page declares as one string, in its lines or with commas between its parts."""
    text = " ".join(written.replace("\n", ", ").split())[:QUOTE_LIMIT]
    hit = next(find_postcode_addresses([TextLine(text, 0, "", "", 0)], [0], home), None)
    if hit is not None and not is_placeholder_address(text):
        evidence = Evidence(str(thing.get("@source", "json-ld")), text, -1, "html")
        yield Address(hit.street, hit.postcode, hit.city, hit.country, text, hit.confidence, (evidence,))


def _is_shown(doc: Document, address: Address) -> bool:
    """Whether visitors can read the address: markup may be left from a template or a former owner."""
    street = " ".join(address.street.casefold().split())
    page_text = " ".join(doc.lower_text.split())
    return street in page_text or (address.postcode is not None and address.postcode.casefold() in page_text)


def _from_markup(thing: Mapping[str, Any], home: str | None) -> Address | None:
    street = _value(thing, "streetAddress") or _value(thing, "postOfficeBoxNumber")
    postcode, city = _value(thing, "postalCode"), _value(thing, "addressLocality")
    whole = next(find_postcode_addresses([TextLine(street, 0, "", "", 0)], [0], home), None)
    if whole is not None:
        street, postcode, city = whole.street, postcode or whole.postcode or "", city or whole.city
    if not street or not (postcode or city) or is_placeholder_address(f"{street} {city}"):
        return None
    country = _value(thing, "addressCountry")
    code = country_code(country)
    text = ", ".join(part for part in (street, " ".join(p for p in (postcode, city) if p), country) if part)
    evidence = Evidence(str(thing.get("@source", "json-ld")), text[:QUOTE_LIMIT], -1, "html")
    return Address(street, postcode or None, city or None, code, text, 0.95, (evidence,))


def _value(thing: Mapping[str, Any], key: str) -> str:
    value = thing.get(key)
    if isinstance(value, list):
        value = value[0] if value else ""
    if isinstance(value, Mapping):
        value = value.get("name", "")
    return " ".join(str(value).split())[:QUOTE_LIMIT] if isinstance(value, str | int) else ""


def _merged(addresses: Iterable[Address]) -> list[Address]:
    """One address for all its mentions, with the evidence of each."""
    kept: list[Address] = []
    keys: list[tuple[str, frozenset[str]]] = []
    for address in addresses:
        key = _key(address)
        for index, other in enumerate(keys):
            if _same(key, other):
                kept[index] = _joined(kept[index], address)
                keys[index] = _key(kept[index])
                break
        else:
            kept.append(address)
            keys.append(key)
    return sorted(kept, key=lambda address: -address.confidence)


def _key(address: Address) -> tuple[str, frozenset[str]]:
    words = _ALPHANUMERIC.findall(_folded(address.street))
    code = "".join(_ALPHANUMERIC.findall((address.postcode or "").casefold()))
    return code, frozenset(words)


def _folded(text: str) -> str:
    plain = text.casefold()
    if not plain.isascii():
        plain = "".join(c for c in unicodedata.normalize("NFKD", plain) if not unicodedata.combining(c))
    return plain.replace("strasse", "str").replace("street", "st")


def _same(key: tuple[str, frozenset[str]], other: tuple[str, frozenset[str]]) -> bool:
    if key[0] and other[0] and key[0] != other[0]:
        return False
    shared = key[1] & other[1]
    smaller = min(len(key[1]), len(other[1]))
    return smaller > 0 and len(shared) >= max(1, 0.6 * smaller)


def _joined(first: Address, second: Address) -> Address:
    best, rest = (first, second) if bool(first.postcode) >= bool(second.postcode) else (second, first)
    if best.postcode == rest.postcode and not best.city:
        best = replace(best, city=rest.city)
    evidence = (first.evidence + second.evidence)[:5]
    methods = {e.method for e in evidence}
    sure = (
        combine_confidences([best.confidence, rest.confidence])
        if len(methods) > 1
        else max(best.confidence, rest.confidence)
    )
    return replace(best, confidence=sure, evidence=evidence, country=best.country or rest.country)
