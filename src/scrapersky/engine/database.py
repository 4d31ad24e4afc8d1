"""The engine's access to the database: fixed statements, short transactions, retries while it is away."""

from __future__ import annotations

import asyncio
import random
import re
from collections import namedtuple
from collections.abc import Awaitable, Callable, Iterable, Mapping
from functools import wraps
from types import SimpleNamespace
from typing import Any, ClassVar, ParamSpec, TypeVar
from weakref import WeakKeyDictionary

import asyncpg
from sqlalchemy import Connection, Executable, Row, bindparam, column, event, func
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.dialects.postgresql.asyncpg import PGDialect_asyncpg
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine
from sqlalchemy.pool import Pool
from sqlalchemy.types import TypeEngine

T = TypeVar("T")
P = ParamSpec("P")

# ---- errors that a retry can help

# Connection lost, too few resources, shutting down, deadlock or serialization failure, lock timeout.
LOCK_TIMEOUT = "55P03"
TRANSIENT_SQLSTATES = ("08", "53", "57P", "40", LOCK_TIMEOUT)
DEADLOCK_SQLSTATES = ("40001", "40P01")
DEADLOCK_ATTEMPTS = 5


def is_transient(error: BaseException) -> bool:
    """Whether the same call may succeed later although nobody changes anything."""
    if isinstance(error, DBAPIError) and error.connection_invalidated:
        return True
    source = _driver_error(error)
    if state := sqlstate(source):
        return state.startswith(TRANSIENT_SQLSTATES)
    closed = type(source).__name__ in ("InterfaceError", "InternalClientError", "ConnectionDoesNotExistError")
    return closed or isinstance(source, OSError | PoolTimeout)


def is_lock_timeout(error: BaseException) -> bool:
    """Whether waiting for another session's lock timed out."""
    return sqlstate(error) == LOCK_TIMEOUT


def _driver_error(error: BaseException | None) -> BaseException | None:
    """The driver's own error, where SQLAlchemy has wrapped it."""
    return error.orig if isinstance(error, DBAPIError) else error


def sqlstate(error: BaseException | None) -> str:
    """PostgreSQL's code for the error; empty where it is not the database's."""
    source = _driver_error(error)
    return str(getattr(source, "sqlstate", None) or getattr(source, "pgcode", None) or "")


def retry_on_deadlock(change: Callable[P, Awaitable[T]]) -> Callable[P, Awaitable[T]]:
    """Repeat a change that was rolled back by a deadlock.

    A change of thousands of rows meets workers that lock the same hosts in another order; the person who
    asked for it must not see a deadlock.
    """

    @wraps(change)
    async def call(*args: P.args, **named: P.kwargs) -> T:
        for attempt in range(1, DEADLOCK_ATTEMPTS):
            try:
                return await change(*args, **named)
            except DBAPIError as error:
                if sqlstate(error) not in DEADLOCK_SQLSTATES:
                    raise
                await asyncio.sleep(attempt * random.random() / 5)  # noqa: S311 - jitter, not a secret.
        return await change(*args, **named)

    return call


# ---- statements

_DIALECT: Any = PGDialect_asyncpg()  # type: ignore[no-untyped-call]
# `:name`, but not the `::` of a cast and not the colon of an array slice such as `[1:n]`.
_PARAMETER = re.compile(r"(?<![:\w]):([a-z_]\w*)")


