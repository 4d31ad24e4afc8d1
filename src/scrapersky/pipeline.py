"""The product on one screen: the stages in the order in which rows travel. Read this first."""

from __future__ import annotations

from dataclasses import dataclass

from scrapersky.engine.stage import Stage
from scrapersky.stages.run_job import run_job


@dataclass(frozen=True, slots=True)
class Line:
    """A stage and the first words of its settings."""

    stage: Stage
    settings: str


STAGES = (Line(run_job, "job_scheduler"),)
