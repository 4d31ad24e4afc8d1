"""Health, really computed: is the database there, does every schedule have a worker, is work moving."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from time import perf_counter
from typing import Any

from sqlalchemy import literal, select
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine

from scrapersky import tables
from scrapersky.declarations import DECLARATIONS
from scrapersky.declarations.statuses import CIRCUIT_OPEN
from scrapersky.queries.read_model import Query
from scrapersky.queries.stages import StageQuery

PATIENCE_SECONDS = 5

Check = Callable[[], Awaitable[str]]


class HealthQuery(Query):
    """`checks` are further services: each answers "ok", "not configured" or what is wrong."""

    def __init__(self, engine: AsyncEngine, checks: Mapping[str, Check] | None = None) -> None:
        super().__init__(engine)
        self._stages = StageQuery(engine)
        self._checks = dict(checks or {})

    async def report(self) -> dict[str, Any]:
        """Everything at once; `status` is healthy, degraded (it works, but look at it) or unhealthy."""
        database = await self._database()
        if database["status"] != "ok":
            services = {"database": database}
            return {
                "status": "unhealthy",
                "external_services": services,
                "schedulers": {},
                "queue_depths": {},
            }
        services = {"database": database, **await self._services()}
        for name, circuit in (await self._circuits()).items():
            services.setdefault(name, {"status": "ok"})["circuit"] = circuit
        schedulers = await self._schedulers()
        stuck = [
            row.subject
            for row in await self.rows(
                select(tables.alerts.c.subject).where(tables.alerts.c.resolved_at.is_(None))
            )
        ]
        return {
            "status": _overall(services, schedulers, stuck),
            "schedulers": schedulers,
            "external_services": services,
            "queue_depths": await self._depths(),
            "open_alerts": stuck,
        }

    async def is_ready(self) -> bool:
        return bool((await self._database())["status"] == "ok")

    async def _database(self) -> dict[str, Any]:
        began = perf_counter()
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                await self.rows(select(literal(1)))
        except (OSError, SQLAlchemyError, TimeoutError):
            return {"status": "unreachable"}
        return {"status": "ok", "ms": round((perf_counter() - began) * 1000, 1)}

    async def _services(self) -> dict[str, Any]:
        found = {}
        for name, check in self._checks.items():
            try:
                async with asyncio.timeout(PATIENCE_SECONDS):
                    found[name] = {"status": await check()}
            except (OSError, TimeoutError) as error:
                found[name] = {"status": f"unreachable: {type(error).__name__}"}
        return found

    async def _circuits(self) -> dict[str, dict[str, Any]]:
        """The circuit breakers: closed unless a worker said that it opened one."""
        found: dict[str, dict[str, Any]] = {name: {"state": "closed"} for name in self._checks}
        open_database = select(
            tables.alerts.c.subject,
            tables.alerts.c.message,
            tables.alerts.c.created_at,
            tables.alerts.c.last_raised_at,
        )
        for row in await self.rows(
            open_database.where(tables.alerts.c.kind == CIRCUIT_OPEN, tables.alerts.c.resolved_at.is_(None))
        ):
            since, last = row.created_at.isoformat(), row.last_raised_at.isoformat()
            found[row.subject] = {
                "state": "open",
                "reason": row.message,
                "since": since,
                "last_failure_at": last,
            }
        return found

    async def _schedulers(self) -> dict[str, Any]:
        names = {declaration.name: declaration.health_name for declaration in DECLARATIONS}
        found = {}
        for line in await self._stages.activity():
            state = {"job_id": line.job_id, "running": line.workers > 0, "workers": line.workers}
            state |= {"paused": line.paused, "runs_last_hour": line.runs, "last_run_ms": line.run_ms_last}
            state |= {"errors_last_hour": line.errors, "repaired_last_hour": line.repaired}
            found[names[line.stage]] = state
        return found

    async def _depths(self) -> dict[str, int]:
        counts = await self._stages.counts()
        return {stage.depth_name: counts[stage.name]["waiting"] for stage in DECLARATIONS}


def _overall(services: dict[str, Any], schedulers: dict[str, Any], stuck: list[str]) -> str:
    is_dead_letter = [name for name, state in schedulers.items() if not state["running"]]
    if is_dead_letter or broken_services(services):
        return "unhealthy"
    return "degraded" if stuck else "healthy"


def broken_services(services: dict[str, Any]) -> list[str]:
    return [name for name, state in services.items() if state["status"] not in ("ok", "not configured")]