class Statement:
    """One fixed statement, run by the driver itself: a fifth of the time that SQLAlchemy takes.

    It is SQL with :named parameters, as psql has them, or an expression of SQLAlchemy's, compiled once.
    """

    def __init__(self, source: str | Executable) -> None:
        self._defaults: dict[str, Any] = {}
        self._encoders: list[tuple[str, Callable[[Any], Any]]] = []
        self._row: Any = None
        if isinstance(source, str):
            self.names = list(dict.fromkeys(_PARAMETER.findall(source)))
            self.sql = _PARAMETER.sub(lambda match: f"${self.names.index(match[1]) + 1}", source)
        else:
            self._compile(source)

    def _compile(self, expression: Any) -> None:
        compiled = expression.compile(dialect=_DIALECT)
        self.sql, self.names, self._defaults = str(compiled), compiled.positiontup, compiled.params
        for bind, name in compiled.bind_names.items():
            if encode := bind.type.dialect_impl(_DIALECT).bind_processor(_DIALECT):
                self._encoders.append((name, encode))

    def arguments(self, values: Mapping[str, Any]) -> tuple[Any, ...]:
        bound = {**self._defaults, **values}
        for name, encode in self._encoders:
            bound[name] = encode(bound[name])
        return tuple(bound[name] for name in self.names)

    async def run(self, connection: AsyncConnection, values: Mapping[str, Any]) -> list[Any]:
        """Run it in the connection's transaction.

        The first statement of a transaction goes through SQLAlchemy, which begins it.
        """
        driver = await _driver_of(connection)
        if driver.is_in_transaction():
            return await self._fetch(driver, connection, values)
        result = await connection.exec_driver_sql(self.sql, self.arguments(values))
        return list(result.fetchall()) if result.returns_rows else []

    async def run_alone(self, connection: AsyncConnection, values: Mapping[str, Any]) -> list[Any]:
        """Run it in a transaction of its own; the connection must have none."""
        return await self._fetch(await _driver_of(connection), connection, values)

    async def _fetch(self, driver: Any, connection: AsyncConnection, values: Mapping[str, Any]) -> list[Any]:
        try:
            records = await driver.fetch(self.sql, *self.arguments(values))
        except BaseException as error:
            # The pool does not see the driver's errors so the broken connection is reported to it.
            if driver.is_closed() or not isinstance(error, asyncpg.PostgresError):
                await connection.invalidate()
            raise
        return self._with_attributes(records)

    def _with_attributes(self, records: list[Any]) -> list[Any]:
        """Rows whose columns are attributes; the driver has decoded every type."""
        if not records:
            return []
        if self._row is None:
            self._row = namedtuple("StatementRow", records[0].keys())  # type: ignore[misc]
        return list(map(self._row._make, records))


async def _driver_of(connection: AsyncConnection) -> Any:
    return (await connection.get_raw_connection()).driver_connection


def unnest_rows(**columns: TypeEngine[Any]) -> Any:
    """Many rows as parameters of one fixed statement: a table read from one array per column.

    The array of a column is bound under its name with `_list` after it. A statement for every number of rows
    would have to be parsed and planned each time.
    """
    # One dimension: the list that a JSON column holds is one value.
    arrays = [bindparam(f"{name}_list", type_=ARRAY(kind, dimensions=1)) for name, kind in columns.items()]
    valued = [column(name, kind) for name, kind in columns.items()]
    return func.unnest(*arrays).table_valued(*valued, name="input_rows").render_derived()


def type_name(kind: TypeEngine[Any]) -> str:
    """The type as PostgreSQL spells it."""
    return kind.compile(dialect=_DIALECT)


def quote(name: str) -> str:
    """The name of a column, in quotes where SQL needs them."""
    return str(_DIALECT.identifier_preparer.quote(name))


# ---- poolers in transaction mode, such as PgBouncer
#
# Each transaction may run on another server connection, and between two of them nothing belongs to us. So
# nothing stays prepared and nothing is set for a session. Time limits are set in every transaction, and a
# statement that would commit alone gets a transaction, because outside of one there is no limit.

EVERY_STATEMENT_IN_A_TRANSACTION = "every_statement_in_a_transaction"
# Without a cache the driver uses the unnamed statement, which leaves nothing behind.
POOLER_ARGUMENTS: Mapping[str, Any] = {"statement_cache_size": 0, "prepared_statement_cache_size": 0}


def limit_transactions(engine: AsyncEngine, limits: Mapping[str, str]) -> None:
    """Set the limits in every transaction, for that transaction alone."""
    settings = ", ".join(f"set_config('{name}', '{value}', true)" for name, value in limits.items())

    def begin(connection: Connection) -> None:
        connection.exec_driver_sql(f"SELECT {settings}")

    event.listen(engine.sync_engine, "begin", begin)


def single_statements(engine: AsyncEngine) -> AsyncEngine:
    """The engine for statements that commit alone, except behind a pooler."""
    if engine.get_execution_options().get(EVERY_STATEMENT_IN_A_TRANSACTION):
        return engine
    return engine.execution_options(isolation_level="AUTOCOMMIT")


# ---- the driver


