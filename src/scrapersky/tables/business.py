"""Local businesses: a place with its details, as we believe it exists."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any
from uuid import UUID

from sqlalchemy import ForeignKey, Index, Numeric, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column

from scrapersky.declarations import EXTRACT_DOMAIN, statuses
from scrapersky.tables.row import RootOfTenant, Row, Timestamped
from scrapersky.tables.rules import (
    HIGH_CHURN_STORAGE,
    add_queue_indexes,
    lengths,
    linkable,
    queue_parts,
    same_tenant,
    sane_moments,
    word_of,
)


class Business(Timestamped, RootOfTenant, Row):
    __tablename__ = "local_businesses"

    if TYPE_CHECKING:
        domain_extraction_status: Mapped[str | None]
        domain_extraction_error: Mapped[str | None]

    place_row_id: Mapped[UUID | None]
    source: Mapped[str] = mapped_column(server_default=text("'google_places'"))
    place_id: Mapped[str]
    business_name: Mapped[str]
    status: Mapped[str] = mapped_column(server_default=text(f"'{statuses.NEW}'"))
    lead_source: Mapped[str | None]
    full_address: Mapped[str | None]
    street_address: Mapped[str | None]
    city: Mapped[str | None]
    state: Mapped[str | None]
    zip: Mapped[str | None]
    country: Mapped[str | None]
    latitude: Mapped[Decimal | None] = mapped_column(Numeric(10, 7))
    longitude: Mapped[Decimal | None] = mapped_column(Numeric(10, 7))
    phone: Mapped[str | None]
    website_url: Mapped[str | None]
    main_category: Mapped[str | None]
    extra_categories: Mapped[list[str]] = mapped_column(server_default=text("'{}'"))
    rating: Mapped[Decimal | None] = mapped_column(Numeric(3, 2))
    reviews_count: Mapped[int | None]
    price_text: Mapped[str | None]
    business_status: Mapped[str | None]
    is_verified: Mapped[bool | None]
    opening_hours: Mapped[dict[str, Any]] = mapped_column(server_default=text("'{}'"))
    timezone: Mapped[str | None]
    image_url: Mapped[str | None]
    additional_json: Mapped[dict[str, Any]] = mapped_column(server_default=text("'{}'"))
    expires_at: Mapped[datetime | None]
    notes: Mapped[str | None]
    created_by: Mapped[UUID | None] = mapped_column(ForeignKey("users.id"))

    __table_args__ = (
        *queue_parts(EXTRACT_DOMAIN),
        word_of("status", statuses.CURATION),
        linkable(),
        UniqueConstraint("place_id", "source", "tenant_id"),
        same_tenant("place_row_id", "places_staging"),
        Index("ix_local_businesses_place_row_id", "place_row_id"),
        Index(
            "ix_local_businesses_expires_at", "expires_at", postgresql_where=text("expires_at IS NOT NULL")
        ),
        *lengths(
            source=50,
            place_id=300,
            business_name=500,
            full_address=1_000,
            phone=50,
            website_url=2_048,
            notes=10_000,
        ),
        *sane_moments("expires_at"),
        HIGH_CHURN_STORAGE,
    )


add_queue_indexes(Business, EXTRACT_DOMAIN)
