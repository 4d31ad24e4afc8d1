"""One entry for each change, in the same transaction, whichever role writes it."""

from __future__ import annotations

import asyncio
import uuid
from datetime import UTC, datetime
from typing import Any

import pytest
from sqlalchemy import select, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncEngine

from product import TENANT, USER
from scrapersky import tables
from scrapersky.actions.actor import Actor
from scrapersky.actions.audit import record
from scrapersky.database import tenant_engine

ANA = Actor(TENANT, USER, name="ana@example.com", correlation_id="request-1")


async def entries(engine: AsyncEngine) -> list[Any]:
    log, values = tables.audit_log, tables.audit_values
    same = (values.c.tenant_id == log.c.tenant_id) & (values.c.number == log.c.number)
    query = select(log, values.c.before, values.c.after).outerjoin(values, same).order_by(log.c.number)
    async with engine.connect() as connection:
        return list((await connection.execute(query)).all())


async def test_an_entry_says_who_changed_which_fields_from_what_to_what(db: AsyncEngine) -> None:
    row_id, operation = uuid.uuid4(), uuid.uuid4()
    before = {"name": "Ada", "seen": datetime(2026, 1, 1, tzinfo=UTC), "same": 1, "password_hash": "old"}
    after = {"name": "Ada L.", "seen": None, "same": 1, "password_hash": "new"}
    async with tenant_engine(db, TENANT).begin() as connection:
        await record(
            connection, ANA, "contact.update", table="contacts", row_id=row_id,
            before=before, after=after, operation_id=operation,
        )  # fmt: skip
        await record(connection, ANA, "stage.pause", row_id="read_page")
    first, second = await entries(db)
    assert (first.number, first.user_id, first.actor, first.action) == (1, USER, ANA.name, "contact.update")
    assert (first.table_name, first.row_id, first.correlation_id) == ("contacts", str(row_id), "request-1")
    assert (first.operation_id, first.changed_fields) == (operation, ["name", "password_hash", "seen"])
    assert first.before == {"name": "Ada", "seen": "2026-01-01 00:00:00+00:00", "password_hash": "(hidden)"}
    assert first.after == {"name": "Ada L.", "seen": None, "password_hash": "(hidden)"}
    assert (second.number, second.values_hash, second.before, second.after) == (2, None, None, None)
    assert second.previous_hash == first.hash


async def test_an_entry_is_undone_with_its_change(db: AsyncEngine) -> None:
    async with db.connect() as connection, connection.begin() as change:
        await record(connection, ANA, "contact.delete", after={"name": "x"})
        await change.rollback()
    assert await entries(db) == []
    async with db.begin() as connection:
        await record(connection, ANA, "contact.delete")
    assert [entry.number for entry in await entries(db)] == [1]


async def test_the_numbers_of_concurrent_entries_have_no_gaps(db: AsyncEngine) -> None:
    async def add(name: str) -> None:
        async with tenant_engine(db, TENANT).begin() as connection:
            await record(connection, ANA, name)

    await asyncio.gather(*(add(f"act.{number}") for number in range(20)))
    log = await entries(db)
    assert [entry.number for entry in log] == list(range(1, 21))
    assert [entry.previous_hash for entry in log[1:]] == [entry.hash for entry in log[:-1]]


@pytest.mark.parametrize("table", ["audit_log", "audit_values", "audit_heads"])
async def test_a_request_cannot_change_the_log(table: str, db: AsyncEngine) -> None:
    async with tenant_engine(db, TENANT).begin() as connection:
        await record(connection, ANA, "contact.update", before={"name": "a"}, after={"name": "b"})
    for attack in (f"UPDATE {table} SET number = 7", f"DELETE FROM {table}", f"TRUNCATE {table}"):
        async with tenant_engine(db, TENANT).connect() as connection:
            await connection.execute(text("SELECT set_config('scrapersky.retention', 'on', true)"))
            with pytest.raises(DBAPIError, match="permission denied"):
                await connection.execute(text(attack))
    assert [entry.number for entry in await entries(db)] == [1]
