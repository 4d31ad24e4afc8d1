"""The rows and fields that a page's report becomes, whether the page was fetched or stored."""

from __future__ import annotations

from dataclasses import fields
from datetime import datetime
from operator import attrgetter
from typing import Any

from scrapersky import tables
from scrapersky.declarations import READ_PAGE, VALIDATE_EMAIL
from scrapersky.engine.stage import Item
from scrapersky.extract.contacts import EXTRACTOR_VERSION, PageContact
from scrapersky.extract.report import PageReport, column_values
from scrapersky.stage_context.context import StageContext
from scrapersky.storage import ContactUpsert, SightingRow

MAX_URL_CHARS = 2_048
# What a page says about a contact, by the name of its column; the address is passed separately.
_COLUMNS = tuple(
    field.name for field in fields(PageContact) if field.name in tables.contacts.c and field.name != "email"
)
_SIGHTING = attrgetter(*(field.name for field in fields(SightingRow)))


def contact_row(contact: PageContact, item: Item, url: str, context: StageContext) -> ContactUpsert:
    """One contact of a page's report; a new address is handed over to validation."""
    values = {name: getattr(contact, name) for name in _COLUMNS}
    values |= {
        "source_url": url[:MAX_URL_CHARS],
        "lead_source": "page",
        "created_by": context.system_user_id,
    }
    if contact.email and (status := context.handover.status(READ_PAGE, VALIDATE_EMAIL)):
        values[VALIDATE_EMAIL.status] = status
    seen = tuple(SightingRow(*_SIGHTING(sighting)) for sighting in contact.sightings)
    return ContactUpsert(
        item.row.domain_id, item.id, contact.email, contact.phone, values, seen, EXTRACTOR_VERSION
    )


def report_fields(report: PageReport, now: datetime, **more: Any) -> dict[str, Any]:
    """The page's metadata, and the evidence of this reading (R082)."""
    stamp = {"extraction_timestamp": now.isoformat(), **more}
    return {**column_values(report.fields), "scraped_content": {**report.content, **stamp}}
