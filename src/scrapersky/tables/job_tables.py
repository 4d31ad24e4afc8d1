"""Jobs, and operations of people over many rows with their undo journal."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Double,
    ForeignKey,
    Identity,
    Index,
    Integer,
    SmallInteger,
    Table,
    Text,
    UniqueConstraint,
    Uuid,
    func,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB

from scrapersky.declarations import statuses
from scrapersky.tables.columns import SERVER_ID, Timestamp, id_column, metadata, tenant_column, timestamps
from scrapersky.tables.constraints import (
    HIGH_CHURN_STORAGE,
    max_lengths,
    one_of,
    queue_parts,
    tenant_foreign_key,
    tenant_key,
)
from scrapersky.tables.ids import new_id

# Jobs: work asked for by name, with input, progress and result; a number and a UUID each (R177).
jobs = Table(
    "jobs",
    metadata,
    Column("id", BigInteger, Identity(always=False), primary_key=True),
    Column("job_id", Uuid, nullable=False, default=new_id, server_default=SERVER_ID),
    tenant_column(references=True),
    Column("job_type", Text, nullable=False),
    # The politeness key of a job that calls a host; empty for all others.
    Column("host", Text, nullable=False, server_default=text("''")),
    Column("domain_id", Uuid),
    Column("max_retries", Integer, nullable=False, server_default=text("3")),
    Column("progress", Double, nullable=False, server_default=text("0")),
    Column("progress_percent", SmallInteger, nullable=False, server_default=text("0")),
    Column("progress_message", Text),
    # Input before the run, result after it (R166, R171).
    Column("result_data", JSONB, nullable=False, server_default=text("'{}'")),
    Column("job_metadata", JSONB, nullable=False, server_default=text("'{}'")),
    Column("timeout_seconds", Integer),
    Column("cancel_requested", Boolean, nullable=False, server_default=text("false")),
    Column("created_by", Uuid, ForeignKey("users.id")),
    Column("created_at", Timestamp, nullable=False, server_default=func.now()),
    Column("updated_at", Timestamp, nullable=False, server_default=func.now()),
    *queue_parts("jobs"),
    CheckConstraint("status IS NOT NULL", name="status_not_null"),
    CheckConstraint("progress BETWEEN 0 AND 1", name="progress_range"),
    CheckConstraint("progress_percent BETWEEN 0 AND 100", name="progress_percent_range"),
    UniqueConstraint("job_id"),
    tenant_foreign_key("domain_id", "domains", cascade=True),
    Index("ix_jobs_domain_id", "domain_id", postgresql_where=text("domain_id IS NOT NULL")),
    Index("ix_jobs_created_at", "created_at"),
    *max_lengths(job_type=100, host=253, progress_message=1_000),
    **HIGH_CHURN_STORAGE,
)

# Operations: decisions of people over many rows, with count, progress and a way back.
operations = Table(
    "operations",
    metadata,
    id_column(),
    tenant_column(references=True),
    Column("table_name", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("filter", JSONB, nullable=False, server_default=text("'{}'")),
    Column("change", JSONB, nullable=False, server_default=text("'{}'")),
    Column("status", Text, nullable=False, server_default=text(f"'{statuses.OPERATION[0]}'")),
    Column("error", Text),
    Column("rows_expected", Integer, nullable=False, server_default=text("0")),
    Column("rows_done", Integer, nullable=False, server_default=text("0")),
    Column("rows_queued", Integer, nullable=False, server_default=text("0")),
    Column("cancel_requested", Boolean, nullable=False, server_default=text("false")),
    Column("finished_at", Timestamp),
    Column("undone_at", Timestamp),
    Column("created_by", Uuid, ForeignKey("users.id")),
    *timestamps(),
    one_of("status", statuses.OPERATION),
    tenant_key(),
    Index("ix_operations_created_at", "created_at"),
    *max_lengths(table_name=63, title=500, error=1_024),
)

# The undo journal: what each row was before an operation changed it.
operation_changes = Table(
    "operation_changes",
    metadata,
    tenant_column(),
    Column("operation_id", Uuid, primary_key=True),
    # Text, because some tables count their rows by numbers.
    Column("row_id", Text, primary_key=True),
    Column("before", JSONB, nullable=False),
    tenant_foreign_key("operation_id", "operations", cascade=True),
    *max_lengths(row_id=36),
)
