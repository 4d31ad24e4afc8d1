"""What the check of an alert rule returns."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class DetectedProblem:
    """What is wrong with a stage (or type of job), or with one row of it."""

    stage: str
    reason: str
    table: str = ""
    id: str = ""
    since: datetime | None = None
    domain: str | None = None
