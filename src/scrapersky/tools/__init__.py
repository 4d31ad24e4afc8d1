"""What a stage may reach the world with; the application fills it, tests fill it with fakes."""

from scrapersky.tools.discovery import Discovery
from scrapersky.tools.jobs import JobRun, Jobs, JobType, checked
from scrapersky.tools.policy import Policy
from scrapersky.tools.progress import Progress
from scrapersky.tools.toolbox import StageContext
from scrapersky.tools.web import InProcessParser, Web, packed

__all__ = [
    "Discovery",
    "InProcessParser",
    "JobRun",
    "JobType",
    "Jobs",
    "Policy",
    "Progress",
    "StageContext",
    "Web",
    "checked",
    "packed",
]
