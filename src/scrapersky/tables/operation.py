"""Operations: decisions of people over many rows, with count, progress and a way back."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import ForeignKey, Index, text
from sqlalchemy.orm import Mapped, mapped_column

from scrapersky.declarations import statuses
from scrapersky.tables.row import RootOfTenant, Row, Timestamped
from scrapersky.tables.rules import lengths, linkable, word_of


class Operation(Timestamped, RootOfTenant, Row):
    __tablename__ = "operations"

    table_name: Mapped[str]
    title: Mapped[str]
    filter: Mapped[dict[str, Any]] = mapped_column(server_default=text("'{}'"))
    change: Mapped[dict[str, Any]] = mapped_column(server_default=text("'{}'"))
    status: Mapped[str] = mapped_column(server_default=text(f"'{statuses.OPERATION[0]}'"))
    error: Mapped[str | None]
    rows_expected: Mapped[int] = mapped_column(server_default=text("0"))
    rows_done: Mapped[int] = mapped_column(server_default=text("0"))
    rows_queued: Mapped[int] = mapped_column(server_default=text("0"))
    is_cancel_wanted: Mapped[bool] = mapped_column(server_default=text("false"))
    finished_at: Mapped[datetime | None]
    undone_at: Mapped[datetime | None]
    created_by: Mapped[UUID | None] = mapped_column(ForeignKey("users.id"))

    __table_args__ = (
        word_of("status", statuses.OPERATION),
        linkable(),
        Index("ix_operations_created_at", "created_at"),
        *lengths(table_name=63, title=500, error=1_024),
    )
