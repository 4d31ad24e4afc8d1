"""Destinations: where a tenant's contacts go."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from sqlalchemy import ForeignKey, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column

from scrapersky.declarations import statuses
from scrapersky.tables.row import RootOfTenant, Row, Timestamped
from scrapersky.tables.rules import lengths, linkable, word_of


class Destination(Timestamped, RootOfTenant, Row):
    __tablename__ = "destinations"

    name: Mapped[str]
    kind: Mapped[str]
    options: Mapped[dict[str, Any]] = mapped_column(server_default=text("'{}'"))
    # Sealed under a key that is not in the database; which key, is said beside it.
    secret_sealed: Mapped[bytes | None]
    secret_key_id: Mapped[str | None]
    is_active: Mapped[bool] = mapped_column(server_default=text("true"))
    created_by: Mapped[UUID | None] = mapped_column(ForeignKey("users.id"))

    __table_args__ = (
        word_of("kind", statuses.DESTINATION_KIND),
        linkable(),
        UniqueConstraint("name", "tenant_id"),
        *lengths(name=200, secret_key_id=100),
    )
