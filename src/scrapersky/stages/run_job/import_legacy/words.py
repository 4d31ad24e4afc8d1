"""The statuses of the original in our words; several vocabularies coexist there."""

from __future__ import annotations

from collections.abc import Mapping

from scrapersky.declarations import statuses
from scrapersky.stages.run_job.import_legacy.legacy_row import LegacyRow

# Curation there mixes a person's choice with the state of the work that it started.
CURATION = {
    "new": statuses.NEW,
    "selected": statuses.SELECTED,
    "maybe": statuses.MAYBE,
    "not a fit": statuses.REJECTED,
    "notafit": statuses.REJECTED,
    "rejected": statuses.REJECTED,
    "skipped": statuses.REJECTED,
    "archived": statuses.ARCHIVED,
    **dict.fromkeys(
        ("queued", "processing", "inprogress", "complete", "completed", "error"), statuses.SELECTED
    ),
}
WAITING = ("queued", "processing", "inprogress", "pending", "running", "paused")
DONE = ("complete", "completed", "submitted", "scanned")
FAILED = ("error", "failed")


def words(waiting: str, done: str, failed: str, **more: str | None) -> dict[str, str | None]:
    """What was being processed waits again: the worker that had it is gone."""
    usual = dict.fromkeys(WAITING, waiting) | dict.fromkeys(DONE, done) | dict.fromkeys(FAILED, failed)
    return {**usual, **more}


def curation(record: LegacyRow, *names: str) -> str:
    """The curation status; no NULL remains (R010)."""
    return translated(record, CURATION, statuses.NEW, *names) or statuses.NEW


def translated(
    record: LegacyRow, meanings: Mapping[str, str | None], default: str | None, *names: str
) -> str | None:
    value = record.value(*names)
    if value is None:
        return default
    key = str(value).strip().lower().replace("_", " ")
    if key not in meanings:
        record.changes.append(f"{names[0]} {str(value)[:50]!r} is not known; it is now {default or 'empty'}")
    return meanings.get(key, default)
