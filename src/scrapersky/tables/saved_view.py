"""Saved views: filters, columns and order that a person gave a name."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from sqlalchemy import ForeignKey, Index, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column

from scrapersky.tables.row import RootOfTenant, Row, Timestamped
from scrapersky.tables.rules import lengths


class SavedView(Timestamped, RootOfTenant, Row):
    __tablename__ = "saved_views"

    user_id: Mapped[UUID] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"))
    table_name: Mapped[str]
    name: Mapped[str]
    query: Mapped[dict[str, Any]] = mapped_column(server_default=text("'{}'"))
    is_shared: Mapped[bool] = mapped_column(server_default=text("false"))

    __table_args__ = (
        UniqueConstraint("tenant_id", "user_id", "table_name", "name"),
        Index("ix_saved_views_user_id", "user_id"),
        *lengths(table_name=63, name=200),
    )
