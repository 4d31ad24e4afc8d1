"""Deliveries: one contact on its way to one destination."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any
from uuid import UUID

from sqlalchemy import ForeignKey, Index, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column

from scrapersky.tables import works
from scrapersky.tables.row import OfTenant, Row, Stored
from scrapersky.tables.rules import HOT, add_work_indexes, lengths, same_tenant, work_parts


class Delivery(Stored, OfTenant, Row):
    __tablename__ = "deliveries"

    if TYPE_CHECKING:
        status: Mapped[str | None]
        error: Mapped[str | None]

    contact_id: Mapped[UUID]
    destination_id: Mapped[UUID]
    # What the destination calls the contact; a delivery without it is not known to have arrived.
    external_id: Mapped[str | None]
    answer: Mapped[dict[str, Any]] = mapped_column(server_default=text("'{}'"))
    delivered_at: Mapped[datetime | None]
    created_by: Mapped[UUID | None] = mapped_column(ForeignKey("users.id"))

    __table_args__ = (
        *work_parts(works.DELIVERY, default=works.DELIVERY.words.queued),
        UniqueConstraint("contact_id", "destination_id", "tenant_id"),
        same_tenant("contact_id", "contacts", cascade=True),
        same_tenant("destination_id", "destinations", cascade=True),
        Index("ix_deliveries_contact_id", "contact_id"),
        *lengths(external_id=500),
        HOT,
    )


add_work_indexes(Delivery, works.DELIVERY)
