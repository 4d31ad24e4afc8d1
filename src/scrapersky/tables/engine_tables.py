"""What the engine keeps: hosts, workers, schedules, paused stages and lost rows."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
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
from sqlalchemy.dialects.postgresql import ARRAY

from scrapersky.declarations import POLITE_DECLARATIONS, statuses
from scrapersky.tables.columns import Timestamp, metadata
from scrapersky.tables.constraints import HIGH_CHURN_STORAGE, max_lengths, one_of

# Hosts: whose turn it is, how politely each is called, and what its robots.txt said. They have no tenant.
hosts = Table(
    "hosts",
    metadata,
    Column("host", Text, primary_key=True),
    Column("next_allowed_at", Timestamp, nullable=False, server_default=text("'1970-01-01 00:00:00+00'")),
    Column("delay_seconds", Double, nullable=False, server_default=text("0")),
    Column("lease_seq", Integer, nullable=False, server_default=text("0")),
    Column("worker", Integer),
    Column("consecutive_errors", Integer, nullable=False, server_default=text("0")),
    # Until when it is left alone after repeated errors; a person may end that. A pause it asked for is kept.
    Column("backoff_until", Timestamp),
    Column("backoff_reason", Text),
    Column("robots_txt", Text),
    Column("robots_status", Text, nullable=False, server_default=text("'unknown'")),
    Column("robots_fetched_at", Timestamp),
    Column("robots_error", Text),
    Column("robots_retry_at", Timestamp),
    # Since when rows of each polite stage are waiting for this host; NULL means that there are none.
    *(Column(queue.waiting_since, Timestamp) for queue in POLITE_DECLARATIONS),
    Column("created_at", Timestamp, nullable=False, server_default=text("now()")),
    one_of("robots_status", statuses.ROBOTS),
    *(
        Index(
            f"ix_hosts_{queue.waiting_since}",
            text(f"GREATEST(next_allowed_at, {queue.waiting_since})"),
            postgresql_where=text(f"{queue.waiting_since} IS NOT NULL"),
        )
        for queue in POLITE_DECLARATIONS
    ),
    *max_lengths(host=253, robots_txt=524_288, robots_error=1_024, backoff_reason=1_024),
    **HIGH_CHURN_STORAGE,
)

# Workers: each process that works, under a number that no other ever gets.
workers = Table(
    "workers",
    metadata,
    Column("id", Integer, Identity(always=True), primary_key=True),
    Column("machine", Text, nullable=False),
    Column("pid", Integer, nullable=False),
    Column("stages", ARRAY(Text), nullable=False, server_default=text("'{}'")),
    Column("started_at", Timestamp, nullable=False, server_default=func.now()),
    Column("heartbeat_at", Timestamp, nullable=False, server_default=func.now()),
    # The one claim that it runs with nothing else beside it, so that a crash is surely that row's.
    Column("alone", Text),
    *max_lengths(machine=255, alone=255),
)

# Schedules: the last slot of each job that one machine of the fleet runs for all.
schedules = Table(
    "schedules",
    metadata,
    Column("name", Text, primary_key=True),
    Column("slot", BigInteger, nullable=False),
    Column("runs", BigInteger, nullable=False, server_default=text("1")),
    Column("last_run_at", Timestamp, nullable=False),
    # The workers that have a run open, one entry for each run; only stages that run by intervals have any.
    Column("running", ARRAY(Integer), nullable=False, server_default=text("'{}'")),
    *max_lengths(name=100),
)

# Which stages people have paused, and why.
stage_controls = Table(
    "stage_controls",
    metadata,
    Column("stage", Text, primary_key=True),
    Column("paused", Boolean, nullable=False, server_default=text("false")),
    Column("reason", Text),
    Column("updated_by", Uuid, ForeignKey("users.id", ondelete="SET NULL")),
    Column("updated_at", Timestamp, nullable=False, server_default=func.now()),
    *max_lengths(stage=63, reason=1_024),
)

# Zombies: rows whose worker died or could not write their outcome; noted before they are recovered.
zombies = Table(
    "zombies",
    metadata,
    Column("id", BigInteger, Identity(always=False), primary_key=True),
    Column("stage", Text, nullable=False),
    Column("table_name", Text, nullable=False),
    Column("row_id", Text, nullable=False),
    # No foreign keys: the note outlives what it is about.
    Column("tenant_id", Uuid),
    Column("worker", Integer),
    Column("crashes", SmallInteger, nullable=False, server_default=text("0")),
    Column("reason", Text, nullable=False),
    Column("created_at", Timestamp, nullable=False, server_default=func.now()),
    Index("ix_zombies_stage_row_id", "stage", "row_id"),
    Index("ix_zombies_created_at", "created_at"),
    *max_lengths(stage=63, table_name=63, row_id=36, reason=1_024),
)

# Failures: the traceback of each dead letter's last try, kept beside the row that failed.
failures = Table(
    "failures",
    metadata,
    Column("id", BigInteger, Identity(always=False), primary_key=True),
    # No foreign keys: the note outlives what it is about.
    Column("tenant_id", Uuid, nullable=False),
    Column("stage", Text, nullable=False),
    Column("row_id", Text, nullable=False),
    Column("domain", Text),
    Column("error_class", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("traceback", Text, nullable=False),
    Column("attempts", SmallInteger, nullable=False),
    Column("created_at", Timestamp, nullable=False, server_default=func.now()),
    UniqueConstraint("tenant_id", "stage", "row_id"),
    Index("ix_failures_created_at", "created_at"),
    *max_lengths(stage=63, row_id=36, domain=253, error_class=200, reason=1_024, traceback=20_000),
)
