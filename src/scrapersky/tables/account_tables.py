"""Accounts: tenants, users and their keys, saved views, and the audit log."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    ForeignKey,
    Identity,
    Index,
    LargeBinary,
    Table,
    Text,
    UniqueConstraint,
    Uuid,
    func,
    text,
)
from sqlalchemy.dialects.postgresql import ARRAY, JSONB

from scrapersky.declarations import statuses
from scrapersky.tables.columns import Timestamp, id_column, metadata, tenant_column, timestamps
from scrapersky.tables.constraints import max_lengths, one_of

# Tenants: whose rows these are.
tenants = Table(
    "tenants",
    metadata,
    id_column(),
    Column("name", Text, nullable=False, unique=True),
    Column("description", Text),
    Column("is_active", Boolean, nullable=False, server_default=text("true")),
    *timestamps(),
    *max_lengths(name=200, description=2_000),
)

# Users: people and the system itself, each at home in one tenant.
users = Table(
    "users",
    metadata,
    id_column(),
    tenant_column(references=True),
    # People sign in with the address alone, so it is unique over all tenants.
    Column("email", Text, nullable=False, unique=True),
    Column("name", Text, nullable=False, server_default=text("''")),
    Column("role", Text, nullable=False, server_default=text("'viewer'")),
    Column("password_hash", Text),
    Column("is_active", Boolean, nullable=False, server_default=text("true")),
    Column("last_seen_at", Timestamp),
    *timestamps(),
    one_of("role", statuses.ROLE),
    CheckConstraint("email = lower(email)", name="email_lower"),
    *max_lengths(email=254, name=200, password_hash=500),
)

# API keys: only a hash of each is kept, and its first characters to find it by.
api_keys = Table(
    "api_keys",
    metadata,
    id_column(),
    tenant_column(references=True),
    Column("user_id", Uuid, ForeignKey("users.id", ondelete="CASCADE"), nullable=False),
    Column("name", Text, nullable=False),
    # The caller names no tenant yet, so what it is found by is unique over all of them.
    Column("key_prefix", Text, nullable=False, unique=True),
    Column("secret_hash", LargeBinary, nullable=False),
    Column("scopes", ARRAY(Text), nullable=False, server_default=text("'{}'")),
    Column("expires_at", Timestamp),
    Column("last_used_at", Timestamp),
    Column("revoked_at", Timestamp),
    *timestamps(),
    CheckConstraint("octet_length(secret_hash) = 32", name="secret_hash_length"),
    Index("ix_api_keys_user_id", "user_id"),
    *max_lengths(name=200, key_prefix=32),
)

# Saved views: filters, columns and order that a person gave a name.
saved_views = Table(
    "saved_views",
    metadata,
    id_column(),
    tenant_column(references=True),
    Column("user_id", Uuid, ForeignKey("users.id", ondelete="CASCADE"), nullable=False),
    Column("table_name", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("query", JSONB, nullable=False, server_default=text("'{}'")),
    Column("is_shared", Boolean, nullable=False, server_default=text("false")),
    *timestamps(),
    UniqueConstraint("tenant_id", "user_id", "table_name", "name"),
    Index("ix_saved_views_user_id", "user_id"),
    *max_lengths(table_name=63, name=200),
)

# The audit log: who changed what; rows are added, never changed, and each holds the hash of the last.
audit_log = Table(
    "audit_log",
    metadata,
    Column("id", BigInteger, Identity(always=False), primary_key=True),
    tenant_column(references=True),
    # No foreign key: the entry outlives the user.
    Column("user_id", Uuid),
    Column("actor", Text, nullable=False),
    Column("action", Text, nullable=False),
    Column("table_name", Text),
    Column("row_id", Text),
    Column("before", JSONB),
    Column("after", JSONB),
    Column("previous_hash", LargeBinary),
    Column("hash", LargeBinary),
    Column("created_at", Timestamp, nullable=False, server_default=func.now()),
    Index("ix_audit_log_tenant_id_created_at", "tenant_id", "created_at"),
    Index("ix_audit_log_row_id", "row_id"),
    *max_lengths(actor=200, action=100, table_name=63, row_id=36),
)
