"""Idempotency keys: a client's names for its requests, with the answers they got."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import JSONB

from scrapersky.tables import constraints
from scrapersky.tables.columns import Timestamp, id_column, metadata, tenant_column

idempotency_keys = sa.Table(
    "idempotency_keys",
    metadata,
    id_column(),
    tenant_column(references=True),
    sa.Column("user_id", sa.Uuid, nullable=False),
    sa.Column("key", sa.Text, nullable=False),
    # Method and path; with the hash of the body they say whether a second request is the same.
    sa.Column("request", sa.Text, nullable=False),
    sa.Column("body_hash", sa.LargeBinary, nullable=False),
    # A request that takes over a key raises the number; the one before it can then commit nothing.
    sa.Column("attempt", sa.Integer, nullable=False, server_default=sa.text("1")),
    sa.Column("claimed_until", Timestamp, nullable=False),
    # Set in the transaction of the change itself.
    sa.Column("has_effect", sa.Boolean, nullable=False, server_default=sa.text("false")),
    # The answer; the body is encrypted, because an answer may hold a key that is shown once.
    sa.Column("status", sa.Integer),
    sa.Column("headers", JSONB(none_as_null=True)),
    sa.Column("body", sa.LargeBinary),
    sa.Column("created_at", Timestamp, nullable=False, server_default=sa.func.now()),
    sa.UniqueConstraint("tenant_id", "user_id", "key"),
    constraints.tenant_foreign_key("user_id", "users", cascade=True),
    sa.Index("ix_idempotency_keys_created_at", "created_at"),
    sa.CheckConstraint("octet_length(body_hash) = 32", name="body_hash_length"),
    *constraints.max_lengths(key=255, request=2_000),
)
