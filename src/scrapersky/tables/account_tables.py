"""Accounts: tenants, users and their keys, saved views, and the audit log."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import ARRAY, JSONB

from scrapersky.declarations import statuses
from scrapersky.tables import constraints
from scrapersky.tables.columns import Timestamp, id_column, metadata, tenant_column, timestamps

# Tenants: whose rows these are.
tenants = sa.Table(
    "tenants",
    metadata,
    id_column(),
    sa.Column("name", sa.Text, nullable=False, unique=True),
    sa.Column("description", sa.Text),
    sa.Column("is_active", sa.Boolean, nullable=False, server_default=sa.text("true")),
    *timestamps(),
    *constraints.max_lengths(name=200, description=2_000),
)

# Users: people and the system itself, each at home in one tenant.
users = sa.Table(
    "users",
    metadata,
    id_column(),
    tenant_column(references=True),
    # People sign in with the address alone, so it is unique over all tenants.
    sa.Column("email", sa.Text, nullable=False, unique=True),
    sa.Column("name", sa.Text, nullable=False, server_default=sa.text("''")),
    sa.Column("role", sa.Text, nullable=False, server_default=sa.text("'viewer'")),
    sa.Column("password_hash", sa.Text),
    sa.Column("is_active", sa.Boolean, nullable=False, server_default=sa.text("true")),
    sa.Column("last_seen_at", Timestamp),
    *timestamps(),
    constraints.one_of("role", statuses.ROLE),
    sa.CheckConstraint("email = lower(email)", name="email_lower"),
    *constraints.max_lengths(email=254, name=200, password_hash=500),
)

# API keys: only a hash of each is kept, and its first characters to find it by.
api_keys = sa.Table(
    "api_keys",
    metadata,
    id_column(),
    tenant_column(references=True),
    sa.Column("user_id", sa.Uuid, sa.ForeignKey("users.id", ondelete="CASCADE"), nullable=False),
    sa.Column("name", sa.Text, nullable=False),
    # The caller names no tenant yet, so what it is found by is unique over all of them.
    sa.Column("key_prefix", sa.Text, nullable=False, unique=True),
    sa.Column("secret_hash", sa.LargeBinary, nullable=False),
    sa.Column("scopes", ARRAY(sa.Text), nullable=False, server_default=sa.text("'{}'")),
    sa.Column("expires_at", Timestamp),
    sa.Column("last_used_at", Timestamp),
    sa.Column("revoked_at", Timestamp),
    *timestamps(),
    sa.CheckConstraint("octet_length(secret_hash) = 32", name="secret_hash_length"),
    sa.Index("ix_api_keys_user_id", "user_id"),
    *constraints.max_lengths(name=200, key_prefix=32),
)

# Saved views: filters, columns and order that a person gave a name.
saved_views = sa.Table(
    "saved_views",
    metadata,
    id_column(),
    tenant_column(references=True),
    sa.Column("user_id", sa.Uuid, sa.ForeignKey("users.id", ondelete="CASCADE"), nullable=False),
    sa.Column("table_name", sa.Text, nullable=False),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("query", JSONB, nullable=False, server_default=sa.text("'{}'")),
    sa.Column("is_shared", sa.Boolean, nullable=False, server_default=sa.text("false")),
    *timestamps(),
    sa.UniqueConstraint("tenant_id", "user_id", "table_name", "name"),
    sa.Index("ix_saved_views_user_id", "user_id"),
    *constraints.max_lengths(table_name=63, name=200),
)

# The audit log: who changed what; rows are added, never changed, and each holds the hash of the last.
audit_log = sa.Table(
    "audit_log",
    metadata,
    sa.Column("id", sa.BigInteger, sa.Identity(always=False), primary_key=True),
    tenant_column(references=True),
    # No foreign key: the entry outlives the user.
    sa.Column("user_id", sa.Uuid),
    sa.Column("actor", sa.Text, nullable=False),
    sa.Column("action", sa.Text, nullable=False),
    sa.Column("table_name", sa.Text),
    sa.Column("row_id", sa.Text),
    sa.Column("before", JSONB),
    sa.Column("after", JSONB),
    sa.Column("previous_hash", sa.LargeBinary),
    sa.Column("hash", sa.LargeBinary),
    sa.Column("created_at", Timestamp, nullable=False, server_default=sa.func.now()),
    sa.Index("ix_audit_log_tenant_id_created_at", "tenant_id", "created_at"),
    sa.Index("ix_audit_log_row_id", "row_id"),
    *constraints.max_lengths(actor=200, action=100, table_name=63, row_id=36),
)
