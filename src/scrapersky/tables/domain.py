"""Domains: websites we may read, with what their home page told."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any
from uuid import UUID

from sqlalchemy import CheckConstraint, ForeignKey, Index, SmallInteger, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column

from scrapersky.declarations import READ_METADATA, SUBMIT_DOMAIN, statuses
from scrapersky.tables.row import RootOfTenant, Row, Timestamped
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


class Domain(Timestamped, RootOfTenant, Row):
    __tablename__ = "domains"

    if TYPE_CHECKING:
        status: Mapped[str | None]
        error: Mapped[str | None]
        sitemap_analysis_status: Mapped[str | None]
        sitemap_analysis_error: Mapped[str | None]

    domain: Mapped[str]
    # The registrable domain: everything below it is treated as one host.
    host: Mapped[str]
    sitemap_curation_status: Mapped[str] = mapped_column(server_default=text(f"'{statuses.NEW}'"))
    local_business_id: Mapped[UUID | None]
    lead_source: Mapped[str | None]
    # Where the business is, as its source says; helps to read its numbers.
    country: Mapped[str | None]
    title: Mapped[str | None]
    description: Mapped[str | None]
    language: Mapped[str | None]
    favicon_url: Mapped[str | None]
    logo_url: Mapped[str | None]
    canonical_url: Mapped[str | None]
    generator: Mapped[str | None]
    is_wordpress: Mapped[bool | None]
    wordpress_version: Mapped[str | None]
    wordpress_theme: Mapped[str | None]
    has_elementor: Mapped[bool | None]
    has_divi: Mapped[bool | None]
    has_woocommerce: Mapped[bool | None]
    has_yoast_seo: Mapped[bool | None]
    has_contact_form7: Mapped[bool | None]
    has_wpforms: Mapped[bool | None]
    google_analytics_id: Mapped[str | None]
    google_tag_manager_id: Mapped[str | None]
    copyright_year: Mapped[int | None] = mapped_column(SmallInteger)
    domain_metadata: Mapped[dict[str, Any]] = mapped_column(server_default=text("'{}'"))
    tech_stack: Mapped[dict[str, Any]] = mapped_column(server_default=text("'{}'"))
    email_addresses: Mapped[list[str]] = mapped_column(server_default=text("'{}'"))
    phone_numbers: Mapped[list[str]] = mapped_column(server_default=text("'{}'"))
    physical_addresses: Mapped[list[str]] = mapped_column(server_default=text("'{}'"))
    facebook_url: Mapped[str | None]
    twitter_url: Mapped[str | None]
    linkedin_url: Mapped[str | None]
    instagram_url: Mapped[str | None]
    youtube_url: Mapped[str | None]
    social_urls: Mapped[dict[str, Any]] = mapped_column(server_default=text("'{}'"))
    # NULL means that nobody has looked yet; nought is the answer "none found".
    total_sitemaps: Mapped[int | None]
    sitemap_urls: Mapped[int | None]
    last_scan_at: Mapped[datetime | None]
    notes: Mapped[str | None]
    tags: Mapped[list[str]] = mapped_column(server_default=text("'{}'"))
    created_by: Mapped[UUID | None] = mapped_column(ForeignKey("users.id"))

    __table_args__ = (
        *queue_parts(READ_METADATA, default=READ_METADATA.statuses.queued),
        *queue_parts(SUBMIT_DOMAIN),
        word_of("sitemap_curation_status", statuses.CURATION),
        linkable(),
        UniqueConstraint("domain", "tenant_id"),
        same_tenant("local_business_id", "local_businesses"),
        CheckConstraint("domain = lower(domain) AND domain <> ''", name="domain_lower"),
        Index("idx_domains_curation_analysis", "sitemap_curation_status", "sitemap_analysis_status"),
        Index("ix_domains_local_business_id", "local_business_id"),
        trigram_index("idx_domains_domain_trgm", "domain"),
        *lengths(domain=253, host=253, title=1_000, description=5_000, language=35, notes=10_000),
        *sane_moments("last_scan_at"),
        HIGH_CHURN_STORAGE,
    )


add_queue_indexes(Domain, READ_METADATA, SUBMIT_DOMAIN)
