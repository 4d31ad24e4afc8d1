"""The engine's way to the database: single statements, short transactions, and patience when it is away."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeVar

from sqlalchemy import Row
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

T = TypeVar("T")

# Connection trouble, too few resources, shutting down, lost a race for locks: trying again can help.
PASSING_STATES = ("08", "53", "57P", "40", "55P03")


def is_passing(error: BaseException) -> bool:
    """Whether the same call may well succeed later, with nothing changed but the database's mood."""
    if isinstance(error, DBAPIError) and error.connection_invalidated:
        return True
    source = error.orig if isinstance(error, DBAPIError) else error
    state = getattr(source, "sqlstate", None) or getattr(source, "pgcode", None)
    if state:
        return str(state).startswith(PASSING_STATES)
    closed = type(source).__name__ in ("InterfaceError", "InternalClientError", "ConnectionDoesNotExistError")
    return closed or isinstance(source, OSError | PoolTimeout)


class Database:
    """An engine of SQLAlchemy's with two habits: single statements commit at once, calls wait out outages."""

    def __init__(self, engine: AsyncEngine) -> None:
        self.engine = engine
        self._single = engine.execution_options(isolation_level="AUTOCOMMIT")
        self.away_since: float | None = None
        self.hurry = asyncio.Event()

    async def rows(self, statement: Any, values: Mapping[str, Any] | None = None) -> list[Row[Any]]:
        """Run one statement in a transaction of its own."""
        async with self._single.connect() as connection:
            result = await connection.execute(statement, values or {})
            return list(result.fetchall()) if result.returns_rows else []

    async def in_transaction(self, work: Callable[[AsyncConnection], Awaitable[T]]) -> T:
        async with self.engine.begin() as connection:
            return await work(connection)

    async def patiently(self, call: Callable[[], Awaitable[T]]) -> T:
        """Repeat `call` until the database is back; gives up only when the process is in a hurry to end."""
        wait = 0.05
        while True:
            try:
                result = await call()
            except Exception as error:
                if not is_passing(error) or self.hurry.is_set():
                    raise
                self.away_since = self.away_since or asyncio.get_running_loop().time()
                await self._pause(wait * (0.5 + random.random()))  # noqa: S311 - jitter, not a secret.
                wait = min(wait * 2, 2.0)
            else:
                self.away_since = None
                return result

    async def _pause(self, seconds: float) -> None:
        try:
            await asyncio.wait_for(self.hurry.wait(), seconds)
        except TimeoutError:
            return
