"""Zombies: rows whose worker died or could not write their outcome; noted before they are recovered."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from sqlalchemy import BigInteger, Identity, Index, SmallInteger, func, text
from sqlalchemy.orm import Mapped, mapped_column

from scrapersky.tables.row import Row
from scrapersky.tables.rules import lengths


class Zombie(Row):
    __tablename__ = "zombies"

    id: Mapped[int] = mapped_column(BigInteger, Identity(always=False), primary_key=True)
    stage: Mapped[str]
    table_name: Mapped[str]
    row_id: Mapped[str]
    # No foreign keys: the note outlives what it is about.
    tenant_id: Mapped[UUID | None]
    worker: Mapped[int | None]
    crashes: Mapped[int] = mapped_column(SmallInteger, server_default=text("0"))
    reason: Mapped[str]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())

    __table_args__ = (
        Index("ix_zombies_stage_row_id", "stage", "row_id"),
        Index("ix_zombies_created_at", "created_at"),
        *lengths(stage=63, table_name=63, row_id=36, reason=1_024),
    )
