"""Deliveries: one contact on its way to one destination."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any
from uuid import UUID

from sqlalchemy import ForeignKey, Index, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column

from scrapersky.declarations import DELIVER
from scrapersky.tables.row import Row, TenantScoped, Timestamped
from scrapersky.tables.rules import HIGH_CHURN_STORAGE, add_queue_indexes, lengths, queue_parts, same_tenant


class Delivery(Timestamped, TenantScoped, Row):
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
        *queue_parts(DELIVER, default=DELIVER.statuses.queued),
        UniqueConstraint("contact_id", "destination_id", "tenant_id"),
        same_tenant("contact_id", "contacts", cascade=True),
        same_tenant("destination_id", "destinations", cascade=True),
        Index("ix_deliveries_contact_id", "contact_id"),
        *lengths(external_id=500),
        HIGH_CHURN_STORAGE,
    )


add_queue_indexes(Delivery, DELIVER)
