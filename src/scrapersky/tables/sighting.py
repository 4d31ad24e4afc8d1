"""Sightings: on which page, in which words and by which method a contact was seen, and when."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from sqlalchemy import Index, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column

from scrapersky.declarations import statuses
from scrapersky.tables.row import Row, TenantScoped, Timestamped
from scrapersky.tables.rules import lengths, same_tenant, word_of


class Sighting(Timestamped, TenantScoped, Row):
    __tablename__ = "sightings"

    contact_id: Mapped[UUID]
    page_id: Mapped[UUID]
    field: Mapped[str]
    value: Mapped[str]
    method: Mapped[str]
    quote: Mapped[str]
    place: Mapped[str] = mapped_column(server_default=text("'text'"))
    start: Mapped[int] = mapped_column(server_default=text("-1"))
    confidence: Mapped[float | None]
    extractor_version: Mapped[str]
    first_seen_at: Mapped[datetime] = mapped_column(server_default=text("now()"))
    last_seen_at: Mapped[datetime] = mapped_column(server_default=text("now()"))

    __table_args__ = (
        word_of("place", statuses.EVIDENCE_PLACE),
        UniqueConstraint("contact_id", "page_id", "field", "method", "tenant_id"),
        same_tenant("contact_id", "contacts", cascade=True),
        same_tenant("page_id", "pages", cascade=True),
        Index("ix_sightings_page_id", "page_id"),
        *lengths(field=30, value=1_000, method=50, quote=300, extractor_version=50),
    )
