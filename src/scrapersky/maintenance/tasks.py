"""The maintenance tasks, each run by one machine of the fleet per interval."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict
from datetime import timedelta
from typing import Any

from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from scrapersky.actions.lead_score import SCORE_INTERVAL, score_leads
from scrapersky.actions.operations.background import WATCH_INTERVAL, run_open_operations
from scrapersky.actions.operations.exclusions import dequeue_excluded_rows
from scrapersky.actions.place_matches import MATCH_INTERVAL, match_places
from scrapersky.actions.presets.rule_runs import apply_rules
from scrapersky.actions.privacy.suppressions import apply_open_suppressions
from scrapersky.actions.schedules.runs import START_INTERVAL, start_due_schedules
from scrapersky.alert_channels.channel import Channel
from scrapersky.engine.schedule import Leader
from scrapersky.log import Report
from scrapersky.maintenance import alerting
from scrapersky.maintenance.alert_rules import ALERT_RULES, AlertRule
from scrapersky.maintenance.alerts import resolve_quiet_alerts, sync_alerts
from scrapersky.maintenance.expired_places import expire_places
from scrapersky.maintenance.options import MaintenanceOptions
from scrapersky.maintenance.problems import DetectedProblem
from scrapersky.maintenance.retention import delete_expired_rows
from scrapersky.maintenance.safety_net import queue_missed_sitemaps, queue_rechecks
from scrapersky.sources.csv.uploads import sweep_uploads
from scrapersky.tables.counts import FOLD_EVERY, VERIFY_EVERY, fold, repair_counts

Task = tuple[str, Callable[[], Awaitable[object]], timedelta]
MAX_JOBS_LOGGED = 50
RULE_INTERVAL = timedelta(seconds=5)


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
            ("queue_rechecks", self.queue_rechecks, options.safety_net_interval),
            ("apply_suppressions", self.apply_suppressions, options.safety_net_interval),
            ("clean_up", self.clean_up, options.cleanup_interval),
            ("sweep_uploads", self.sweep_uploads, options.cleanup_interval),
            ("expire_places", self.expire_places, options.cleanup_interval),
            ("evaluate_alerts", self.evaluate_alerts, options.alert_interval),
            ("fold_counts", self.fold_counts, FOLD_EVERY),
            ("verify_counts", self.verify_counts, options.cleanup_interval),
            ("run_operations", self.run_operations, WATCH_INTERVAL),
            ("apply_rules", self.apply_rules, RULE_INTERVAL),
            ("start_schedules", self.start_schedules, START_INTERVAL),
            ("match_places", self.match_places, MATCH_INTERVAL),
            ("score_leads", self.score_leads, SCORE_INTERVAL),
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

    async def queue_rechecks(self) -> int | None:
        """Queue addresses that DeBounce could not be asked about, once it may be asked again."""
        queued = await self.leader.run("queue_rechecks", self.options.safety_net_interval, queue_rechecks)
        if queued:
            self.report([{"event": "rechecks_queued", "rows": queued}])
        return queued

    async def apply_suppressions(self) -> int | None:
        """Finish what an import of suppressions left when it was interrupted."""
        if not await self._is_my_turn("apply_suppressions", self.options.safety_net_interval):
            return None
        deleted, changed = await apply_open_suppressions(self.engine)
        return deleted + changed

    async def sweep_uploads(self) -> None:
        """Remove uploaded files of this machine whose time is over."""
        if self.options.data_folder is not None:
            await asyncio.to_thread(sweep_uploads, self.options.data_folder)

    async def send_alerts(self) -> int:
        """Send alerts that have not been sent (R028); any number of workers may try."""
        if not self.channels:
            return 0
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

    async def run_operations(self) -> int | None:
        """Run operations that wait, or whose process has died; any number of workers may try."""
        return await run_open_operations(self.engine, self.report) or None

    async def apply_rules(self) -> int | None:
        """Decide about new rows by the rules of all tenants."""
        if not await self._is_my_turn("apply_rules", RULE_INTERVAL):
            return None
        rows = await apply_rules(
            self.engine, self.report, min_confidence=self.options.delivery_min_confidence
        )
        if rows:
            self.report([{"event": "rules_applied", "rows": rows}])
        return rows

    async def start_schedules(self) -> int | None:
        """Start the runs of schedules that are due, of all tenants."""
        if not await self._is_my_turn("start_schedules", START_INTERVAL):
            return None
        started = await start_due_schedules(self.engine, self.report)
        if started:
            self.report([{"event": "schedules_started", "runs": started}])
        return started

    async def match_places(self) -> int | None:
        """Link places of different sources that are the same business."""
        if not await self._is_my_turn("match_places", MATCH_INTERVAL):
            return None
        return await match_places(self.engine)

    async def score_leads(self) -> int | None:
        """Score contacts that are new or have changed, and all of a tenant after an edit of its weights."""
        if not await self._is_my_turn("score_leads", SCORE_INTERVAL):
            return None
        return await score_leads(self.engine)

    async def clean_up(self) -> dict[str, int] | None:
        """Delete rows whose retention time is over."""
        is_mine = await self._is_my_turn("clean_up", self.options.cleanup_interval)
        return await self.delete_expired() if is_mine else None

    async def expire_places(self) -> dict[str, int] | None:
        """Remove the fields of places that their source lets us keep for a limited time."""
        if not await self._is_my_turn("expire_places", self.options.cleanup_interval):
            return None
        expired = await expire_places(self.engine, self.options.cleanup_batch)
        if any(expired.values()):
            self.report([{"event": "places_expired", "expired": expired}])
        return expired

    async def delete_expired(self) -> dict[str, int]:
        deleted = await delete_expired_rows(self.engine, self.options)
        self.report([{"event": "expired_rows_deleted", "deleted": deleted}])
        return deleted

    async def evaluate_alerts(self) -> list[DetectedProblem] | None:
        """Run the check of every alert rule; raise alerts, resolve those that are over, and log."""
        problems: dict[AlertRule, list[DetectedProblem]] = {}

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


def _log_lines(rule: AlertRule, problems: Sequence[DetectedProblem]) -> list[dict[str, Any]]:
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
