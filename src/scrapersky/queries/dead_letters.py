"""Dead letters: rows that failed for good, with reason, tries and the history of their workers."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from sqlalchemy import Text, cast, desc, func, select
from sqlalchemy.ext.asyncio import AsyncEngine

from scrapersky import tables
from scrapersky.errors import NotFound
from scrapersky.queries.read_model import Query, get_declaration, is_dead_letter, queue_table


class DeadLetterQuery(Query):
    """The dead letters of one tenant."""

    def __init__(self, engine: AsyncEngine, tenant_id: UUID) -> None:
        super().__init__(engine)
        self._tenant_id = tenant_id

    async def newest(self, stage: str, *, contains: str = "", limit: int = 100) -> list[dict[str, Any]]:
        """The newest dead letters of a stage; `contains` is looked for in the reason, letter by letter."""
        queue = get_declaration(stage)
        columns = queue_table(queue).c
        query = select(
            columns.id,
            columns.tenant_id,
            columns[queue.error].label("reason"),
            columns[queue.column("retries")].label("retries"),
            columns[queue.column("crashes")].label("crashes"),
            columns[queue.column("finished_at")].label("failed_at"),
        ).where(is_dead_letter(queue), columns.tenant_id == self._tenant_id)
        if contains:
            query = query.where(columns[queue.error].contains(contains, autoescape=True))
        rows = await self.rows(query.order_by(desc("failed_at")).limit(limit))
        return [{"stage": stage, **row._mapping} for row in rows]

    async def count(self, stage: str, *, contains: str = "") -> int:
        """How many dead letters a stage has, or how many of them have this in their reason."""
        queue = get_declaration(stage)
        columns = queue_table(queue).c
        query = select(func.count()).where(is_dead_letter(queue), columns.tenant_id == self._tenant_id)
        if contains:
            query = query.where(columns[queue.error].contains(contains, autoescape=True))
        return int((await self.rows(query.select_from(queue_table(queue))))[0][0])

    async def show(self, stage: str, row_id: str) -> dict[str, Any]:
        """One row whole, with the traceback of its failure and every time its worker died."""
        queue = get_declaration(stage)
        table = queue_table(queue)
        mine = table.c.tenant_id == self._tenant_id
        row = await self.one(select(table).where(mine, cast(table.c.id, Text) == row_id))
        if row is None:
            raise NotFound(f"There is no row {row_id} in {queue.table}")
        history = (
            select(tables.zombies)
            .where(tables.zombies.c.stage == stage, tables.zombies.c.row_id == row_id)
            .order_by(tables.zombies.c.id)
        )
        crashes = [dict(one._mapping) for one in await self.rows(select(history.subquery()))]
        failed = select(
            tables.failures.c.error_class, tables.failures.c.attempts, tables.failures.c.traceback
        ).where(
            tables.failures.c.tenant_id == self._tenant_id,
            tables.failures.c.stage == stage,
            tables.failures.c.row_id == row_id,
        )
        found = await self.one(failed)
        failure = (
            dict(found._mapping) if found and row._mapping[queue.status] == queue.statuses.failed else {}
        )
        return {**row._mapping, "crash_history": crashes, **failure}
