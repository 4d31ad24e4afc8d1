"""The figures of the upkeep: how often, how long and how many; every one is a setting."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta


@dataclass(frozen=True, slots=True)
class MaintenanceOptions:
    """What is None is kept for ever."""

    safety_net: timedelta = timedelta(minutes=5)
    stuck_check: timedelta = timedelta(minutes=5)
    cleanup: timedelta = timedelta(hours=1)
    batch: int = 5_000
    keep_jobs: timedelta | None = timedelta(days=30)
    keep_dead: timedelta | None = timedelta(days=90)
    keep_statistics: timedelta | None = timedelta(days=90)
    keep_alerts: timedelta | None = timedelta(days=90)
    pending: timedelta = timedelta(minutes=5)
    running: timedelta = timedelta(minutes=30)
    processing: timedelta = timedelta(minutes=30)
    stall: timedelta = timedelta(minutes=15)
    barren: int = 50
    slow_factor: int = 10
    queue_factor: int = 10
    quiet: timedelta = timedelta(hours=1)
    patience: timedelta = timedelta(seconds=10)
