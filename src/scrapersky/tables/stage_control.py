"""Which stages people have paused, and why."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from sqlalchemy import ForeignKey, func, text
from sqlalchemy.orm import Mapped, mapped_column

from scrapersky.tables.row import Row
from scrapersky.tables.rules import lengths


class StageControl(Row):
    __tablename__ = "stage_controls"

    stage: Mapped[str] = mapped_column(primary_key=True)
    paused: Mapped[bool] = mapped_column(server_default=text("false"))
    reason: Mapped[str | None]
    updated_by: Mapped[UUID | None] = mapped_column(ForeignKey("users.id", ondelete="SET NULL"))
    updated_at: Mapped[datetime] = mapped_column(server_default=func.now())

    __table_args__ = (*lengths(stage=63, reason=1_024),)
