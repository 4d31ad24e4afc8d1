"""Figures and alerts: statistics of stages, counts of rows, credits, alerts."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from sqlalchemy import (
    BigInteger,
    Column,
    Date,
    Double,
    Index,
    Integer,
    Table,
    Text,
    Uuid,
    cast,
    func,
    select,
    text,
    true,
)
from sqlalchemy.dialects.postgresql import ARRAY, JSONB

from scrapersky.declarations import statuses
from scrapersky.tables.columns import Timestamp, id_column, metadata, timestamps
from scrapersky.tables.constraints import max_lengths, one_of

# What each stage did in each minute, per worker, so that every machine sees the same figures.
stage_stats = Table(
    "stage_stats",
    metadata,
    Column("stage", Text, primary_key=True),
    Column("minute", Timestamp, primary_key=True),
    Column("worker", Integer, primary_key=True, autoincrement=False),
    Column("done", BigInteger, nullable=False, server_default=text("0")),
    Column("failed", BigInteger, nullable=False, server_default=text("0")),
    Column("retried", BigInteger, nullable=False, server_default=text("0")),
    Column("snoozed", BigInteger, nullable=False, server_default=text("0")),
    Column("released", BigInteger, nullable=False, server_default=text("0")),
    Column("lease_lost", BigInteger, nullable=False, server_default=text("0")),
    Column("rescued", BigInteger, nullable=False, server_default=text("0")),
    Column("rows_written", BigInteger, nullable=False, server_default=text("0")),
    Column("ms_sum", Double, nullable=False, server_default=text("0")),
    Column("ms_max", Double, nullable=False, server_default=text("0")),
    Column("buckets", ARRAY(BigInteger), nullable=False, server_default=text("'{}'")),
    Column("runs", BigInteger, nullable=False, server_default=text("0")),
    Column("run_ms_sum", Double, nullable=False, server_default=text("0")),
    Column("run_ms_max", Double, nullable=False, server_default=text("0")),
    Column("run_ms_last", Double, nullable=False, server_default=text("0")),
    # How often each class of error happened, in failures, retries and what was put off.
    Column("errors", JSONB, nullable=False, server_default=text("'{}'")),
    # Rows that the safety net queued; written by the maintenance as worker 0.
    Column("repaired", BigInteger, nullable=False, server_default=text("0")),
    # The length of the queue, in rows that the maintenance writes as worker 0.
    Column("waiting", BigInteger),
    Index("ix_stage_stats_minute", "minute"),
    *max_lengths(stage=63),
)


def errors_since(span: timedelta) -> Any:
    """How often each class of error happened, by stage, the most frequent first."""
    each = (
        func.jsonb_each_text(stage_stats.c.errors).table_valued("key", "value", name="each").render_derived()
    )
    number = func.sum(cast(each.c.value, BigInteger))
    return (
        select(stage_stats.c.stage, each.c.key.label("error_class"), number.label("number"))
        .select_from(stage_stats)
        .join(each, true())
        .where(stage_stats.c.minute > func.now() - span)
        .group_by(stage_stats.c.stage, each.c.key)
        .order_by(stage_stats.c.stage, number.desc())
    )


# How many rows have which status: folded counts, and the changes since the last fold.
# Only the fold writes here, so no two writers ever meet on a counter.
row_counts = Table(
    "row_counts",
    metadata,
    Column("table_name", Text, primary_key=True),
    Column("tenant_id", Uuid, primary_key=True),
    # The values of the table's facet columns, in the order of `counts.FACETS`.
    Column("facets", ARRAY(Text), primary_key=True),
    Column("number", BigInteger, nullable=False),
    postgresql_with={
        "fillfactor": 50,
        "autovacuum_vacuum_scale_factor": 0,
        "autovacuum_vacuum_threshold": 1_000,
    },
)

# Written by triggers alone and read whole: without a key or an index, an insert is as cheap as it can be.
row_count_changes = Table(
    "row_count_changes",
    metadata,
    Column("table_name", Text, nullable=False),
    Column("tenant_id", Uuid, nullable=False),
    Column("facets", ARRAY(Text), nullable=False),
    Column("number", BigInteger, nullable=False),
    postgresql_with={"autovacuum_vacuum_scale_factor": 0, "autovacuum_vacuum_threshold": 5_000},
)

# Credits spent at paid services, by day and host; the row of the empty host is the day's total.
credits = Table(
    "credits",
    metadata,
    Column("day", Date, primary_key=True),
    Column("host", Text, primary_key=True),
    Column("spent", Integer, nullable=False, server_default=text("0")),
    *max_lengths(host=253),
)

# Alerts: what is wrong now and what was; one open alert per matter.
alerts = Table(
    "alerts",
    metadata,
    id_column(),
    Column("kind", Text, nullable=False),
    Column("subject", Text, nullable=False, server_default=text("''")),
    Column("severity", Text, nullable=False, server_default=text("'error'")),
    Column("message", Text, nullable=False),
    Column("details", JSONB, nullable=False, server_default=text("'{}'")),
    Column("occurrences", Integer, nullable=False, server_default=text("1")),
    Column("last_raised_at", Timestamp, nullable=False, server_default=func.now()),
    Column("notified_at", Timestamp),
    Column("notifications", JSONB, nullable=False, server_default=text("'{}'")),
    Column("resolved_at", Timestamp),
    *timestamps(),
    one_of("severity", statuses.SEVERITY),
    Index("uq_alerts_open", "kind", "subject", unique=True, postgresql_where=text("resolved_at IS NULL")),
    Index("ix_alerts_created_at", "created_at"),
    *max_lengths(kind=100, subject=300, message=4_000),
)
