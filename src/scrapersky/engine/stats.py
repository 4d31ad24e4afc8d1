"""What each stage did, per minute: counted in memory, written to the database for everybody to see."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from time import monotonic
from typing import Any

from sqlalchemy import Table
from sqlalchemy.dialects.postgresql import insert

KINDS = ("done", "failed", "retried", "snoozed", "released", "lease_lost", "rescued", "rows_written")
# Upper edges in milliseconds; the last bucket is open.
BUCKETS = (1, 3, 10, 30, 100, 300, 1_000, 3_000, 10_000, 30_000)


class DatabaseClock:
    """The database's clock as of its last answer, and what has passed here since; it never goes back."""

    def __init__(self) -> None:
        self._answer, self._heard_at = datetime.now(UTC), monotonic()
        self._latest = datetime.min.replace(tzinfo=UTC)

    def set(self, now: datetime) -> None:
        self._answer, self._heard_at = now, monotonic()

    def minute(self) -> datetime:
        # A minute that was written and is over must not be begun again: it would replace what was written.
        now = self._answer + timedelta(seconds=monotonic() - self._heard_at)
        self._latest = max(self._latest, now.replace(second=0, microsecond=0))
        return self._latest


@dataclass(slots=True)
class Minute:
    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(KINDS, 0))
    ms_sum: float = 0.0
    ms_max: float = 0.0
    buckets: list[int] = field(default_factory=lambda: [0] * (len(BUCKETS) + 1))
    runs: int = 0
    run_ms_sum: float = 0.0
    run_ms_max: float = 0.0
    run_ms_last: float = 0.0
    errors: Counter[str] = field(default_factory=Counter)


class Stats:
    """One stage's counters in this process; a minute is written whole, so writing it twice is harmless."""

    def __init__(self, stage: str, clock: DatabaseClock) -> None:
        self.stage, self.clock = stage, clock
        self.totals = dict.fromkeys(KINDS, 0)
        self._minutes: dict[datetime, Minute] = {}

    def _now(self) -> Minute:
        return self._minutes.setdefault(self.clock.minute(), Minute())

    def count(self, kind: str, *, by: int = 1) -> None:
        self.totals[kind] += by
        self._now().counts[kind] += by

    def items(self, kinds: dict[str, int], spans: list[float], errors: Iterable[str] = ()) -> None:
        """Count a flushed batch: how many of each kind, how long each took (ms), and the error classes."""
        minute = self._now()
        minute.errors.update(errors)
        for kind, by in kinds.items():
            self.totals[kind] += by
            minute.counts[kind] += by
        for ms in spans:
            minute.ms_sum += ms
            minute.ms_max = max(minute.ms_max, ms)
            minute.buckets[bisect_left(BUCKETS, ms)] += 1

    def mean_ms(self) -> float:
        """How long an item takes on average, of late."""
        minutes = [minute for minute in self._minutes.values() if sum(minute.buckets)]
        return sum(m.ms_sum for m in minutes) / sum(sum(m.buckets) for m in minutes) if minutes else 0.0

    def run(self, ms: float) -> None:
        minute = self._now()
        minute.runs += 1
        minute.run_ms_sum += ms
        minute.run_ms_max = max(minute.run_ms_max, ms)
        minute.run_ms_last = ms

    def rows(self, worker: int) -> list[dict[str, Any]]:
        """The minutes to write; they are kept until `forget` says that they were written."""
        return [self._row(minute, at, worker) for at, minute in self._minutes.items()]

    def forget(self, rows: list[dict[str, Any]]) -> None:
        """Drop the written minutes that are over."""
        now = self.clock.minute()
        written = {row["minute"] for row in rows if row["stage"] == self.stage}
        self._minutes = {at: m for at, m in self._minutes.items() if at >= now or at not in written}

    def _row(self, minute: Minute, at: datetime, worker: int) -> dict[str, Any]:
        spans = {name: getattr(minute, name) for name in ("ms_sum", "ms_max", "buckets", "errors")}
        runs = {name: getattr(minute, name) for name in ("runs", "run_ms_sum", "run_ms_max", "run_ms_last")}
        return {"stage": self.stage, "minute": at, "worker": worker, **minute.counts, **spans, **runs}


def save_stats(table: Table) -> Any:
    """Write whole minutes; only this worker writes under its number, so the newest version stands."""
    statement = insert(table)
    keys = ("stage", "minute", "worker")
    names = [column.name for column in table.c if column.name not in keys]
    known = {
        *KINDS,
        "ms_sum",
        "ms_max",
        "buckets",
        "errors",
        "runs",
        "run_ms_sum",
        "run_ms_max",
        "run_ms_last",
    }
    newest = {name: statement.excluded[name] for name in names if name in known}
    return statement.on_conflict_do_update(index_elements=list(keys), set_=newest)
