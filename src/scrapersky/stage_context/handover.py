"""The hand-over to the next stage: whether a row that a stage writes is queued at once."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from scrapersky.declarations import IMPORT_SITEMAP


def import_status(*, queued: bool) -> dict[str, Any]:
    """A file that waits for a person counts as finished, so that the safety net leaves it alone (D1)."""
    if queued:
        return {"sitemap_import_status": IMPORT_SITEMAP.statuses.queued}
    return {"sitemap_import_status": None, "sitemap_import_finished_at": datetime.now(UTC)}
