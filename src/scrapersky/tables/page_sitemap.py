"""In which sitemap files a page is listed, and what each said about it."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from sqlalchemy import Index
from sqlalchemy.orm import Mapped, mapped_column

from scrapersky.tables.row import Row, TenantScoped
from scrapersky.tables.rules import lengths, same_tenant, sane_moments


class PageSitemap(TenantScoped, Row):
    __tablename__ = "page_sitemaps"

    page_id: Mapped[UUID] = mapped_column(primary_key=True)
    sitemap_file_id: Mapped[UUID] = mapped_column(primary_key=True)
    last_modified_at: Mapped[datetime | None]
    change_frequency: Mapped[str | None]
    priority_value: Mapped[float | None]

    __table_args__ = (
        same_tenant("page_id", "pages", cascade=True),
        same_tenant("sitemap_file_id", "sitemap_files", cascade=True),
        Index("ix_page_sitemaps_sitemap_file_id", "sitemap_file_id"),
        *lengths(change_frequency=20),
        *sane_moments("last_modified_at"),
    )
