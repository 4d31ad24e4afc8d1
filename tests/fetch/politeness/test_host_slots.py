"""Slots at hosts that an item was led to: borrowed, rate limited, and left to the worker that has them."""

from __future__ import annotations

from datetime import timedelta
from time import monotonic
from typing import Any

import pytest
from sqlalchemy import func, select, update
from sqlalchemy.ext.asyncio import AsyncEngine

from product import ago
from scrapersky import tables
from scrapersky.engine.database import Database
from scrapersky.fetch.errors import HostPaused
from scrapersky.fetch.politeness.host_slots import HostSlots
from scrapersky.fetch.politeness.slots import RateLimit

KEY, GAP = "moved.example", 0.3


def slots(db: AsyncEngine) -> HostSlots:
    return HostSlots(Database(db), RateLimit(delay=GAP))


@pytest.mark.timed
async def test_one_fetch_may_go_to_a_borrowed_host_again_after_the_gap(db: AsyncEngine) -> None:
    """robots.txt, a redirect and the page: three requests to a host that the item does not hold."""
    mine, began = slots(db), monotonic()

    for _ in range(3):
        async with mine.slot(KEY):
            pass

    assert monotonic() - began >= 2 * GAP


async def test_a_host_that_another_machine_has_or_had_is_left_to_it(db: AsyncEngine) -> None:
    mine, other = slots(db), slots(db)
    async with mine.slot(KEY):
        with pytest.raises(HostPaused):
            async with other.slot(KEY):
                pass
    async with db.begin() as connection:
        await connection.execute(update(tables.hosts).values(next_allowed_at=ago(seconds=1)))
    async with other.slot(KEY):
        with pytest.raises(HostPaused):
            async with mine.slot(KEY):
                pass


async def test_a_host_that_a_person_has_paused_is_not_borrowed(db: AsyncEngine) -> None:
    mine = slots(db)
    async with mine.slot(KEY):
        pass
    async with db.begin() as connection:
        later = func.now() + timedelta(hours=1)
        await connection.execute(update(tables.hosts).values(paused_until=later, next_allowed_at=func.now()))
    with pytest.raises(HostPaused, match="a person has paused this host"):
        async with mine.slot(KEY):
            pass


async def test_the_pause_a_host_asks_for_is_known_to_the_whole_fleet(db: AsyncEngine) -> None:
    async with slots(db).slot(KEY):
        pass
    async with slots(db).slot(KEY, crawl_delay=90.0, held_host=KEY):
        pass

    async with db.connect() as connection:
        assert await connection.scalar(select(tables.hosts.c.delay_seconds)) == 30.0


class Restarting(Database):
    """Fails once before each call, as a database that restarts does."""

    is_away = False

    async def fetch(self, prepared: Any, values: Any) -> list[Any]:
        self.is_away = not self.is_away
        if self.is_away:
            raise ConnectionRefusedError
        return await super().fetch(prepared, values)


async def test_a_slot_survives_a_restart_of_the_database(db: AsyncEngine) -> None:
    async with HostSlots(Restarting(db), RateLimit(delay=GAP)).slot(KEY, crawl_delay=1.0):
        pass

    async with db.connect() as connection:
        left = await connection.scalar(select(tables.hosts.c.next_allowed_at - func.now()))
    assert left < timedelta(seconds=5), "the host was given back"
