"""The maintenance tasks, each run by one machine of the fleet per interval."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict
from datetime import timedelta
from typing import Any

from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from scrapersky.alert_channels.channel import Channel
from scrapersky.engine.schedule import Leader
from scrapersky.log import Report
from scrapersky.maintenance import alerting
from scrapersky.maintenance.alert_rules import ALERT_RULES, AlertRule
from scrapersky.maintenance.alerts import resolve_quiet_alerts, sync_alerts
from scrapersky.maintenance.exclusions import dequeue_excluded_rows
from scrapersky.maintenance.options import MaintenanceOptions
from scrapersky.maintenance.problems import Problem
from scrapersky.maintenance.retention import delete_expired_rows
from scrapersky.maintenance.safety_net import queue_missed_sitemaps
from scrapersky.tables.counts import FOLD_EVERY, VERIFY_EVERY, fold, repair_counts

Task = tuple[str, Callable[[], Awaitable[object]], timedelta]
MAX_JOBS_LOGGED = 50


class Maintenance:
    def __init__(
        self,
        engine: AsyncEngine,
        options: MaintenanceOptions,
        report: Report,
        channels: Sequence[Channel] = (),
    ) -> None:
        self.engine, self.options, self.report, self.channels = engine, options, report, channels
        self.leader = Leader(engine)

    def tasks(self) -> list[Task]:
        """Name, function and interval of each task. A function returns None when it was not its turn."""
        options = self.options
        tasks: list[Task] = [
            ("queue_missed_sitemaps", self.queue_missed_sitemaps, options.safety_net_interval),
            ("dequeue_rejected_domains", self.dequeue_rejected_domains, options.safety_net_interval),
            ("clean_up", self.clean_up, options.cleanup_interval),
            ("evaluate_alerts", self.evaluate_alerts, options.alert_interval),
            ("fold_counts", self.fold_counts, FOLD_EVERY),
            ("verify_counts", self.verify_counts, options.cleanup_interval),
        ]
        # A task of its own, so that a slow channel does not delay the checks.
        return [*tasks, ("send_alerts", self.send_alerts, alerting.SEND_INTERVAL)] if self.channels else tasks

    async def queue_missed_sitemaps(self) -> int | None:
        """Queue sitemaps without an import status (R003) and report how many (R007)."""
        interval = self.options.safety_net_interval
        repaired = await self.leader.run("queue_missed_sitemaps", interval, queue_missed_sitemaps)
        if repaired:
            self.report([{"event": "missed_sitemaps_queued", "level": "warning", "repaired": repaired}])
        return repaired

    async def dequeue_rejected_domains(self) -> int | None:
        """Remove rows from the queue that were queued below a domain after it was rejected."""
        if not await self._is_my_turn("dequeue_rejected_domains", self.options.safety_net_interval):
            return None
        rows = await dequeue_excluded_rows(self.engine)
        if rows:
            self.report([{"event": "rejected_domains_dequeued", "rows": rows}])
        return rows

    async def send_alerts(self) -> int:
        """Send alerts that have not been sent (R028); any number of workers may try."""
        return await alerting.send_alerts(
            self.engine, self.channels, self.options.channel_timeout, self.report
        )

    async def fold_counts(self) -> int | None:
        """Fold the changes of the row counts into the counts, so that reading them stays cheap."""
        return await self.leader.run("fold_counts", FOLD_EVERY, fold)

    async def verify_counts(self) -> dict[str, int] | None:
        """Once a day, compare the row counts with the rows and repair wrong ones."""
        return await self.repair_counts() if await self._is_my_turn("verify_counts", VERIFY_EVERY) else None

    async def repair_counts(self) -> dict[str, int]:
        async with self.engine.begin() as connection:
            wrong = await repair_counts(connection)
        if wrong:
            self.report([{"event": "counts_repaired", "level": "warning", "tables": wrong}])
        return wrong

    async def clean_up(self) -> dict[str, int] | None:
        """Delete rows whose retention time is over."""
        is_mine = await self._is_my_turn("clean_up", self.options.cleanup_interval)
        return await self.delete_expired() if is_mine else None

    async def delete_expired(self) -> dict[str, int]:
        deleted = await delete_expired_rows(self.engine, self.options)
        self.report([{"event": "expired_rows_deleted", "deleted": deleted}])
        return deleted

    async def evaluate_alerts(self) -> list[Problem] | None:
        """Run the check of every alert rule; raise alerts, resolve those that are over, and log."""
        problems: dict[AlertRule, list[Problem]] = {}

        async def evaluate(connection: AsyncConnection) -> int:
            for rule in ALERT_RULES:
                problems[rule] = await rule.check(connection, self.options)
                await sync_alerts(
                    connection, rule.kind, rule.messages(problems[rule]), severity=rule.severity
                )
            await resolve_quiet_alerts(connection, self.options.quiet)
            return len(problems)

        if await self.leader.run("evaluate_alerts", self.options.alert_interval, evaluate) is None:
            return None
        for rule in ALERT_RULES:
            self.report(_log_lines(rule, problems[rule]))
        return [problem for rule in ALERT_RULES for problem in problems[rule]]

    async def _is_my_turn(self, task: str, interval: timedelta) -> bool:
        """For a task of many transactions; it claims the interval in one of its own."""

        async def claim(connection: AsyncConnection) -> int:
            return 0

        return await self.leader.run(task, interval, claim) is not None


def _log_lines(rule: AlertRule, problems: Sequence[Problem]) -> list[dict[str, Any]]:
    """One line per problem, except that all stuck jobs share one (R027)."""
    jobs = [problem.id for problem in problems if problem.table == "jobs" and problem.id]
    lines: list[dict[str, Any]] = [
        {"event": "problem_detected", "level": rule.severity, "kind": rule.kind, **asdict(problem)}
        for problem in problems
        if problem.id not in jobs
    ]
    if jobs:
        stuck: dict[str, Any] = {"event": "stuck_jobs_detected", "level": rule.severity, "count": len(jobs)}
        lines.append({**stuck, "jobs": jobs[:MAX_JOBS_LOGGED]})
    return lines
