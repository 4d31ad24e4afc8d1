"""Operations: decisions over many rows with their undo journal; rules about new rows; schedules."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import ARRAY, JSONB

from scrapersky.declarations import statuses
from scrapersky.tables import constraints
from scrapersky.tables.columns import Timestamp, id_column, metadata, tenant_column, timestamps

ZERO = sa.text("0")

# Operations: one decision over any number of rows, how far it is, and whether it was undone.
operations = sa.Table(
    "operations",
    metadata,
    id_column(),
    tenant_column(references=True),
    sa.Column("action", sa.Text, nullable=False),
    sa.Column("table_name", sa.Text, nullable=False),
    # The curation status that the rows get, if the action sets one.
    sa.Column("value", sa.Text),
    # What a delivery needs to know: the destination, and which contacts it includes.
    sa.Column("options", JSONB, nullable=False, server_default=sa.text("'{}'")),
    # The rows: all that match the filters, or those of the ids that do. An undo takes them from its journal.
    sa.Column("filters", JSONB, nullable=False, server_default=sa.text("'{}'")),
    sa.Column("ids", ARRAY(sa.Uuid)),
    # Columns of the table, in the order in which the journal lists their values.
    sa.Column("journaled_columns", ARRAY(sa.Text), nullable=False, server_default=sa.text("'{}'")),
    sa.Column("grace_seconds", sa.Integer, nullable=False, server_default=ZERO),
    sa.Column("status", sa.Text, nullable=False, server_default=sa.text(f"'{statuses.OPERATION[0]}'")),
    sa.Column("error", sa.Text),
    sa.Column("expected", sa.Integer),
    sa.Column("matched", sa.Integer, nullable=False, server_default=ZERO),
    sa.Column("changed", sa.Integer, nullable=False, server_default=ZERO),
    sa.Column("queued", sa.Integer, nullable=False, server_default=ZERO),
    sa.Column("skipped", JSONB, nullable=False, server_default=sa.text("'{}'")),
    # The last row that was looked at, and the last domain whose rows have followed it.
    sa.Column("cursor", sa.Uuid),
    sa.Column("followed_cursor", sa.Uuid),
    sa.Column("lease_token", sa.Uuid),
    sa.Column("lease_until", Timestamp),
    sa.Column("cancel_requested", sa.Boolean, nullable=False, server_default=sa.text("false")),
    sa.Column("undo_of", sa.Uuid),
    sa.Column("undone_at", Timestamp),
    # No foreign keys: the operation outlives its rule and its user.
    sa.Column("rule_id", sa.Uuid),
    sa.Column("created_by", sa.Uuid),
    sa.Column("actor", sa.Text, nullable=False, server_default=sa.text("''")),
    sa.Column("correlation_id", sa.Text),
    sa.Column("started_at", Timestamp),
    sa.Column("finished_at", Timestamp),
    *timestamps(),
    constraints.one_of("action", statuses.OPERATION_ACTION),
    constraints.one_of("status", statuses.OPERATION),
    constraints.tenant_key(),
    sa.Index("ix_operations_open", "lease_until", postgresql_where=sa.text("finished_at IS NULL")),
    *constraints.max_lengths(table_name=63, value=50, error=1_024, actor=254, correlation_id=200),
)

# The undo journal: what each row was before an operation changed it, and a hash of what it was afterwards.
# No foreign keys and no further index, because each would be checked or written for every row.
operation_rows = sa.Table(
    "operation_rows",
    metadata,
    sa.Column("operation_id", sa.Uuid, primary_key=True),
    sa.Column("row_id", sa.Uuid, primary_key=True),
    tenant_column(),
    sa.Column("changed_at", Timestamp, nullable=False),
    sa.Column("after_hash", sa.BigInteger, nullable=False),
    sa.Column("before", JSONB, nullable=False),
)

# Rules: a decision about every new row that matches.
rules = sa.Table(
    "rules",
    metadata,
    id_column(),
    tenant_column(references=True),
    sa.Column("user_id", sa.Uuid, nullable=False),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("table_name", sa.Text, nullable=False),
    sa.Column("filters", JSONB, nullable=False),
    # A rule decides, or it delivers to a destination.
    sa.Column("decision", sa.Text),
    sa.Column("destination_id", sa.Uuid),
    sa.Column("is_enabled", sa.Boolean, nullable=False, server_default=sa.text("true")),
    # Rows that were there before this moment are never decided about.
    sa.Column("enabled_at", Timestamp, nullable=False, server_default=sa.func.now()),
    sa.Column("checked_at", Timestamp, nullable=False, server_default=sa.func.now()),
    sa.Column("changed_rows", sa.BigInteger, nullable=False, server_default=ZERO),
    *timestamps(),
    sa.UniqueConstraint("tenant_id", "name"),
    constraints.tenant_foreign_key("user_id", "users", cascade=True),
    sa.Index("ix_rules_user_id", "user_id"),
    constraints.one_of("decision", statuses.CURATION),
    sa.CheckConstraint("(decision IS NULL) <> (destination_id IS NULL)", name="decides_or_delivers"),
    constraints.tenant_foreign_key("destination_id", "destinations", cascade=True),
    sa.Index("ix_rules_destination_id", "destination_id"),
    *constraints.max_lengths(name=200, table_name=63),
)

# Schedules: searches, crawls and sends that are repeated.
schedules = sa.Table(
    "schedules",
    metadata,
    id_column(),
    tenant_column(references=True),
    # Who added it; its runs are theirs.
    sa.Column("user_id", sa.Uuid, nullable=False),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("kind", sa.Text, nullable=False),
    # The rows: a saved view; a search has none, and a crawl without one reads every page again.
    sa.Column("view_id", sa.Uuid),
    sa.Column("destination_id", sa.Uuid),
    # Of a search what is searched.
    sa.Column("options", JSONB, nullable=False, server_default=sa.text("'{}'")),
    sa.Column("every_days", sa.SmallInteger, nullable=False),
    # The time of day by the clocks of the zone, as HH:MM.
    sa.Column("time_of_day", sa.Text, nullable=False),
    sa.Column("time_zone", sa.Text, nullable=False),
    sa.Column("is_enabled", sa.Boolean, nullable=False, server_default=sa.text("true")),
    sa.Column("next_run_at", Timestamp, nullable=False),
    sa.Column("last_run_at", Timestamp),
    # The search, operation or job that the last run started; the kind says which. It may be gone by now.
    sa.Column("last_run_id", sa.Uuid),
    sa.Column("last_outcome", sa.Text),
    # Why the last run failed or was skipped.
    sa.Column("last_reason", sa.Text),
    # How many runs failed in a row.
    sa.Column("failures", sa.Integer, nullable=False, server_default=sa.text("0")),
    *timestamps(),
    sa.UniqueConstraint("tenant_id", "name"),
    constraints.one_of("kind", statuses.SCHEDULE_KIND),
    constraints.one_of("last_outcome", statuses.RUN_OUTCOME),
    sa.CheckConstraint("every_days BETWEEN 1 AND 366", name="every_days_range"),
    sa.CheckConstraint("(kind = 'send') = (destination_id IS NOT NULL)", name="sends_to_destination"),
    sa.CheckConstraint("view_id IS NOT NULL OR kind IN ('search', 'crawl')", name="has_rows"),
    constraints.tenant_foreign_key("user_id", "users", cascade=True),
    constraints.tenant_foreign_key("view_id", "saved_views"),
    constraints.tenant_foreign_key("destination_id", "destinations", cascade=True),
    sa.Index("ix_schedules_user_id", "user_id"),
    sa.Index("ix_schedules_view_id", "view_id"),
    sa.Index("ix_schedules_destination_id", "destination_id"),
    sa.Index("ix_schedules_due", "next_run_at", postgresql_where=sa.text("is_enabled")),
    *constraints.max_lengths(name=100, time_of_day=5, time_zone=64, last_reason=1_024),
)
