"""What speaks for a contact and against it: how its values stood on the pages, and what is known of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from scrapersky.storage.contacts import BOILERPLATE

Row = Mapping[str, Any]
# What a method of reading proves: for an address or number what it was on the page.
_FOR = {
    "json-ld": "in the page's structured data (JSON-LD)",
    "microdata": "in the page's structured data (microdata)",
    "rdfa": "in the page's structured data (RDFa)",
    "hcard": "in a marked-up business card (hCard)",
    "mailto": "in a link to write to",
    "tel": "in a link to call",
    "whatsapp": "in a link to WhatsApp",
    "text": "written out in the text",
    "cloudflare": "decoded from Cloudflare's protection",
    "typo3": "decoded from TYPO3's protection",
    "joomla": "decoded from Joomla's protection",
    "enkoder": "decoded from a script of Enkoder",
    "spelled": "spelled out in words, such as “at” and “dot”",
    "rot13": "decoded from ROT13",
    "shift": "decoded from shifted letters",
}
_AGAINST = {
    "unlabelled": "no label such as “Tel.” stands beside it",
    "skype": "only in a link to Skype",
    "spaced": "written with blanks between its parts",
    "reversed": "written from right to left",
    "data attribute": "put together from attributes that only scripts read",
    "noscript": "shown only where scripts are switched off",
    "filler": "filler against spam was removed from it",
    "script": "put together from a script",
    "meta": "only in the head of the page, which nobody sees",
    "link": "in a link that is not meant for mail",
}
_NAME_METHODS = {
    "json-ld": "named in the page's structured data (JSON-LD)",
    "microdata": "named in the page's structured data (microdata)",
    "hcard": "named in a marked-up business card (hCard)",
    "e-mail": "the address is made of the name",
    "site name": "the name is that of the website",
}
_RELATIONS = {
    "own": (True, "address of the domain itself"),
    "other": (False, "address of another domain"),
    "free": (False, "address of a mail provider"),
}
# Names read at less than this are guesses from the layout.
_WEAK_NAME = 0.7


def contact_facts(contact: Row, sightings: Sequence[Row]) -> dict[str, list[str]]:
    """The facts as sentences under `speaks_for` and `speaks_against`, each once."""
    facts = dict.fromkeys([*_of_sightings(sightings), *_of_contact(contact)])
    return {
        "speaks_for": [text for speaks_for, text in facts if speaks_for],
        "speaks_against": [text for speaks_for, text in facts if not speaks_for],
    }


def _of_sightings(sightings: Sequence[Row]) -> Iterator[tuple[bool, str]]:
    for sighting in sightings:
        field, method = sighting["field"], sighting["method"]
        if field == "name":
            is_sure = (sighting["confidence"] or 0.0) >= _WEAK_NAME
            known = _NAME_METHODS.get(method, f"read from the layout ({method})")
            yield is_sure, f"name: {known}"
        else:
            known = _FOR.get(method) or _AGAINST.get(method) or f"read as “{method}”"
            yield method not in _AGAINST, f"{field}: {known}"
    pages = len({sighting["page_id"] for sighting in sightings})
    if pages > 1:
        yield True, f"seen on {pages:,} pages"


def _of_contact(contact: Row) -> Iterator[tuple[bool, str]]:
    if contact["email"] and contact["email_relation"] in _RELATIONS:
        yield _RELATIONS[contact["email_relation"]]
    if contact["is_email_hidden"]:
        yield False, "the site hides the address from programs"
    result = contact["email_validation_result"]
    if result:
        yield result == "valid", f"validation of the address: {result}"
    if BOILERPLATE in contact["tags"]:
        yield False, "stands on several unrelated domains, as an agency's does"
    if contact["contact_objection"]:
        yield False, "its page asks not to be contacted"
