"""Jobs: work asked for by name."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import JSONB

from scrapersky.declarations import statuses
from scrapersky.tables import constraints
from scrapersky.tables.columns import SERVER_ID, Timestamp, metadata, tenant_column
from scrapersky.tables.ids import new_id

# Jobs: work asked for by name, with input, progress and result; a number and a UUID each (R177).
jobs = sa.Table(
    "jobs",
    metadata,
    sa.Column("id", sa.BigInteger, sa.Identity(always=False), primary_key=True),
    sa.Column("job_id", sa.Uuid, nullable=False, default=new_id, server_default=SERVER_ID),
    tenant_column(references=True),
    sa.Column("job_type", sa.Text, nullable=False),
    # The politeness key of a job that calls a host; empty for all others.
    sa.Column("host", sa.Text, nullable=False, server_default=sa.text("''")),
    sa.Column("domain_id", sa.Uuid),
    sa.Column("max_retries", sa.Integer, nullable=False, server_default=sa.text("3")),
    sa.Column("progress", sa.Double, nullable=False, server_default=sa.text("0")),
    sa.Column("progress_percent", sa.SmallInteger, nullable=False, server_default=sa.text("0")),
    sa.Column("progress_message", sa.Text),
    # Input before the run, result after it (R166, R171).
    sa.Column("result_data", JSONB, nullable=False, server_default=sa.text("'{}'")),
    sa.Column("job_metadata", JSONB, nullable=False, server_default=sa.text("'{}'")),
    # What it reported and when: {at, run, message}, the oldest first.
    sa.Column("steps", JSONB, nullable=False, server_default=sa.text("'[]'")),
    sa.Column("timeout_seconds", sa.Integer),
    sa.Column("cancel_requested", sa.Boolean, nullable=False, server_default=sa.text("false")),
    sa.Column("created_by", sa.Uuid, sa.ForeignKey("users.id")),
    sa.Column("created_at", Timestamp, nullable=False, server_default=sa.func.now()),
    sa.Column("updated_at", Timestamp, nullable=False, server_default=sa.func.now()),
    *constraints.queue_parts("jobs"),
    sa.CheckConstraint("status IS NOT NULL", name="status_not_null"),
    sa.CheckConstraint("progress BETWEEN 0 AND 1", name="progress_range"),
    sa.CheckConstraint("progress_percent BETWEEN 0 AND 100", name="progress_percent_range"),
    sa.UniqueConstraint("job_id", "tenant_id"),
    constraints.tenant_foreign_key("domain_id", "domains", cascade=True),
    constraints.filled_index("ix_jobs_domain_id", "domain_id"),
    sa.Index("ix_jobs_created_at", "created_at"),
    *constraints.max_lengths(job_type=100, host=253, progress_message=1_000),
    **constraints.HIGH_CHURN_STORAGE,
)

# What an import of another database could not take as it was, row by row.
import_notes = sa.Table(
    "import_notes",
    metadata,
    tenant_column(),
    sa.Column("job_id", sa.Uuid, nullable=False),
    sa.Column("table_name", sa.Text, nullable=False),
    sa.Column("legacy_id", sa.Text, nullable=False),
    sa.Column("outcome", sa.Text, nullable=False),
    sa.Column("reason", sa.Text, nullable=False),
    sa.PrimaryKeyConstraint("job_id", "table_name", "legacy_id", "tenant_id"),
    sa.ForeignKeyConstraint(["tenant_id", "job_id"], ["jobs.tenant_id", "jobs.job_id"], ondelete="CASCADE"),
    constraints.one_of("outcome", statuses.IMPORT_OUTCOME),
    *constraints.max_lengths(table_name=100, legacy_id=100, reason=1_000),
)
