"""The state of the system for people: what works, what does not, since when, and what to do about it.

The page also answers while the database is unavailable, then without the frame and its counts.
"""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from time import monotonic
from typing import Any
from uuid import UUID

from fastapi import APIRouter, FastAPI, Request, Response
from fastapi.responses import HTMLResponse
from jinja2 import Environment

from scrapersky import __version__
from scrapersky.actions.alerts import acknowledge_alert, close_alert
from scrapersky.api.caller import Caller, authenticate
from scrapersky.api.installation import InstallationOperator, is_of_installation
from scrapersky.declarations import DECLARATIONS, STAGE_TITLES
from scrapersky.queries import AlertQuery, CreditQuery, HealthQuery, StageQuery
from scrapersky.queries.health import NOT_CONFIGURED, broken_services
from scrapersky.queries.installation.system import SystemQuery
from scrapersky.settings import Settings
from scrapersky.web.console import charts
from scrapersky.web.console.console import Console, ConsoleContext
from scrapersky.web.html import show_age, show_duration, show_number
from scrapersky.wiring import build_maintenance, disk_minimum

router = APIRouter()

MIB, GIB = 2**20, 2**30
CREDIT_DAYS = 30
MAX_BARS = 12
MAX_CLOCK_SKEW_SECONDS = 5
LONG_TRANSACTION_SECONDS = 600
SERVICES = {"scraper_api": "ScraperAPI", "debounce": "DeBounce", "google_places": "Google Places"}
STATES = {
    "healthy": "Everything works",
    "degraded": "It works, but something needs attention",
    "unhealthy": "Something does not run",
    "starting": "The workers are starting",
}


@dataclass(frozen=True, slots=True)
class HealthLine:
    """One part of the installation: its state (ok, warning, error, unknown), in words, and where to look."""

    state: str
    name: str
    text: str
    since: datetime | None = None
    href: str = ""
    link: str = ""


class Startup:
    """The first seconds after the start, in which missing workers are not a fault."""

    def __init__(self, seconds: float) -> None:
        self._until = monotonic() + seconds
        self.started_at = datetime.now(UTC)

    def status(self, report: dict[str, Any]) -> str:
        """The status for people: "starting" while nothing but workers is missing."""
        if report["status"] != "unhealthy":
            self._until = 0.0
        lacks_only_workers = not broken_services(report["details"]["external_services"])
        is_starting = report["status"] == "unhealthy" and lacks_only_workers and monotonic() < self._until
        return "starting" if is_starting else str(report["status"])


def add_system_page(
    web: FastAPI, health: HealthQuery, stages: StageQuery, templates: Environment, startup: Startup
) -> None:
    @web.get("/system", response_class=HTMLResponse, include_in_schema=False)
    async def page(request: Request) -> Response:
        report = await health.report()
        status = startup.status(report)
        code = 200 if status != "unhealthy" else 503
        has_database = report["external_services"]["database"]
        if has_database and hasattr(web.state, "api"):
            caller = await authenticate(request)
            console: Console = web.state.console
            values = await _describe(caller, console, report, startup)
            values["health"] = status
            return await console.page(request, caller, "system.html", status=code, **values)
        lines = await stages.statuses() if has_database else []
        html = templates.get_template("status.html").render(status=status, report=report, lines=lines)
        return HTMLResponse(html, status_code=code)


async def _describe(
    caller: Caller, console: Console, report: dict[str, Any], startup: Startup
) -> dict[str, Any]:
    """What the page shows; figures of the whole installation are for its default tenant."""
    is_ours = is_of_installation(caller, console.api)
    system, engine = SystemQuery(console.api.engine), caller.engine
    pauses = await system.pauses()
    credit = await CreditQuery(engine, caller.actor.tenant_id).report(CREDIT_DAYS)
    return {
        "lines": [line async for line in _installation_lines(system, console, report, startup)]
        if is_ours
        else [],
        "services": list(_service_lines(report)),
        "alerts": await AlertQuery(engine).newest(state="open", limit=50) if is_ours else [],
        "is_ours": is_ours,
        "workers": await system.workers() if is_ours else [],
        "schedulers": await _schedulers(system, report, pauses, console.api.settings),
        "tasks": _tasks(report, console),
        "repairs": await system.repairs(),
        "titles": STAGE_TITLES,
        "credits": credit,
        "credit_days": CREDIT_DAYS,
        "credit_charts": _credit_charts(credit),
        "states": STATES,
        "checked_at": datetime.now(UTC),
        "version": __version__,
    }


