"""A change that meets workers in the middle of theirs: the deadlock is broken, the action goes on."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncEngine

from product import TENANT, USER, add_pages
from scrapersky.actions.actor import Actor
from scrapersky.actions.curation import curate
from scrapersky.engine.database import DEADLOCK_ATTEMPTS, retry_on_deadlock
from scrapersky.queries.rows.entities import ENTITIES

WHO = Actor(TENANT, USER)
LOCK = text("UPDATE hosts SET consecutive_errors = consecutive_errors WHERE host = :host")
WAITING = text(
    "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
)


class Lost(Exception):
    sqlstate = "40P01"


async def test_a_decision_that_loses_a_deadlock_is_made_again(db: AsyncEngine) -> None:
    """The worker holds the second host and then wants the first; the decision is what is broken off."""
    first = await add_pages(db, 1, host="a-shop.com")
    second = await add_pages(db, 1, host="b-shop.com")
    pages = sorted([*first, *second])
    async with db.begin() as connection:
        hosts = list(
            await connection.scalars(
                text("SELECT host FROM pages WHERE id = ANY(CAST(:ids AS uuid[])) ORDER BY id"),
                {"ids": pages},
            )
        )
        await connection.execute(
            text("INSERT INTO hosts (host) SELECT unnest(CAST(:hosts AS text[]))"), {"hosts": hosts}
        )

    async with db.begin() as worker:
        # The worker would wait longer before it looks for a deadlock, so the decision finds it.
        await worker.execute(text("SET LOCAL deadlock_timeout = '60s'"))
        await worker.execute(LOCK, {"host": hosts[1]})
        decision = asyncio.create_task(curate(db, WHO, ENTITIES["page"], "Selected", ids=pages))
        await _somebody_waits(db)
        await worker.execute(LOCK, {"host": hosts[0]})
    changed = await decision

    assert (changed.updated, changed.queued) == (2, 2)
    async with db.connect() as connection:
        deadlocks = "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"
        assert await connection.scalar(text(deadlocks)) >= 1, "there was no race to lose"


async def test_other_errors_and_endless_races_are_told() -> None:
    tried: list[str] = []

    @retry_on_deadlock
    async def change(error: Exception) -> None:
        tried.append("")
        raise DBAPIError("UPDATE", {}, error)

    with pytest.raises(DBAPIError):
        await change(ValueError("bad"))
    assert len(tried) == 1
    with pytest.raises(DBAPIError):
        await change(Lost())
    assert len(tried) == 1 + DEADLOCK_ATTEMPTS


async def _somebody_waits(db: Any) -> None:
    async with asyncio.timeout(20):
        while True:
            async with db.connect() as connection:
                if await connection.scalar(WAITING):
                    return
            await asyncio.sleep(0.02)
