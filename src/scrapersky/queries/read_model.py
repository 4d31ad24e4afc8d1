"""The base of all queries: each is one short read that leaves no transaction open."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from sqlalchemy import ARRAY, ColumnElement, Row, Table, any_, func, literal, select, text
from sqlalchemy.ext.asyncio import AsyncEngine

from scrapersky import tables
from scrapersky.declarations import DECLARATIONS, StageDeclaration
from scrapersky.declarations.queue import Queue
from scrapersky.engine.database import single_statements
from scrapersky.errors import NotFound
from scrapersky.tables.constraints import dead_letter_condition

# A larger count tells a person nothing more and costs a full scan.
COUNT_LIMIT = 1_000_000


class Query:
    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = single_statements(engine)

    async def rows(self, query: Any, params: Mapping[str, Any] | None = None) -> list[Row[Any]]:
        async with self._engine.connect() as connection:
            return list((await connection.execute(query, params)).fetchall())

    async def first(self, query: Any, params: Mapping[str, Any] | None = None) -> Row[Any] | None:
        rows = await self.rows(query, params)
        return rows[0] if rows else None

    async def scalar(self, query: Any, params: Mapping[str, Any] | None = None) -> Any:
        """The first column of the first row, or None."""
        row = await self.first(query, params)
        return row[0] if row else None

    async def dicts(self, query: Any, params: Mapping[str, Any] | None = None) -> list[dict[str, Any]]:
        """Rows whose columns the caller chooses, for output as JSON or as a table."""
        async with self._engine.connect() as connection:
            return [dict(row) for row in (await connection.execute(query, params)).mappings()]


def get_declaration(name: str) -> StageDeclaration:
    for stage in DECLARATIONS:
        if stage.name == name:
            return stage
    names = ", ".join(stage.name for stage in DECLARATIONS)
    raise NotFound(f"Invalid stage {name!r}; expected one of {names}")


def queue_table(queue: Queue) -> Table:
    return tables.metadata.tables[queue.table]


def in_array(column: ColumnElement[Any], values: Iterable[Any]) -> ColumnElement[bool]:
    """Like IN, but with one parameter: a statement may have 32,767, and a list of domains may be longer."""
    return column == any_(literal(list(values), ARRAY(column.type)))


def count_up_to(table: Table, *conditions: Any, limit: int = COUNT_LIMIT) -> Any:
    """The number of matching rows, as a subquery that stops at the limit."""
    matching = select(literal(1)).select_from(table).where(*conditions).limit(limit).subquery()
    return select(func.count()).select_from(matching).scalar_subquery()


def is_dead_letter(queue: Queue) -> Any:
    """The condition of a dead letter, exactly as in its index, or the planner cannot use that index."""
    return text(dead_letter_condition(queue))
