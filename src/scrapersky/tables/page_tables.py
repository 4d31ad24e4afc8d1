"""Pages of websites: addresses, the sitemaps that list them, and stored bodies."""

from __future__ import annotations

from sqlalchemy import (
    Boolean,
    CheckConstraint,
    Column,
    Computed,
    Double,
    Index,
    Integer,
    LargeBinary,
    SmallInteger,
    Table,
    Text,
    UniqueConstraint,
    Uuid,
    text,
)
from sqlalchemy.dialects.postgresql import ARRAY, JSONB

from scrapersky.declarations import READ_PAGE, statuses
from scrapersky.tables.columns import Timestamp, id_column, metadata, tenant_column, timestamps
from scrapersky.tables.constraints import (
    HIGH_CHURN_STORAGE,
    max_lengths,
    one_of,
    queue_parts,
    tenant_foreign_key,
    tenant_key,
    timestamp_range,
    trigram_index,
)

# Pages: every address a domain lists, which of them are read, and what reading gave.
pages = Table(
    "pages",
    metadata,
    id_column(),
    tenant_column(),
    Column("domain_id", Uuid, nullable=False),
    Column("host", Text, nullable=False),
    # The canonical form; it is unique inside its domain (D10).
    Column("url", Text, nullable=False),
    Column("url_hash", Uuid, Computed("md5(url)::uuid", persisted=True), nullable=False),
    Column("page_curation_status", Text, nullable=False, server_default=text(f"'{statuses.NEW}'")),
    Column("priority_level", SmallInteger, nullable=False, server_default=text("3")),
    Column("page_type", Text, nullable=False, server_default=text("'unknown'")),
    Column("page_type_confidence", Double),
    Column("path_depth", SmallInteger),
    Column("contact_scrape_status", Text, nullable=False, server_default=text(f"'{statuses.NEW}'")),
    Column("scraped_content", JSONB),
    Column("credits_used", Integer, nullable=False, server_default=text("0")),
    Column("title", Text),
    Column("description", Text),
    Column("h1", Text),
    Column("language", Text),
    Column("canonical_url", Text),
    Column("final_url", Text),
    Column("status_code", SmallInteger),
    Column("meta_robots", Text),
    Column("schema_types", ARRAY(Text)),
    Column("has_contact_form", Boolean),
    Column("word_count", Integer),
    Column("last_modified_at", Timestamp),
    Column("last_scan_at", Timestamp),
    # What the next request for the page sends, and what tells whether the page has changed.
    Column("etag", Text),
    Column("last_modified_header", Text),
    Column("content_hash", LargeBinary),
    # What the page is when it is not an ordinary page, why it was not read, and how its body was damaged.
    Column("page_class", JSONB(none_as_null=True)),
    Column("filtered_reason", Text),
    Column("damage", Text),
    Column("lead_source", Text, nullable=False, server_default=text("'sitemap_import'")),
    Column("additional_json", JSONB),
    *timestamps(),
    *queue_parts("pages"),
    one_of("page_curation_status", statuses.CURATION),
    one_of("contact_scrape_status", statuses.CONTACT_SCRAPE),
    CheckConstraint("priority_level BETWEEN 1 AND 3", name="priority_level_range"),
    CheckConstraint("octet_length(content_hash) = 32", name="content_hash_length"),
    tenant_key(),
    UniqueConstraint("domain_id", "url_hash", "tenant_id"),
    tenant_foreign_key("domain_id", "domains", cascade=True),
    Index("idx_pages_curation_processing", "page_curation_status", "page_processing_status"),
    # Lists begin with the promising pages; the others are so many that the newest are soon found.
    Index(
        "ix_pages_priority",
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
    *max_lengths(url=2_048, host=253, page_type=50, title=1_000, description=5_000, h1=1_000, lead_source=50),
    *timestamp_range("last_modified_at"),
    **HIGH_CHURN_STORAGE,
)

# In which sitemap files a page is listed, and what each said about it.
page_sitemaps = Table(
    "page_sitemaps",
    metadata,
    tenant_column(),
    Column("page_id", Uuid, primary_key=True),
    Column("sitemap_file_id", Uuid, primary_key=True),
    Column("last_modified_at", Timestamp),
    Column("change_frequency", Text),
    Column("priority_value", Double),
    tenant_foreign_key("page_id", "pages", cascade=True),
    tenant_foreign_key("sitemap_file_id", "sitemap_files", cascade=True),
    Index("ix_page_sitemaps_sitemap_file_id", "sitemap_file_id"),
    *max_lengths(change_frequency=20),
    *timestamp_range("last_modified_at"),
)

# Bodies of pages, compressed, kept for a while so that they can be read again without a fetch.
page_bodies = Table(
    "page_bodies",
    metadata,
    tenant_column(),
    Column("page_id", Uuid, primary_key=True),
    Column("body", LargeBinary, nullable=False),
    Column("compression", Text, nullable=False, server_default=text("'zstd'")),
    Column("content_hash", LargeBinary, nullable=False),
    Column("content_type", Text),
    Column("charset", Text),
    Column("final_url", Text, nullable=False),
    Column("status_code", SmallInteger, nullable=False),
    Column("size_bytes", Integer, nullable=False),
    Column("fetched_at", Timestamp, nullable=False, server_default=text("now()")),
    Column("expires_at", Timestamp),
    tenant_foreign_key("page_id", "pages", cascade=True),
    CheckConstraint("octet_length(content_hash) = 32", name="content_hash_length"),
    Index("ix_page_bodies_expires_at", "expires_at", postgresql_where=text("expires_at IS NOT NULL")),
    *max_lengths(compression=20, content_type=300, charset=50, final_url=2_048),
)
