"""Pages: every address a domain lists, which of them are read, and what reading gave."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any
from uuid import UUID

from sqlalchemy import CheckConstraint, Computed, Index, SmallInteger, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column

from scrapersky.declarations import READ_PAGE, statuses
from scrapersky.tables.row import Row, TenantScoped, Timestamped
from scrapersky.tables.rules import (
    HIGH_CHURN_STORAGE,
    add_queue_indexes,
    lengths,
    linkable,
    queue_parts,
    same_tenant,
    sane_moments,
    trigram_index,
    word_of,
)


class Page(Timestamped, TenantScoped, Row):
    __tablename__ = "pages"

    if TYPE_CHECKING:
        page_processing_status: Mapped[str | None]
        page_processing_error: Mapped[str | None]

    domain_id: Mapped[UUID]
    host: Mapped[str]
    # The canonical form; it is unique inside its domain (D10).
    url: Mapped[str]
    url_hash: Mapped[UUID] = mapped_column(Computed("md5(url)::uuid", persisted=True))
    page_curation_status: Mapped[str] = mapped_column(server_default=text(f"'{statuses.NEW}'"))
    priority_level: Mapped[int] = mapped_column(SmallInteger, server_default=text("3"))
    page_type: Mapped[str] = mapped_column(server_default=text("'unknown'"))
    page_type_confidence: Mapped[float | None]
    path_depth: Mapped[int | None] = mapped_column(SmallInteger)
    contact_scrape_status: Mapped[str] = mapped_column(server_default=text(f"'{statuses.NEW}'"))
    scraped_content: Mapped[dict[str, Any] | None]
    credits_used: Mapped[int] = mapped_column(server_default=text("0"))
    title: Mapped[str | None]
    description: Mapped[str | None]
    h1: Mapped[str | None]
    language: Mapped[str | None]
    canonical_url: Mapped[str | None]
    final_url: Mapped[str | None]
    status_code: Mapped[int | None] = mapped_column(SmallInteger)
    meta_robots: Mapped[str | None]
    schema_types: Mapped[list[str] | None]
    has_contact_form: Mapped[bool | None]
    word_count: Mapped[int | None]
    last_modified_at: Mapped[datetime | None]
    last_scan_at: Mapped[datetime | None]
    lead_source: Mapped[str] = mapped_column(server_default=text("'sitemap_import'"))
    additional_json: Mapped[dict[str, Any] | None]

    __table_args__ = (
        *queue_parts(READ_PAGE),
        word_of("page_curation_status", statuses.CURATION),
        word_of("contact_scrape_status", statuses.CONTACT_SCRAPE),
        CheckConstraint("priority_level BETWEEN 1 AND 3", name="priority_level_range"),
        linkable(),
        UniqueConstraint("domain_id", "url_hash", "tenant_id"),
        same_tenant("domain_id", "domains", cascade=True),
        Index("idx_pages_curation_processing", "page_curation_status", "page_processing_status"),
        # Lists begin with the promising pages; the others are so many that the newest are soon found.
        Index(
            "ix_pages_promising",
            "tenant_id",
            "priority_level",
            text("id DESC"),
            postgresql_where=text("priority_level < 3"),
        ),
        # The rare types are sought; of the common one the newest are soon found without an index.
        Index(
            "ix_pages_type",
            "tenant_id",
            "page_type",
            "priority_level",
            text("id DESC"),
            postgresql_where=text("page_type <> 'unknown'"),
        ),
        # What the last pages of a domain brought decides whether another is worth a request.
        Index(
            "ix_pages_read",
            "tenant_id",
            "domain_id",
            "page_processing_finished_at",
            postgresql_where=text(f"page_processing_status = '{READ_PAGE.statuses.done}'"),
        ),
        trigram_index("idx_pages_url_trgm", "url"),
        *lengths(url=2_048, host=253, page_type=50, title=1_000, description=5_000, h1=1_000, lead_source=50),
        *sane_moments("last_modified_at"),
        HIGH_CHURN_STORAGE,
    )


add_queue_indexes(Page, READ_PAGE)
