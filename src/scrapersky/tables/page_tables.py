"""Pages of websites: addresses, the sitemaps that list them, and stored bodies."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import ARRAY, JSONB

from scrapersky.declarations import READ_PAGE, statuses
from scrapersky.tables import constraints
from scrapersky.tables.columns import Timestamp, id_column, metadata, tenant_column, timestamps

# Pages: every address a domain lists, which of them are read, and what reading gave.
pages = sa.Table(
    "pages",
    metadata,
    id_column(),
    tenant_column(),
    sa.Column("domain_id", sa.Uuid, nullable=False),
    sa.Column("host", sa.Text, nullable=False),
    # The canonical form; it is unique inside its domain (D10).
    sa.Column("url", sa.Text, nullable=False),
    sa.Column("url_hash", sa.Uuid, sa.Computed("md5(url)::uuid", persisted=True), nullable=False),
    sa.Column("page_curation_status", sa.Text, nullable=False, server_default=sa.text(f"'{statuses.NEW}'")),
    sa.Column("priority_level", sa.SmallInteger, nullable=False, server_default=sa.text("3")),
    sa.Column("page_type", sa.Text, nullable=False, server_default=sa.text("'unknown'")),
    sa.Column("page_type_confidence", sa.Double),
    sa.Column("path_depth", sa.SmallInteger),
    sa.Column("contact_scrape_status", sa.Text, nullable=False, server_default=sa.text(f"'{statuses.NEW}'")),
    sa.Column("scraped_content", JSONB),
    sa.Column("credits_used", sa.Integer, nullable=False, server_default=sa.text("0")),
    sa.Column("title", sa.Text),
    sa.Column("description", sa.Text),
    sa.Column("h1", sa.Text),
    sa.Column("language", sa.Text),
    sa.Column("canonical_url", sa.Text),
    sa.Column("final_url", sa.Text),
    sa.Column("status_code", sa.SmallInteger),
    sa.Column("meta_robots", sa.Text),
    sa.Column("schema_types", ARRAY(sa.Text)),
    sa.Column("has_contact_form", sa.Boolean),
    sa.Column("word_count", sa.Integer),
    sa.Column("last_modified_at", Timestamp),
    sa.Column("last_scan_at", Timestamp),
    # What the next request for the page sends, and what tells whether the page has changed.
    sa.Column("etag", sa.Text),
    sa.Column("last_modified_header", sa.Text),
    sa.Column("content_hash", sa.LargeBinary),
    # What the page is when it is not an ordinary page, why it was not read, and how its body was damaged.
    sa.Column("page_class", JSONB(none_as_null=True)),
    sa.Column("filtered_reason", sa.Text),
    sa.Column("damage", sa.Text),
    sa.Column("lead_source", sa.Text, nullable=False, server_default=sa.text("'sitemap_import'")),
    sa.Column("additional_json", JSONB),
    *timestamps(),
    *constraints.queue_parts("pages"),
    *constraints.list_indexes("pages"),
    constraints.one_of("page_curation_status", statuses.CURATION),
    constraints.one_of("contact_scrape_status", statuses.CONTACT_SCRAPE),
    sa.CheckConstraint("priority_level BETWEEN 1 AND 3", name="priority_level_range"),
    sa.CheckConstraint("octet_length(content_hash) = 32", name="content_hash_length"),
    constraints.tenant_key(),
    sa.UniqueConstraint("domain_id", "url_hash", "tenant_id"),
    constraints.tenant_foreign_key("domain_id", "domains", cascade=True),
    sa.Index("idx_pages_curation_processing", "page_curation_status", "page_processing_status"),
    # What the last pages of a domain brought decides whether another is worth a request.
    sa.Index(
        "ix_pages_read",
        "tenant_id",
        "domain_id",
        "page_processing_finished_at",
        postgresql_where=sa.text(f"page_processing_status = '{READ_PAGE.statuses.done}'"),
    ),
    constraints.trigram_index("idx_pages_url_trgm", "url"),
    *constraints.max_lengths(
        url=2_048, host=253, page_type=50, title=1_000, description=5_000, h1=1_000, lead_source=50
    ),
    *constraints.timestamp_range("last_modified_at"),
    **constraints.HIGH_CHURN_STORAGE,
)

# In which sitemap files a page is listed, and what each said about it.
page_sitemaps = sa.Table(
    "page_sitemaps",
    metadata,
    tenant_column(),
    sa.Column("page_id", sa.Uuid, primary_key=True),
    sa.Column("sitemap_file_id", sa.Uuid, primary_key=True),
    sa.Column("last_modified_at", Timestamp),
    sa.Column("change_frequency", sa.Text),
    sa.Column("priority_value", sa.Double),
    constraints.tenant_foreign_key("page_id", "pages", cascade=True),
    constraints.tenant_foreign_key("sitemap_file_id", "sitemap_files", cascade=True),
    sa.Index("ix_page_sitemaps_sitemap_file_id", "sitemap_file_id"),
    *constraints.max_lengths(change_frequency=20),
    *constraints.timestamp_range("last_modified_at"),
)

# Bodies of pages, compressed, kept for a while so that they can be read again without a fetch.
page_bodies = sa.Table(
    "page_bodies",
    metadata,
    tenant_column(),
    sa.Column("page_id", sa.Uuid, primary_key=True),
    sa.Column("body", sa.LargeBinary, nullable=False),
    sa.Column("compression", sa.Text, nullable=False, server_default=sa.text("'zstd'")),
    sa.Column("content_hash", sa.LargeBinary, nullable=False),
    sa.Column("content_type", sa.Text),
    sa.Column("charset", sa.Text),
    sa.Column("final_url", sa.Text, nullable=False),
    sa.Column("status_code", sa.SmallInteger, nullable=False),
    sa.Column("size_bytes", sa.Integer, nullable=False),
    sa.Column("fetched_at", Timestamp, nullable=False, server_default=sa.text("now()")),
    sa.Column("expires_at", Timestamp),
    constraints.tenant_foreign_key("page_id", "pages", cascade=True),
    sa.CheckConstraint("octet_length(content_hash) = 32", name="content_hash_length"),
    constraints.filled_index("ix_page_bodies_expires_at", "expires_at"),
    *constraints.max_lengths(compression=20, content_type=300, charset=50, final_url=2_048),
)
