"""Connections: what they need not ask the server about types, and how many are busy at the same time."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import asyncpg
import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from scrapersky.engine.database import BUILT_IN_ARRAYS, Database, DriverConnection


def counted_questions(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The numbers of the types about which the server is asked from now on."""
    asked: list[int] = []
    original = asyncpg.Connection._introspect_types

    async def count(self: asyncpg.Connection, numbers: list[int], *rest: object) -> object:
        asked.extend(numbers)
        return await original(self, numbers, *rest)

    monkeypatch.setattr(asyncpg.Connection, "_introspect_types", count)
    return asked


async def connect(url: str) -> asyncpg.Connection:
    return await asyncpg.connect(url.replace("+asyncpg", ""), connection_class=DriverConnection)


async def test_the_arrays_of_built_in_types_are_what_the_server_says(database_url: str) -> None:
    connection = await asyncpg.connect(database_url.replace("+asyncpg", ""))
    try:
        answer, _ = await connection._introspect_types(list(BUILT_IN_ARRAYS), 10)
    finally:
        await connection.close()
    said = {row["oid"]: dict(row) for row in answer if row["oid"] in BUILT_IN_ARRAYS}
    # The name under which SQL knows the element, such as "integer", is used in messages only.
    known = {number: dict(DriverConnection._built_in[number][0]) for number in BUILT_IN_ARRAYS}
    for row in (*said.values(), *known.values()):
        row.pop("elemtype_name")
    assert known == said


async def test_arrays_of_built_in_types_ask_the_server_nothing(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = counted_questions(monkeypatch)
    connection = await connect(database_url)
    key, moment = uuid4(), datetime(2026, 1, 2, tzinfo=UTC)
    values = ([key], [timedelta(1)], [moment], [True], [b"x"], [1, None], ["a"], [0.5], [2**40])
    kinds = ("uuid", "interval", "timestamptz", "bool", "bytea", "int", "text", "float8", "bigint")
    query = ", ".join(f"${number}::{kind}[]" for number, kind in enumerate(kinds, start=1))
    try:
        assert tuple(await connection.fetchrow(f"SELECT {query}", *values)) == values
    finally:
        await connection.close()
    assert asked == []


async def test_a_second_connection_asks_nothing_about_other_built_in_types(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = counted_questions(monkeypatch)
    monkeypatch.setattr(DriverConnection, "_built_in", {})
    for _ in range(2):
        connection = await connect(database_url)
        try:
            row = await connection.fetchrow("SELECT $1::inet[] AS hosts, $2::bpchar[] AS kinds", [], ["a"])
            assert (row["hosts"], row["kinds"]) == ([], ["a"])
        finally:
            await connection.close()
    assert len(asked) == len(set(asked)) == 2


async def test_types_that_a_server_numbers_itself_are_asked_for_by_every_connection(
    database_url: str,
) -> None:
    name = f"mood_{uuid4().hex[:8]}"
    first = await connect(database_url)
    try:
        await first.execute(f"CREATE TYPE {name} AS ENUM ('good')")
        assert await first.fetchval(f"SELECT ARRAY['good'::{name}]") == ["good"]
        await first.execute(f"DROP TYPE {name}")
        assert max(DriverConnection._built_in, default=0) < DriverConnection.FIRST_OTHER_TYPE
    finally:
        await first.close()


async def test_few_transactions_of_a_process_run_at_the_same_time(lab: AsyncEngine) -> None:
    inside, most, let_go = 0, 0, asyncio.Event()

    async def work(connection: AsyncConnection) -> None:
        nonlocal inside, most
        inside += 1
        most = max(most, inside)
        await let_go.wait()
        inside -= 1

    # Those of other objects on the same engine count too.
    databases = [Database(lab), Database(lab)]
    limit = Database.TRANSACTIONS_AT_ONCE
    tasks = [asyncio.create_task(database.in_transaction(work)) for database in databases * limit]
    # By the time at which another connection has got ten answers, whoever may begin has begun.
    async with lab.connect() as connection:
        while inside < limit:
            await connection.execute(text("SELECT 1"))
        for _ in range(10):
            await connection.execute(text("SELECT 1"))
    let_go.set()
    await asyncio.gather(*tasks)
    assert most == limit
