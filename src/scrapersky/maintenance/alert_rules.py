"""The alert rules: one line per kind of alert. To add one, write its check and add a line here."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from sqlalchemy.ext.asyncio import AsyncConnection

from scrapersky.maintenance.anomalies import failing_stages, long_queues, slow_stages, snoozing_stages
from scrapersky.maintenance.options import MaintenanceOptions
from scrapersky.maintenance.problems import DetectedProblem
from scrapersky.maintenance.schedule_failures import failing_schedules
from scrapersky.maintenance.stalls import describe_stalls, find_stalls

Check = Callable[[AsyncConnection, MaintenanceOptions], Awaitable[list[DetectedProblem]]]


def first_reason(problems: Sequence[DetectedProblem]) -> str:
    return problems[0].reason


@dataclass(frozen=True, slots=True)
class AlertRule:
    """One kind of alert. Every stage in which `check` finds problems has one open alert.

    `describe` makes the alert's message from the problems of one stage.
    """

    kind: str
    check: Check
    severity: str = "error"
    describe: Callable[[Sequence[DetectedProblem]], str] = first_reason

    def messages(self, problems: Sequence[DetectedProblem]) -> dict[str, str]:
        """The message of each stage's alert."""
        stages = dict.fromkeys(problem.stage for problem in problems)
        return {
            stage: self.describe([problem for problem in problems if problem.stage == stage])
            for stage in stages
        }


ALERT_RULES = (
    AlertRule("stuck", find_stalls, describe=describe_stalls),
    AlertRule("all_failed", failing_stages),
    AlertRule("all_snoozed", snoozing_stages, severity="warning"),
    AlertRule("slow", slow_stages, severity="warning"),
    AlertRule("long_queue", long_queues, severity="warning"),
    AlertRule("schedule_failing", failing_schedules),
)
