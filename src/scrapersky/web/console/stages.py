"""Stages: what waits, runs and failed in each, how fast it is, and pause, resume and run now."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import Any

from fastapi import APIRouter, Request, Response

from scrapersky.actions import pause_stage, resume_stage, run_stage
from scrapersky.api.caller import Caller, Operator, Viewer
from scrapersky.api.installation import InstallationAdmin, is_of_installation
from scrapersky.declarations import DECLARATIONS, STAGE_TITLES, StageDeclaration
from scrapersky.queries import StageQuery, StatisticsQuery
from scrapersky.queries.installation.system import SystemQuery
from scrapersky.queries.read_model import get_declaration
from scrapersky.queries.stages import StageStatus
from scrapersky.queries.statistics import quantile
from scrapersky.settings import Settings
from scrapersky.web.console import charts
from scrapersky.web.console.console import Console, ConsoleContext, is_htmx
from scrapersky.web.console.forms import read_form, return_path, text_of
from scrapersky.web.console.overview.figures import queue_state

router = APIRouter()

MINUTES = 60
MAX_REASONS = 10
MAX_REASON_LENGTH = 1_024
SETTINGS = (
    ("mode", "drains continuously, or runs by intervals"),
    ("interval_minutes", "minutes between runs in interval mode"),
    ("batch_size", "rows of one claim, and of one run in interval mode"),
    ("max_instances", "runs at once in interval mode"),
    ("concurrency", "rows processed at once"),
    ("timeout_seconds", "time limit for one row"),
    ("misfire_grace_seconds", "a run later than this is skipped"),
)


@router.get("/stages")
async def list_stages(request: Request, caller: Viewer, console: ConsoleContext) -> Response:
    lines = await _lines(caller)
    reasons: Counter[str] = Counter()
    for line in lines:
        reasons.update(line["errors"])
    values: dict[str, Any] = {
        "lines": lines,
        "totals": {
            name: sum(line[name] for line in lines)
            for name in ("waiting", "running", "done_hour", "failed_hour", "repaired")
        },
        "durations": _duration_chart(lines),
        "failures": _failure_chart(reasons),
        "may_pause": _may_pause(caller, console),
    }
    if is_htmx(request):
        return console.fragment(request, caller, "_stages.html", **values)
    return await console.page(request, caller, "stages.html", **values)


@router.get("/stages/{name}")
async def show_stage(request: Request, name: str, caller: Viewer, console: ConsoleContext) -> Response:
    stage = get_declaration(name)
    [line] = [line for line in await _lines(caller) if line["stage"] == name]
    minutes = await StatisticsQuery(caller.engine).minutes(name)
    values: dict[str, Any] = {
        "stage": stage,
        "line": line,
        "throughput": _minute_chart(minutes),
        "has_throughput": bool(minutes),
        "errors": charts.bars(
            list(line["errors"].items()),
            "Errors of the last hour by class",
            headers=("Error", "Rows"),
            hrefs=[f"/dead-letters?stage={name}&error_class={error}" for error in line["errors"]],
            tones=["bad"] * len(line["errors"]),
        ),
        "settings": _settings(stage, console.api.settings),
        "gates": describe_gates(stage, console.api.settings),
        "titles": STAGE_TITLES,
        "may_pause": _may_pause(caller, console),
    }
    return await console.page(request, caller, "stage.html", **values)


@router.post("/stages/{name}/pause")
async def pause(request: Request, name: str, caller: InstallationAdmin, console: ConsoleContext) -> Response:
    """Claim no more rows of the stage, on every machine."""
    form = await read_form(request)
    reason = text_of(form, "reason")[:MAX_REASON_LENGTH]
    await pause_stage(console.api.engine, caller.actor, name, reason)
    notice = f"{get_declaration(name).title} is paused. Rows in work may finish."
    return console.redirect(request, return_path(form, "/stages"), notice)


@router.post("/stages/{name}/resume")
async def resume(request: Request, name: str, caller: InstallationAdmin, console: ConsoleContext) -> Response:
    form = await read_form(request)
    await resume_stage(console.api.engine, caller.actor, name)
    notice = f"{get_declaration(name).title} is running again."
    return console.redirect(request, return_path(form, "/stages"), notice)


@router.post("/stages/{name}/run")
async def run(request: Request, name: str, caller: Operator, console: ConsoleContext) -> Response:
    """Process the waiting rows now, also those that wait for a retry."""
    form = await read_form(request)
    number = await run_stage(caller.engine, caller.actor, name)
    notice = (
        f"{get_declaration(name).title}: the workers were woken, {number:,} rows no longer wait for a retry"
    )
    return console.redirect(request, return_path(form, "/stages"), notice)


# ---- what is shown


async def _lines(caller: Caller) -> list[dict[str, Any]]:
    """Every stage in the order of the pipeline, with its quantiles and who paused it."""
    durations = await StatisticsQuery(caller.engine).durations()
    pauses = await SystemQuery(caller.engine).pauses()
    statuses = await StageQuery(caller.engine).statuses()
    return [
        _line(stage, status, durations.get(stage.name, []), pauses.get(stage.name))
        for stage, status in zip(DECLARATIONS, statuses, strict=True)
    ]


def _line(
    stage: StageDeclaration, status: StageStatus, buckets: list[int], pause: dict[str, Any] | None
) -> dict[str, Any]:
    figures = status.as_dict()
    return {
        **figures,
        "title": stage.title,
        "p50": quantile(buckets, 0.5),
        "p95": quantile(buckets, 0.95),
        "state": queue_state(status),
        "pause": pause,
        "share": charts.stack([("done", "good", status.done_hour), ("failed", "bad", status.failed_hour)]),
    }


def _duration_chart(lines: list[dict[str, Any]]) -> charts.Ranges:
    rows = [(line["title"], line["p50"], line["p95"]) for line in lines]
    hrefs = [f"/stages/{line['stage']}" for line in lines]
    return charts.ranges(rows, "How long a row takes in each stage, in the last hour", hrefs=hrefs)


def _failure_chart(reasons: Counter[str]) -> charts.Bars:
    rows = reasons.most_common(MAX_REASONS)
    hrefs = [f"/dead-letters?error_class={name}" for name, _ in rows]
    return charts.bars(
        rows,
        "Errors of the last hour by class, over all stages",
        headers=("Error", "Rows"),
        hrefs=hrefs,
        tones=["bad"] * len(rows),
    )


def _minute_chart(minutes: list[dict[str, Any]]) -> charts.Columns:
    """One column for each minute of the last hour, also for those in which nothing happened."""
    figures = {row["minute"]: row for row in minutes}
    now = datetime.now(UTC).replace(second=0, microsecond=0)
    moments = [now - timedelta(minutes=ago) for ago in reversed(range(MINUTES))]
    nothing = {"done": 0, "failed": 0}
    rows = [(f"{moment:%H:%M}", figures.get(moment, nothing)) for moment in moments]
    return charts.columns(
        [(name, row["done"], row["failed"]) for name, row in rows],
        "Rows done and failed in each minute of the last hour",
        headers=("Minute", "Done", "Failed"),
    )


def _settings(stage: StageDeclaration, settings: Settings) -> list[dict[str, Any]]:
    prefix = stage.compat.settings_prefix
    return [
        {"name": f"{prefix}_{name}".upper(), "value": getattr(settings, f"{prefix}_{name}"), "about": about}
        for name, about in SETTINGS
    ]


def describe_gates(stage: StageDeclaration, settings: Settings) -> list[dict[str, Any]]:
    """What happens to the rows that a stage has made: queued at once, or left to a person."""
    return [
        {
            "stage": following.stage,
            "setting": following.gate.setting.upper() if following.gate else "",
            "is_open": following.gate is None or bool(getattr(settings, following.gate.setting)),
            "about": following.gate.help if following.gate else "Always queued.",
        }
        for following in stage.queues
    ]


def _may_pause(caller: Caller, console: Console) -> bool:
    """A pause holds for all tenants, so only administrators of the default one may set it."""
    return caller.is_admin and is_of_installation(caller, console.api)
