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


async def test_comments_are_not_kept_because_they_name_people(db: AsyncEngine) -> None:
    text = (
        "\ufeff# Questions: anna@firma.de\rUser-agent: * # and bots\r\nDisallow: /x#y\n"
        "#Sitemap: https://a.example/z\nSitemap: https://a.example/#s"
    )
    await DatabaseRobotsStore(Database(db)).put(
        "a.example", RobotsCopy("rules", datetime.now(UTC), text.encode(), 200)
    )
    copy = await DatabaseRobotsStore(Database(db)).get("a.example")
    assert copy
    assert copy.text.decode().split() == [
        "\ufeff",
        "User-agent:",
        "*",
        "Disallow:",
        "/x#y",
        "Sitemap:",
        "https://a.example/#s",
    ]


async def test_copies_that_come_at_the_same_time_are_stored_by_one_statement(db: AsyncEngine) -> None:
    now, database = datetime.now(UTC), CountingDatabase(db)
    store = DatabaseRobotsStore(database)
    later = RobotsCopy("unreachable", now, error="timeout", retry_at=now)

    await asyncio.gather(
        store.put("b.example", RobotsCopy("rules", now, b"Disallow: /x\x00", 200)),
        store.put("a.example", RobotsCopy("none", now, status=404)),
        store.put("a.example", later),
    )

    assert database.statements == 1
    other = DatabaseRobotsStore(Database(db))
    last = await other.get("a.example")
    assert last
    assert (last.outcome, last.error, last.retry_at) == ("unreachable", "timeout", now)
    assert (await other.get("b.example")).text == b"Disallow: /x"
    await store.put("a.example", RobotsCopy("none", now, status=404))
    assert (await DatabaseRobotsStore(Database(db)).get("a.example")).outcome == "none"
