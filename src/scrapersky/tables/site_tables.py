"""Websites: domains and their sitemap files."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import ARRAY, JSONB

from scrapersky.declarations import statuses
from scrapersky.tables import constraints
from scrapersky.tables.columns import Timestamp, id_column, metadata, tenant_column, timestamps

# Domains: websites we may read, with the content of their home page.
domains = sa.Table(
    "domains",
    metadata,
    id_column(),
    tenant_column(references=True),
    sa.Column("domain", sa.Text, nullable=False),
    # The registrable domain: everything below it is treated as one host.
    sa.Column("host", sa.Text, nullable=False),
    sa.Column(
        "sitemap_curation_status", sa.Text, nullable=False, server_default=sa.text(f"'{statuses.NEW}'")
    ),
    sa.Column("local_business_id", sa.Uuid),
    sa.Column("lead_source", sa.Text),
    # Where the business is, as its source says; helps to read its numbers.
    sa.Column("country", sa.Text),
    sa.Column("title", sa.Text),
    sa.Column("description", sa.Text),
    sa.Column("language", sa.Text),
    sa.Column("favicon_url", sa.Text),
    sa.Column("logo_url", sa.Text),
    sa.Column("canonical_url", sa.Text),
    sa.Column("generator", sa.Text),
    sa.Column("is_wordpress", sa.Boolean),
    sa.Column("wordpress_version", sa.Text),
    sa.Column("wordpress_theme", sa.Text),
    sa.Column("has_elementor", sa.Boolean),
    sa.Column("has_divi", sa.Boolean),
    sa.Column("has_woocommerce", sa.Boolean),
    sa.Column("has_yoast_seo", sa.Boolean),
    sa.Column("has_contact_form7", sa.Boolean),
    sa.Column("has_wpforms", sa.Boolean),
    sa.Column("google_analytics_id", sa.Text),
    sa.Column("google_tag_manager_id", sa.Text),
    sa.Column("copyright_year", sa.SmallInteger),
    sa.Column("domain_metadata", JSONB, nullable=False, server_default=sa.text("'{}'")),
    sa.Column("tech_stack", JSONB, nullable=False, server_default=sa.text("'{}'")),
    sa.Column("email_addresses", ARRAY(sa.Text), nullable=False, server_default=sa.text("'{}'")),
    sa.Column("phone_numbers", ARRAY(sa.Text), nullable=False, server_default=sa.text("'{}'")),
    sa.Column("physical_addresses", ARRAY(sa.Text), nullable=False, server_default=sa.text("'{}'")),
    sa.Column("facebook_url", sa.Text),
    sa.Column("twitter_url", sa.Text),
    sa.Column("linkedin_url", sa.Text),
    sa.Column("instagram_url", sa.Text),
    sa.Column("youtube_url", sa.Text),
    sa.Column("social_urls", JSONB, nullable=False, server_default=sa.text("'{}'")),
    # NULL means that discovery has not run; 0 means that it found none.
    sa.Column("total_sitemaps", sa.Integer),
    sa.Column("sitemap_urls", sa.Integer),
    sa.Column("last_scan_at", Timestamp),
    sa.Column("notes", sa.Text),
    sa.Column("tags", ARRAY(sa.Text), nullable=False, server_default=sa.text("'{}'")),
    sa.Column("created_by", sa.Uuid, sa.ForeignKey("users.id")),
    *timestamps(),
    *constraints.queue_parts("domains"),
    *constraints.list_indexes("domains"),
    constraints.one_of("sitemap_curation_status", statuses.CURATION),
    constraints.tenant_key(),
    sa.UniqueConstraint("domain", "tenant_id"),
    constraints.tenant_foreign_key("local_business_id", "local_businesses"),
    sa.CheckConstraint("domain = lower(domain) AND domain <> ''", name="domain_lower"),
    sa.Index("idx_domains_curation_analysis", "sitemap_curation_status", "sitemap_analysis_status"),
    constraints.filled_index("ix_domains_local_business_id", "local_business_id"),
    # Whether a host is one of the tenant's is asked for every row of `hosts` that a request reads.
    sa.Index("ix_domains_host", "host", "tenant_id"),
    constraints.trigram_index("idx_domains_domain_trgm", "domain"),
    *constraints.max_lengths(domain=253, host=253, title=1_000, description=5_000, language=35, notes=10_000),
    *constraints.timestamp_range("last_scan_at"),
    **constraints.HIGH_CHURN_STORAGE,
)

# Sitemap files: each lists pages of a domain; one without a status is queued by the database (R002).
sitemap_files = sa.Table(
    "sitemap_files",
    metadata,
    id_column(),
    tenant_column(),
    sa.Column("domain_id", sa.Uuid, nullable=False),
    sa.Column("host", sa.Text, nullable=False),
    sa.Column("url", sa.Text, nullable=False),
    sa.Column("url_hash", sa.Uuid, sa.Computed("md5(url)::uuid", persisted=True), nullable=False),
    sa.Column("sitemap_type", sa.Text, nullable=False, server_default=sa.text("'standard'")),
    sa.Column("discovery_method", sa.Text, nullable=False, server_default=sa.text("'manual'")),
    sa.Column(
        "sitemap_curation_status", sa.Text, nullable=False, server_default=sa.text(f"'{statuses.NEW}'")
    ),
    # The files that are likely to list contact pages are read first: a domain's pages are limited.
    sa.Column("priority_level", sa.SmallInteger, nullable=False, server_default=sa.text("2")),
    sa.Column("parent_id", sa.Uuid),
    sa.Column("depth", sa.SmallInteger, nullable=False, server_default=sa.text("0")),
    sa.Column("url_count", sa.Integer, nullable=False, server_default=sa.text("0")),
    sa.Column("page_count", sa.Integer, nullable=False, server_default=sa.text("0")),
    sa.Column("size_bytes", sa.BigInteger),
    sa.Column("status_code", sa.SmallInteger),
    sa.Column("response_time_ms", sa.Integer),
    sa.Column("is_gzipped", sa.Boolean),
    sa.Column("has_lastmod", sa.Boolean),
    sa.Column("has_priority", sa.Boolean),
    sa.Column("has_changefreq", sa.Boolean),
    sa.Column("last_modified_at", Timestamp),
    sa.Column("generator", sa.Text),
    sa.Column("lead_source", sa.Text),
    # Jobs are deleted after a while and their sitemaps stay, so this is not a foreign key.
    sa.Column("job_id", sa.Uuid),
    sa.Column("tags", ARRAY(sa.Text), nullable=False, server_default=sa.text("'{}'")),
    sa.Column("notes", sa.Text),
    # How many URLs of the file and pages of its domain are taken, and what was left out.
    sa.Column("max_urls", sa.Integer),
    sa.Column("max_pages", sa.Integer),
    sa.Column("is_partial", sa.Boolean, nullable=False, server_default=sa.text("false")),
    sa.Column("left_out_pages", sa.Integer),
    sa.Column("left_out_files", sa.Integer),
    sa.Column("additional_json", JSONB, nullable=False, server_default=sa.text("'{}'")),
    sa.Column("created_by", sa.Uuid, sa.ForeignKey("users.id")),
    sa.Column("updated_by", sa.Uuid, sa.ForeignKey("users.id")),
    *timestamps(),
    *constraints.queue_parts("sitemap_files"),
    *constraints.list_indexes("sitemap_files"),
    constraints.one_of("sitemap_curation_status", statuses.CURATION),
    sa.CheckConstraint("priority_level BETWEEN 1 AND 3", name="priority_level_range"),
    constraints.tenant_key(),
    sa.UniqueConstraint("domain_id", "url_hash", "tenant_id"),
    constraints.tenant_foreign_key("domain_id", "domains", cascade=True),
    constraints.tenant_foreign_key("parent_id", "sitemap_files", cascade=True),
    sa.Index("idx_sitemap_files_curation_status", "sitemap_curation_status"),
    constraints.trigram_index("idx_sitemap_files_url_trgm", "url"),
    sa.Index("idx_sitemap_files_domain_status", "domain_id", "sitemap_import_status"),
    constraints.filled_index("ix_sitemap_files_parent_id", "parent_id"),
    constraints.filled_index("ix_sitemap_files_job_id", "job_id"),
    *constraints.max_lengths(
        url=2_048, host=253, sitemap_type=50, discovery_method=50, generator=500, notes=10_000
    ),
    *constraints.timestamp_range("last_modified_at"),
    **constraints.HIGH_CHURN_STORAGE,
)
