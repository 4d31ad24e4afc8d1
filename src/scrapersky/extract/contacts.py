"""The contacts that one page shows: one per mail address or phone number, with evidence."""

from __future__ import annotations

from dataclasses import dataclass, replace

from scrapersky.extract.page import PageReading
from scrapersky.extract.privacy.contact_objection import find_objection
from scrapersky.extract.results import Address, Email, Evidence, Person, Phone

# Raised whenever the extractors change, so that every sighting says which of them saw it.
EXTRACTOR_VERSION = "8"
_MAX_SIGHTINGS = 5


@dataclass(frozen=True, slots=True)
class ContactSighting:
    """One value of a contact as it stands on the page."""

    field: str
    value: str
    method: str
    quote: str
    place: str
    start: int
    confidence: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PageContact:
    """A mail address or a phone number with what the page says about it and its person.

    A person's number stays with their address; any other number is a contact of its own.
    """

    email: str | None
    phone: str | None
    confidence: float
    name: str | None
    job_title: str | None
    address: str | None
    country: str | None
    sightings: list[ContactSighting]
    email_type: str | None = None
    email_relation: str | None = None
    is_email_hidden: bool = False
    phone_type: str | None = None
    phone_extension: str | None = None
    contact_objection: str | None = None


def collect_contacts(reading: PageReading) -> list[PageContact]:
    """Contacts of a page; a person's data stays with their own address or number."""
    people = {person.email: person for person in reading.people if person.email}
    callers = {person.phone: person for person in reading.people if person.phone and not person.email}
    address = max(reading.addresses, key=lambda address: address.confidence, default=None)
    emails = [email for email in reading.emails if email.kind != "no-reply"]
    with_email = {person.phone for person in people.values() if person.phone}
    phones = [phone for phone in reading.phones if phone.kind != "fax" and phone.e164 not in with_email]
    contacts = [
        *(_email_contact(email, people.get(email.address), address) for email in emails),
        *(_phone_contact(phone, callers.get(phone.e164), address) for phone in phones),
    ]
    objection = find_objection(reading.document.text) if contacts else None
    return [replace(contact, contact_objection=objection) for contact in contacts] if objection else contacts


def _email_contact(email: Email, person: Person | None, address: Address | None) -> PageContact:
    sightings = _sightings("email", email.address, email.confidence, email.evidence)
    if person:
        sightings += _sightings("name", person.name, person.confidence, person.evidence)
    return PageContact(
        email=email.address,
        phone=person.phone if person else None,
        email_type=email.kind,
        email_relation=email.relation,
        is_email_hidden=email.hidden,
        confidence=email.confidence,
        name=person.name if person else None,
        job_title=person.role if person else None,
        address=address.text if address else None,
        country=address.country if address else None,
        sightings=sightings,
    )


def _phone_contact(phone: Phone, person: Person | None, address: Address | None) -> PageContact:
    return PageContact(
        email=None,
        phone=phone.e164,
        phone_type=phone.kind,
        phone_extension=phone.extension,
        confidence=phone.confidence,
        name=person.name if person else None,
        job_title=person.role if person else None,
        address=address.text if address else None,
        country=phone.country or (address.country if address else None),
        sightings=_sightings("phone", phone.e164, phone.confidence, phone.evidence),
    )


def _sightings(
    field: str, value: str, confidence: float, evidence: tuple[Evidence, ...]
) -> list[ContactSighting]:
    return [
        ContactSighting(field, value, seen.method, seen.quote, seen.place, seen.start, confidence)
        for seen in evidence[:_MAX_SIGHTINGS]
    ]
