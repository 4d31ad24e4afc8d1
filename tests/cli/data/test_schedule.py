"""Schedules from the command line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from click.testing import Result

Sky = Callable[..., Result]
Told = Callable[..., Any]


def test_a_schedule_is_added_paused_run_and_deleted(sky: Sky, told: Told) -> None:
    told("view", "add", "Logins", "page", "--param", "page_type=login")
    schedule_id = told("schedule", "add", "Weekly", "crawl", "--every", "7", "--view", "Logins")["id"]
    assert told("schedule", "list")["about"] == "read the pages of the view Logins again"
    assert sky("schedule", "pause", schedule_id).exit_code == 0
    assert told("schedule", "list")["is_enabled"] is False
    assert sky("schedule", "resume", schedule_id).exit_code == 0
    assert sky("schedule", "run", schedule_id).exit_code == 0
    assert told("schedule", "list")["last_outcome"] == "started"
    assert sky("schedule", "run", schedule_id).exit_code == 7, "the first run is open"
    assert sky("schedule", "add", "Other", "crawl", "--every", "7", "--view", "None such").exit_code == 3
    assert sky("schedule", "delete", schedule_id).exit_code == 0
    assert sky("schedule", "delete", schedule_id).exit_code == 3