# ---- lines


async def _installation_lines(
    system: SystemQuery, console: Console, report: dict[str, Any], startup: Startup
) -> AsyncIterator[HealthLine]:
    database = await system.database()
    yield _database_line(database, report["details"]["external_services"]["database"])
    yield _worker_line(await system.workers())
    if line := _disk_line(console.api.settings):
        yield line
    skew = abs((datetime.now(UTC) - database["now"]).total_seconds())
    is_skewed = skew > MAX_CLOCK_SKEW_SECONDS
    yield HealthLine("warning" if is_skewed else "ok", "Clock", f"{skew:.1f} s from the database's clock")
    changed = _changed_settings(console.api.settings)
    number = "1 setting differs" if changed == 1 else f"{changed} settings differ"
    yield HealthLine(
        "ok",
        "Version",
        f"{__version__}, {number} from the default",
        startup.started_at,
        "/settings",
        "Settings",
    )


def _database_line(figures: dict[str, Any], check: dict[str, Any]) -> HealthLine:
    oldest = figures["oldest_transaction_seconds"]
    parts = [
        f"PostgreSQL {figures['version'].split()[0]}",
        f"answers in {show_duration(check['ms'])}",
        show_bytes(figures["bytes"]),
        f"{figures['connections']} of {figures['max_connections']} connections",
        f"oldest transaction {show_duration(1_000 * oldest)}" if oldest else "no open transaction",
    ]
    is_full = figures["connections"] > 0.9 * figures["max_connections"]
    state = "warning" if is_full or oldest > LONG_TRANSACTION_SECONDS else "ok"
    return HealthLine(state, "Database", " · ".join(parts), None, "/system/database", "Tables")


def _worker_line(workers: list[dict[str, Any]]) -> HealthLine:
    alive = [worker for worker in workers if worker["is_alive"]]
    if not alive:
        text = "None is alive. Start one with `scrapersky worker`, or everything with `scrapersky up`."
        last = workers[0]["heartbeat_at"] if workers else None
        return HealthLine("error", "Workers", text, last)
    number = "1 alive" if len(alive) == 1 else f"{len(alive)} alive"
    text = f"{number}, last heartbeat {show_age(alive[0]['heartbeat_at'])} ago"
    return HealthLine(
        "ok", "Workers", text, min(worker["started_at"] for worker in alive), "/stages", "Stages"
    )


def _disk_line(settings: Settings) -> HealthLine | None:
    """The disk of the private PostgreSQL; that of another database is not visible from here."""
    minimum = disk_minimum(settings)
    if minimum is None or not minimum.folder.exists():
        return None
    disk, shortage = shutil.disk_usage(minimum.folder), minimum.shortage()
    used = 100 * (disk.total - disk.free) / disk.total
    text = f"{used:.0f} % used, {show_bytes(disk.free)} free"
    if shortage:
        return HealthLine("error", "Disk", f"{text}. New work waits until there is more space.")
    return HealthLine("ok", "Disk", text)


def _service_lines(report: dict[str, Any]) -> Iterator[HealthLine]:
    """Services outside, each with its circuit breaker."""
    for name, service in report["details"]["external_services"].items():
        if name == "database":
            continue
        circuit = service.get("circuit", {"state": "closed"})
        title = SERVICES.get(name, name)
        if circuit["state"] == "open":
            since = datetime.fromisoformat(circuit["since"])
            yield HealthLine("error", title, f"Calls are suspended: {circuit['reason']}", since)
        elif service["status"] == NOT_CONFIGURED:
            yield HealthLine(
                "unknown", title, "Not configured; nothing needs it.", None, "/settings", "Settings"
            )
        elif service["status"] == "ok":
            yield HealthLine("ok", title, "It answers; calls go through (circuit closed).")
        else:
            yield HealthLine("warning", title, str(service["status"]), None, "/settings", "Settings")


# ---- schedulers


