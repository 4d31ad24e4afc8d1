"""How far a running job is, for everybody to see; the answer is whether somebody wants it to stop."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic
from typing import Any

from sqlalchemy import bindparam, func, update

from scrapersky import tables
from scrapersky.engine.database import Database, Statement
from scrapersky.engine.outcome import Discard
from scrapersky.engine.stage import Item

LONGEST_MESSAGE = 1_000
# Nobody can read faster, and nobody who cancels a job notices the difference.
BETWEEN = 0.5
MOST_REMEMBERED = 10_000


class Cancelled(Discard):
    """Somebody cancelled this job."""


class LeaseLost(Discard):
    """Another worker has this job now; the fence keeps what this one would write."""


class JobProgress:
    """Without a database it keeps the last word in memory, which is what tests of stages want."""

    def __init__(self, database: Database | None = None, *, clock: Callable[[], float] = monotonic) -> None:
        self.database = database
        self.told: list[tuple[int, str]] = []
        self._clock = clock
        self._next: dict[tuple[Any, int], float] = {}

    async def tell(self, item: Item, percent: float, message: str) -> None:
        """Say how far it is. A job that lost its lease, or that nobody wants any more, ends here.

        What follows quickly is left out, but for the first word and the last; it would be replaced at once.
        """
        whole = max(0, min(100, round(percent)))
        if self.database is None:
            self.told.append((whole, message))
            return
        if whole < 100 and self._is_too_soon((item.id, item.seq)):
            return
        values = {"percent": whole, "share": whole / 100, "message": _plain(message)}
        rows = await self.database.fetch(_TELL, {"job": item.id, "seq": item.seq, **values})
        if not rows:
            raise LeaseLost
        if rows[0].is_cancel_wanted:
            raise Cancelled("cancelled by a person")

    def _is_too_soon(self, run: tuple[Any, int]) -> bool:
        now = self._clock()
        if now < self._next.get(run, 0.0):
            return True
        if len(self._next) >= MOST_REMEMBERED:
            self._next.clear()
        self._next[run] = now + BETWEEN
        return False


def _tell() -> Any:
    jobs = tables.jobs
    mine = update(jobs).where(jobs.c.id == bindparam("job"), jobs.c.lease_seq == bindparam("seq"))
    told = {"progress_percent": "percent", "progress": "share", "progress_message": "message"}
    values: dict[str, Any] = {column: bindparam(name) for column, name in told.items()}
    return mine.values(**values, updated_at=func.now()).returning(jobs.c.is_cancel_wanted)


# Made once: to make it takes longer than to run it.
_TELL = Statement(_tell())


def _plain(message: str) -> str:
    """One line that a text column can hold, whatever a stranger's path brought into it."""
    printable = "".join(c if c.isprintable() else " " for c in message[:LONGEST_MESSAGE])
    return printable.encode("utf-8", "replace").decode()
