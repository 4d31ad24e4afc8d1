"""The engine's way to the database: single statements, short transactions, and patience when it is away."""

from __future__ import annotations

import asyncio
import random
from collections import namedtuple
from collections.abc import Awaitable, Callable, Mapping
from functools import wraps
from typing import Any, ParamSpec, TypeVar

import asyncpg
from sqlalchemy import Row
from sqlalchemy.dialects.postgresql.asyncpg import PGDialect_asyncpg
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from scrapersky.engine.pooler import single_statements

T = TypeVar("T")
P = ParamSpec("P")

# Connection trouble, too few resources, shutting down, lost a race for locks: trying again can help.
LOCK_TIMEOUT = "55P03"
TRANSIENT_SQLSTATES = ("08", "53", "57P", "40", LOCK_TIMEOUT)
DEADLOCK_SQLSTATES = ("40001", "40P01")
DEADLOCK_ATTEMPTS = 5


def is_transient(error: BaseException) -> bool:
    """Whether the same call may well succeed later, with nothing changed but the database's mood."""
    if isinstance(error, DBAPIError) and error.connection_invalidated:
        return True
    source = _source_of(error)
    if state := _state_of(source):
        return state.startswith(TRANSIENT_SQLSTATES)
    closed = type(source).__name__ in ("InterfaceError", "InternalClientError", "ConnectionDoesNotExistError")
    return closed or isinstance(source, OSError | PoolTimeout)


def is_lock_timeout(error: BaseException) -> bool:
    """Whether waiting for somebody else's lock timed out."""
    return _state_of(_source_of(error)) == LOCK_TIMEOUT


def _source_of(error: BaseException) -> BaseException | None:
    """The driver's own error, where SQLAlchemy has wrapped it."""
    return error.orig if isinstance(error, DBAPIError) else error


def _state_of(source: BaseException | None) -> str:
    return str(getattr(source, "sqlstate", None) or getattr(source, "pgcode", None) or "")


def retry_on_deadlock(change: Callable[P, Awaitable[T]]) -> Callable[P, Awaitable[T]]:
    """Make a change again that lost a race for locks, as it was rolled back whole.

    A change of thousands of rows meets workers that lock the same hosts in another order; the person who
    asked for it must not be told of a deadlock.
    """

    @wraps(change)
    async def call(*args: P.args, **named: P.kwargs) -> T:
        for number in range(1, DEADLOCK_ATTEMPTS):
            try:
                return await change(*args, **named)
            except DBAPIError as error:
                if _state_of(_source_of(error)) not in DEADLOCK_SQLSTATES:
                    raise
                await asyncio.sleep(number * random.random() / 5)  # noqa: S311 - jitter, not a secret.
        return await change(*args, **named)

    return call


_DIALECT: Any = PGDialect_asyncpg()  # type: ignore[no-untyped-call]


class Statement:
    """A statement compiled once; then it costs the driver's time alone, a fifth of SQLAlchemy's."""

    def __init__(self, statement: Any) -> None:
        self.statement = statement
        compiled = statement.compile(dialect=_DIALECT)
        self.sql = str(compiled)
        self._names: list[str] = compiled.positiontup
        self._constants: dict[str, Any] = compiled.params
        names = compiled.bind_names.items()
        inward = {name: bind.type.dialect_impl(_DIALECT).bind_processor(_DIALECT) for bind, name in names}
        self._inward = [(name, convert) for name, convert in inward.items() if convert]
        # The driver decodes every type itself; SQLAlchemy has taught it JSON when it connected.
        self._row: Any = namedtuple("Found", statement.exported_columns.keys())  # type: ignore[misc]

    async def run(self, connection: AsyncConnection, values: Mapping[str, Any]) -> list[Any]:
        """Run it in the connection's transaction.

        If none has begun it goes SQLAlchemy's way, which begins one; by the driver it would commit alone.
        """
        driver = await _driver_of(connection)
        if driver.is_in_transaction():
            return await self._run_by(driver, connection, values)
        result = await connection.execute(self.statement, values)
        return list(result.fetchall()) if result.returns_rows else []

    async def run_alone(self, connection: AsyncConnection, values: Mapping[str, Any]) -> list[Any]:
        """Run it in a transaction of its own; the connection must have none."""
        return await self._run_by(await _driver_of(connection), connection, values)

    async def _run_by(self, driver: Any, connection: AsyncConnection, values: Mapping[str, Any]) -> list[Any]:
        """Run it by the driver; gives its records with their columns as attributes."""
        given = {**self._constants, **values}
        for name, convert in self._inward:
            given[name] = convert(given[name])
        try:
            records = await driver.fetch(self.sql, *(given[name] for name in self._names))
        except BaseException as error:
            # The pool does not see the driver's errors, so it must be told of a broken connection.
            if driver.is_closed() or not isinstance(error, asyncpg.PostgresError):
                await connection.invalidate()
            raise
        return list(map(self._row._make, records))


async def _driver_of(connection: AsyncConnection) -> Any:
    return (await connection.get_raw_connection()).driver_connection


class Database:
    """An engine of SQLAlchemy's with two habits: single statements commit at once, calls wait out outages."""

    def __init__(self, engine: AsyncEngine) -> None:
        self.engine = engine
        self._single_engine = single_statements(engine)
        self.unavailable_since: float | None = None
        self.shutting_down = asyncio.Event()

    async def rows(self, statement: Any, values: Mapping[str, Any] | None = None) -> list[Row[Any]]:
        """Run one statement in a transaction of its own."""
        async with self._single_engine.begin() as connection:
            result = await connection.execute(statement, values or {})
            return list(result.fetchall()) if result.returns_rows else []

    async def fetch(self, prepared: Statement, values: Mapping[str, Any]) -> list[Any]:
        """Run one prepared statement in a transaction of its own."""
        if self._single_engine is self.engine:
            return await self.in_transaction(lambda connection: prepared.run(connection, values))
        async with self.engine.connect() as connection:
            return await prepared.run_alone(connection, values)

    async def in_transaction(self, operation: Callable[[AsyncConnection], Awaitable[T]]) -> T:
        async with self.engine.begin() as connection:
            return await operation(connection)

    async def with_retry(self, call: Callable[[], Awaitable[T]]) -> T:
        """Repeat `call` until the database is back; gives up only when the process is in a hurry to end."""
        wait = 0.05
        while True:
            try:
                result = await call()
            except Exception as error:
                if not is_transient(error) or self.shutting_down.is_set():
                    raise
                self.unavailable_since = self.unavailable_since or asyncio.get_running_loop().time()
                await self._pause(wait * (0.5 + random.random()))  # noqa: S311 - jitter, not a secret.
                wait = min(wait * 2, 2.0)
            else:
                self.unavailable_since = None
                return result

    async def _pause(self, seconds: float) -> None:
        try:
            await asyncio.wait_for(self.shutting_down.wait(), seconds)
        except TimeoutError:
            return
