"""Dead letters: rows that failed for good, with reason, tries and the history of their workers."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Text, cast, desc, select, text

from scrapersky.engine.work import Work
from scrapersky.errors import NoSuchRow
from scrapersky.queries.reading import Reader, table_of_work
from scrapersky.tables import Zombie
from scrapersky.tables.works import WORKS


def work_named(stage: str) -> Work:
    for work in WORKS:
        if work.name == stage:
            return work
    names = ", ".join(work.name for work in WORKS)
    raise NoSuchRow(f"There is no stage {stage!r}; the stages are {names}")


class DeadLetters(Reader):
    async def newest(self, stage: str, *, contains: str = "", limit: int = 100) -> list[dict[str, Any]]:
        """The newest dead letters of a stage; `contains` is looked for in the reason, letter by letter."""
        work = work_named(stage)
        columns = table_of_work(work).c
        query = select(
            columns.id,
            columns.tenant_id,
            columns[work.error].label("reason"),
            columns[work.column("retries")].label("retries"),
            columns[work.column("crashes")].label("crashes"),
            columns[work.column("finished_at")].label("failed_at"),
        ).where(columns[work.status] == work.words.failed)
        if work.only:
            query = query.where(text(work.only))
        if contains:
            query = query.where(columns[work.error].contains(contains, autoescape=True))
        rows = await self.rows(query.order_by(desc("failed_at")).limit(limit))
        return [{"stage": stage, **row._mapping} for row in rows]

    async def show(self, stage: str, row_id: str) -> dict[str, Any]:
        """One row whole, with every time its worker died."""
        work = work_named(stage)
        table = table_of_work(work)
        row = await self.one(select(table).where(cast(table.c.id, Text) == row_id))
        if row is None:
            raise NoSuchRow(f"There is no row {row_id} in {work.table}")
        history = select(Zombie).where(Zombie.stage == stage, Zombie.row_id == row_id).order_by(Zombie.id)
        crashes = [dict(one._mapping) for one in await self.rows(select(history.subquery()))]
        return {**row._mapping, "crash_history": crashes}
