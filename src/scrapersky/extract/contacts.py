"""The ways of reaching somebody that one page shows: one entry per address or number, with evidence."""

from __future__ import annotations

from typing import Any

from scrapersky.extract.page import PageReading
from scrapersky.extract.results import Address, Email, Evidence, Person, Phone

# Raised whenever the extractors change, so that every sighting says which of them saw it.
EXTRACTOR_VERSION = "2"


def collect_contacts(reading: PageReading) -> list[dict[str, Any]]:
    """Contacts of a page as plain values: a person's data stays with their own address or number."""
    people = {person.email: person for person in reading.people if person.email}
    callers = {person.phone: person for person in reading.people if person.phone and not person.email}
    address = max(reading.addresses, key=lambda one: one.confidence, default=None)
    found = [
        _by_mail(one, people.get(one.address), address) for one in reading.emails if one.kind != "no-reply"
    ]
    bound = {person.phone for person in people.values() if person.phone}
    numbers = [one for one in reading.phones if one.kind != "fax"]
    found += [_by_phone(one, callers.get(one.e164), address) for one in numbers if one.e164 not in bound]
    return found


def _by_mail(email: Email, person: Person | None, address: Address | None) -> dict[str, Any]:
    values: dict[str, Any] = {
        "email_type": email.kind,
        "email_relation": email.relation,
        "is_email_hidden": email.hidden,
        "confidence": email.confidence,
        **_who(person),
        **_where(address),
    }
    seen = _seen("email", email.address, email.confidence, email.evidence)
    if person:
        seen += _seen("name", person.name, person.confidence, person.evidence)
    phone = person.phone if person else None
    return {"email": email.address, "phone": phone, "values": values, "seen": seen}


def _by_phone(phone: Phone, person: Person | None, address: Address | None) -> dict[str, Any]:
    values: dict[str, Any] = {
        "phone_type": phone.kind,
        "phone_extension": phone.extension,
        "confidence": phone.confidence,
        **_who(person),
        **_where(address),
    }
    values["country"] = phone.country or values.get("country")
    seen = _seen("phone", phone.e164, phone.confidence, phone.evidence)
    return {"email": None, "phone": phone.e164, "values": values, "seen": seen}


def _who(person: Person | None) -> dict[str, Any]:
    return {"name": person.name if person else None, "job_title": person.role if person else None}


def _where(address: Address | None) -> dict[str, Any]:
    return {"address": address.text if address else None, "country": address.country if address else None}


def _seen(field: str, value: str, confidence: float, evidence: tuple[Evidence, ...]) -> list[dict[str, Any]]:
    return [
        {
            "field": field,
            "value": value,
            "method": one.method,
            "quote": one.quote,
            "place": one.place,
            "start": one.start,
            "confidence": confidence,
        }
        for one in evidence[:5]
    ]
