"""Which column of a contact becomes which property at a destination; people can edit it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from scrapersky.destinations.contact_columns import CONTACT_COLUMNS
from scrapersky.destinations.contact_format import text_cells
from scrapersky.destinations.destination import DeliveryPayload

# Made of the columns of a contact, beside `CONTACT_COLUMNS`.
DERIVED_COLUMNS = {
    "first_name": "the name up to its first space",
    "last_name": "the name after its first space",
    "mobile_number": "the number if it is a mobile one",
    "domain_id": "our identifier of the domain",
    "page_id": "our identifier of the page",
    "delivered_on": "the day of the delivery, such as 2026-11-18",
}
SOURCE_COLUMNS = {**CONTACT_COLUMNS, **DERIVED_COLUMNS}
MAX_PROPERTIES = 100
PROPERTY = re.compile(r"[A-Za-z][A-Za-z0-9_.\-]{0,99}")

# For each kind the properties that exist without any preparation, with the column that each gets.
DEFAULT_MAPPINGS: dict[str, dict[str, str]] = {
    "webhook": {name: name for name in CONTACT_COLUMNS},
    "n8n": {
        "email": "email",
        "name": "name",
        "phone": "phone_number",
        "job_title": "job_title",
        "website": "domain",
        "source_url": "source_url",
        "scrapersky_domain_id": "domain_id",
        "scrapersky_page_id": "page_id",
    },
    "hubspot": {
        "email": "email",
        "firstname": "first_name",
        "lastname": "last_name",
        "phone": "phone_number",
        "jobtitle": "job_title",
        "website": "domain",
        "address": "address",
        "country": "country",
    },
    "brevo": {
        "FIRSTNAME": "first_name",
        "LASTNAME": "last_name",
        "SMS": "mobile_number",
        "JOB_TITLE": "job_title",
        "EMAIL_TYPE": "email_type",
        "SOURCE_URL": "source_url",
    },
}


def mapping_of(kind: str, options: Mapping[str, Any]) -> dict[str, str]:
    """The mapping of a destination: its own, or that of its kind; files have none."""
    chosen = options.get("mapping")
    return dict(chosen) if chosen else dict(DEFAULT_MAPPINGS.get(kind, {}))


def check_mapping(kind: str, mapping: Mapping[str, str]) -> dict[str, str]:
    """The mapping as it is stored; ValueError says what is wrong with it."""
    if kind not in DEFAULT_MAPPINGS:
        raise ValueError(f"A destination of the kind {kind} has every column; it takes no mapping")
    if len(mapping) > MAX_PROPERTIES:
        raise ValueError(f"More than {MAX_PROPERTIES} properties")
    for name, column in mapping.items():
        if not PROPERTY.fullmatch(name):
            raise ValueError(f"Invalid property {name[:100]!r}; expected letters, digits, _ . or -")
        if column not in SOURCE_COLUMNS:
            raise ValueError(f"Invalid column {column[:100]!r}; expected one of {', '.join(SOURCE_COLUMNS)}")
    return dict(mapping)


def mapped_values(payload: DeliveryPayload) -> dict[str, Any]:
    """The properties with their values; those of columns that are empty are left out."""
    known = {**payload.contact, **_derived(payload.contact)}
    mapping = mapping_of(payload.kind, payload.options)
    values = {name: known.get(column) for name, column in mapping.items()}
    return {name: value for name, value in values.items() if value not in (None, "", [], {})}


def mapped_texts(payload: DeliveryPayload) -> dict[str, str]:
    """The same as texts, for services that take nothing else."""
    values = mapped_values(payload)
    return dict(zip(values, text_cells(values, values), strict=True))


def _derived(contact: Mapping[str, Any]) -> dict[str, str | None]:
    first, _, last = str(contact.get("name") or "").strip().partition(" ")
    is_mobile = contact.get("phone_type") == "mobile"
    return {
        "first_name": first,
        "last_name": last.strip(),
        "mobile_number": contact.get("phone_number") if is_mobile else None,
        "delivered_on": f"{datetime.now(UTC):%Y-%m-%d}",
    }
