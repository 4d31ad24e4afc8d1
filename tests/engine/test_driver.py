"""The structure of built-in types is asked for once per process, not by every connection."""

from __future__ import annotations

from uuid import uuid4

import asyncpg
import pytest

from scrapersky.engine.database import DriverConnection


async def connect(url: str) -> asyncpg.Connection:
    return await asyncpg.connect(url.replace("+asyncpg", ""), connection_class=DriverConnection)


async def test_a_second_connection_asks_nothing_about_built_in_types(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []
    original = asyncpg.Connection._introspect_types

    async def count(self: asyncpg.Connection, numbers: list[int], *rest: object) -> object:
        asked.extend(numbers)
        return await original(self, numbers, *rest)

    monkeypatch.setattr(asyncpg.Connection, "_introspect_types", count)
    monkeypatch.setattr(DriverConnection, "_built_in", {})
    key = uuid4()
    for _ in range(2):
        connection = await connect(database_url)
        try:
            row = await connection.fetchrow("SELECT $1::uuid[] AS ids, $2::interval[] AS waits", [key], [])
            assert (row["ids"], row["waits"]) == ([key], [])
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
