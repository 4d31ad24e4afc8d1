"""What each stage did: counted per minute and written to the database, and one log line for each item."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from time import monotonic
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from scrapersky.engine.claims import Claim

KINDS = ("done", "failed", "retried", "snoozed", "released", "lease_lost", "rescued", "rows_written")
# Upper edges in milliseconds; the last bucket is open.
BUCKETS = (1, 3, 10, 30, 100, 300, 1_000, 3_000, 10_000, 30_000)
# A retry is a warning, a permanent failure an error; everything else is as it should be.
LEVELS = {"failed": "error", "retried": "warning", "lease_lost": "warning"}

COLUMNS = dict.fromkeys(KINDS, "bigint") | {
    "ms_sum": "float8",
    "ms_max": "float8",
    "buckets": "bigint[]",
    "errors": "jsonb",
    "runs": "bigint",
    "run_ms_sum": "float8",
    "run_ms_max": "float8",
    "run_ms_last": "float8",
}
# Whole minutes: only this worker writes under its number, so the newest version replaces the older one.
SAVE_STATS = """
INSERT INTO stage_stats (stage, minute, worker, {columns})
SELECT stage, minute, worker, {columns}
FROM jsonb_to_recordset(:rows::text::jsonb) AS v (stage text, minute timestamptz, worker int, {types})
ON CONFLICT (stage, minute, worker) DO UPDATE SET {assignments}""".format(
    columns=", ".join(COLUMNS),
    types=", ".join(f"{name} {kind}" for name, kind in COLUMNS.items()),
    assignments=", ".join(f"{name} = excluded.{name}" for name in COLUMNS),
)


# The same since the process started; what ended processes wrote stays, so the sums only grow.
TOTAL_COLUMNS = dict.fromkeys(KINDS, "bigint") | {
    "ms_sum": "float8",
    "buckets": "bigint[]",
    "errors": "jsonb",
    "tallies": "jsonb",
}
SAVE_TOTALS = """
INSERT INTO stage_totals (stage, worker, {columns})
SELECT stage, worker, {columns}
FROM jsonb_to_recordset(:rows::text::jsonb) AS v (stage text, worker int, {types})
ON CONFLICT (stage, worker) DO UPDATE SET {assignments}""".format(
    columns=", ".join(TOTAL_COLUMNS),
    types=", ".join(f"{name} {kind}" for name, kind in TOTAL_COLUMNS.items()),
    assignments=", ".join(f"{name} = excluded.{name}" for name in TOTAL_COLUMNS),
)


class DatabaseClock:
    """The database's clock: its last answer plus the time that has passed here since; it never goes back."""

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
        self._lifetime = Minute()
        self._tallies: Counter[str] = Counter()

    def _now(self) -> Minute:
        return self._minutes.setdefault(self.clock.minute(), Minute())

    def count(self, kind: str, *, by: int = 1) -> None:
        self.totals[kind] += by
        self._now().counts[kind] += by

    def items(
        self,
        kinds: dict[str, int],
        spans: list[float],
        errors: Iterable[str] = (),
        tallies: Iterable[Mapping[str, int]] = (),
    ) -> None:
        """Count a flushed batch: how many of each kind, how long each took (ms), errors and other figures."""
        minute, lifetime = self._now(), self._lifetime
        for error in errors:
            minute.errors[error] += 1
            lifetime.errors[error] += 1
        for kind, by in kinds.items():
            self.totals[kind] += by
            minute.counts[kind] += by
        for ms in spans:
            place = bisect_left(BUCKETS, ms)
            minute.ms_sum += ms
            minute.ms_max = max(minute.ms_max, ms)
            minute.buckets[place] += 1
            lifetime.ms_sum += ms
            lifetime.buckets[place] += 1
        for numbers in tallies:
            self._tallies.update(numbers)

    def mean_ms(self) -> float:
        """How long an item took on average in the last minutes."""
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

    def total_row(self, worker: int) -> dict[str, Any]:
        """What was counted since the process started."""
        figures = {"ms_sum": self._lifetime.ms_sum, "buckets": self._lifetime.buckets}
        figures |= {"errors": self._lifetime.errors, "tallies": self._tallies}
        return {"stage": self.stage, "worker": worker, **self.totals, **figures}

    def forget(self, rows: list[dict[str, Any]]) -> None:
        """Drop the written minutes that are over."""
        now = self.clock.minute()
        written = {row["minute"] for row in rows if row["stage"] == self.stage}
        self._minutes = {at: m for at, m in self._minutes.items() if at >= now or at not in written}

    def _row(self, minute: Minute, at: datetime, worker: int) -> dict[str, Any]:
        figures = {name: getattr(minute, name) for name in COLUMNS if name not in KINDS}
        return {"stage": self.stage, "minute": at, "worker": worker, **minute.counts, **figures}


def item_line(stage: str, claim: Claim, kind: str) -> dict[str, Any]:
    """What the log says about one item."""
    item, outcome = claim.item, claim.outcome
    line = {"event": "item_processed", "stage": stage, "id": item.id, "state": kind, "attempt": item.attempt}
    line["ms"] = round(claim.ms, 2)
    if item.host:
        line["domain"] = item.host
    if item.correlation_id:
        line["correlation_id"] = item.correlation_id
    if kind in LEVELS:
        line["level"] = LEVELS[kind]
    if outcome.reason:
        line |= {"error": outcome.reason, "class": outcome.error_class}
    if kind == "failed" and outcome.traceback:
        line["trace"] = outcome.traceback
    return line
