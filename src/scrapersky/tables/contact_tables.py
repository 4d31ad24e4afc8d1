"""Contacts with their sightings, suppressions, and deliveries to destinations."""

from __future__ import annotations

from sqlalchemy import (
    Boolean,
    CheckConstraint,
    Column,
    Double,
    ForeignKey,
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

from scrapersky.declarations import statuses
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

# A later page fills in the value while it is missing.
FILLED_IN = {"filled_in": True}

# Contacts: ways to reach a business, each once per domain, with where it was read.
contacts = Table(
    "contacts",
    metadata,
    id_column(),
    tenant_column(),
    Column("domain_id", Uuid, nullable=False),
    Column("page_id", Uuid),
    Column("email", Text),
    Column("email_type", Text, info=FILLED_IN),
    Column("email_relation", Text, info=FILLED_IN),
    Column("is_email_hidden", Boolean, nullable=False, server_default=text("false")),
    Column("phone_number", Text, info=FILLED_IN),
    Column("phone_type", Text, info=FILLED_IN),
    Column("phone_extension", Text),
    Column("name", Text, info=FILLED_IN),
    Column("job_title", Text, info=FILLED_IN),
    Column("address", Text, info=FILLED_IN),
    Column("country", Text, info=FILLED_IN),
    Column("social_urls", JSONB, nullable=False, server_default=text("'{}'")),
    Column("confidence", Double),
    # Where it was read and why it may be kept: no contact without both (D15).
    Column("source_url", Text, nullable=False),
    Column("lawful_basis", Text, nullable=False, server_default=text("'legitimate interest'")),
    Column("last_seen_at", Timestamp, nullable=False, server_default=text("now()")),
    Column("contact_curation_status", Text, nullable=False, server_default=text(f"'{statuses.NEW}'")),
    Column("email_validation_result", Text),
    Column("email_validation_score", SmallInteger),
    Column("email_validation_reason", Text),
    Column("email_validation_suggestion", Text),
    Column("email_validated_at", Timestamp),
    Column("enrichment", JSONB, nullable=False, server_default=text("'{}'")),
    Column("last_enrichment_id", Text),
    Column("lead_source", Text),
    Column("notes", Text),
    Column("tags", ARRAY(Text), nullable=False, server_default=text("'{}'")),
    Column("created_by", Uuid, ForeignKey("users.id")),
    *timestamps(),
    *queue_parts("contacts"),
    one_of("contact_curation_status", statuses.CURATION),
    one_of("email_validation_result", statuses.EMAIL_RESULT),
    tenant_key(),
    UniqueConstraint("domain_id", "email", "tenant_id"),
    Index(
        "uq_contacts_phone_only",
        "domain_id",
        "phone_number",
        "tenant_id",
        unique=True,
        postgresql_where=text("email IS NULL"),
    ),
    CheckConstraint("email IS NOT NULL OR phone_number IS NOT NULL", name="reachable"),
    CheckConstraint("email_validation_score BETWEEN 0 AND 100", name="email_validation_score_range"),
    CheckConstraint("source_url <> ''", name="source_url_not_empty"),
    tenant_foreign_key("domain_id", "domains", cascade=True),
    tenant_foreign_key("page_id", "pages"),
    Index("ix_contacts_page_id", "page_id"),
    # How many unrelated domains show the same address or number: the mark of an agency.
    Index("ix_contacts_email", "email", "tenant_id"),
    Index("ix_contacts_phone_number", "phone_number", "tenant_id"),
    trigram_index("idx_contacts_text_trgm", "email", "name", "phone_number"),
    *max_lengths(
        email=254, phone_number=50, name=300, job_title=300, address=1_000, source_url=2_048, notes=10_000
    ),
    *timestamp_range("email_validated_at", "last_seen_at"),
    **HIGH_CHURN_STORAGE,
)

# Sightings: on which page, in which words and by which method a contact was seen, and when.
sightings = Table(
    "sightings",
    metadata,
    id_column(),
    tenant_column(),
    Column("contact_id", Uuid, nullable=False),
    Column("page_id", Uuid, nullable=False),
    Column("field", Text, nullable=False),
    Column("value", Text, nullable=False),
    Column("method", Text, nullable=False),
    Column("quote", Text, nullable=False),
    Column("place", Text, nullable=False, server_default=text("'text'")),
    Column("start", Integer, nullable=False, server_default=text("-1")),
    Column("confidence", Double),
    Column("extractor_version", Text, nullable=False),
    Column("first_seen_at", Timestamp, nullable=False, server_default=text("now()")),
    Column("last_seen_at", Timestamp, nullable=False, server_default=text("now()")),
    *timestamps(),
    one_of("place", statuses.EVIDENCE_PLACE),
    UniqueConstraint("contact_id", "page_id", "field", "method", "tenant_id"),
    tenant_foreign_key("contact_id", "contacts", cascade=True),
    tenant_foreign_key("page_id", "pages", cascade=True),
    Index("ix_sightings_page_id", "page_id"),
    *max_lengths(field=30, value=1_000, method=50, quote=300, extractor_version=50),
)

FOUND_BY = ("kind", "keyed_hash")

ONE_TENANT, ALL_TENANTS = "tenant_id IS NOT NULL", "tenant_id IS NULL"

# Suppressions: who must not be kept or contacted, known only by a keyed hash.
suppressions = Table(
    "suppressions",
    metadata,
    id_column(),
    # NULL holds for every tenant.
    Column("tenant_id", Uuid, ForeignKey("tenants.id")),
    Column("kind", Text, nullable=False),
    Column("keyed_hash", LargeBinary, nullable=False),
    Column("reason", Text, nullable=False),
    Column("created_by", Uuid, ForeignKey("users.id")),
    *timestamps(),
    one_of("kind", statuses.SUPPRESSION_KIND),
    CheckConstraint("octet_length(keyed_hash) = 32", name="keyed_hash_length"),
    Index("uq_suppressions_tenant", "tenant_id", *FOUND_BY, unique=True, postgresql_where=text(ONE_TENANT)),
    Index("uq_suppressions_all", *FOUND_BY, unique=True, postgresql_where=text(ALL_TENANTS)),
    *max_lengths(reason=500),
)

# Destinations: where a tenant's contacts go.
destinations = Table(
    "destinations",
    metadata,
    id_column(),
    tenant_column(references=True),
    Column("name", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("options", JSONB, nullable=False, server_default=text("'{}'")),
    # Sealed under a key that is not in the database; which key, is said beside it.
    Column("encrypted_secret", LargeBinary),
    Column("encryption_key_id", Text),
    Column("is_active", Boolean, nullable=False, server_default=text("true")),
    Column("created_by", Uuid, ForeignKey("users.id")),
    *timestamps(),
    one_of("kind", statuses.DESTINATION_KIND),
    tenant_key(),
    UniqueConstraint("name", "tenant_id"),
    *max_lengths(name=200, encryption_key_id=100),
)

# Deliveries: one contact on its way to one destination.
deliveries = Table(
    "deliveries",
    metadata,
    id_column(),
    tenant_column(),
    Column("contact_id", Uuid, nullable=False),
    Column("destination_id", Uuid, nullable=False),
    # What the destination calls the contact; a delivery without it is not known to have arrived.
    Column("external_id", Text),
    Column("response", JSONB, nullable=False, server_default=text("'{}'")),
    Column("delivered_at", Timestamp),
    Column("created_by", Uuid, ForeignKey("users.id")),
    *timestamps(),
    *queue_parts("deliveries"),
    UniqueConstraint("contact_id", "destination_id", "tenant_id"),
    tenant_foreign_key("contact_id", "contacts", cascade=True),
    tenant_foreign_key("destination_id", "destinations", cascade=True),
    Index("ix_deliveries_contact_id", "contact_id"),
    *max_lengths(external_id=500),
    **HIGH_CHURN_STORAGE,
)
