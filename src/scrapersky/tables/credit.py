"""Credits spent at paid services, by day and host; the row of the empty host is the day's total."""

from __future__ import annotations

from datetime import date

from sqlalchemy import Date, text
from sqlalchemy.orm import Mapped, mapped_column

from scrapersky.tables.row import Row
from scrapersky.tables.rules import lengths


class Credit(Row):
    __tablename__ = "credits"

    day: Mapped[date] = mapped_column(Date, primary_key=True)
    host: Mapped[str] = mapped_column(primary_key=True)
    spent: Mapped[int] = mapped_column(server_default=text("0"))

    __table_args__ = (*lengths(host=253),)
