"""Jobs: work asked for by name, with input, progress and result; a number and a UUID each (R177)."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any
from uuid import UUID

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    ForeignKey,
    Identity,
    Index,
    SmallInteger,
    UniqueConstraint,
    func,
    text,
)
from sqlalchemy.orm import Mapped, mapped_column

from scrapersky.declarations import DISCOVER_SITEMAPS, RUN_JOB
from scrapersky.tables.ids import new_id
from scrapersky.tables.row import SERVER_ID, RootOfTenant, Row
from scrapersky.tables.rules import HIGH_CHURN_STORAGE, add_queue_indexes, lengths, queue_parts, same_tenant


class Job(RootOfTenant, Row):
    __tablename__ = "jobs"

    if TYPE_CHECKING:
        status: Mapped[str | None]
        error: Mapped[str | None]
        retry_count: Mapped[int]
        next_retry_at: Mapped[datetime]

    id: Mapped[int] = mapped_column(BigInteger, Identity(always=False), primary_key=True, sort_order=-3)
    job_id: Mapped[UUID] = mapped_column(default=new_id, server_default=SERVER_ID, sort_order=-2)
    job_type: Mapped[str]
    # The politeness key of a job that calls a stranger; empty for all others.
    host: Mapped[str] = mapped_column(server_default=text("''"))
    domain_id: Mapped[UUID | None]
    max_retries: Mapped[int] = mapped_column(server_default=text("3"))
    progress: Mapped[float] = mapped_column(server_default=text("0"))
    progress_percent: Mapped[int] = mapped_column(SmallInteger, server_default=text("0"))
    progress_message: Mapped[str | None]
    # Input before the run, result after it (R166, R171).
    result_data: Mapped[dict[str, Any]] = mapped_column(server_default=text("'{}'"))
    job_metadata: Mapped[dict[str, Any]] = mapped_column(server_default=text("'{}'"))
    timeout_seconds: Mapped[int | None]
    is_cancel_wanted: Mapped[bool] = mapped_column(server_default=text("false"))
    created_by: Mapped[UUID | None] = mapped_column(ForeignKey("users.id"))
    created_at: Mapped[datetime] = mapped_column(server_default=func.now(), sort_order=900)
    updated_at: Mapped[datetime] = mapped_column(server_default=func.now(), sort_order=901)

    __table_args__ = (
        *queue_parts(RUN_JOB, default=RUN_JOB.statuses.queued),
        CheckConstraint("status IS NOT NULL", name="status_given"),
        CheckConstraint("progress BETWEEN 0 AND 1", name="progress_range"),
        CheckConstraint("progress_percent BETWEEN 0 AND 100", name="progress_percent_range"),
        UniqueConstraint("job_id"),
        same_tenant("domain_id", "domains", cascade=True),
        Index("ix_jobs_domain_id", "domain_id", postgresql_where=text("domain_id IS NOT NULL")),
        Index("ix_jobs_created_at", "created_at"),
        *lengths(job_type=100, host=253, progress_message=1_000),
        HIGH_CHURN_STORAGE,
    )


add_queue_indexes(Job, DISCOVER_SITEMAPS, RUN_JOB)
