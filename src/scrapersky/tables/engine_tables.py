"""What the engine keeps: hosts, workers, scheduler slots, paused stages and lost rows."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import ARRAY

from scrapersky.declarations import POLITE_DECLARATIONS, statuses
from scrapersky.tables import constraints
from scrapersky.tables.columns import Timestamp, metadata, tenant_column, timestamps

# Hosts: whose turn it is, how politely each is called, and what its robots.txt said. They have no tenant.
hosts = sa.Table(
    "hosts",
    metadata,
    sa.Column("host", sa.Text, primary_key=True),
    sa.Column(
        "next_allowed_at", Timestamp, nullable=False, server_default=sa.text("'1970-01-01 00:00:00+00'")
    ),
    sa.Column("delay_seconds", sa.Double, nullable=False, server_default=sa.text("0")),
    sa.Column("lease_seq", sa.Integer, nullable=False, server_default=sa.text("0")),
    sa.Column("worker", sa.Integer),
    sa.Column("consecutive_errors", sa.Integer, nullable=False, server_default=sa.text("0")),
    # Until when it is left alone after repeated errors; a person may end that. A pause it asked for is kept.
    sa.Column("backoff_until", Timestamp),
    sa.Column("backoff_reason", sa.Text),
    # Until when a person wants it left alone.
    sa.Column("paused_until", Timestamp),
    sa.Column("robots_txt", sa.Text),
    sa.Column("robots_status", sa.Text, nullable=False, server_default=sa.text("'unknown'")),
    sa.Column("robots_fetched_at", Timestamp),
    sa.Column("robots_error", sa.Text),
    sa.Column("robots_retry_at", Timestamp),
    # Since when rows of each polite stage are waiting for this host; NULL means that there are none.
    *(sa.Column(queue.waiting_since, Timestamp) for queue in POLITE_DECLARATIONS),
    sa.Column("created_at", Timestamp, nullable=False, server_default=sa.text("now()")),
    constraints.one_of("robots_status", statuses.ROBOTS),
    *(
        sa.Index(
            f"ix_hosts_{queue.waiting_since}",
            sa.text(f"GREATEST(next_allowed_at, {queue.waiting_since})"),
            postgresql_where=sa.text(f"{queue.waiting_since} IS NOT NULL"),
        )
        for queue in POLITE_DECLARATIONS
    ),
    *constraints.max_lengths(host=253, robots_txt=524_288, robots_error=1_024, backoff_reason=1_024),
    **constraints.HIGH_CHURN_STORAGE,
)

# Workers: each process that works, under a number that no other ever gets.
workers = sa.Table(
    "workers",
    metadata,
    sa.Column("id", sa.Integer, sa.Identity(always=True), primary_key=True),
    sa.Column("machine", sa.Text, nullable=False),
    sa.Column("pid", sa.Integer, nullable=False),
    sa.Column("stages", ARRAY(sa.Text), nullable=False, server_default=sa.text("'{}'")),
    # The jobs on its schedule that will run again, as of its last heartbeat.
    sa.Column("scheduled_jobs", ARRAY(sa.Text), nullable=False, server_default=sa.text("'{}'")),
    sa.Column("started_at", Timestamp, nullable=False, server_default=sa.func.now()),
    sa.Column("heartbeat_at", Timestamp, nullable=False, server_default=sa.func.now()),
    # The one claim that it runs with nothing else beside it, so that a crash is surely that row's.
    sa.Column("alone", sa.Text),
    *constraints.max_lengths(machine=255, alone=255),
)

# The last slot of each job that one machine of the fleet runs for all.
scheduler_slots = sa.Table(
    "scheduler_slots",
    metadata,
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("slot", sa.BigInteger, nullable=False),
    sa.Column("runs", sa.BigInteger, nullable=False, server_default=sa.text("1")),
    sa.Column("last_run_at", Timestamp, nullable=False),
    # The workers that have a run open, one entry for each run; only stages that run by intervals have any.
    sa.Column("running", ARRAY(sa.Integer), nullable=False, server_default=sa.text("'{}'")),
    *constraints.max_lengths(name=100),
)

# Which stages people have paused, and why.
stage_controls = sa.Table(
    "stage_controls",
    metadata,
    sa.Column("stage", sa.Text, primary_key=True),
    sa.Column("paused", sa.Boolean, nullable=False, server_default=sa.text("false")),
    sa.Column("reason", sa.Text),
    sa.Column("updated_by", sa.Uuid, sa.ForeignKey("users.id", ondelete="SET NULL")),
    sa.Column("updated_at", Timestamp, nullable=False, server_default=sa.func.now()),
    *constraints.max_lengths(stage=63, reason=1_024),
)

# Zombies: rows whose worker died or could not write their outcome; noted before they are recovered.
zombies = sa.Table(
    "zombies",
    metadata,
    sa.Column("id", sa.BigInteger, sa.Identity(always=False), primary_key=True),
    sa.Column("stage", sa.Text, nullable=False),
    sa.Column("table_name", sa.Text, nullable=False),
    sa.Column("row_id", sa.Text, nullable=False),
    # No foreign keys: the note outlives what it is about.
    sa.Column("tenant_id", sa.Uuid),
    sa.Column("worker", sa.Integer),
    sa.Column("crashes", sa.SmallInteger, nullable=False, server_default=sa.text("0")),
    sa.Column("reason", sa.Text, nullable=False),
    sa.Column("created_at", Timestamp, nullable=False, server_default=sa.func.now()),
    sa.Index("ix_zombies_stage_row_id", "stage", "row_id"),
    sa.Index("ix_zombies_created_at", "created_at"),
    *constraints.max_lengths(stage=63, table_name=63, row_id=36, reason=1_024),
)

# Failures: the traceback of each dead letter's last try, kept beside the row that failed.
failures = sa.Table(
    "failures",
    metadata,
    sa.Column("id", sa.BigInteger, sa.Identity(always=False), primary_key=True),
    # No foreign keys: the note outlives what it is about.
    sa.Column("tenant_id", sa.Uuid, nullable=False),
    sa.Column("stage", sa.Text, nullable=False),
    sa.Column("row_id", sa.Text, nullable=False),
    sa.Column("domain", sa.Text),
    sa.Column("error_class", sa.Text, nullable=False),
    sa.Column("reason", sa.Text, nullable=False),
    sa.Column("traceback", sa.Text, nullable=False),
    sa.Column("attempts", sa.SmallInteger, nullable=False),
    sa.Column("created_at", Timestamp, nullable=False, server_default=sa.func.now()),
    sa.UniqueConstraint("tenant_id", "stage", "row_id"),
    sa.Index("ix_failures_created_at", "created_at"),
    *constraints.max_lengths(
        stage=63, row_id=36, domain=253, error_class=200, reason=1_024, traceback=20_000
    ),
)

# Investigations: what people know about a dead letter, and who looks into it.
investigations = sa.Table(
    "investigations",
    metadata,
    tenant_column(references=True),
    sa.Column("stage", sa.Text, nullable=False),
    # No foreign keys: the note outlives the row and the user.
    sa.Column("row_id", sa.Text, nullable=False),
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("owner_id", sa.Uuid),
    sa.Column("note", sa.Text, nullable=False, server_default=sa.text("''")),
    *timestamps(),
    sa.PrimaryKeyConstraint("tenant_id", "stage", "row_id"),
    constraints.one_of("state", statuses.INVESTIGATION),
    *constraints.max_lengths(stage=63, row_id=36, note=4_000),
)
