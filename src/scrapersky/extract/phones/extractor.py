"""Phone numbers of a page: from links, structured data and text, in E.164, with kind and evidence."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from phonenumbers import PhoneNumberType

from scrapersky.extract.geography.country_codes import country_in
from scrapersky.extract.html import Document
from scrapersky.extract.html.contact_links import CONTACT_LINKS
from scrapersky.extract.phones.link_numbers import read_link_number
from scrapersky.extract.phones.numbers import Number, read_number
from scrapersky.extract.phones.text_numbers import find_text_numbers
from scrapersky.extract.results import Evidence, Hints, Phone, combine_confidences
from scrapersky.extract.text.cleanup import line_before
from scrapersky.extract.text.site_credits import credits_site_maker

MAX_PHONES = 200
_PRIORS = {
    "json-ld": 0.95, "microdata": 0.95, "hcard": 0.92, "rdfa": 0.92, "tel": 0.95, "whatsapp": 0.92,
    "text": 0.92, "skype": 0.7, "unlabelled": 0.7,
}  # fmt: skip
# Countries that a guess by language can have mistaken for this one.
_SIMILAR_COUNTRIES = {
    "IT": ("CH",),
    "DE": ("AT", "CH"),
    "FR": ("BE", "CH", "CA"),
    "NL": ("BE",),
    "PT": ("BR",),
    "GB": ("IE",),
}
_MOBILE_TYPES = (PhoneNumberType.MOBILE,)


@dataclass(slots=True)
class _Candidate:
    """The evidence for one number."""

    number: Number
    kinds: list[str] = field(default_factory=list)
    evidence: list[Evidence] = field(default_factory=list)
    priors: list[float] = field(default_factory=list)


def find_phones(doc: Document, hints: Hints, *, country: str | None) -> tuple[Phone, ...]:
    """The numbers of a page, the surest first; a number keeps the kind its label names.

    `country` is the one that the page speaks from, if it is known.
    """
    candidates = _find_candidates(doc, country)
    if not candidates and not hints.country:
        guesses = (_find_candidates(doc, similar) for similar in _SIMILAR_COUNTRIES.get(country or "", ()))
        candidates = next(filter(None, guesses), {})
    phones = [_phone(candidate) for candidate in candidates.values()]
    phones.sort(key=lambda phone: (phone.kind == "fax", -phone.confidence))
    return tuple(phones)


def _find_candidates(doc: Document, country: str | None) -> dict[str, _Candidate]:
    """All that speaks for each number, read as the country writes its numbers."""
    candidates: dict[str, _Candidate] = {}
    credited = set()
    for number, kind, evidence in _sightings(doc, country):
        if evidence.place == "text" and credits_site_maker(line_before(doc.text, evidence.start)):
            credited.add(number.e164)
            continue
        if number.e164 not in candidates and len(candidates) >= MAX_PHONES:
            continue
        candidate = candidates.setdefault(number.e164, _Candidate(number))
        if kind:
            candidate.kinds.append(kind)
        if all(known.method != evidence.method for known in candidate.evidence):
            candidate.priors.append(_PRIORS.get(evidence.method, 0.5))
            candidate.evidence.append(evidence)
        if number.extension and not candidate.number.extension:
            candidate.number = number
    # A link beside words that were passed over is theirs too.
    return {
        number: candidate
        for number, candidate in candidates.items()
        if number not in credited or any(seen.method != "tel" for seen in candidate.evidence)
    }


def _phone(candidate: _Candidate) -> Phone:
    number = candidate.number
    return Phone(
        e164=number.e164,
        kind=_kind(candidate),
        extension=number.extension,
        country=number.country,
        confidence=min(0.99, combine_confidences(candidate.priors)),
        evidence=tuple(candidate.evidence),
    )


def _kind(candidate: _Candidate) -> str:
    """What the labels say; a mobile number stays mobile whatever word stands beside it, except a fax."""
    kinds = candidate.kinds
    if "fax" in kinds and "phone" not in kinds and "mobile" not in kinds:
        return "fax"
    if candidate.number.type in _MOBILE_TYPES or "mobile" in kinds:
        return "mobile"
    return "phone"


def _sightings(doc: Document, country: str | None) -> Iterator[tuple[Number, str | None, Evidence]]:
    yield from _in_things(doc, country)
    yield from _in_links(doc, country)
    yield from find_text_numbers(doc.text, doc.digits, country)


def _in_things(doc: Document, country: str | None) -> Iterator[tuple[Number, str | None, Evidence]]:
    for thing in doc.things:
        for key, kind in (("telephone", None), ("phone", None), ("mobile", "mobile"), ("faxNumber", "fax")):
            for value in _strings(thing.get(key)):
                number = read_number(value.removeprefix("tel:"), _country_of(thing) or country)
                if number is not None:
                    yield (
                        number,
                        kind,
                        Evidence(str(thing["@source"]), value[:300], doc.html.find(value), "html"),
                    )


def _strings(value: Any) -> list[str]:
    values = value if isinstance(value, list) else [value]
    return [str(text) for text in values[:50] if isinstance(text, str | int)]


def _country_of(thing: Any) -> str | None:
    """The country that a thing's own address names."""
    address = thing.get("address")
    return country_in(address.get("addressCountry")) if isinstance(address, dict) else None


def _in_links(doc: Document, country: str | None) -> Iterator[tuple[Number, str | None, Evidence]]:
    for link in doc.scan(CONTACT_LINKS):
        linked = read_link_number(link, country)
        if linked is not None:
            number, kind, method = linked
            yield number, kind, Evidence(method, link.raw[:300], doc.html.find(link.raw[:60]), "html")
