"""The tools themselves."""

from __future__ import annotations

from dataclasses import dataclass, field

from scrapersky.tools.jobs import Jobs
from scrapersky.tools.progress import Progress


@dataclass(slots=True)
class Tools:
    """One field for each way to the world."""

    jobs: Jobs = field(default_factory=Jobs)
    progress: Progress = field(default_factory=Progress)
