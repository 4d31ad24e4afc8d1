"""Checks and normalises what a person writes into the fields of a contact."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from phonenumbers import PhoneNumberType

from scrapersky.errors import InvalidInput
from scrapersky.extract.emails.address_pattern import normalize_address
from scrapersky.extract.emails.classification import classify_mailbox, classify_relation
from scrapersky.extract.geography import country_code
from scrapersky.extract.geography.domain_endings import country_of_ending
from scrapersky.extract.phones.numbers import read_number
from scrapersky.extract.text.cleanup import make_storable, one_line
from scrapersky.extract.urls import read_url

MAX_LENGTHS = {
    "email": 254,
    "phone_number": 50,
    "phone_extension": 20,
    "name": 300,
    "job_title": 300,
    "address": 1_000,
    "country": 100,
    "notes": 10_000,
}
# The fields that a person may set; `source_url` only when the contact is created.
EDITABLE = (*MAX_LENGTHS, "social_urls", "tags")
MAX_PROFILES = 20
MAX_TAGS = 50
_TAG = re.compile(r"[^\s,;]{1,50}")
_MAILTO = re.compile(r"\Amailto:", re.IGNORECASE)
_NETWORK = re.compile(r"[a-z][a-z0-9_-]{0,29}")


def normalize_fields(values: Mapping[str, Any], *, domain: str, country: str | None) -> dict[str, Any]:
    """The values as they are stored, with the columns that follow from them; raises `InvalidInput`.

    `domain` is the website of the contact; `country` is where a number without a prefix is read.
    """
    if unknown := sorted(set(values) - set(EDITABLE)):
        raise InvalidInput(f"A contact has no field {', '.join(unknown)} that can be set")
    stored: dict[str, Any] = {}
    if "country" in values:
        stored["country"] = country = _empty_or(_country, values["country"])
    for name in ("name", "job_title", "address", "phone_extension", "notes"):
        if name in values:
            stored[name] = _empty_or(_text(name), values[name])
    if "social_urls" in values:
        stored["social_urls"] = _profiles(values["social_urls"] or {})
    if "tags" in values:
        stored["tags"] = normalize_tags(values["tags"] or ())
    if "email" in values:
        stored |= _email_columns(values["email"], domain)
    if "phone_number" in values:
        place = country or country_of_ending(domain.rpartition(".")[2])
        # An extension of its own wins over one behind the number.
        stored = _phone_columns(values["phone_number"], place) | stored
    return stored


def normalize_tags(tags: Sequence[str]) -> list[str]:
    """Tags in their order, each once."""
    unique = list(dict.fromkeys(tag.strip() for tag in tags))
    for tag in unique:
        if not _TAG.fullmatch(tag) or not tag.isprintable():
            raise InvalidInput(f"Invalid tag {tag[:60]!r}; expected 1 to 50 characters without blanks")
    if len(unique) > MAX_TAGS:
        raise InvalidInput(f"More than {MAX_TAGS} tags")
    return unique


def _empty_or(normalize: Callable[[str], str], value: str | None) -> str | None:
    return normalize(value) if value and value.strip() else None


def _text(name: str) -> Callable[[str], str]:
    def normalize(value: str) -> str:
        text = make_storable(value).strip() if name in ("notes", "address") else one_line(value)
        if len(text) > MAX_LENGTHS[name]:
            raise InvalidInput(f"The {name} is longer than {MAX_LENGTHS[name]:,} characters")
        return text

    return normalize


def _country(value: str) -> str:
    code = country_code(value)
    if code is None:
        raise InvalidInput(f"Invalid country {value[:50]!r}; expected a code such as DE")
    return code


def _email_columns(value: str | None, domain: str) -> dict[str, Any]:
    if not value or not value.strip():
        return {"email": None, "email_type": None, "email_relation": None}
    written = value.strip()
    address = normalize_address(written) if len(written) <= MAX_LENGTHS["email"] else ""
    if not address or written.count("@") != 1 or " " in written:
        raise InvalidInput(f"Invalid e-mail address {written[:100]!r}")
    if address.casefold() != _MAILTO.sub("", written).casefold():
        # What pages put around an address is taken away there; what a person typed is not guessed at.
        raise InvalidInput(f"Invalid e-mail address {written[:100]!r}; did you mean {address!r}?")
    local, _, host = address.partition("@")
    return {
        "email": address,
        "email_type": classify_mailbox(local, host),
        "email_relation": classify_relation(host, domain),
    }


def _phone_columns(value: str | None, country: str | None) -> dict[str, Any]:
    if not value or not value.strip():
        return {"phone_number": None, "phone_type": None, "phone_extension": None}
    number = read_number(value, country) if len(value) <= MAX_LENGTHS["phone_number"] else None
    if number is None:
        raise InvalidInput(
            f"Invalid phone number {value[:50]!r}; write it with its country, such as +44 20 7946 0958"
        )
    kind = "mobile" if number.type == PhoneNumberType.MOBILE else "phone"
    return {"phone_number": number.e164, "phone_type": kind, "phone_extension": number.extension}


def _profiles(profiles: Mapping[str, str]) -> dict[str, str]:
    if len(profiles) > MAX_PROFILES:
        raise InvalidInput(f"More than {MAX_PROFILES} profiles")
    stored = {}
    for network, url in profiles.items():
        reading = read_url(url)
        if not _NETWORK.fullmatch(network) or not reading.url:
            raise InvalidInput(f"Invalid profile {network[:50]!r}: {url[:200]!r} is not the URL of a profile")
        stored[network] = reading.url
    return stored
