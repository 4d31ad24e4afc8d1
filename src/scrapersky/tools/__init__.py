"""What a stage may reach the world with; the application fills it, tests fill it with fakes."""

from scrapersky.tools.discovery import Discovery
from scrapersky.tools.jobs import JobRun, Jobs, JobType, checked
from scrapersky.tools.policy import Policy
from scrapersky.tools.progress import Progress
from scrapersky.tools.toolbox import Tools
from scrapersky.tools.web import HereReading, Web, packed

__all__ = [
    "Discovery",
    "HereReading",
    "JobRun",
    "JobType",
    "Jobs",
    "Policy",
    "Progress",
    "Tools",
    "Web",
    "checked",
    "packed",
]
