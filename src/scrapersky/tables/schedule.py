"""Schedules: the last slot of each job that one machine of the fleet runs for all."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ARRAY, BigInteger, Integer, text
from sqlalchemy.orm import Mapped, mapped_column

from scrapersky.tables.row import Row
from scrapersky.tables.rules import lengths


class Schedule(Row):
    __tablename__ = "schedules"

    name: Mapped[str] = mapped_column(primary_key=True)
    slot: Mapped[int] = mapped_column(BigInteger)
    runs: Mapped[int] = mapped_column(BigInteger, server_default=text("1"))
    last_run_at: Mapped[datetime]
    # The workers that have a run open, one entry for each run; only stages that run by intervals have any.
    running: Mapped[list[int]] = mapped_column(ARRAY(Integer), server_default=text("'{}'"))

    __table_args__ = (*lengths(name=100),)
