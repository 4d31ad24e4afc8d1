"""The robots.txt files in the database: what one worker has read, every worker knows."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

from sqlalchemy.ext.asyncio import AsyncEngine

from product import CountingDatabase
from scrapersky.engine.database import Database
from scrapersky.fetch.politeness.robots_cache import RobotsCopy
from scrapersky.fetch.politeness.robots_store import DatabaseRobotsStore


async def test_the_rules_of_many_hosts_are_one_statement(db: AsyncEngine) -> None:
    now = datetime.now(UTC)
    first = DatabaseRobotsStore(Database(db))
    await first.put("a.example", RobotsCopy("rules", now, b"User-agent: *\nDisallow: /x", 200))
    await first.put("b.example", RobotsCopy("none", now, status=404))
    database = CountingDatabase(db)
    second = DatabaseRobotsStore(database)

    copies = await asyncio.gather(*(second.get(f"{name}.example") for name in "abc"))

    assert [one and (one.outcome, one.text) for one in copies] == [
        ("rules", b"User-agent: *\nDisallow: /x"),
        ("none", b""),
        None,
    ]
    assert database.statements == 1
