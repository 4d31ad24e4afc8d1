"""Alerts: what is wrong now and what was; one open alert per matter."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import Index, func, text
from sqlalchemy.orm import Mapped, mapped_column

from scrapersky.declarations import statuses
from scrapersky.tables.row import Row, Timestamped
from scrapersky.tables.rules import lengths, word_of


class Alert(Timestamped, Row):
    __tablename__ = "alerts"

    kind: Mapped[str]
    subject: Mapped[str] = mapped_column(server_default=text("''"))
    severity: Mapped[str] = mapped_column(server_default=text("'error'"))
    message: Mapped[str]
    details: Mapped[dict[str, Any]] = mapped_column(server_default=text("'{}'"))
    times: Mapped[int] = mapped_column(server_default=text("1"))
    last_raised_at: Mapped[datetime] = mapped_column(server_default=func.now())
    told_at: Mapped[datetime | None]
    told_channels: Mapped[dict[str, Any]] = mapped_column(server_default=text("'{}'"))
    over_at: Mapped[datetime | None]

    __table_args__ = (
        word_of("severity", statuses.SEVERITY),
        Index("uq_alerts_open", "kind", "subject", unique=True, postgresql_where=text("over_at IS NULL")),
        Index("ix_alerts_created_at", "created_at"),
        *lengths(kind=100, subject=300, message=4_000),
    )
