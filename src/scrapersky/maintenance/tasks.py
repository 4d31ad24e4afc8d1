"""The tasks beside the stages, each once in the fleet for every slot of its interval."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import Table, and_, func, literal, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from scrapersky import tables
from scrapersky.alert_channels.channel import Channel
from scrapersky.declarations import ENDED_JOBS, IMPORT_SITEMAP
from scrapersky.engine.schedule import Leader
from scrapersky.maintenance import alerting as telling
from scrapersky.maintenance.alerts import resolve_quiet_alerts, sync_alerts
from scrapersky.maintenance.anomalies import MEASURED_BY, fruitless_stages, long_queues, slow_stages
from scrapersky.maintenance.exclusions import dequeue_excluded_rows
from scrapersky.maintenance.options import MaintenanceOptions
from scrapersky.maintenance.stalls import silent_stages, stages_without_output, stuck_rows
from scrapersky.tables.batches import delete_in_batches
from scrapersky.tables.counts import FOLD_EVERY, VERIFY_EVERY, fold, repair_counts

Report = Callable[[list[dict[str, Any]]], None]
Task = tuple[str, Callable[[], Awaitable[object]], timedelta]
# A machine that slept goes on under its old number, so its row has to outlive a night and a weekend.
DEAD_WORKER = timedelta(days=7)
JOBS_NAMED = 20


class Maintenance:
    def __init__(
        self,
        engine: AsyncEngine,
        options: MaintenanceOptions,
        report: Report,
        channels: Sequence[Channel] = (),
    ) -> None:
        self.engine, self.options, self.report, self.channels = engine, options, report, channels
        self.ticks = Leader(engine, tables.schedules)

    def jobs(self) -> list[Task]:
        """What to put on the schedule: name, call, interval. A call gives None when it was not its turn."""
        tasks: list[Task] = [
            ("queue_missed_sitemaps", self.safety_net, self.options.safety_net),
            ("dequeue_rejected_domains", self.dequeue_rejected_domains, self.options.safety_net),
            ("clean_up", self.clean_up, self.options.cleanup),
            ("evaluate_alerts", self.evaluate_alerts, self.options.stuck_check),
            ("fold_counts", self.fold_counts, FOLD_EVERY),
            ("verify_counts", self.verify_counts, self.options.cleanup),
        ]
        # Apart from the checks, so that a slow channel delays none of them.
        return [*tasks, ("send_alerts", self.send_alerts, telling.EVERY)] if self.channels else tasks

    async def safety_net(self) -> int | None:
        """Queue sitemaps that have no import status (R003); says how many it repaired (R007)."""
        done = await self.ticks.run("queue_missed_sitemaps", self.options.safety_net, queue_missed_sitemaps)
        if done:
            self.report([{"event": "missed_sitemaps_queued", "level": "warning", "repaired": done}])
        return done

    async def dequeue_rejected_domains(self) -> int | None:
        """Empty the queues below rejected domains of what was queued there since."""
        if await self.ticks.run("dequeue_rejected_domains", self.options.safety_net, _nothing) is None:
            return None
        done = await dequeue_excluded_rows(self.engine)
        if done:
            self.report([{"event": "rejected_domains_dequeued", "rows": done}])
        return done

    async def send_alerts(self) -> int:
        """Send what nobody was told yet (R028); of many workers one sends each."""
        return await telling.tell(self.engine, self.channels, self.options.patience, self.report)

    async def fold_counts(self) -> int | None:
        """Add up the changes of the row counts, so that reading them stays cheap."""
        return await self.ticks.run("fold_counts", FOLD_EVERY, fold)

    async def verify_counts(self) -> dict[str, int] | None:
        """Once a day, compare the row counts with the rows and correct what is wrong."""
        mine = await self.ticks.run("verify_counts", VERIFY_EVERY, _nothing)
        return await self.verify_counts_now() if mine is not None else None

    async def verify_counts_now(self) -> dict[str, int]:
        async with self.engine.begin() as connection:
            wrong = await repair_counts(connection)
        if wrong:
            self.report([{"event": "counts_repaired", "level": "warning", "tables": wrong}])
        return wrong

    async def clean_up(self) -> dict[str, int] | None:
        """Delete what is past its time, a bounded batch per transaction; says how many rows went (R021)."""
        mine = await self.ticks.run("clean_up", self.options.cleanup, _nothing)
        return await self.delete_expired() if mine is not None else None

    async def delete_expired(self) -> dict[str, int]:
        removed: dict[str, int] = {}
        for row, condition in self._expired():
            name = row.name
            gone = await delete_in_batches(self.engine, row, condition, self.options.batch)
            removed[name] = removed.get(name, 0) + gone
        self.report([{"event": "expired_rows_deleted", "removed": removed}])
        return removed

    def _expired(self) -> list[tuple[Table, Any]]:
        options = self.options
        over = and_(tables.jobs.c.status.in_(ENDED_JOBS), _older(tables.jobs.c.created_at, options.keep_jobs))
        return [
            (tables.jobs, over),
            (tables.page_bodies, tables.page_bodies.c.expires_at < func.now()),
            (tables.zombies, _older(tables.zombies.c.created_at, options.keep_dead)),
            (tables.failures, _older(tables.failures.c.created_at, options.keep_dead)),
            (tables.stage_stats, _older(tables.stage_stats.c.minute, options.keep_statistics)),
            (
                tables.alerts,
                and_(
                    tables.alerts.c.over_at.is_not(None),
                    _older(tables.alerts.c.created_at, options.keep_alerts),
                ),
            ),
            (tables.workers, tables.workers.c.heartbeat_at < func.now() - DEAD_WORKER),
        ]

    async def evaluate_alerts(self) -> list[dict[str, Any]] | None:
        """Report what is stuck, silent or unusual, raise alerts for it, and end those of what has passed."""
        found: list[dict[str, Any]] = []
        unusual: list[dict[str, Any]] = []

        async def look(connection: AsyncConnection) -> int:
            found.extend(await stuck_rows(connection, self.options))
            found.extend(await silent_stages(connection, self.options))
            found.extend(await stages_without_output(connection, self.options))
            await sync_alerts(connection, "stuck", _by_stage(found))
            failing, postponing = await fruitless_stages(connection, self.options)
            await sync_alerts(connection, "all_failed", failing)
            for kind, stages in (
                ("all_snoozed", postponing),
                ("slow", await slow_stages(connection, self.options)),
                ("long_queue", await long_queues(connection, self.options)),
            ):
                await sync_alerts(connection, kind, stages, severity="warning")
                unusual.extend({"kind": kind, "stage": stage, "status": why} for stage, why in stages.items())
            unusual.extend(
                {"kind": "all_failed", "stage": one, "status": why} for one, why in failing.items()
            )
            await resolve_quiet_alerts(connection, self.options.quiet)
            return len(found)

        if await self.ticks.run("evaluate_alerts", self.options.stuck_check, look) is None:
            return None
        jobs = [one for one in found if one["table"] == "jobs"]
        if jobs:
            line = {"event": "stuck_jobs_detected", "level": "error", "count": len(jobs)}
            self.report([{**line, "jobs": [one["id"] for one in jobs[:50]]}])
        others = [one for one in found if one["table"] != "jobs"]
        self.report([{"event": "stall_detected", "level": "error", **one} for one in others])
        self.report([{"event": "anomaly_detected", "level": "warning", **one} for one in unusual])
        return [*found, *unusual]


def _by_stage(found: list[dict[str, Any]]) -> dict[str, str]:
    """One alert per stage; of jobs it names each (R261), of other rows their number."""
    stages = {one["stage"]: one for one in found}
    numbers = {stage: sum(other["stage"] == stage for other in found) for stage in stages}
    told = {stage: f"{stage}: {numbers[stage]} stuck, {one['status']}" for stage, one in stages.items()}
    for stage in stages:
        jobs = [one for one in found if one["stage"] == stage and one["table"] == "jobs" and one["id"]]
        if jobs:
            more = f" and {len(jobs) - JOBS_NAMED} more" if len(jobs) > JOBS_NAMED else ""
            told[stage] = f"{len(jobs)} stuck: " + "; ".join(map(_job, jobs[:JOBS_NAMED])) + more
    return told


def _job(one: dict[str, Any]) -> str:
    minutes = int((datetime.now(UTC) - one["since"]).total_seconds() // 60)
    domain = f", {one['domain']}" if one.get("domain") else ""
    return f"job {one['id']} ({one['stage']}{domain}) {one['status']} for {minutes} min"


def _older(moment: Any, keep: timedelta | None) -> Any:
    return literal(False) if keep is None else moment < func.now() - keep


async def _nothing(connection: AsyncConnection) -> int:
    return 0


async def queue_missed_sitemaps(connection: AsyncConnection) -> int:
    columns = tables.sitemap_files.c
    # What once came to an end and has no status was discarded by a person.
    forgotten = and_(columns.sitemap_import_status.is_(None), columns.sitemap_import_finished_at.is_(None))
    statement = update(tables.sitemap_files).where(forgotten)
    result = await connection.execute(statement.values(sitemap_import_status=IMPORT_SITEMAP.statuses.queued))
    number = int(result.rowcount)
    if number:
        await _count_repaired(connection, IMPORT_SITEMAP.name, number)
    return number


async def _count_repaired(connection: AsyncConnection, stage: str, number: int) -> None:
    """Repaired rows are a figure of their stage, which /health and `status` show."""
    minute = func.date_trunc("minute", func.now())
    statement = insert(tables.stage_stats).values(
        stage=stage, minute=minute, worker=MEASURED_BY, repaired=number
    )
    more = {"repaired": tables.stage_stats.c.repaired + statement.excluded.repaired}
    await connection.execute(
        statement.on_conflict_do_update(index_elements=["stage", "minute", "worker"], set_=more)
    )
