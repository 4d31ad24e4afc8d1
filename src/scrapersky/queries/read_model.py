"""How queries reach the database: one short read, no transaction left open."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sqlalchemy import ARRAY, ColumnElement, Row, Table, any_, func, literal, select, text
from sqlalchemy.ext.asyncio import AsyncEngine

from scrapersky import tables
from scrapersky.declarations import DECLARATIONS
from scrapersky.declarations.queue import Queue
from scrapersky.engine.database import single_statements
from scrapersky.errors import NotFound
from scrapersky.tables.constraints import dead_letter_condition

# Counting further than this tells a person nothing more and costs a full scan.
COUNT_LIMIT = 1_000_000


class Query:
    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = single_statements(engine)

    async def rows(self, query: Any) -> list[Row[Any]]:
        async with self._engine.connect() as connection:
            return list((await connection.execute(query)).fetchall())

    async def one(self, query: Any) -> Row[Any] | None:
        found = await self.rows(query)
        return found[0] if found else None


def get_declaration(stage: str) -> Queue:
    for queue in DECLARATIONS:
        if queue.name == stage:
            return queue
    names = ", ".join(queue.name for queue in DECLARATIONS)
    raise NotFound(f"There is no stage {stage!r}; the stages are {names}")


def queue_table(queue: Queue) -> Table:
    return tables.metadata.tables[queue.table]


def in_array(column: ColumnElement[Any], values: Iterable[Any]) -> ColumnElement[bool]:
    """Like IN with a single parameter: a statement may have 32,767, and a list of domains is longer."""
    return column == any_(literal(list(values), ARRAY(column.type)))


def count_up_to(table: Table, condition: Any, *, no_further: int = COUNT_LIMIT) -> Any:
    """The number of rows that meet the condition, as a subquery that stops at the limit."""
    some = select(literal(1)).select_from(table).where(condition).limit(no_further).subquery()
    return select(func.count()).select_from(some).scalar_subquery()


def is_dead_letter(queue: Queue) -> Any:
    """The condition of a dead letter: as its index says it, word for word, or the planner cannot use that."""
    return text(dead_letter_condition(queue))
