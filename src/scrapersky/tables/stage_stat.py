"""What each stage did in each minute, per worker, so that every machine sees the same figures."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import BigInteger, Index, cast, func, select, text, true
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import Mapped, mapped_column

from scrapersky.tables.row import Row
from scrapersky.tables.rules import lengths

NOUGHT = text("0")


class StageStat(Row):
    __tablename__ = "stage_stats"

    stage: Mapped[str] = mapped_column(primary_key=True)
    minute: Mapped[datetime] = mapped_column(primary_key=True)
    worker: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    done: Mapped[int] = mapped_column(BigInteger, server_default=NOUGHT)
    failed: Mapped[int] = mapped_column(BigInteger, server_default=NOUGHT)
    retried: Mapped[int] = mapped_column(BigInteger, server_default=NOUGHT)
    later: Mapped[int] = mapped_column(BigInteger, server_default=NOUGHT)
    given_back: Mapped[int] = mapped_column(BigInteger, server_default=NOUGHT)
    lease_lost: Mapped[int] = mapped_column(BigInteger, server_default=NOUGHT)
    rescued: Mapped[int] = mapped_column(BigInteger, server_default=NOUGHT)
    rows_out: Mapped[int] = mapped_column(BigInteger, server_default=NOUGHT)
    ms_sum: Mapped[float] = mapped_column(server_default=NOUGHT)
    ms_max: Mapped[float] = mapped_column(server_default=NOUGHT)
    buckets: Mapped[list[int]] = mapped_column(ARRAY(BigInteger), server_default=text("'{}'"))
    runs: Mapped[int] = mapped_column(BigInteger, server_default=NOUGHT)
    run_ms_sum: Mapped[float] = mapped_column(server_default=NOUGHT)
    run_ms_max: Mapped[float] = mapped_column(server_default=NOUGHT)
    run_ms_last: Mapped[float] = mapped_column(server_default=NOUGHT)
    # How often each class of error happened, in failures, retries and what was put off.
    errors: Mapped[dict[str, Any]] = mapped_column(server_default=text("'{}'"))
    # Rows that the safety net queued; written by the maintenance as worker 0.
    repaired: Mapped[int] = mapped_column(BigInteger, server_default=NOUGHT)
    # The length of the queue, in rows that the upkeep writes as worker 0.
    waiting: Mapped[int | None] = mapped_column(BigInteger)

    __table_args__ = (Index("ix_stage_stats_minute", "minute"), *lengths(stage=63))


def errors_since(span: timedelta) -> Any:
    """How often each class of error happened, by stage, the most frequent first."""
    each = func.jsonb_each_text(StageStat.errors).table_valued("key", "value", name="each").render_derived()
    number = func.sum(cast(each.c.value, BigInteger))
    return (
        select(StageStat.stage, each.c.key.label("error_class"), number.label("number"))
        .select_from(StageStat)
        .join(each, true())
        .where(StageStat.minute > func.now() - span)
        .group_by(StageStat.stage, each.c.key)
        .order_by(StageStat.stage, number.desc())
    )
