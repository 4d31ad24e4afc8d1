"""No connection is held while strangers take their time (A31)."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from demo_lab import lab
from product import until
from scrapersky.actions.submissions import submit_domains
from scrapersky.demo import World

# Short transactions of claims and heartbeats come and go; one that waits for a stranger would grow old.
HELD = """SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
AND backend_type = 'client backend' AND xact_start < now() - interval '700 milliseconds'"""


@pytest.mark.req("R107", "R130", "R199")
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
