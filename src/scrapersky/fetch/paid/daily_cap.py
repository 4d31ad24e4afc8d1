"""A daily cap on the calls or tokens of a paid service, kept in the database and exact for all workers."""

from __future__ import annotations

from sqlalchemy import Date, cast, func, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from scrapersky import tables
from scrapersky.engine.database import Database

_CALLS = tables.daily_calls.c
# The day in UTC, whatever the time zone of the session.
_TODAY = cast(func.timezone("UTC", func.now()), Date)


class DailyCap:
    """`take` reserves a call before it is made; `give_back` returns what cannot have been charged.

    A service that charges by the token counts those.
    """

    def __init__(self, database: Database, service: str, limit: int) -> None:
        self._database, self.service, self.limit = database, service, limit

    async def take(self, amount: int = 1) -> bool:
        """Reserve a call, or its tokens; the row is locked, so two workers cannot both take the last one."""
        if self.limit < amount:
            return False
        first = insert(tables.daily_calls).values(service=self.service, day=_TODAY, calls=amount)
        statement = first.on_conflict_do_update(
            index_elements=["service", "day"],
            set_={"calls": _CALLS.calls + amount},
            where=_CALLS.calls + amount <= self.limit,
        ).returning(_CALLS.calls)

        async def reserve(connection: AsyncConnection) -> bool:
            return await connection.scalar(statement) is not None

        return await self._database.in_transaction(reserve)

    async def give_back(self, amount: int = 1) -> None:
        statement = update(tables.daily_calls).where(
            _CALLS.service == self.service, _CALLS.day == _TODAY, _CALLS.calls >= amount
        )

        async def release(connection: AsyncConnection) -> None:
            await connection.execute(statement.values(calls=_CALLS.calls - amount))

        await self._database.in_transaction(release)

    async def used(self) -> int:
        """The calls of today."""
        query = select(_CALLS.calls).where(_CALLS.service == self.service, _CALLS.day == _TODAY)
        rows = await self._database.rows(query)
        return int(rows[0].calls) if rows else 0
