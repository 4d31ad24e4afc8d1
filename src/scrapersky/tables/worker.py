"""Workers: each process that works, under a number that no other ever gets."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Identity, func, text
from sqlalchemy.orm import Mapped, mapped_column

from scrapersky.tables.row import Row
from scrapersky.tables.rules import lengths


class WorkerProcess(Row):
    __tablename__ = "workers"

    id: Mapped[int] = mapped_column(Identity(always=True), primary_key=True)
    machine: Mapped[str]
    pid: Mapped[int]
    stages: Mapped[list[str]] = mapped_column(server_default=text("'{}'"))
    started_at: Mapped[datetime] = mapped_column(server_default=func.now())
    heartbeat_at: Mapped[datetime] = mapped_column(server_default=func.now())
    # The one claim that it runs with nothing else beside it, so that a crash is surely that row's.
    alone: Mapped[str | None]

    __table_args__ = (*lengths(machine=255, alone=255),)
