"""No connection is held while strangers take their time (A31)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from demo_lab import lab
from product import until
from scrapersky.actions.submissions import submit_domains
from scrapersky.sources.source import ListedPlace
from scrapersky_demo import World

# Short transactions of claims and heartbeats come and go; one that waits for a stranger would grow old.
HELD = """SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
AND backend_type = 'client backend' AND xact_start < now() - interval '700 milliseconds'"""


@pytest.mark.req("R107", "R199")
async def test_fifty_hanging_fetches_hold_no_connection(database_url: str, tmp_path: Path) -> None:
    """Incident 3: connections were held during calls, closed by the server, and everything stalled."""
    # Every host answers with one byte each half second, until the fetch runs out of time.
    world = World(2, 70, fates={"drip": 1})
    async with lab(
        database_url, world, tmp_path, FETCH_TIMEOUT_SECONDS="8", RETRY_BASE_SECONDS="60"
    ) as found:
        await submit_domains(found.engine, found.who, world.domains()[:50])
        old: list[int] = []
        taken: list[int] = []
        async with found.working("read_metadata"):
            await until(lambda: hanging(found), seconds=60)
            for _ in range(25):
                old.append(await found.one(HELD))
                # The one that listens for notifications is always out.
                taken.append(found.engine.pool.checkedout() - 1)
                await asyncio.sleep(0.1)
            assert len(found.server.connections) >= 25, "they still hang"

        assert set(old) == {0}
        assert sorted(taken)[len(taken) // 2] <= 0, taken


async def hanging(found: object) -> bool:
    return len(found.server.connections) >= 40  # type: ignore[attr-defined]


class HangingSource:
    """A place service that takes its time over the details."""

    def __init__(self) -> None:
        self.asked = 0
        self.answer = asyncio.Event()

    async def search(self, kind: str, location: str, params: dict[str, Any]) -> Sequence[ListedPlace]:
        return []

    async def details(self, place_id: str, raw: dict[str, Any]) -> ListedPlace:
        self.asked += 1
        await self.answer.wait()
        return ListedPlace(place_id=place_id, name="Shop")


@pytest.mark.req("R130")
async def test_a_deep_scan_holds_no_connection_while_it_waits_for_its_source(
    database_url: str, tmp_path: Path
) -> None:
    source = HangingSource()
    async with lab(database_url, World(2, 1), tmp_path) as found:
        await found.do(
            "INSERT INTO places_staging (id, tenant_id, place_id, name, source, deep_scan_status)"
            " SELECT gen_random_uuid(), :tenant, 'p' || n, 'Shop', 'slow', 'Queued'"
            " FROM generate_series(1, 10) n",
            tenant=found.settings.default_tenant_id,
        )
        async with found.working("deep_scan", sources={"slow": source}):
            await until(lambda: asked(source), seconds=30)
            await asyncio.sleep(1)
            assert await found.one(HELD) == 0
            taken = []
            for _ in range(10):
                taken.append(found.engine.pool.checkedout())
                await asyncio.sleep(0.05)
            assert min(taken) <= 1, "the one that listens for notifications"
            source.answer.set()
            await found.over()

        assert await found.statuses("places_staging", "deep_scan_status") == {"Completed": 10}


async def asked(source: HangingSource) -> bool:
    return source.asked >= 10
