"""The health report: database, services, circuit breakers, workers of every stage, open alerts."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from time import perf_counter
from typing import Any

from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine

from scrapersky.declarations import DECLARATIONS
from scrapersky.declarations.statuses import CIRCUIT_OPEN
from scrapersky.queries.read_model import Query
from scrapersky.queries.stages import StageActivity, StageQuery

TIMEOUT_SECONDS = 5
PING = text("SELECT 1")
OPEN_ALERTS = text("""
SELECT kind, subject, message, created_at, last_raised_at FROM alerts WHERE resolved_at IS NULL
""")

ServiceCheck = Callable[[], Awaitable[str]]


class HealthQuery(Query):
    """`checks` are external services: each returns "ok", "not configured" or what is wrong."""

    def __init__(self, engine: AsyncEngine, checks: Mapping[str, ServiceCheck] | None = None) -> None:
        super().__init__(engine)
        self._stages = StageQuery(engine)
        self._checks = dict(checks or {})

    async def report(self) -> dict[str, Any]:
        """The JSON of /health; `status` is healthy, degraded (there are open alerts) or unhealthy."""
        database = await self._check_database()
        if database["status"] != "ok":
            services = {"database": database}
            return {
                "status": "unhealthy",
                "external_services": services,
                "schedulers": {},
                "queue_depths": {},
            }
        alerts = await self.rows(OPEN_ALERTS)
        services = {"database": database, **await self._check_services()}
        circuits = {name: {"state": "closed"} for name in self._checks} | {
            alert.subject: _open_circuit(alert) for alert in alerts if alert.kind == CIRCUIT_OPEN
        }
        for name, circuit in circuits.items():
            services.setdefault(name, {"status": "ok"})["circuit"] = circuit
        activity = await self._stages.activity()
        counts = await self._stages.counts()
        return {
            "status": _overall_status(services, activity, has_alerts=bool(alerts)),
            "schedulers": {
                stage.health_name: _scheduler(line)
                for stage, line in zip(DECLARATIONS, activity, strict=True)
            },
            "external_services": services,
            "queue_depths": {stage.depth_name: counts[stage.name].waiting for stage in DECLARATIONS},
            "open_alerts": [alert.subject for alert in alerts],
        }

    async def is_ready(self) -> bool:
        return bool((await self._check_database())["status"] == "ok")

    async def _check_database(self) -> dict[str, Any]:
        started = perf_counter()
        try:
            async with asyncio.timeout(TIMEOUT_SECONDS):
                await self.rows(PING)
        except (OSError, SQLAlchemyError, TimeoutError):
            return {"status": "unreachable"}
        return {"status": "ok", "ms": round((perf_counter() - started) * 1000, 1)}

    async def _check_services(self) -> dict[str, dict[str, Any]]:
        services: dict[str, dict[str, Any]] = {}
        for name, check in self._checks.items():
            try:
                async with asyncio.timeout(TIMEOUT_SECONDS):
                    services[name] = {"status": await check()}
            except (OSError, TimeoutError) as error:
                services[name] = {"status": f"unreachable: {type(error).__name__}"}
        return services


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
        "running": activity.workers > 0,
        "workers": activity.workers,
        "paused": activity.paused,
        "runs_last_hour": activity.runs,
        "last_run_ms": activity.run_ms_last,
        "errors_last_hour": activity.errors,
        "repaired_last_hour": activity.repaired,
    }


def _overall_status(services: dict[str, Any], activity: list[StageActivity], *, has_alerts: bool) -> str:
    if broken_services(services) or not all(line.workers for line in activity):
        return "unhealthy"
    return "degraded" if has_alerts else "healthy"


def broken_services(services: Mapping[str, Mapping[str, Any]]) -> list[str]:
    return [name for name, service in services.items() if service["status"] not in ("ok", "not configured")]
