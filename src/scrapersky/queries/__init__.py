"""What people read: health, stages, jobs, dead letters. Nothing here changes a row."""

from scrapersky.queries.alerts import AlertQuery
from scrapersky.queries.dead_letters import DeadLetterQuery
from scrapersky.queries.health import HealthQuery
from scrapersky.queries.inspection import TableQuery
from scrapersky.queries.jobs import JobQuery
from scrapersky.queries.progress import ProgressQuery, is_finished
from scrapersky.queries.stages import Remaining, StageQuery
from scrapersky.queries.statistics import CreditQuery, JobStatisticsQuery, StatisticsQuery

__all__ = [
    "AlertQuery",
    "CreditQuery",
    "DeadLetterQuery",
    "HealthQuery",
    "JobQuery",
    "JobStatisticsQuery",
    "ProgressQuery",
    "Remaining",
    "StageQuery",
    "StatisticsQuery",
    "TableQuery",
    "is_finished",
]
