"""Place searches: a kind of business and a place that somebody asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from uuid import UUID

from sqlalchemy import ForeignKey, text
from sqlalchemy.orm import Mapped, mapped_column

from scrapersky.declarations import SEARCH_PLACES
from scrapersky.tables.row import RootOfTenant, Row, Timestamped
from scrapersky.tables.rules import add_queue_indexes, lengths, linkable, queue_parts


class PlaceSearch(Timestamped, RootOfTenant, Row):
    __tablename__ = "place_searches"

    if TYPE_CHECKING:
        status: Mapped[str | None]
        error: Mapped[str | None]

    business_type: Mapped[str]
    location: Mapped[str]
    source: Mapped[str] = mapped_column(server_default=text("'google_places'"))
    params: Mapped[dict[str, Any]] = mapped_column(server_default=text("'{}'"))
    places_found: Mapped[int] = mapped_column(server_default=text("0"))
    created_by: Mapped[UUID | None] = mapped_column(ForeignKey("users.id"))

    __table_args__ = (
        *queue_parts(SEARCH_PLACES, default=SEARCH_PLACES.statuses.queued),
        linkable(),
        *lengths(business_type=100, location=255, source=50),
    )


add_queue_indexes(PlaceSearch, SEARCH_PLACES)
