"""Contacts: lists, and single contacts with the places where they were seen."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from pydantic import BaseModel

from scrapersky.api.lists import list_router
from scrapersky.queries.rows.entities import ENTITIES


class ContactSighting(BaseModel):
    """Where a field of a contact was read, in which words and by which method."""

    id: UUID
    page_id: UUID
    url: str
    field: str
    value: str
    method: str
    quote: str
    place: str
    start: int
    confidence: float | None
    extractor_version: str
    first_seen_at: datetime
    last_seen_at: datetime


router = list_router(
    ENTITIES["contact"],
    "/contacts",
    domain=(str, "The domain of the contact."),
    speaks_for=(list[str], "Facts that speak for the contact."),
    speaks_against=(list[str], "Facts that speak against it."),
    sightings=(list[ContactSighting], "Where it was seen, the surest first."),
)
