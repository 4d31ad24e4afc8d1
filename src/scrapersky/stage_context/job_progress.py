"""The progress of running jobs, for everybody to see; a job learns here that it was cancelled."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic
from typing import Any

from cachetools import TTLCache
from sqlalchemy import Text, bindparam, case, func, update

from scrapersky import tables
from scrapersky.engine.database import Database, Statement
from scrapersky.engine.outcome import Discard
from scrapersky.engine.stage import Item

MAX_MESSAGE_CHARS = 1_000
# Nobody can read faster, and nobody who cancels a job notices the difference.
MIN_INTERVAL_SECONDS = 0.5
MAX_JOBS = 10_000
# Further steps of a job are not kept.
MAX_STEPS = 100


class JobCancelled(Discard):
    """Somebody cancelled this job."""


class LeaseLost(Discard):
    """Another worker has this job now; the fence rejects what this one would write."""


class JobProgress:
    """Without a database it only collects the reports; tests of stages need no more."""

    def __init__(self, database: Database | None = None, *, clock: Callable[[], float] = monotonic) -> None:
        self._database = database
        self.reports: list[tuple[int, str]] = []
        self._recent: TTLCache[tuple[Any, int], bool] = TTLCache(MAX_JOBS, MIN_INTERVAL_SECONDS, timer=clock)

    async def report(self, item: Item, percent: float, message: str) -> None:
        """Write the progress of a job; one that lost its lease or was cancelled ends here.

        Reports in quick succession are skipped, except for the first and the last one.
        """
        whole = max(0, min(100, round(percent)))
        if self._database is None:
            self.reports.append((whole, message))
            return
        if whole < 100 and self._is_too_soon((item.id, item.seq)):
            return
        values = {"percent": whole, "share": whole / 100, "message": _printable(message)}
        rows = await self._database.fetch(_UPDATE, {"job": item.id, "seq": item.seq, **values})
        if not rows:
            raise LeaseLost
        if rows[0].cancel_requested:
            raise JobCancelled("cancelled by a person")

    def _is_too_soon(self, run: tuple[Any, int]) -> bool:
        if run in self._recent:
            return True
        self._recent[run] = True
        return False


def _update() -> Any:
    jobs = tables.jobs
    held = update(jobs).where(jobs.c.id == bindparam("job"), jobs.c.lease_seq == bindparam("seq"))
    columns = {"progress_percent": "percent", "progress": "share", "progress_message": "message"}
    values: dict[str, Any] = {column: bindparam(name) for column, name in columns.items()}
    step = func.jsonb_build_object(
        *("at", func.now(), "run", jobs.c.lease_seq, "message", bindparam("message", type_=Text))
    )
    is_kept = func.jsonb_array_length(jobs.c.steps) < MAX_STEPS
    steps = case((is_kept, jobs.c.steps.op("||")(func.jsonb_build_array(step))), else_=jobs.c.steps)
    return held.values(**values, steps=steps, updated_at=func.now()).returning(jobs.c.cancel_requested)


_UPDATE = Statement(_update())


def _printable(message: str) -> str:
    """One line that a text column can hold, whatever an untrusted URL brought into it."""
    printable = "".join(c if c.isprintable() else " " for c in message[:MAX_MESSAGE_CHARS])
    return printable.encode("utf-8", "replace").decode()
