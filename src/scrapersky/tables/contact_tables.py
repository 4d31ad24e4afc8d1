"""Contacts with their sightings, suppressions, and deliveries to destinations."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import ARRAY, JSONB

from scrapersky.declarations import statuses
from scrapersky.tables import constraints
from scrapersky.tables.columns import Timestamp, id_column, metadata, tenant_column, timestamps

# A later page fills in the value while it is missing.
FILLED_IN = {"filled_in": True}

# Contacts: ways to reach a business, each once per domain, with where it was read.
contacts = sa.Table(
    "contacts",
    metadata,
    id_column(),
    tenant_column(),
    sa.Column("domain_id", sa.Uuid, nullable=False),
    sa.Column("page_id", sa.Uuid),
    sa.Column("email", sa.Text),
    sa.Column("email_type", sa.Text, info=FILLED_IN),
    sa.Column("email_relation", sa.Text, info=FILLED_IN),
    sa.Column("is_email_hidden", sa.Boolean, nullable=False, server_default=sa.text("false")),
    sa.Column("phone_number", sa.Text, info=FILLED_IN),
    sa.Column("phone_type", sa.Text, info=FILLED_IN),
    sa.Column("phone_extension", sa.Text),
    sa.Column("name", sa.Text, info=FILLED_IN),
    sa.Column("job_title", sa.Text, info=FILLED_IN),
    sa.Column("address", sa.Text, info=FILLED_IN),
    sa.Column("country", sa.Text, info=FILLED_IN),
    sa.Column("social_urls", JSONB, nullable=False, server_default=sa.text("'{}'")),
    # The words in which its page asks not to be contacted.
    sa.Column("contact_objection", sa.Text, info=FILLED_IN),
    sa.Column("confidence", sa.Double),
    # Where it was read and why it may be kept: no contact without both (D15).
    sa.Column("source_url", sa.Text, nullable=False),
    sa.Column("lawful_basis", sa.Text, nullable=False, server_default=sa.text("'legitimate interest'")),
    sa.Column("last_seen_at", Timestamp, nullable=False, server_default=sa.text("now()")),
    sa.Column(
        "contact_curation_status", sa.Text, nullable=False, server_default=sa.text(f"'{statuses.NEW}'")
    ),
    sa.Column("email_validation_result", sa.Text),
    sa.Column("email_validation_score", sa.SmallInteger),
    sa.Column("email_validation_reason", sa.Text),
    sa.Column("email_validation_suggestion", sa.Text),
    # The tier that decided: the spelling, our lists, the DNS, or DeBounce, which asks the mailbox itself.
    sa.Column("email_validation_method", sa.Text),
    sa.Column("email_validated_at", Timestamp),
    # When the address is validated again, because DeBounce could not be asked.
    sa.Column("email_recheck_at", Timestamp),
    # The lead score from 0 to 100 with the points and the reason of each part; empty until it is computed.
    sa.Column("lead_score", sa.SmallInteger, nullable=False, server_default=sa.text("0")),
    sa.Column("lead_score_parts", JSONB, nullable=False, server_default=sa.text("'{}'")),
    sa.Column("is_score_due", sa.Boolean, nullable=False, server_default=sa.text("true")),
    sa.Column("enrichment", JSONB, nullable=False, server_default=sa.text("'{}'")),
    sa.Column("last_enrichment_id", sa.Text),
    sa.Column("lead_source", sa.Text),
    sa.Column("notes", sa.Text),
    sa.Column("tags", ARRAY(sa.Text), nullable=False, server_default=sa.text("'{}'")),
    # The columns that a person has set; no later page or list changes them (R266).
    sa.Column("edited_fields", ARRAY(sa.Text), nullable=False, server_default=sa.text("'{}'")),
    sa.Column("created_by", sa.Uuid, sa.ForeignKey("users.id")),
    *timestamps(),
    *constraints.queue_parts("contacts"),
    *constraints.list_indexes("contacts"),
    constraints.one_of("contact_curation_status", statuses.CURATION),
    constraints.one_of("email_validation_result", statuses.EMAIL_RESULT),
    constraints.one_of("email_validation_method", statuses.EMAIL_METHOD),
    constraints.tenant_key(),
    sa.UniqueConstraint("domain_id", "email", "tenant_id"),
    sa.Index(
        "uq_contacts_phone_only",
        "domain_id",
        "phone_number",
        "tenant_id",
        unique=True,
        postgresql_where=sa.text("email IS NULL"),
    ),
    sa.CheckConstraint("email IS NOT NULL OR phone_number IS NOT NULL", name="reachable"),
    sa.CheckConstraint("email_validation_score BETWEEN 0 AND 100", name="email_validation_score_range"),
    sa.CheckConstraint("source_url <> ''", name="source_url_not_empty"),
    constraints.tenant_foreign_key("domain_id", "domains", cascade=True),
    constraints.tenant_foreign_key("page_id", "pages"),
    constraints.filled_index("ix_contacts_page_id", "page_id"),
    # How many unrelated domains show the same address or number: the mark of an agency.
    constraints.filled_index("ix_contacts_email", "email", "tenant_id"),
    constraints.filled_index("ix_contacts_phone_number", "phone_number", "tenant_id"),
    constraints.list_index("contacts", "score", "lead_score", "id"),
    constraints.list_index("contacts", "confidence", sa.text("coalesce(confidence, 0)"), "id"),
    sa.Index(
        "ix_contacts_recheck", "email_recheck_at", postgresql_where=sa.text("email_recheck_at IS NOT NULL")
    ),
    sa.Index("ix_contacts_score_due", "id", postgresql_where=sa.text("is_score_due")),
    sa.CheckConstraint("lead_score BETWEEN 0 AND 100", name="lead_score_range"),
    constraints.trigram_index("idx_contacts_text_trgm", "email", "name", "phone_number"),
    *constraints.max_lengths(
        email=254,
        phone_number=50,
        name=300,
        job_title=300,
        address=1_000,
        contact_objection=300,
        source_url=2_048,
        notes=10_000,
    ),
    *constraints.timestamp_range("email_validated_at", "email_recheck_at", "last_seen_at"),
    **constraints.HIGH_CHURN_STORAGE,
)

# Tombstones: addresses and numbers that a person deleted or replaced, so that no page brings them back; only
# a hash is kept.
contact_tombstones = sa.Table(
    "contact_tombstones",
    metadata,
    tenant_column(),
    sa.Column("domain_id", sa.Uuid, nullable=False),
    sa.Column("key_hash", sa.LargeBinary, nullable=False),
    sa.Column("created_by", sa.Uuid, sa.ForeignKey("users.id")),
    sa.Column("created_at", Timestamp, nullable=False, server_default=sa.func.now()),
    sa.PrimaryKeyConstraint("domain_id", "key_hash", "tenant_id"),
    sa.CheckConstraint("octet_length(key_hash) = 32", name="key_hash_length"),
    constraints.tenant_foreign_key("domain_id", "domains", cascade=True),
)

# Sightings: on which page, in which words and by which method a contact was seen, and when.
sightings = sa.Table(
    "sightings",
    metadata,
    id_column(),
    tenant_column(),
    sa.Column("contact_id", sa.Uuid, nullable=False),
    sa.Column("page_id", sa.Uuid, nullable=False),
    sa.Column("field", sa.Text, nullable=False),
    sa.Column("value", sa.Text, nullable=False),
    sa.Column("method", sa.Text, nullable=False),
    sa.Column("quote", sa.Text, nullable=False),
    sa.Column("place", sa.Text, nullable=False, server_default=sa.text("'text'")),
    sa.Column("start", sa.Integer, nullable=False, server_default=sa.text("-1")),
    sa.Column("confidence", sa.Double),
    sa.Column("extractor_version", sa.Text, nullable=False),
    sa.Column("first_seen_at", Timestamp, nullable=False, server_default=sa.text("now()")),
    sa.Column("last_seen_at", Timestamp, nullable=False, server_default=sa.text("now()")),
    *timestamps(),
    constraints.one_of("place", statuses.EVIDENCE_PLACE),
    sa.UniqueConstraint("contact_id", "page_id", "field", "method", "tenant_id"),
    constraints.tenant_foreign_key("contact_id", "contacts", cascade=True),
    constraints.tenant_foreign_key("page_id", "pages", cascade=True),
    sa.Index("ix_sightings_page_id", "page_id"),
    *constraints.max_lengths(field=30, value=1_000, method=50, quote=300, extractor_version=50),
)

FOUND_BY = ("kind", "keyed_hash")

ONE_TENANT, ALL_TENANTS = "tenant_id IS NOT NULL", "tenant_id IS NULL"

# Suppressions: who must not be kept or contacted, known only by a keyed hash.
suppressions = sa.Table(
    "suppressions",
    metadata,
    id_column(),
    # NULL holds for every tenant.
    sa.Column("tenant_id", sa.Uuid, sa.ForeignKey("tenants.id")),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("keyed_hash", sa.LargeBinary, nullable=False),
    sa.Column("reason", sa.Text, nullable=False),
    # How often a page or list brought it again; what was brought is not kept.
    sa.Column("attempts", sa.BigInteger, nullable=False, server_default=sa.text("0")),
    sa.Column("last_attempt_at", Timestamp),
    sa.Column("created_by", sa.Uuid, sa.ForeignKey("users.id")),
    # Whether every contact that it concerns has been deleted.
    sa.Column("is_applied", sa.Boolean, nullable=False, server_default=sa.text("false")),
    # Whether the person was erased from this database, too.
    sa.Column("is_erased", sa.Boolean, nullable=False, server_default=sa.text("false")),
    *timestamps(),
    constraints.one_of("kind", statuses.SUPPRESSION_KIND),
    sa.CheckConstraint("octet_length(keyed_hash) = 32", name="keyed_hash_length"),
    sa.Index(
        "uq_suppressions_tenant", "tenant_id", *FOUND_BY, unique=True, postgresql_where=sa.text(ONE_TENANT)
    ),
    sa.Index("ix_suppressions_open", "id", postgresql_where=sa.text("NOT is_applied")),
    sa.Index("uq_suppressions_all", *FOUND_BY, unique=True, postgresql_where=sa.text(ALL_TENANTS)),
    *constraints.max_lengths(reason=500),
)

# Destinations: where a tenant's contacts go.
destinations = sa.Table(
    "destinations",
    metadata,
    id_column(),
    tenant_column(references=True),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("options", JSONB, nullable=False, server_default=sa.text("'{}'")),
    # Sealed under a key that is not in the database; which key, is said beside it.
    sa.Column("encrypted_secret", sa.LargeBinary),
    sa.Column("encryption_key_id", sa.Text),
    sa.Column("is_active", sa.Boolean, nullable=False, server_default=sa.text("true")),
    # Why it was switched off automatically.
    sa.Column("disabled_reason", sa.Text),
    # Whether it gets every new contact that AUTO_DELIVERY lets through.
    sa.Column("is_automatic", sa.Boolean, nullable=False, server_default=sa.text("false")),
    sa.Column("created_by", sa.Uuid, sa.ForeignKey("users.id")),
    *timestamps(),
    constraints.one_of("kind", statuses.DESTINATION_KIND),
    constraints.tenant_key(),
    sa.UniqueConstraint("name", "tenant_id"),
    *constraints.max_lengths(name=200, encryption_key_id=100, disabled_reason=500),
)

# Deliveries: one contact on its way to one destination. A deletion outlives its contact and has none.
deliveries = sa.Table(
    "deliveries",
    metadata,
    id_column(),
    tenant_column(),
    sa.Column("action", sa.Text, nullable=False, server_default=sa.text(f"'{statuses.UPSERT}'")),
    sa.Column("contact_id", sa.Uuid),
    sa.Column("destination_id", sa.Uuid, nullable=False),
    # What the destination calls the contact; a delivery without it is not known to have arrived.
    sa.Column("external_id", sa.Text),
    # Why it was not needed.
    sa.Column("skipped_reason", sa.Text),
    sa.Column("delivered_at", Timestamp),
    sa.Column("created_by", sa.Uuid, sa.ForeignKey("users.id")),
    # The decision that sent it; no foreign key, because the operation is deleted sooner.
    sa.Column("operation_id", sa.Uuid),
    *timestamps(),
    *constraints.queue_parts("deliveries"),
    constraints.one_of("action", statuses.DELIVERY_ACTION),
    sa.CheckConstraint(
        f"(contact_id IS NULL) = (action = '{statuses.DELETE}')", name="deletion_has_no_contact"
    ),
    sa.UniqueConstraint("contact_id", "destination_id", "tenant_id"),
    constraints.tenant_foreign_key("contact_id", "contacts", cascade=True),
    constraints.tenant_foreign_key("destination_id", "destinations", cascade=True),
    constraints.filled_index("ix_deliveries_contact_id", "contact_id"),
    *constraints.max_lengths(external_id=500, skipped_reason=500),
    **constraints.HIGH_CHURN_STORAGE,
)

# Messages that arrived by webhook: one that comes again has no second effect.
webhook_messages = sa.Table(
    "webhook_messages",
    metadata,
    tenant_column(references=True),
    sa.Column("message_id", sa.Text, nullable=False),
    sa.Column("created_at", Timestamp, nullable=False, server_default=sa.func.now()),
    sa.PrimaryKeyConstraint("tenant_id", "message_id"),
    sa.Index("ix_webhook_messages_created_at", "created_at"),
    *constraints.max_lengths(message_id=300),
)
