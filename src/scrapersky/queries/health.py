"""The health report: database, services, circuit breakers, schedulers, queues, open alerts."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import timedelta
from time import monotonic, perf_counter
from typing import Any

from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine

from scrapersky.declarations import DECLARATIONS
from scrapersky.declarations.statuses import CIRCUIT_OPEN
from scrapersky.queries.read_model import Query
from scrapersky.queries.stages import StageActivity, StageQuery

TIMEOUT_SECONDS = 5
# Whoever asks often must not make us call other people's services as often.
SERVICE_TTL_SECONDS = 15.0
NOT_CONFIGURED = "not configured"
PING = text("SELECT 1")
OPEN_ALERTS = text("""
SELECT kind, subject, message, created_at, last_raised_at FROM alerts WHERE resolved_at IS NULL
""")
LAST_RUNS = text("SELECT name, last_run_at, runs FROM scheduler_slots")

ServiceCheck = Callable[[], Awaitable[str]]
Services = dict[str, dict[str, Any]]


class HealthQuery(Query):
    """`checks` are external services: each returns "ok", "not configured" or what is wrong.

    `tasks` are the names of the maintenance tasks, which are schedulers beside those of the stages.
    """

    def __init__(
        self,
        engine: AsyncEngine,
        checks: Mapping[str, ServiceCheck] | None = None,
        *,
        tasks: Sequence[str] = (),
    ) -> None:
        super().__init__(engine)
        self._stages = StageQuery(engine)
        self._checks, self._tasks = dict(checks or {}), tuple(tasks)
        self._services: Services = {}
        self._services_until = 0.0
        self._checking = asyncio.Lock()

    async def report(self) -> dict[str, Any]:
        """The JSON of /health: booleans and numbers, and the same with reasons under `details` (R253).

        `status` is unhealthy without the database or with a scheduler that does not run, degraded when an
        optional service fails or an alert is open, and healthy otherwise.
        """
        database = await self._check_database()
        if database["status"] != "ok":
            return self._without_database(database)
        alerts = await self.rows(OPEN_ALERTS)
        services = {"database": database, **await self._check_services()}
        _add_circuits(services, alerts, self._checks)
        schedulers = await self._schedulers(alerts)
        counts = await self._stages.counts()
        return {
            "status": _overall_status(services, schedulers, has_alerts=bool(alerts)),
            "schedulers": {name: scheduler["running"] for name, scheduler in schedulers.items()},
            "external_services": _booleans(services),
            "queue_depths": {stage.depth_name: counts[stage.name].waiting for stage in DECLARATIONS},
            "details": {
                "schedulers": schedulers,
                "external_services": services,
                "open_alerts": [alert.subject for alert in alerts],
            },
        }

    async def is_ready(self) -> bool:
        return bool((await self._check_database())["status"] == "ok")

    def _without_database(self, database: dict[str, Any]) -> dict[str, Any]:
        """The same shape, with what is known: nothing can run, and nobody knows how much waits."""
        names = [*(stage.health_name for stage in DECLARATIONS), *self._tasks]
        services = {"database": database, **{name: {"status": "unknown"} for name in self._checks}}
        return {
            "status": "unhealthy",
            "schedulers": dict.fromkeys(names, False),
            "external_services": _booleans(services),
            "queue_depths": dict.fromkeys((stage.depth_name for stage in DECLARATIONS), None),
            "details": {"schedulers": {}, "external_services": services, "open_alerts": []},
        }

    async def _schedulers(self, alerts: Sequence[Any]) -> dict[str, dict[str, Any]]:
        """The stages and the maintenance tasks, each with whether its job is on a live schedule (R088)."""
        jobs = await self._stages.scheduled_jobs()
        last_runs = {row.name: row for row in await self.rows(LAST_RUNS)}
        failures = {alert.subject: alert.message for alert in alerts if alert.kind == "scheduler_failure"}
        stages = zip(DECLARATIONS, await self._stages.activity(), strict=True)
        schedulers = {stage.health_name: _scheduler(line) for stage, line in stages}
        for name in self._tasks:
            last = last_runs.get(name)
            schedulers[name] = {
                "job_id": name,
                "running": name in jobs,
                "last_run_at": last.last_run_at.isoformat() if last else None,
                "runs": last.runs if last else 0,
            }
        for scheduler in schedulers.values():
            scheduler["error"] = failures.get(scheduler["job_id"])
        return schedulers

    async def _check_database(self) -> dict[str, Any]:
        started = perf_counter()
        try:
            async with asyncio.timeout(TIMEOUT_SECONDS):
                await self.rows(PING)
        except (OSError, SQLAlchemyError, TimeoutError):
            return {"status": "unreachable"}
        return {"status": "ok", "ms": round((perf_counter() - started) * 1000, 1)}

    async def _check_services(self) -> Services:
        async with self._checking:
            if monotonic() >= self._services_until:
                names, checks = list(self._checks), self._checks.values()
                answers = await asyncio.gather(*map(_ask, checks))
                self._services = {
                    name: {"status": answer} for name, answer in zip(names, answers, strict=True)
                }
                self._services_until = monotonic() + SERVICE_TTL_SECONDS
            return {name: dict(service) for name, service in self._services.items()}


class RareCheck:
    """A check whose answer is kept for a while, because the service limits how often it is called."""

    def __init__(self, check: ServiceCheck, keep: timedelta) -> None:
        self._check, self._keep = check, keep
        self._answer, self._until = "", 0.0

    async def __call__(self) -> str:
        if monotonic() >= self._until:
            self._answer = await self._check()
            self._until = monotonic() + self._keep.total_seconds()
        return self._answer


async def _ask(check: ServiceCheck) -> str:
    try:
        async with asyncio.timeout(TIMEOUT_SECONDS):
            return await check()
    except (OSError, TimeoutError) as error:
        return f"unreachable: {type(error).__name__}"


def _add_circuits(services: Services, alerts: Sequence[Any], checks: Mapping[str, ServiceCheck]) -> None:
    """The state of each circuit breaker, beside the service that it guards (R269)."""
    circuits: Services = {name: {"state": "closed"} for name in checks}
    circuits |= {alert.subject: _open_circuit(alert) for alert in alerts if alert.kind == CIRCUIT_OPEN}
    for name, circuit in circuits.items():
        services.setdefault(name, {"status": "ok"})["circuit"] = circuit


def _open_circuit(alert: Any) -> dict[str, str]:
    return {
        "state": "open",
        "reason": alert.message,
        "since": alert.created_at.isoformat(),
        "last_failure_at": alert.last_raised_at.isoformat(),
    }


def _scheduler(activity: StageActivity) -> dict[str, Any]:
    return {
        "job_id": activity.job_id,
        "running": activity.scheduled and activity.workers > 0,
        "workers": activity.workers,
        "paused": activity.paused,
        "runs_last_hour": activity.runs,
        "last_run_ms": activity.run_ms_last,
        "errors_last_hour": activity.errors,
        "repaired_last_hour": activity.repaired,
    }


def _overall_status(services: Services, schedulers: Mapping[str, Any], *, has_alerts: bool) -> str:
    if not all(scheduler["running"] for scheduler in schedulers.values()):
        return "unhealthy"
    # A load balancer that took us out because ScraperAPI is down would only add an outage of our own.
    return "degraded" if has_alerts or broken_services(services) else "healthy"


def _booleans(services: Services) -> dict[str, bool]:
    return {name: service["status"] == "ok" for name, service in services.items()}


def broken_services(services: Mapping[str, Mapping[str, Any]]) -> list[str]:
    return [name for name, service in services.items() if service["status"] not in ("ok", NOT_CONFIGURED)]
