"""Tenants: whose rows these are."""

from __future__ import annotations

from sqlalchemy import text
from sqlalchemy.orm import Mapped, mapped_column

from scrapersky.tables.row import Row, Timestamped
from scrapersky.tables.rules import lengths


class Tenant(Timestamped, Row):
    __tablename__ = "tenants"

    name: Mapped[str] = mapped_column(unique=True)
    description: Mapped[str | None]
    is_active: Mapped[bool] = mapped_column(server_default=text("true"))

    __table_args__ = (*lengths(name=200, description=2_000),)
