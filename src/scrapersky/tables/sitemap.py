"""Sitemap files: each lists pages of a domain; one without a status is queued by the database (R002)."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any
from uuid import UUID

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Computed,
    ForeignKey,
    Index,
    SmallInteger,
    UniqueConstraint,
    text,
)
from sqlalchemy.orm import Mapped, mapped_column

from scrapersky.declarations import IMPORT_SITEMAP, statuses
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


class Sitemap(Timestamped, TenantScoped, Row):
    __tablename__ = "sitemap_files"

    if TYPE_CHECKING:
        sitemap_import_status: Mapped[str | None]
        sitemap_import_error: Mapped[str | None]

    domain_id: Mapped[UUID]
    host: Mapped[str]
    url: Mapped[str]
    url_hash: Mapped[UUID] = mapped_column(Computed("md5(url)::uuid", persisted=True))
    sitemap_type: Mapped[str] = mapped_column(server_default=text("'standard'"))
    discovery_method: Mapped[str] = mapped_column(server_default=text("'manual'"))
    sitemap_curation_status: Mapped[str] = mapped_column(server_default=text(f"'{statuses.NEW}'"))
    # The files that are likely to list contact pages are read first: a domain's pages are limited.
    priority_level: Mapped[int] = mapped_column(SmallInteger, server_default=text("2"))
    parent_id: Mapped[UUID | None]
    depth: Mapped[int] = mapped_column(SmallInteger, server_default=text("0"))
    url_count: Mapped[int] = mapped_column(server_default=text("0"))
    page_count: Mapped[int] = mapped_column(server_default=text("0"))
    size_bytes: Mapped[int | None] = mapped_column(BigInteger)
    status_code: Mapped[int | None] = mapped_column(SmallInteger)
    response_time_ms: Mapped[int | None]
    is_gzipped: Mapped[bool | None]
    has_lastmod: Mapped[bool | None]
    has_priority: Mapped[bool | None]
    has_changefreq: Mapped[bool | None]
    last_modified_at: Mapped[datetime | None]
    generator: Mapped[str | None]
    lead_source: Mapped[str | None]
    # Jobs are deleted after a while and their sitemaps stay, so this is no foreign key.
    job_id: Mapped[UUID | None]
    tags: Mapped[list[str]] = mapped_column(server_default=text("'{}'"))
    notes: Mapped[str | None]
    additional_json: Mapped[dict[str, Any]] = mapped_column(server_default=text("'{}'"))
    created_by: Mapped[UUID | None] = mapped_column(ForeignKey("users.id"))
    updated_by: Mapped[UUID | None] = mapped_column(ForeignKey("users.id"))

    __table_args__ = (
        *queue_parts(IMPORT_SITEMAP, default=IMPORT_SITEMAP.statuses.queued),
        word_of("sitemap_curation_status", statuses.CURATION),
        CheckConstraint("priority_level BETWEEN 1 AND 3", name="priority_level_range"),
        linkable(),
        UniqueConstraint("domain_id", "url_hash", "tenant_id"),
        same_tenant("domain_id", "domains", cascade=True),
        same_tenant("parent_id", "sitemap_files", cascade=True),
        Index("idx_sitemap_files_curation_status", "sitemap_curation_status"),
        trigram_index("idx_sitemap_files_url_trgm", "url"),
        Index("idx_sitemap_files_domain_status", "domain_id", "sitemap_import_status"),
        Index("ix_sitemap_files_parent_id", "parent_id", postgresql_where=text("parent_id IS NOT NULL")),
        Index("ix_sitemap_files_job_id", "job_id", postgresql_where=text("job_id IS NOT NULL")),
        *lengths(url=2_048, host=253, sitemap_type=50, discovery_method=50, generator=500, notes=10_000),
        *sane_moments("last_modified_at"),
        HIGH_CHURN_STORAGE,
    )


add_queue_indexes(Sitemap, IMPORT_SITEMAP)
