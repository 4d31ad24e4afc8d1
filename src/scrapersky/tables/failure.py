"""Failures: the traceback of each dead letter's last try, kept beside the row that failed."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from sqlalchemy import BigInteger, Identity, Index, SmallInteger, UniqueConstraint, func
from sqlalchemy.orm import Mapped, mapped_column

from scrapersky.tables.row import Row
from scrapersky.tables.rules import lengths


class FailureRecord(Row):
    __tablename__ = "failures"

    id: Mapped[int] = mapped_column(BigInteger, Identity(always=False), primary_key=True)
    # No foreign keys: the note outlives what it is about.
    tenant_id: Mapped[UUID]
    stage: Mapped[str]
    row_id: Mapped[str]
    domain: Mapped[str | None]
    error_class: Mapped[str]
    reason: Mapped[str]
    traceback: Mapped[str]
    attempts: Mapped[int] = mapped_column(SmallInteger)
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())

    __table_args__ = (
        UniqueConstraint("tenant_id", "stage", "row_id"),
        Index("ix_failures_created_at", "created_at"),
        *lengths(stage=63, row_id=36, domain=253, error_class=200, reason=1_024, traceback=20_000),
    )
