"""What people read: health, stages, jobs, dead letters. Nothing here changes a row."""

from scrapersky.queries.dead_letters import DeadLetters
from scrapersky.queries.health import Health
from scrapersky.queries.inspection import Inspection
from scrapersky.queries.jobs import Jobs
from scrapersky.queries.progress import Progress, is_over
from scrapersky.queries.stages import Remaining, Stages

__all__ = ["DeadLetters", "Health", "Inspection", "Jobs", "Progress", "Remaining", "Stages", "is_over"]
