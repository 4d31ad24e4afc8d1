"""Figures and alerts: statistics of stages, counts of rows, credits, alerts."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import ARRAY, JSONB

from scrapersky.declarations import statuses
from scrapersky.tables import constraints
from scrapersky.tables.columns import Timestamp, id_column, metadata, tenant_column, timestamps

# What each stage did in each minute, per worker, so that every machine sees the same figures.
stage_stats = sa.Table(
    "stage_stats",
    metadata,
    sa.Column("stage", sa.Text, primary_key=True),
    sa.Column("minute", Timestamp, primary_key=True),
    sa.Column("worker", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("done", sa.BigInteger, nullable=False, server_default=sa.text("0")),
    sa.Column("failed", sa.BigInteger, nullable=False, server_default=sa.text("0")),
    sa.Column("retried", sa.BigInteger, nullable=False, server_default=sa.text("0")),
    sa.Column("snoozed", sa.BigInteger, nullable=False, server_default=sa.text("0")),
    sa.Column("released", sa.BigInteger, nullable=False, server_default=sa.text("0")),
    sa.Column("lease_lost", sa.BigInteger, nullable=False, server_default=sa.text("0")),
    sa.Column("rescued", sa.BigInteger, nullable=False, server_default=sa.text("0")),
    sa.Column("rows_written", sa.BigInteger, nullable=False, server_default=sa.text("0")),
    sa.Column("ms_sum", sa.Double, nullable=False, server_default=sa.text("0")),
    sa.Column("ms_max", sa.Double, nullable=False, server_default=sa.text("0")),
    sa.Column("buckets", ARRAY(sa.BigInteger), nullable=False, server_default=sa.text("'{}'")),
    sa.Column("runs", sa.BigInteger, nullable=False, server_default=sa.text("0")),
    sa.Column("run_ms_sum", sa.Double, nullable=False, server_default=sa.text("0")),
    sa.Column("run_ms_max", sa.Double, nullable=False, server_default=sa.text("0")),
    sa.Column("run_ms_last", sa.Double, nullable=False, server_default=sa.text("0")),
    # How often each class of error happened, in failures, retries and what was put off.
    sa.Column("errors", JSONB, nullable=False, server_default=sa.text("'{}'")),
    # Rows that the safety net queued; written by the maintenance as worker 0.
    sa.Column("repaired", sa.BigInteger, nullable=False, server_default=sa.text("0")),
    # The length of the queue, in rows that the maintenance writes as worker 0.
    sa.Column("waiting", sa.BigInteger),
    sa.Index("ix_stage_stats_minute", "minute"),
    *constraints.max_lengths(stage=63),
)


# The same since the beginning, one row for each process that ever worked: sums that only grow, for metrics.
stage_totals = sa.Table(
    "stage_totals",
    metadata,
    sa.Column("stage", sa.Text, primary_key=True),
    sa.Column("worker", sa.Integer, primary_key=True, autoincrement=False),
    *(
        sa.Column(name, sa.BigInteger, nullable=False, server_default=sa.text("0"))
        for name in (
            "done",
            "failed",
            "retried",
            "snoozed",
            "released",
            "lease_lost",
            "rescued",
            "rows_written",
        )
    ),
    sa.Column("ms_sum", sa.Double, nullable=False, server_default=sa.text("0")),
    sa.Column("buckets", ARRAY(sa.BigInteger), nullable=False, server_default=sa.text("'{}'")),
    sa.Column("errors", JSONB, nullable=False, server_default=sa.text("'{}'")),
    # What functions count beside their outcome, such as fetches by class, and repairs of the safety net.
    sa.Column("tallies", JSONB, nullable=False, server_default=sa.text("'{}'")),
    *constraints.max_lengths(stage=63),
)


def errors_since(span: timedelta) -> Any:
    """How often each class of error happened, by stage, the most frequent first."""
    each = (
        sa.func.jsonb_each_text(stage_stats.c.errors)
        .table_valued("key", "value", name="each")
        .render_derived()
    )
    number = sa.func.sum(sa.cast(each.c.value, sa.BigInteger))
    return (
        sa.select(stage_stats.c.stage, each.c.key.label("error_class"), number.label("number"))
        .select_from(stage_stats)
        .join(each, sa.true())
        .where(stage_stats.c.minute > sa.func.now() - span)
        .group_by(stage_stats.c.stage, each.c.key)
        .order_by(stage_stats.c.stage, number.desc())
    )


# How many rows have which status: folded counts, and the changes since the last fold.
# Only the fold writes here, so no two writers ever meet on a counter.
row_counts = sa.Table(
    "row_counts",
    metadata,
    sa.Column("table_name", sa.Text, primary_key=True),
    sa.Column("tenant_id", sa.Uuid, primary_key=True),
    # The values of the table's facet columns, in the order of `counts.FACETS`.
    sa.Column("facets", ARRAY(sa.Text), primary_key=True),
    sa.Column("number", sa.BigInteger, nullable=False),
    postgresql_with={
        "fillfactor": 50,
        "autovacuum_vacuum_scale_factor": 0,
        "autovacuum_vacuum_threshold": 1_000,
    },
)

# Written by triggers alone and read whole: without a key or an index, an insert is as cheap as it can be.
row_count_changes = sa.Table(
    "row_count_changes",
    metadata,
    sa.Column("table_name", sa.Text, nullable=False),
    sa.Column("tenant_id", sa.Uuid, nullable=False),
    sa.Column("facets", ARRAY(sa.Text), nullable=False),
    sa.Column("number", sa.BigInteger, nullable=False),
    postgresql_with={"autovacuum_vacuum_scale_factor": 0, "autovacuum_vacuum_threshold": 5_000},
)

# Credits spent at paid services, by day and host; the row of the empty host is the day's total.
credits = sa.Table(
    "credits",
    metadata,
    sa.Column("day", sa.Date, primary_key=True),
    sa.Column("host", sa.Text, primary_key=True),
    sa.Column("spent", sa.Integer, nullable=False, server_default=sa.text("0")),
    *constraints.max_lengths(host=253),
)

# The same credits by tenant and by the job that spent them; 0 stands for work outside of jobs.
credit_uses = sa.Table(
    "credit_uses",
    metadata,
    tenant_column(references=True),
    sa.Column("day", sa.Date, nullable=False),
    sa.Column("domain", sa.Text, nullable=False),
    # No foreign key: the figure outlives the job.
    sa.Column("job_id", sa.BigInteger, nullable=False, server_default=sa.text("0")),
    sa.Column("spent", sa.Integer, nullable=False, server_default=sa.text("0")),
    sa.PrimaryKeyConstraint("tenant_id", "day", "domain", "job_id"),
    *constraints.max_lengths(domain=253),
)

# Calls of paid services that have a daily cap.
daily_calls = sa.Table(
    "daily_calls",
    metadata,
    sa.Column("service", sa.Text, primary_key=True),
    sa.Column("day", sa.Date, primary_key=True),
    sa.Column("calls", sa.Integer, nullable=False),
    *constraints.max_lengths(service=50),
)

# Alerts: what is wrong now and what was; one open alert per matter.
alerts = sa.Table(
    "alerts",
    metadata,
    id_column(),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("subject", sa.Text, nullable=False, server_default=sa.text("''")),
    sa.Column("severity", sa.Text, nullable=False, server_default=sa.text("'error'")),
    sa.Column("message", sa.Text, nullable=False),
    sa.Column("details", JSONB, nullable=False, server_default=sa.text("'{}'")),
    sa.Column("occurrences", sa.Integer, nullable=False, server_default=sa.text("1")),
    sa.Column("last_raised_at", Timestamp, nullable=False, server_default=sa.func.now()),
    sa.Column("notified_at", Timestamp),
    sa.Column("notifications", JSONB, nullable=False, server_default=sa.text("'{}'")),
    sa.Column("resolved_at", Timestamp),
    # Who has seen it; it stays open until it is over.
    sa.Column("acknowledged_at", Timestamp),
    sa.Column("acknowledged_by", sa.Uuid, sa.ForeignKey("users.id", ondelete="SET NULL")),
    *timestamps(),
    constraints.one_of("severity", statuses.SEVERITY),
    sa.Index(
        "uq_alerts_open", "kind", "subject", unique=True, postgresql_where=sa.text("resolved_at IS NULL")
    ),
    sa.Index("ix_alerts_created_at", "created_at"),
    sa.Index("ix_alerts_acknowledged_by", "acknowledged_by"),
    *constraints.max_lengths(kind=100, subject=300, message=4_000),
)
