"""Days and times of schedules: missed runs count once, and the clocks of a zone are followed."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from scrapersky.actions.schedules.recurrence import Recurrence
from scrapersky.errors import InvalidInput

NOON = datetime(2026, 11, 18, 12, tzinfo=UTC)  # A Wednesday.


def test_the_first_run_is_at_the_next_such_time() -> None:
    assert Recurrence(3, "13:00").first(NOON) == NOON + timedelta(hours=1)
    assert Recurrence(3, "12:00").first(NOON) == NOON + timedelta(days=1)
    assert Recurrence(7, "06:00").first(NOON, weekday="monday") == datetime(2026, 11, 23, 6, tzinfo=UTC)
    assert Recurrence(7, "06:00").first(NOON, weekday="wednesday") == datetime(2026, 11, 25, 6, tzinfo=UTC)


@pytest.mark.parametrize("missed", [0, 1, 13, 14, 400])
def test_missed_runs_are_one_and_the_days_stay_the_same(missed: int) -> None:
    due = datetime(2026, 11, 16, 6, tzinfo=UTC)
    now = due + timedelta(days=missed, hours=1)
    following = Recurrence(7, "06:00").following(due, now)
    assert now < following <= now + timedelta(days=7)
    assert following.weekday() == due.weekday()


def test_the_clocks_of_the_zone_are_followed() -> None:
    berlin = Recurrence(1, "06:00", "Europe/Berlin")
    summer = datetime(2026, 10, 24, 4, tzinfo=UTC)
    assert berlin.following(summer, summer) == datetime(2026, 10, 25, 5, tzinfo=UTC)
    skipped = Recurrence(1, "02:30", "Europe/Berlin").first(datetime(2026, 3, 28, 12, tzinfo=UTC))
    assert skipped == datetime(2026, 3, 29, 1, 30, tzinfo=UTC), "03:30 by the clocks"
    twice = Recurrence(1, "02:30", "Europe/Berlin")
    first = twice.first(datetime(2026, 10, 24, 12, tzinfo=UTC))
    assert first == datetime(2026, 10, 25, 0, 30, tzinfo=UTC), "the first of the two"
    assert twice.following(first, first).day == 26


@pytest.mark.parametrize(
    ("days", "clock", "zone"),
    [(0, "06:00", "UTC"), (367, "06:00", "UTC"), (1, "24:00", "UTC"), (1, "6", "UTC"), (1, "06:00", "Mars/X"),
     (1, "06:00", "../etc/passwd"), (1, "06:00", "Europe")],
)  # fmt: skip
def test_what_no_calendar_has_is_refused(days: int, clock: str, zone: str) -> None:
    with pytest.raises(InvalidInput):
        Recurrence(days, clock, zone)


def test_a_weekday_needs_whole_weeks() -> None:
    with pytest.raises(InvalidInput, match="whole number of weeks"):
        Recurrence(10).first(NOON, weekday="monday")
    with pytest.raises(InvalidInput, match="Invalid weekday"):
        Recurrence(7).first(NOON, weekday="someday")
