"""How far a running job is, for everybody to see; the answer is whether somebody wants it to stop."""

from __future__ import annotations

from sqlalchemy import func, update

from scrapersky.engine.database import Database
from scrapersky.engine.signals import GiveUp
from scrapersky.engine.stage import Item
from scrapersky.tables import Job, table_of

LONGEST_MESSAGE = 1_000


class Cancelled(GiveUp):
    """Somebody cancelled this job."""


class Progress:
    """Without a database it keeps the last word in memory, which is what tests of stages want."""

    def __init__(self, database: Database | None = None) -> None:
        self.database = database
        self.told: list[tuple[int, str]] = []

    async def tell(self, item: Item, percent: float, message: str) -> None:
        """Say how far it is. A job that lost its lease, or that nobody wants any more, ends here."""
        whole = max(0, min(100, round(percent)))
        if self.database is None:
            self.told.append((whole, message))
            return
        statement = (
            update(Job)
            .where(Job.id == item.id, table_of(Job).c.lease_seq == item.seq)
            .values(
                progress_percent=whole,
                progress=whole / 100,
                progress_message=message[:LONGEST_MESSAGE],
                updated_at=func.now(),
            )
            .returning(Job.is_cancel_wanted)
        )
        rows = await self.database.rows(statement)
        if rows and rows[0].is_cancel_wanted:
            raise Cancelled("cancelled by a person")
