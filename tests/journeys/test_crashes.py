"""A crash storm in the middle of a crawl: nothing lost, nothing double, and nobody asked too fast (B13)."""

from __future__ import annotations

import asyncio
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from children import die_with_parent
from demo_lab import Lab, lab
from product import until
from scrapersky.actions.submissions import submit_domains
from scrapersky_demo import World

# Long enough that a starved worker is not taken for a dead one, which may still be asking.
PATIENT = {"LEASE_SECONDS": "10", "HEARTBEAT_SECONDS": "2", "MAX_CRASHES": "20"}
TESTS = Path(__file__).parents[1]
SAME = (
    "SELECT domain_id, coalesce(email, phone_number) AS way FROM contacts GROUP BY 1, 2 HAVING count(*) > 1"
)
# A page with the body of another page of its domain is not read again.
LOST = """SELECT id FROM pages WHERE page_processing_status = 'Complete' AND scraped_content IS NULL
 AND page_class ->> 'name' IS DISTINCT FROM 'duplicate'
UNION ALL SELECT id FROM domains d WHERE sitemap_analysis_status = 'submitted'
 AND NOT EXISTS (SELECT FROM jobs j WHERE j.domain_id = d.id)"""


class Fleet:
    """Workers that a test starts and kills, each by its own process id."""

    def __init__(self, found: Lab, url: str) -> None:
        world = found.world
        self._command = [sys.executable, str(Path(__file__).with_name("demo_worker.py"))]
        self._command += [str(world.seed), str(world.size)]
        path = os.pathsep.join((str(TESTS.parent / "src"), str(TESTS)))
        self._environment = {**os.environ, **found.environment, "TEST_URL": url, "PYTHONPATH": path}
        self.alive: list[subprocess.Popen[bytes]] = []
        self.kills = 0

    def start(self) -> None:
        self.alive.append(
            subprocess.Popen(
                self._command,
                env=self._environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                preexec_fn=die_with_parent,
            )
        )

    async def ready(self) -> None:
        """Wait until the newest one works."""
        assert self.alive[-1].stdout
        await asyncio.to_thread(self.alive[-1].stdout.readline)

    def kill(self, chance: random.Random) -> None:
        self.end(self.alive.pop(chance.randrange(len(self.alive))))
        self.kills += 1

    def end(self, one: subprocess.Popen[bytes]) -> None:
        one.kill()
        one.wait()
        if one.stdout:
            one.stdout.close()


@contextmanager
def fleet(found: Lab, url: str) -> Iterator[Fleet]:
    workers = Fleet(found, url)
    try:
        yield workers
    finally:
        for one in list(workers.alive):
            workers.end(one)


async def storm(found: Lab, url: str, *, kills: int, every: int, seconds: float) -> None:
    """Two workers; after each so many requests one is killed without a word and another is started."""
    chance = random.Random(20261115)
    await submit_domains(found.engine, found.who, found.world.domains())
    with fleet(found, url) as workers:
        workers.start()
        workers.start()
        while workers.kills < kills:
            wanted = len(found.server.log) + every
            await until(lambda wanted=wanted: asked(found, wanted), seconds=90)
            workers.kill(chance)
            workers.start()
        await workers.ready()
        await found.over(seconds=seconds)


async def asked(found: Lab, wanted: int) -> bool:
    return len(found.server.log) >= wanted


async def nothing_is_lost_or_double(found: Lab) -> None:
    assert await found.rows(SAME) == []
    assert await found.rows(LOST) == []
    crashed = "SELECT count(*) FROM pages WHERE page_processing_error LIKE '%crash%'"
    assert await found.one(crashed) == 0
    score = await found.score()
    # In a small world agencies do not stand on enough sites to be known as such.
    strange = [one for one in score.false if one[1] not in found.world.boilerplate()]
    assert len(strange) <= score.right * 0.05, strange
    assert score.recall >= 0.95, score.missing
    found.manners_are_kept()


@pytest.mark.usefixtures("both_modes")
async def test_workers_killed_while_crawling_lose_nothing_and_stay_polite(
    database_url: str, tmp_path: Path
) -> None:
    world = World(4, 16, huge_urls=100)
    async with lab(database_url, world, tmp_path, **PATIENT) as found:
        await storm(found, database_url, kills=2, every=20, seconds=240)
        await nothing_is_lost_or_double(found)


@pytest.mark.reliability
@pytest.mark.timeout(1800)
async def test_a_long_storm_of_crashes_loses_nothing(database_url: str, tmp_path: Path) -> None:
    world = World(6, 150)
    async with lab(database_url, world, tmp_path, **PATIENT) as found:
        await storm(found, database_url, kills=15, every=60, seconds=580)
        await nothing_is_lost_or_double(found)
