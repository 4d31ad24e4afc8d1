"""The intervals, retention times and thresholds of maintenance; each comes from a setting."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path


@dataclass(frozen=True, slots=True)
class MaintenanceOptions:
    """Rows whose retention time (`keep_*`) is None are kept forever."""

    safety_net_interval: timedelta = timedelta(minutes=5)
    alert_interval: timedelta = timedelta(minutes=5)
    cleanup_interval: timedelta = timedelta(hours=1)
    cleanup_batch: int = 5_000
    keep_jobs: timedelta | None = timedelta(days=30)
    keep_dead_letters: timedelta | None = timedelta(days=90)
    keep_statistics: timedelta | None = timedelta(days=90)
    keep_alerts: timedelta | None = timedelta(days=90)
    keep_contacts: timedelta | None = timedelta(days=730)
    keep_audit_entries: timedelta | None = None
    keep_audit_values: timedelta | None = timedelta(days=365)
    keep_operations: timedelta | None = timedelta(days=90)
    # How long the journal of an operation is kept, from which it can be undone.
    keep_journals: timedelta = timedelta(hours=24)
    stuck_pending: timedelta = timedelta(minutes=5)
    stuck_running: timedelta = timedelta(minutes=30)
    stuck_processing: timedelta = timedelta(minutes=30)
    # The period in which a stage must finish something.
    stall: timedelta = timedelta(minutes=15)
    # The number of rows from which a stage without any output or success is suspicious.
    min_rows: int = 50
    slow_factor: int = 10
    queue_factor: int = 10
    # An alert about an event is resolved when the event has not happened again for this long.
    quiet: timedelta = timedelta(hours=1)
    channel_timeout: timedelta = timedelta(seconds=10)
    # Rules send no contact that is less sure.
    delivery_min_confidence: float = 0.8
    # Where uploads wait; each machine sweeps its own.
    data_folder: Path | None = None