# The arrays of built-in types and their elements; PostgreSQL never gives these numbers to another type.
BUILT_IN_ARRAYS = {
    1000: ("bool", 16),
    1001: ("bytea", 17),
    1005: ("int2", 21),
    1007: ("int4", 23),
    1009: ("text", 25),
    1015: ("varchar", 1043),
    1016: ("int8", 20),
    1021: ("float4", 700),
    1022: ("float8", 701),
    1182: ("date", 1082),
    1185: ("timestamptz", 1184),
    1187: ("interval", 1186),
    1231: ("numeric", 1700),
    2951: ("uuid", 2950),
    3807: ("jsonb", 3802),
}


def _array_type(number: int) -> dict[str, Any]:
    """What the server would answer about an array of a built-in type."""
    element, element_number = BUILT_IN_ARRAYS[number]
    unset = ("basetype", "basetype_name", "range_subtype", "range_subtype_name", "attrtypoids", "attrnames")
    described = {"oid": number, "ns": "pg_catalog", "name": f"_{element}", "kind": b"b", "depth": 0}
    described |= {"elemtype": element_number, "elemtype_name": element, "elemdelim": b","}
    return {**dict.fromkeys(unset), **described}


class DriverConnection(asyncpg.Connection):  # type: ignore[misc]  # The driver has no types.
    """Knows the arrays of built-in types, about which the driver would ask the server in each connection.

    Such a question takes the server some milliseconds. Other built-in types are asked for once per process.
    """

    # Types with numbers from here on differ between servers.
    FIRST_OTHER_TYPE = 10_000
    _built_in: ClassVar[dict[int, Any]] = {number: [_array_type(number)] for number in BUILT_IN_ARRAYS}

    async def _introspect_types(self, typeoids: Iterable[int], *limits: Any) -> tuple[list[Any], Any]:
        types: list[Any] = []
        # Without a query of ours, the statement that needs the types is still prepared.
        query: Any = SimpleNamespace(name="none")
        for number in typeoids:
            known = self._built_in.get(number)
            if known is None:
                known, query = await super()._introspect_types([number], *limits)
                if number < self.FIRST_OTHER_TYPE:
                    self._built_in[number] = known
            types += known
        return types, query


# ---- the database


class Database:
    """SQLAlchemy's engine with three habits.

    A single statement commits at once, calls wait out an outage, and few transactions run at the same time:
    every connection parses and plans each statement for itself, and a writer that waits writes more at once.
    """

    # While one waits for a row that another session has locked, the others continue.
    TRANSACTIONS_AT_ONCE = 3
    _turns_by_pool: ClassVar[WeakKeyDictionary[Pool, asyncio.Semaphore]] = WeakKeyDictionary()

    def __init__(self, engine: AsyncEngine) -> None:
        self.engine = engine
        self._single_engine = single_statements(engine)
        turns = asyncio.Semaphore(self.TRANSACTIONS_AT_ONCE)
        self._turns = self._turns_by_pool.setdefault(engine.pool, turns)
        self.shutting_down = asyncio.Event()

    async def rows(self, statement: Any, values: Mapping[str, Any] | None = None) -> list[Row[Any]]:
        """Run one statement of SQLAlchemy's in a transaction of its own."""
        async with self._turns, self._single_engine.begin() as connection:
            result = await connection.execute(statement, values or {})
            return list(result.fetchall()) if result.returns_rows else []

    async def fetch(self, statement: Statement, values: Mapping[str, Any]) -> list[Any]:
        """Run one fixed statement in a transaction of its own."""
        if self._single_engine is self.engine:
            return await self.in_transaction(lambda connection: statement.run(connection, values))
        async with self._turns, self.engine.connect() as connection:
            return await statement.run_alone(connection, values)

    async def in_transaction(self, work: Callable[[AsyncConnection], Awaitable[T]]) -> T:
        async with self._turns, self.engine.begin() as connection:
            return await work(connection)

    async def with_retry(self, call: Callable[[], Awaitable[T]]) -> T:
        """Repeat `call` until the database is back; a process that is shutting down does not wait for it."""
        wait = 0.05
        while True:
            try:
                return await call()
            except Exception as error:
                if not is_transient(error) or self.shutting_down.is_set():
                    raise
            await self._pause(wait * (0.5 + random.random()))  # noqa: S311 - jitter, not a secret.
            wait = min(wait * 2, 2.0)

    async def _pause(self, seconds: float) -> None:
        try:
            await asyncio.wait_for(self.shutting_down.wait(), seconds)
        except TimeoutError:
            return
