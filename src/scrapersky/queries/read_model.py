"""The base of all queries: short reads that leave no transaction open."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from typing import Any, TypeVar
from uuid import UUID

from sqlalchemy import (
    ARRAY,
    ClauseElement,
    ColumnElement,
    Executable,
    FromClause,
    Row,
    Table,
    any_,
    func,
    literal,
    select,
    text,
)
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine
from sqlalchemy.ext.compiler import compiles

from scrapersky import tables
from scrapersky.declarations import DECLARATIONS, StageDeclaration
from scrapersky.declarations.queue import Queue
from scrapersky.engine.database import single_statements
from scrapersky.errors import NotFound
from scrapersky.tables.constraints import dead_letter_condition

T = TypeVar("T")
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

    async def read(self, work: Callable[[AsyncConnection], Awaitable[T]]) -> T:
        """What a function below reads with a connection of ours."""
        async with self._engine.connect() as connection:
            return await work(connection)

    @asynccontextmanager
    async def snapshot(self) -> AsyncIterator[AsyncConnection]:
        """A transaction whose statements all see the same rows."""
        engine = self._engine.execution_options(isolation_level="REPEATABLE READ")
        async with engine.connect() as connection:
            yield connection

    async def dicts(self, query: Any, params: Mapping[str, Any] | None = None) -> list[dict[str, Any]]:
        """Rows whose columns the caller chooses, for output as JSON or as a table."""
        async with self._engine.connect() as connection:
            return [dict(row) for row in (await connection.execute(query, params)).mappings()]


class TenantRowsQuery(Query):
    """Reads rows of one tenant."""

    def __init__(self, engine: AsyncEngine, tenant_id: UUID) -> None:
        super().__init__(engine)
        self._tenant_id = tenant_id


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


class _Explain(Executable, ClauseElement):
    """The plan of a statement, as JSON, for the values of its parameters."""

    inherit_cache = False

    def __init__(self, statement: ClauseElement) -> None:
        self.statement = statement


@compiles(_Explain)
def _explain(element: _Explain, compiler: Any, **options: Any) -> str:
    return f"EXPLAIN (FORMAT JSON) {compiler.process(element.statement, **options)}"


async def estimate_rows(connection: AsyncConnection, table: FromClause, *conditions: Any) -> float:
    """How many rows the planner expects to match, without reading them."""
    query = select(text("1")).select_from(table).where(*conditions)
    plan = (await connection.execute(_Explain(query))).scalar_one()
    return float(plan[0]["Plan"]["Plan Rows"])


def is_claimable(queue: Queue) -> Any:
    """The condition of a row that waits, exactly as in the queue's index."""
    return text(queue.claimable())


def is_dead_letter(queue: Queue) -> Any:
    """The condition of a dead letter, exactly as in its index, or the planner cannot use that index."""
    return text(dead_letter_condition(queue))
