"""Hosts: whose turn it is, how politely each is called, and what its robots.txt said. They have no tenant."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Index, Integer, text
from sqlalchemy.orm import Mapped, mapped_column

from scrapersky.declarations import POLITE_DECLARATIONS, statuses
from scrapersky.tables.row import Row
from scrapersky.tables.rules import HIGH_CHURN_STORAGE, lengths, word_of


class Host(Row):
    __tablename__ = "hosts"

    host: Mapped[str] = mapped_column(primary_key=True)
    next_allowed_at: Mapped[datetime] = mapped_column(server_default=text("'1970-01-01 00:00:00+00'"))
    delay_seconds: Mapped[float] = mapped_column(server_default=text("0"))
    lease_seq: Mapped[int] = mapped_column(Integer, server_default=text("0"))
    worker: Mapped[int | None]
    error_streak: Mapped[int] = mapped_column(server_default=text("0"))
    # Until when it is left alone after repeated errors; a person may end that. A pause it asked for is kept.
    rest_until: Mapped[datetime | None]
    rest_reason: Mapped[str | None]
    robots_txt: Mapped[str | None]
    robots_status: Mapped[str] = mapped_column(server_default=text("'unknown'"))
    robots_fetched_at: Mapped[datetime | None]
    robots_error: Mapped[str | None]
    robots_retry_at: Mapped[datetime | None]
    # Since when work of each polite stage awaits this host; NULL means there is none.
    awaits_read_metadata: Mapped[datetime | None]
    awaits_discover_sitemaps: Mapped[datetime | None]
    awaits_import_sitemap: Mapped[datetime | None]
    awaits_read_page: Mapped[datetime | None]
    created_at: Mapped[datetime] = mapped_column(server_default=text("now()"))

    __table_args__ = (
        word_of("robots_status", statuses.ROBOTS),
        *(
            Index(
                f"ix_hosts_{queue.host_waiting}",
                text(f"GREATEST(next_allowed_at, {queue.host_waiting})"),
                postgresql_where=text(f"{queue.host_waiting} IS NOT NULL"),
            )
            for queue in POLITE_DECLARATIONS
        ),
        *lengths(host=253, robots_txt=524_288, robots_error=1_024, rest_reason=1_024),
        HIGH_CHURN_STORAGE,
    )
