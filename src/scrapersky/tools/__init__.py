"""What a stage may reach the world with; the application fills it, tests fill it with fakes."""

from scrapersky.tools.jobs import JobRun, Jobs, JobType
from scrapersky.tools.progress import Progress
from scrapersky.tools.toolbox import Tools

__all__ = ["JobRun", "JobType", "Jobs", "Progress", "Tools"]
