"""API keys: only a hash of each is kept, and its first characters to find it by."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from sqlalchemy import CheckConstraint, ForeignKey, Index, text
from sqlalchemy.orm import Mapped, mapped_column

from scrapersky.tables.row import RootOfTenant, Row, Timestamped
from scrapersky.tables.rules import lengths


class ApiKey(Timestamped, RootOfTenant, Row):
    __tablename__ = "api_keys"

    user_id: Mapped[UUID] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"))
    name: Mapped[str]
    # The caller names no tenant yet, so what it is found by is unique over all of them.
    lookup: Mapped[str] = mapped_column(unique=True)
    secret_hash: Mapped[bytes]
    scopes: Mapped[list[str]] = mapped_column(server_default=text("'{}'"))
    expires_at: Mapped[datetime | None]
    last_used_at: Mapped[datetime | None]
    revoked_at: Mapped[datetime | None]

    __table_args__ = (
        CheckConstraint("octet_length(secret_hash) = 32", name="secret_hash_length"),
        Index("ix_api_keys_user_id", "user_id"),
        *lengths(name=200, lookup=32),
    )
