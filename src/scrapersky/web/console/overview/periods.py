"""The periods that the overview and the report can show, and how finely each is cut."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from scrapersky.errors import InvalidInput
from scrapersky.queries.rows.overview import TimeSpan


@dataclass(frozen=True, slots=True)
class Period:
    """`step` cuts the sparklines and columns, `fine_step` the line of the throughput."""

    name: str
    short: str
    title: str
    step: timedelta
    steps: int
    fine_step: timedelta
    fine_steps: int
    # How the beginning of a step is written on an axis.
    mark: str

    @property
    def span(self) -> TimeSpan:
        return TimeSpan.until_now(self.step, self.steps)

    @property
    def fine_span(self) -> TimeSpan:
        return TimeSpan.until_now(self.fine_step, self.fine_steps)

    @property
    def length(self) -> timedelta:
        return self.step * self.steps

    @property
    def days(self) -> int:
        return max(self.length // timedelta(days=1), 1)


MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
PERIODS = {
    period.name: period
    for period in (
        Period("1h", "1 h", "Last hour", 5 * MINUTE, 12, MINUTE, 60, "%H:%M"),
        Period("24h", "24 h", "Last 24 hours", HOUR, 24, 10 * MINUTE, 144, "%H:%M"),
        Period("7d", "7 d", "Last 7 days", 6 * HOUR, 28, 2 * HOUR, 84, "%-d %b"),
        Period("30d", "30 d", "Last 30 days", DAY, 30, 6 * HOUR, 120, "%-d %b"),
    )
}
DEFAULT = "24h"


def get_period(name: str) -> Period:
    if name not in PERIODS:
        raise InvalidInput(f"Invalid period {name[:20]!r}; expected one of {', '.join(PERIODS)}")
    return PERIODS[name]
