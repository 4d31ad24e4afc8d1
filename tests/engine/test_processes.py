"""Real processes and real signals: orderly ends, hard kills, frozen workers, poison rows."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from fleet import Fleet
from invariants import broken
from lab import add, counts, results, rows, settled, until, workers
from sqlalchemy import text

from scrapersky.engine.stage import EngineOptions

KILLED_TEST = """
import os, signal
from fleet import Fleet
print(Fleet("postgresql+asyncpg://nobody@127.0.0.1:1/none", log="/dev/null").start().pid, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


async def test_workers_that_a_test_started_end_with_it_even_when_it_is_killed():
    path = {"PYTHONPATH": os.pathsep.join(sys.path)}
    killed = await asyncio.to_thread(
        subprocess.run,
        [sys.executable, "-c", KILLED_TEST],
        env=os.environ | path,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    state = Path(f"/proc/{killed.stdout.strip()}/stat")

    def is_gone() -> bool:
        return not state.exists() or state.read_text().rsplit(") ", 1)[1][0] == "Z"

    await until(lambda: asyncio.sleep(0, is_gone()), seconds=10)


async def in_flight(lab, number):
    await until(lambda: _has(lab, number), seconds=30)


async def _has(lab, number):
    return (await counts(lab)).get("Processing", 0) >= number


@pytest.mark.timed
async def test_a_terminated_worker_gives_everything_back_at_once_a7(lab, database_of, tmp_path):
    await add(lab, 400)
    with Fleet(database_of(lab), log=str(tmp_path / "log"), concurrency=200, seconds=60, grace=1.0) as fleet:
        worker = fleet.start()
        await in_flight(lab, 200)
        asked = time.monotonic()
        worker.send_signal(signal.SIGTERM)
        code = await asyncio.to_thread(worker.wait, 20)

    assert code == 0
    assert time.monotonic() - asked < 1.0 + 2 + 2
    row = (await rows(lab))[0]
    assert await counts(lab) == {"Queued": 400}
    assert (row["retries"], row["rescues"], row["lease_until"]) == (0, 0, None)
    assert await rows(lab, workers) == []


async def test_items_that_end_within_the_grace_are_finished_once(lab, database_of, tmp_path):
    """Each begins before the signal and ends after it, however slow the machine is."""
    log, ended = tmp_path / "log", tmp_path / "ended"
    log.touch()
    await add(lab, 20)
    with Fleet(database_of(lab), log=str(log), concurrency=20, until=str(ended), grace=50) as fleet:
        worker = fleet.start()
        await until(lambda: asyncio.sleep(0, len(log.read_text().split()) == 20), seconds=60)
        worker.send_signal(signal.SIGTERM)
        await asyncio.sleep(0.3)
        assert worker.poll() is None
        assert await counts(lab) == {"Processing": 20}
        ended.touch()
        assert await asyncio.to_thread(worker.wait, 50) == 0

    assert await counts(lab) == {"Complete": 20}
    assert len(log.read_text().split()) == 20


@pytest.mark.timed
@pytest.mark.parametrize(
    "signals", [[signal.SIGTERM] * 5, [signal.SIGINT, signal.SIGINT], [signal.SIGTERM, signal.SIGINT]]
)
async def test_a_second_signal_ends_it_now_without_a_traceback_a8(lab, database_of, tmp_path, signals):
    await add(lab, 50)
    with Fleet(database_of(lab), log=str(tmp_path / "log"), seconds=60, grace=30) as fleet:
        worker = fleet.start()
        await in_flight(lab, 50)
        for one in signals:
            worker.send_signal(one)
            await asyncio.sleep(0.1)
        forced = time.monotonic()
        code = await asyncio.to_thread(worker.wait, 20)
        said = worker.stdout.read().decode()

    assert code == 0
    assert time.monotonic() - forced < 4
    assert "Traceback" not in said
    assert await counts(lab) == {"Queued": 50}


async def test_a_signal_right_after_the_start_is_not_lost_a9(lab, database_of, tmp_path):
    chance = random.Random(9)
    with Fleet(database_of(lab), log=str(tmp_path / "log")) as fleet:
        for _ in range(10):
            worker = fleet.start(wait=False)
            await asyncio.sleep(chance.random() * 0.3)
            worker.send_signal(signal.SIGTERM)
            assert await asyncio.to_thread(worker.wait, 10) in (0, -signal.SIGTERM)


@pytest.mark.timed
async def test_work_of_a_killed_worker_is_taken_over_within_lease_and_sweep_a3(lab, database_of, tmp_path):
    await add(lab, 50)
    given = {"log": str(tmp_path / "log"), "lease": 5, "heartbeat": 1.5, "sweep": 1}
    with Fleet(database_of(lab), seconds=60, **given) as first, Fleet(database_of(lab), **given) as second:
        victim = first.start()
        await in_flight(lab, 50)
        victim.kill()
        killed = time.monotonic()
        second.start()
        assert await settled(lab, seconds=30) == {"Complete": 50}

    assert time.monotonic() - killed <= 20


def test_recovery_after_a_hard_kill_takes_at_most_75_seconds_by_default_a3():
    options = EngineOptions()

    assert (options.lease + options.sweep).total_seconds() + 5 <= 75
    assert options.lease > 2 * options.heartbeat


async def test_a_frozen_worker_writes_nothing_when_it_thaws_a4(lab, database_of, tmp_path):
    await add(lab, 5)
    given = {"log": str(tmp_path / "log"), "lease": 1, "heartbeat": 0.3, "sweep": 0.2}
    with Fleet(database_of(lab), seconds=1.0, **given) as frozen, Fleet(database_of(lab), **given) as other:
        zombie = frozen.start()
        await in_flight(lab, 5)
        zombie.send_signal(signal.SIGSTOP)
        other.start()
        assert await settled(lab) == {"Complete": 5}
        before = await rows(lab)
        zombie.send_signal(signal.SIGCONT)
        await asyncio.sleep(2)
        zombie.send_signal(signal.SIGTERM)
        assert await asyncio.to_thread(zombie.wait, 10) == 0

    assert len(await rows(lab, results)) == 5
    assert sorted(r["lease_seq"] for r in await rows(lab)) == sorted(r["lease_seq"] for r in before)


@pytest.mark.req("R161")
async def test_poison_rows_become_dead_letters_after_three_crashes_and_harm_nobody_a10(lab, database_of):
    await add(lab, 197)
    for kind in ("exit", "segfault", "memory"):
        await add(lab, 1, key=kind)
    with Fleet(database_of(lab), "poison", lease=1.0, heartbeat=0.3, sweep=0.2) as fleet:
        fleet.start(2)

        async def over():
            fleet.keep_up(2)
            found = await counts(lab)
            return not (found.get("Queued") or found.get("Processing"))

        await until(over, seconds=120)

    assert await counts(lab) == {"Complete": 197, "Error": 3}
    dead = [row for row in await rows(lab) if row["status"] == "Error"]
    assert {(row["error"], row["crashes"]) for row in dead} == {("crashed worker", 3)}


async def short_lives(lab, url, log, *, items, kills, life, retry_base):
    """Workers that are killed soon after their start, whatever they do; then four that live on."""
    chance, ends = random.Random(5), {}
    await add_many(lab, items)
    given = {"log": str(log), "lease": 2, "heartbeat": 0.5, "sweep": 0.3, "seconds": 0.06}
    with Fleet(url, **given, retry_base=retry_base) as fleet:
        # The first is killed with rows in its hands for sure, however slow the machine is.
        fleet.start()
        await until(lambda: in_hand(lab))
        fleet.kill_one(chance)
        fleet.start(3, wait=False)

        async def over():
            if fleet.kills < kills:
                fleet.kill_the_old(ends, chance, life)
            found = await counts(lab)
            return fleet.kills >= kills and not (found.get("Queued") or found.get("Processing"))

        await until(over, seconds=600)
    return await rows(lab)


async def in_hand(lab):
    return (await counts(lab)).get("Processing")


async def add_many(lab, items):
    async with lab.begin() as connection:
        await connection.execute(
            text(f"INSERT INTO things (key) SELECT n::text FROM generate_series(1, {items}) n")
        )


@pytest.mark.req("R161")
async def test_no_innocent_row_fails_when_workers_live_for_moments(lab, database_of, tmp_path):
    """Rows that many workers took with them run alone, and those workers are killed as well."""
    await add_many(lab, 60)
    async with lab.begin() as connection:
        await connection.execute(text("UPDATE things SET rescues = 9, key = 'suspect ' || key"))
    found = await short_lives(
        lab, database_of(lab), tmp_path / "log", items=300, kills=8, life=(0.3, 3), retry_base=5
    )

    assert await counts(lab) == {"Complete": 360}
    assert max(row["rescues"] for row in found) > 9, "no suspect was in a killed worker's hands"
    assert await broken(lab) == {}


@pytest.mark.req("R161")
@pytest.mark.reliability
@pytest.mark.timeout(900)
async def test_no_innocent_row_of_20_000_fails_in_a_storm_of_40_kills(lab, database_of, tmp_path):
    found = await short_lives(
        lab, database_of(lab), tmp_path / "log", items=20_000, kills=40, life=(0.3, 6), retry_base=60
    )

    assert await counts(lab) == {"Complete": 20_000}
    assert sum(row["rescues"] for row in found) > 40
    assert await broken(lab) == {}


async def storm(lab, url, log, *, items, seed, every=2.0, during=None):
    """Kill a random worker again and again until all is done; says how many were killed."""
    chance = random.Random(seed)
    await add_many(lab, items)
    # Each item takes a moment; without it 20,000 would be done before the first kill.
    given = {"log": str(log), "lease": 5, "heartbeat": 1.5, "sweep": 1, "concurrency": 50, "seconds": 0.06}
    with Fleet(url, **given) as fleet:
        fleet.start(4)
        next_kill = time.monotonic() + every

        async def over():
            nonlocal next_kill
            if time.monotonic() >= next_kill:
                fleet.kill_one(chance)
                next_kill = time.monotonic() + every
                if during:
                    await during(chance)
            found = await counts(lab)
            return not (found.get("Queued") or found.get("Processing"))

        await until(over, seconds=600)
        return fleet.kills


async def check_storm(lab, log, items, kills):
    seen = log.read_text().split()
    assert await counts(lab) == {"Complete": items}
    assert len({row["thing_id"] for row in await rows(lab, results)}) == items
    assert len(set(seen)) == items
    assert len(seen) - items <= kills * 50, "more was done twice than was in the killed workers' hands"
    assert await broken(lab) == {}


@pytest.mark.timed
async def test_no_item_is_lost_or_stored_twice_in_a_storm_of_kills_a1(lab, database_of, tmp_path):
    log = tmp_path / "log"

    kills = await storm(lab, database_of(lab), log, items=20_000, seed=1)

    assert kills >= 2
    await check_storm(lab, log, 20_000, kills)


@pytest.mark.timed
@pytest.mark.reliability
@pytest.mark.timeout(900)
async def test_no_item_is_lost_in_the_long_storm_a1(lab, database_of, tmp_path):
    log = tmp_path / "log"

    kills = await storm(lab, database_of(lab), log, items=100_000, seed=2)

    assert kills >= 5
    await check_storm(lab, log, 100_000, kills)
