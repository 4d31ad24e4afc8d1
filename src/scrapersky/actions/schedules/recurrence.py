"""When a schedule runs: every so many days at a time of day, by the clocks of a time zone.

A time that the clocks skip in spring is taken an hour later, and one that they show twice in autumn the
first time. The days are counted from the first run, so that a late run does not move those after it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from zoneinfo import ZoneInfo

from scrapersky.errors import InvalidInput

WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
MAX_DAYS = 366
TIME_OF_DAY = re.compile(r"([01]\d|2[0-3]):[0-5]\d", re.ASCII)
ZONE_NAME = re.compile(r"[A-Za-z][\w+\-]*(/[\w+\-]+)*", re.ASCII)


@dataclass(frozen=True, slots=True)
class Recurrence:
    """Raises InvalidInput for what no calendar or clock has."""

    every_days: int
    time_of_day: str = "06:00"
    time_zone: str = "UTC"

    def __post_init__(self) -> None:
        if not 1 <= self.every_days <= MAX_DAYS:
            raise InvalidInput(f"Invalid number of days {self.every_days:,}; expected 1 to {MAX_DAYS}")
        if not TIME_OF_DAY.fullmatch(self.time_of_day):
            raise InvalidInput(f"Invalid time of day {self.time_of_day[:20]!r}; expected HH:MM")
        read_zone(self.time_zone)

    def first(self, now: datetime, *, weekday: str | None = None) -> datetime:
        """The first run after now: on the weekday, or at the next such time of day."""
        day = now.astimezone(read_zone(self.time_zone)).date()
        if weekday is None:
            step = 1
        else:
            if weekday not in WEEKDAYS:
                raise InvalidInput(f"Invalid weekday {weekday[:20]!r}; expected one of {', '.join(WEEKDAYS)}")
            if self.every_days % 7:
                raise InvalidInput("A weekday needs a whole number of weeks: 7, 14, 21, … days")
            day += timedelta(days=(WEEKDAYS.index(weekday) - day.weekday()) % 7)
            step = 7
        while self._at(day) <= now:
            day += timedelta(days=step)
        return self._at(day)

    def following(self, due: datetime, now: datetime) -> datetime:
        """The run after the one that was due: the next that is not over, however many were missed."""
        zone, step = read_zone(self.time_zone), timedelta(days=self.every_days)
        day = due.astimezone(zone).date()
        behind = (now.astimezone(zone).date() - day).days
        day += max(1, behind // self.every_days) * step
        while self._at(day) <= now:
            day += step
        return self._at(day)

    def describe(self, due: datetime) -> str:
        """In words, such as "every Monday at 06:00 (UTC)"."""
        weekday = WEEKDAYS[due.astimezone(read_zone(self.time_zone)).weekday()].capitalize()
        days = {1: "every day", 7: f"every {weekday}"}.get(self.every_days, f"every {self.every_days} days")
        return f"{days} at {self.time_of_day} ({self.time_zone})"

    def _at(self, day: date) -> datetime:
        clock = time.fromisoformat(self.time_of_day)
        return datetime.combine(day, clock, read_zone(self.time_zone)).astimezone(UTC)


def read_zone(name: str) -> tzinfo:
    """The time zone of this name, from the data of the system."""
    if name == "UTC":
        return UTC
    try:
        if ZONE_NAME.fullmatch(name):
            return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        pass
    raise InvalidInput(f"Unknown time zone {name[:64]!r}; expected a name such as Europe/Berlin")