async def _schedulers(
    system: SystemQuery, report: dict[str, Any], pauses: dict[str, Any], settings: Settings
) -> list[dict[str, Any]]:
    """Every stage with whether its schedule runs, its last and next run, and its errors (R206)."""
    last_runs = await system.last_runs()
    known = report["details"]["schedulers"]
    return [
        {
            **known[stage.health_name],
            "stage": stage.name,
            "title": stage.title,
            "last_run_at": last_runs.get(stage.name),
            "next": _next_run(stage.compat.settings_prefix, last_runs.get(stage.name), settings),
            "pause": pauses.get(stage.name),
            "errors": sum(known[stage.health_name]["errors_last_hour"].values()),
        }
        for stage in DECLARATIONS
    ]


def _next_run(prefix: str, last: datetime | None, settings: Settings) -> str:
    if getattr(settings, f"{prefix}_mode") == "continuous":
        return "when rows wait"
    minutes = getattr(settings, f"{prefix}_interval_minutes")
    return _due(last, timedelta(minutes=minutes))


def _tasks(report: dict[str, Any], console: Console) -> list[dict[str, Any]]:
    """The maintenance tasks with their last and next run."""
    known, api = report["details"]["schedulers"], console.api
    maintenance = build_maintenance(api.settings, api.engine, api.log)
    intervals = {name: every for name, _, every in maintenance.tasks()}
    stages = {stage.health_name for stage in DECLARATIONS}
    tasks = []
    for name, task in known.items():
        if name in stages:
            continue
        last = datetime.fromisoformat(task["last_run_at"]) if task["last_run_at"] else None
        every = intervals.get(name)
        tasks.append({**task, "name": name, "last": last, "every": every, "next": _due(last, every)})
    return tasks


def _due(last: datetime | None, every: timedelta | None) -> str:
    if last is None or every is None:
        return "–"
    seconds = (last + every - datetime.now(UTC)).total_seconds()
    return f"in {show_duration(1_000 * seconds)}" if seconds >= 1 else "now"


# ---- figures


def _credit_charts(credit: dict[str, Any]) -> dict[str, charts.Bars]:
    days = [(f"{row['day']:%-d %b}", row["spent"]) for row in credit["days"][:MAX_BARS]]
    domains = [(row["domain"] or "no domain", row["spent"]) for row in credit["domains"][:MAX_BARS]]
    jobs = [(f"Job {row['job_id']}", row["spent"]) for row in credit["jobs"][:MAX_BARS]]
    return {
        "days": charts.bars(days, "Credits by day", headers=("Day", "Credits")),
        "domains": charts.bars(
            domains,
            "Credits by domain",
            headers=("Domain", "Credits"),
            hrefs=[f"/domains/{name}" if name != "no domain" else "" for name, _ in domains],
        ),
        "jobs": charts.bars(
            jobs,
            "Credits by job",
            headers=("Job", "Credits"),
            hrefs=[f"/jobs/{row['job_id']}" for row in credit["jobs"][:MAX_BARS]],
        ),
    }


def _changed_settings(settings: Settings) -> int:
    return sum(settings.origin(name) != "default" for name in Settings.model_fields)


def show_bytes(number: int) -> str:
    """A size for people: 14 MiB, 1.2 GiB."""
    return f"{show_number(number / GIB)} GiB" if number >= GIB else f"{show_number(number // MIB)} MiB"


# ---- alerts


@router.post("/system/alerts/{alert_id:uuid}/acknowledge")
async def acknowledge(
    request: Request, alert_id: UUID, caller: InstallationOperator, console: ConsoleContext
) -> Response:
    """Say that somebody has seen it; it stays open until its cause is gone."""
    await acknowledge_alert(console.api.engine, caller.actor, alert_id)
    notice = "The alert is acknowledged; it stays open while its cause lasts"
    return console.redirect(request, "/system", notice)


@router.post("/system/alerts/{alert_id:uuid}/resolve")
async def close_open_alert(
    request: Request, alert_id: UUID, caller: InstallationOperator, console: ConsoleContext
) -> Response:
    """Close it; if its cause remains, the next check raises it again."""
    await close_alert(console.api.engine, caller.actor, alert_id)
    return console.redirect(request, "/system", "The alert is closed; it comes back if its cause remains")
