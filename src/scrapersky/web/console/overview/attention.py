"""What needs a person now: alerts, stuck jobs, dead letters, and the biggest heaps to decide about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from scrapersky.api.caller import Caller
from scrapersky.api.installation import is_of_installation
from scrapersky.declarations import STAGE_TITLES
from scrapersky.log import pluralize
from scrapersky.queries import AlertQuery, JobQuery
from scrapersky.queries.stages import StageStatus
from scrapersky.web.console.console import Console
from scrapersky.web.console.lists.list_views import VIEWS
from scrapersky.web.console.navigation import LISTS
from scrapersky.web.html import show_number

MAX_ALERTS, MAX_HEAPS = 3, 3


@dataclass(frozen=True, slots=True)
class Matter:
    """One line: a mark in a tone, what is the matter, and the one button that leads to it."""

    tone: str
    mark: str
    text: str
    href: str
    action: str


async def find_matters(
    caller: Caller, console: Console, stages: Sequence[StageStatus], to_review: Mapping[str, int]
) -> list[Matter]:
    return [
        *await _alerts(caller, console),
        *await _stuck_jobs(caller, console),
        *_idle(stages),
        *_dead_letters(stages),
        *_heaps(to_review),
    ]


async def _alerts(caller: Caller, console: Console) -> list[Matter]:
    """Alerts concern the installation, so only the people of the default tenant see them."""
    if not is_of_installation(caller, console.api):
        return []
    rows = await AlertQuery(caller.engine).newest(state="open")
    rows.sort(key=lambda row: (row["severity"] != "error", row["acknowledged_at"] is not None))
    return [_alert(row) for row in rows[:MAX_ALERTS]]


def _alert(row: dict[str, Any]) -> Matter:
    is_error = row["severity"] == "error"
    return Matter(
        "bad" if is_error else "warn",
        "Error" if is_error else "Warning",
        row["message"],
        "/system#alerts",
        "Look",
    )


async def _stuck_jobs(caller: Caller, console: Console) -> list[Matter]:
    settings = console.api.settings
    limits = settings.job_stuck_pending_minutes, settings.job_stuck_running_minutes
    jobs = JobQuery(caller.engine, caller.actor.tenant_id)
    number = len(await jobs.stuck(*(timedelta(minutes=minutes) for minutes in limits)))
    if not number:
        return []
    text = f"{pluralize(number, 'job')} waiting or running for too long"
    return [Matter("warn", f"{show_number(number)} stuck", text, "/jobs?stuck=true", "Look")]


def _idle(stages: Sequence[StageStatus]) -> list[Matter]:
    """Rows that wait while nobody works."""
    waiting = sum(stage.waiting for stage in stages)
    if not waiting or any(stage.workers for stage in stages):
        return []
    return [
        Matter("bad", "Stopped", f"No worker is running; {show_number(waiting)} rows wait", "/system", "Look")
    ]


def _dead_letters(stages: Sequence[StageStatus]) -> list[Matter]:
    failed = sorted((stage for stage in stages if stage.failed), key=lambda stage: -stage.failed)
    if not failed:
        return []
    number, first = sum(stage.failed for stage in failed), failed[0]
    href = f"/dead-letters?stage={first.stage}" if len(failed) == 1 else "/dead-letters"
    where = STAGE_TITLES[first.stage]
    rows = "row" if number == 1 else "rows"
    text = f"{rows} failed permanently, {'all' if len(failed) == 1 else show_number(first.failed)} in {where}"
    return [Matter("bad", show_number(number), text, href, "Open")]


def _heaps(to_review: Mapping[str, int]) -> list[Matter]:
    heaps = sorted(((number, name) for name, number in to_review.items() if number), reverse=True)
    return [
        Matter(
            "info",
            show_number(number),
            f"{VIEWS[name].count(number)} {'waits' if number == 1 else 'wait'} for a decision",
            f"{LISTS[name]}?curation_status=New",
            "Decide",
        )
        for number, name in heaps[:MAX_HEAPS]
    ]
