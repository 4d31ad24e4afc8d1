"""Bodies of pages, compressed, kept for a while so that they can be read again without a fetch."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from sqlalchemy import CheckConstraint, Index, SmallInteger, text
from sqlalchemy.orm import Mapped, mapped_column

from scrapersky.tables.row import Row, TenantScoped
from scrapersky.tables.rules import lengths, same_tenant


class PageBody(TenantScoped, Row):
    __tablename__ = "page_bodies"

    page_id: Mapped[UUID] = mapped_column(primary_key=True)
    body: Mapped[bytes]
    compression: Mapped[str] = mapped_column(server_default=text("'zstd'"))
    content_hash: Mapped[bytes]
    content_type: Mapped[str | None]
    charset: Mapped[str | None]
    final_url: Mapped[str]
    status_code: Mapped[int] = mapped_column(SmallInteger)
    size_bytes: Mapped[int]
    fetched_at: Mapped[datetime] = mapped_column(server_default=text("now()"))
    expires_at: Mapped[datetime | None]

    __table_args__ = (
        same_tenant("page_id", "pages", cascade=True),
        CheckConstraint("octet_length(content_hash) = 32", name="content_hash_length"),
        Index("ix_page_bodies_expires_at", "expires_at", postgresql_where=text("expires_at IS NOT NULL")),
        *lengths(compression=20, content_type=300, charset=50, final_url=2_048),
    )
