"""Schedules: the last slot of each job that one machine of the fleet runs for all."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import BigInteger, text
from sqlalchemy.orm import Mapped, mapped_column

from scrapersky.tables.row import Row
from scrapersky.tables.rules import lengths


class Schedule(Row):
    __tablename__ = "schedules"

    name: Mapped[str] = mapped_column(primary_key=True)
    slot: Mapped[int] = mapped_column(BigInteger)
    runs: Mapped[int] = mapped_column(BigInteger, server_default=text("1"))
    last_run_at: Mapped[datetime]

    __table_args__ = (*lengths(name=100),)
