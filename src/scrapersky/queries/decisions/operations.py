"""Operations as people see them: who decided what about which rows, and how far it is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import func, select

from scrapersky import tables
from scrapersky.errors import NotFound
from scrapersky.queries.read_model import TenantRowsQuery, count_up_to, in_array
from scrapersky.queries.rows.entities import ENTITIES

COLUMNS = (
    "id", "action", "table_name", "value", "filters", "status", "error", "expected", "matched", "changed",
    "queued", "skipped", "cancel_requested", "undo_of", "undone_at", "rule_id", "created_by", "actor",
    "correlation_id", "created_at", "started_at", "finished_at",
)  # fmt: skip
# Rows that an operation met without changing them; the other reasons are about rows that it changed.
PASSED_OVER = ("not_found", "taken", "changed_since", "deleted")
ENTITY_OF_TABLE = {entity.table.name: entity.name for entity in ENTITIES.values()}


@dataclass(frozen=True, slots=True)
class OperationFilter:
    """Selects the operations that match all that is set."""

    status: str | None = None
    entity: str | None = None
    action: str | None = None
    created_by: UUID | None = None
    since: datetime | None = None

    def conditions(self) -> Iterator[Any]:
        columns = tables.operations.c
        for name in ("status", "action", "created_by"):
            if (value := getattr(self, name)) is not None:
                yield columns[name] == value
        if self.entity is not None:
            yield columns.table_name == ENTITIES[self.entity].table.name
        if self.since is not None:
            yield columns.created_at >= self.since


class OperationQuery(TenantRowsQuery):
    """The operations of one tenant."""

    async def list_operations(
        self,
        *,
        status: str | None = None,
        entity: str | None = None,
        after: UUID | None = None,
        limit: int = 50,
    ) -> list[dict[str, Any]]:
        """The newest operations, or those older than `after`."""
        return await self.find(OperationFilter(status, entity), after=after, limit=limit)

    async def find(
        self, matching: OperationFilter, *, after: UUID | None = None, limit: int = 50
    ) -> list[dict[str, Any]]:
        """The newest operations that match, or those older than `after`."""
        columns = tables.operations.c
        query = _select().where(*self._conditions(matching))
        if after is not None:
            query = query.where(columns.id < after)
        return [_describe(row) for row in await self.dicts(query.order_by(columns.id.desc()).limit(limit))]

    async def count(self, *, status: str | None = None, entity: str | None = None) -> int:
        return await self.count_matching(OperationFilter(status, entity))

    async def count_matching(self, matching: OperationFilter) -> int:
        conditions = self._conditions(matching)
        return int(await self.scalar(select(count_up_to(tables.operations, *conditions))))

    def _conditions(self, matching: OperationFilter) -> list[Any]:
        return [tables.operations.c.tenant_id == self._tenant_id, *matching.conditions()]

    async def show(self, operation_id: UUID) -> dict[str, Any]:
        rows = await self.dicts(
            _select().where(
                tables.operations.c.tenant_id == self._tenant_id, tables.operations.c.id == operation_id
            )
        )
        if not rows:
            raise NotFound(f"There is no operation {operation_id}")
        return _describe(rows[0])

    async def changed_among(self, operation_id: UUID, ids: Sequence[UUID]) -> list[UUID]:
        """Those of the rows that the operation has changed, from its journal."""
        journal = tables.operation_rows.c
        is_mine = journal.tenant_id == self._tenant_id, journal.operation_id == operation_id
        query = select(journal.row_id).where(*is_mine, in_array(journal.row_id, set(ids)))
        return [row.row_id for row in await self.rows(query)]


def _select() -> Any:
    columns = tables.operations.c
    return select(*(columns[name] for name in COLUMNS), func.cardinality(columns.ids).label("number_of_ids"))


def _describe(row: Mapping[str, Any]) -> dict[str, Any]:
    """The row with its progress and the name of the entity."""
    seen = row["changed"] + sum(row["skipped"].get(reason, 0) for reason in PASSED_OVER)
    share = 1.0 if row["finished_at"] else min(1.0, seen / max(1, row["matched"]))
    return {**row, "entity": ENTITY_OF_TABLE[row["table_name"]], "progress": round(share, 4)}
