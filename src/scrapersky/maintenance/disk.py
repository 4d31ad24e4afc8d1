"""Watches the disk of the private PostgreSQL: below a minimum of free space no work is claimed.

The disk of another database (DATABASE_URL) is not visible from here.
"""

from __future__ import annotations

import asyncio
import platform
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy.ext.asyncio import AsyncEngine

from scrapersky.engine.database import is_transient
from scrapersky.log import Log
from scrapersky.maintenance.alerts import sync_alerts

CHECK_SECONDS = 2.0
DISK_LOW = "disk_low"
# Work resumes a little above the minimum, or it would start and stop at every file.
RESUME_FACTOR = 1.1
MIB = 2**20


@dataclass(frozen=True, slots=True)
class DiskMinimum:
    """The space that must stay free: a share of the disk or a fixed size, whichever is smaller."""

    folder: Path
    percent: int
    mib: int

    def shortage(self, *, factor: float = 1.0) -> str:
        """Why there is too little space, or an empty string."""
        disk = shutil.disk_usage(self.folder)
        minimum = min(disk.total * self.percent / 100, self.mib * MIB)
        if disk.free >= minimum * factor:
            return ""
        return f"{self.folder}: {disk.free // MIB} MiB free, new work waits below {minimum // MIB:.0f} MiB"


async def watch_disk(
    minimum: DiskMinimum, hold: Callable[[str], None], engine: AsyncEngine, log: Log
) -> None:
    """Hold new work back while there is too little space, with an alert until there is enough."""
    reason, alerted = "", None
    while True:
        before, reason = reason, minimum.shortage(factor=RESUME_FACTOR if reason else 1.0)
        hold(reason)
        if reason and not before:
            log.event("disk_space_low", level="error", reason=reason)
        elif before and not reason:
            log.event("disk_space_recovered", level="warning")
        if alerted != bool(reason) and await _set_alert(engine, reason, log):
            alerted = bool(reason)
        await asyncio.sleep(CHECK_SECONDS)


async def _set_alert(engine: AsyncEngine, reason: str, log: Log) -> bool:
    """Returns whether it succeeded; while the database is unavailable the caller tries again."""
    try:
        async with engine.begin() as connection:
            await sync_alerts(connection, DISK_LOW, {f"disk of {platform.node()}": reason} if reason else {})
    except Exception as error:  # noqa: BLE001 - the watch continues without its alert.
        if is_transient(error):
            return False
        log.event("alert_failed", level="error", error=str(error))
    return True
