"""Ticks that happen once in the whole fleet: of many machines that ask, the database lets one run each."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any

from sqlalchemy import BigInteger, Table, bindparam, cast, func, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

Task = Callable[[AsyncConnection], Awaitable[int]]


def _claim(schedules: Table) -> Any:
    """Take the present slot of a job, unless somebody has it; slots are counted by the database's clock.

    A slot is the second in which it began, so that slots of another interval can be compared with it.
    """
    seconds = cast(bindparam("seconds"), BigInteger)
    now = cast(func.floor(func.extract("epoch", func.now())), BigInteger)
    slot = now - now % seconds
    statement = insert(schedules).values(name=bindparam("job"), slot=slot, last_run_at=func.now())
    return statement.on_conflict_do_update(
        index_elements=["name"],
        set_={"slot": statement.excluded.slot, "last_run_at": func.now(), "runs": schedules.c.runs + 1},
        where=schedules.c.slot < statement.excluded.slot,
    ).returning(schedules.c.name)


class Leader:
    """Each job is guarded by an advisory lock, and its slot and its effect are committed together."""

    def __init__(self, engine: AsyncEngine, schedules: Table) -> None:
        self.engine = engine
        self._claim = _claim(schedules)

    async def run(self, job: str, every: timedelta, task: Task) -> int | None:
        """Run `task` in this slot's transaction; None when another machine has the slot or is at it."""
        seconds = max(1, int(every.total_seconds()))
        async with self.engine.begin() as connection:
            free = await connection.scalar(
                select(func.pg_try_advisory_xact_lock(func.hashtextextended(job, 0)))
            )
            if not free:
                return None
            mine = await connection.execute(self._claim, {"job": job, "seconds": seconds})
            return await task(connection) if mine.first() else None
