"""What people read: health, stages, jobs, dead letters. Nothing here changes a row."""

from scrapersky.queries.dead_letters import DeadLetterQuery
from scrapersky.queries.health import HealthQuery
from scrapersky.queries.inspection import TableQuery
from scrapersky.queries.jobs import JobQuery
from scrapersky.queries.progress import ProgressQuery, is_finished
from scrapersky.queries.stages import Remaining, StageQuery

__all__ = [
    "DeadLetterQuery",
    "HealthQuery",
    "JobQuery",
    "ProgressQuery",
    "Remaining",
    "StageQuery",
    "TableQuery",
    "is_finished",
]
