"""Dead letters: rows that failed permanently, with reason, tries and the crashes of their workers."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Text, cast, desc, func, select, text
from sqlalchemy.ext.asyncio import AsyncEngine

from scrapersky.declarations import StageDeclaration
from scrapersky.errors import NotFound
from scrapersky.queries.read_model import Query, get_declaration, is_dead_letter, queue_table

CRASHES = text("SELECT * FROM zombies WHERE stage = :stage AND row_id = :row_id ORDER BY id")
FAILURE = text("""
SELECT error_class, attempts, traceback FROM failures
WHERE tenant_id = :tenant_id AND stage = :stage AND row_id = :row_id
""")


class DeadLetterQuery(Query):
    """The dead letters of one tenant."""

    def __init__(self, engine: AsyncEngine, tenant_id: UUID) -> None:
        super().__init__(engine)
        self._tenant_id = tenant_id

    async def newest(self, stage: str, *, contains: str = "", limit: int = 100) -> list[dict[str, Any]]:
        """The newest dead letters of a stage; `contains` is literal text in the reason."""
        declaration = get_declaration(stage)
        columns = queue_table(declaration).c
        query = select(
            columns.id,
            columns.tenant_id,
            columns[declaration.error].label("reason"),
            columns[declaration.column("retries")].label("retries"),
            columns[declaration.column("crashes")].label("crashes"),
            columns[declaration.column("finished_at")].label("failed_at"),
        ).where(*dead_letters(declaration, self._tenant_id, contains))
        rows = await self.dicts(query.order_by(desc("failed_at")).limit(limit))
        return [{"stage": stage, **row} for row in rows]

    async def count(self, stage: str, *, contains: str = "") -> int:
        """The number of dead letters of a stage, or of those with this text in their reason."""
        declaration = get_declaration(stage)
        query = select(func.count()).select_from(queue_table(declaration))
        return int(await self.scalar(query.where(*dead_letters(declaration, self._tenant_id, contains))))

    async def show(self, stage: str, row_id: str) -> dict[str, Any]:
        """One whole row, with the traceback of its failure and the crashes of its workers."""
        declaration = get_declaration(stage)
        table = queue_table(declaration)
        query = select(table).where(table.c.tenant_id == self._tenant_id, cast(table.c.id, Text) == row_id)
        rows = await self.dicts(query)
        if not rows:
            raise NotFound(f"There is no row {row_id} in {declaration.table}")
        [row] = rows
        crashes = await self.dicts(CRASHES, {"stage": stage, "row_id": row_id})
        params = {"tenant_id": self._tenant_id, "stage": stage, "row_id": row_id}
        is_failed = row[declaration.status] == declaration.statuses.failed
        failures = await self.dicts(FAILURE, params) if is_failed else []
        return {**row, "crash_history": crashes, **(failures[0] if failures else {})}


def dead_letters(stage: StageDeclaration, tenant_id: UUID, contains: str = "") -> list[ColumnElement[bool]]:
    """The conditions of a tenant's dead letters, with this text in their reason if there is any."""
    columns = queue_table(stage).c
    conditions = [is_dead_letter(stage), columns.tenant_id == tenant_id]
    return [*conditions, columns[stage.error].contains(contains, autoescape=True)] if contains else conditions
