"""Accounts: tenants, users with their sessions and keys, and saved views."""

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
    # The work of a disabled tenant rests, and its users and keys are refused.
    sa.Column("is_active", sa.Boolean, nullable=False, server_default=sa.text("true")),
    # Limits by name; what is missing is unlimited.
    sa.Column("quotas", JSONB, nullable=False, server_default=sa.text("'{}'")),
    *timestamps(),
    *constraints.max_lengths(name=200, description=2_000),
)

# What a tenant used on a day (UTC) of that which its quotas limit.
tenant_usage = sa.Table(
    "tenant_usage",
    metadata,
    tenant_column(references=True),
    sa.Column("day", sa.Date, nullable=False),
    sa.Column("exports", sa.Integer, nullable=False, server_default=sa.text("0")),
    sa.PrimaryKeyConstraint("tenant_id", "day"),
)

# Settings that people changed while the program runs. They hold for the installation and belong to the
# default tenant, so that the requests of no other tenant see or change them.
setting_overrides = sa.Table(
    "setting_overrides",
    metadata,
    tenant_column(references=True),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("value", sa.Text),
    # A secret: encrypted under the secret key, never stored as text.
    sa.Column("encrypted_value", sa.LargeBinary),
    sa.Column("updated_by", sa.Uuid, sa.ForeignKey("users.id", ondelete="SET NULL")),
    sa.Column("updated_at", Timestamp, nullable=False, server_default=sa.func.now()),
    sa.PrimaryKeyConstraint("tenant_id", "name"),
    sa.CheckConstraint("(value IS NULL) <> (encrypted_value IS NULL)", name="one_value"),
    *constraints.max_lengths(name=100, value=2_000),
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
    # The account of the operating system whose commands act as this user.
    sa.Column("os_user", sa.Text, unique=True),
    sa.Column("is_active", sa.Boolean, nullable=False, server_default=sa.text("true")),
    sa.Column("last_seen_at", Timestamp),
    *timestamps(),
    constraints.tenant_key(),
    constraints.one_of("role", statuses.ROLE),
    constraints.tenant_key(),
    sa.CheckConstraint("email = lower(email)", name="email_lower"),
    *constraints.max_lengths(email=254, name=200, password_hash=500, os_user=100),
)

# Sessions: one for each login of a browser; only a hash of the cookie is kept.
sessions = sa.Table(
    "sessions",
    metadata,
    id_column(),
    tenant_column(),
    sa.Column("user_id", sa.Uuid, nullable=False),
    # The caller names no tenant yet, so what it is found by is unique over all of them.
    sa.Column("token_hash", sa.LargeBinary, nullable=False, unique=True),
    sa.Column("address", sa.Text, nullable=False, server_default=sa.text("''")),
    sa.Column("user_agent", sa.Text, nullable=False, server_default=sa.text("''")),
    sa.Column("last_seen_at", Timestamp, nullable=False, server_default=sa.func.now()),
    sa.Column("expires_at", Timestamp, nullable=False),
    # An ended session is kept for a while: its address is one that the user has logged in from.
    sa.Column("ended_at", Timestamp),
    *timestamps(),
    constraints.tenant_foreign_key("user_id", "users", cascade=True),
    sa.CheckConstraint("octet_length(token_hash) = 32", name="token_hash_length"),
    sa.Index("ix_sessions_tenant_id_user_id", "tenant_id", "user_id"),
    *constraints.max_lengths(address=45, user_agent=300),
)

# Failed logins, counted by account and by address; the account may not exist, so only its hash is kept.
login_failures = sa.Table(
    "login_failures",
    metadata,
    sa.Column("id", sa.BigInteger, sa.Identity(always=False), primary_key=True),
    sa.Column("account_hash", sa.LargeBinary, nullable=False),
    sa.Column("address", sa.Text, nullable=False),
    sa.Column("created_at", Timestamp, nullable=False, server_default=sa.func.now()),
    sa.Index("ix_login_failures_created_at", "created_at"),
    *constraints.max_lengths(address=45),
)

# Setup links: each creates one administrator, or sets one user's password, once.
setup_links = sa.Table(
    "setup_links",
    metadata,
    id_column(),
    sa.Column("token_hash", sa.LargeBinary, nullable=False, unique=True),
    sa.Column("user_id", sa.Uuid, sa.ForeignKey("users.id", ondelete="CASCADE"), index=True),
    sa.Column("expires_at", Timestamp, nullable=False),
    sa.Column("used_at", Timestamp),
    *timestamps(),
    sa.CheckConstraint("octet_length(token_hash) = 32", name="token_hash_length"),
)

# API keys: only a hash of each is kept, and its first characters to find it by.
api_keys = sa.Table(
    "api_keys",
    metadata,
    id_column(),
    tenant_column(references=True),
    sa.Column("user_id", sa.Uuid, nullable=False),
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
    constraints.tenant_foreign_key("user_id", "users", cascade=True),
    sa.Index("ix_api_keys_user_id", "user_id"),
    *constraints.max_lengths(name=200, key_prefix=32),
)

# Saved views: filters, columns and order that a person gave a name.
saved_views = sa.Table(
    "saved_views",
    metadata,
    id_column(),
    tenant_column(references=True),
    sa.Column("user_id", sa.Uuid, nullable=False),
    sa.Column("table_name", sa.Text, nullable=False),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("query", JSONB, nullable=False, server_default=sa.text("'{}'")),
    sa.Column("is_shared", sa.Boolean, nullable=False, server_default=sa.text("false")),
    *timestamps(),
    sa.UniqueConstraint("user_id", "tenant_id", "table_name", "name"),
    constraints.tenant_key(),
    constraints.tenant_foreign_key("user_id", "users", cascade=True),
    sa.Index("ix_saved_views_user_id", "user_id"),
    *constraints.max_lengths(table_name=63, name=200),
)
