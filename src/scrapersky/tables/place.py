"""Places as a source listed them, waiting for a person's choice and for their details."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any
from uuid import UUID

from sqlalchemy import ForeignKey, Index, SmallInteger, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column

from scrapersky.declarations import DEEP_SCAN, statuses
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


class Place(Timestamped, RootOfTenant, Row):
    __tablename__ = "places_staging"

    if TYPE_CHECKING:
        deep_scan_status: Mapped[str | None]
        deep_scan_error: Mapped[str | None]

    source: Mapped[str] = mapped_column(server_default=text("'google_places'"))
    place_id: Mapped[str]
    name: Mapped[str]
    status: Mapped[str] = mapped_column(server_default=text(f"'{statuses.NEW}'"))
    business_type: Mapped[str | None]
    formatted_address: Mapped[str | None]
    vicinity: Mapped[str | None]
    latitude: Mapped[float | None]
    longitude: Mapped[float | None]
    phone: Mapped[str | None]
    website_url: Mapped[str | None]
    rating: Mapped[float | None]
    user_ratings_total: Mapped[int | None]
    price_level: Mapped[int | None] = mapped_column(SmallInteger)
    search_id: Mapped[UUID | None]
    search_query: Mapped[str | None]
    search_location: Mapped[str | None]
    raw_data: Mapped[dict[str, Any]] = mapped_column(server_default=text("'{}'"))
    # Some sources let their fields be kept for a limited time only.
    expires_at: Mapped[datetime | None]
    notes: Mapped[str | None]
    tags: Mapped[list[str]] = mapped_column(server_default=text("'{}'"))
    priority: Mapped[int] = mapped_column(SmallInteger, server_default=text("0"))
    revisit_at: Mapped[datetime | None]
    created_by: Mapped[UUID | None] = mapped_column(ForeignKey("users.id"))
    updated_by: Mapped[UUID | None] = mapped_column(ForeignKey("users.id"))

    __table_args__ = (
        *queue_parts(DEEP_SCAN),
        word_of("status", statuses.CURATION),
        linkable(),
        UniqueConstraint("place_id", "source", "tenant_id"),
        same_tenant("search_id", "place_searches"),
        Index("ix_places_staging_search_id", "search_id"),
        Index("ix_places_staging_expires_at", "expires_at", postgresql_where=text("expires_at IS NOT NULL")),
        *lengths(
            source=50,
            place_id=300,
            name=500,
            formatted_address=1_000,
            phone=50,
            website_url=2_048,
            notes=10_000,
        ),
        *sane_moments("expires_at", "revisit_at"),
        HIGH_CHURN_STORAGE,
    )


add_queue_indexes(Place, DEEP_SCAN)
