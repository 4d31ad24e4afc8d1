"""Long proofs about time: wrong clocks, frozen interpreters, and claims in a table of a million rows."""

from __future__ import annotations

import asyncio
import shutil
import signal
import time

import pytest
from fleet import Fleet
from invariants import broken
from lab import ONE, QUICK, add, counts, results, rows, settled, stage, until
from sqlalchemy import text
from test_claims import plan_of

from scrapersky.engine.claims import PRIORITIES, Claims
from scrapersky.engine.database import Database

pytestmark = pytest.mark.reliability
FAKETIME = shutil.which("faketime")


@pytest.mark.skipif(FAKETIME is None, reason="faketime is not installed")
@pytest.mark.parametrize("offset", ["+1 hour", "-1 hour", "+30 min"])
async def test_a_worker_with_a_wrong_clock_does_nothing_twice_and_loses_nothing_a13(
    lab, database_of, tmp_path, offset
):
    log = tmp_path / "log"
    async with lab.begin() as connection:
        await connection.execute(text("INSERT INTO things (key) SELECT generate_series(1, 5000)::text"))
    given = {"log": str(log), "lease": 3, "heartbeat": 1, "sweep": 0.5, "seconds": 0.01}
    with Fleet(database_of(lab), **given) as right, Fleet(database_of(lab), **given) as wrong:
        wrong.command = [str(FAKETIME), offset, *wrong.command]
        right.start()
        wrong.start()
        assert await settled(lab, seconds=120) == {"Complete": 5000}

    assert len(log.read_text().split()) == 5000, "something was done twice"
    assert len({row["worker"] for row in await rows(lab)}) == 2, "one of them did nothing"
    assert {row["crashes"] for row in await rows(lab)} == {0}
    assert await broken(lab) == {}


@pytest.mark.skipif(FAKETIME is None, reason="faketime is not installed")
async def test_a_retry_waits_by_the_databases_clock_a13(lab, database_of):
    await add(lab, 1, key="fails")
    with Fleet(database_of(lab), "fail") as fleet:
        fleet.command = [str(FAKETIME), "+1 hour", *fleet.command]
        fleet.start()
        await until(lambda: _retried(lab))

    async with lab.connect() as connection:
        wait = await connection.scalar(text("SELECT due_at - updated_at FROM things"))
    assert 60 <= wait.total_seconds() <= 72


async def _retried(lab):
    return (await rows(lab))[0]["retries"] == 1


async def test_a_function_that_blocks_its_process_loses_its_row_and_stores_nothing_twice_a6(
    lab, database_of, tmp_path
):
    await add(lab, 20)
    given = {"log": str(tmp_path / "log"), "lease": 2, "heartbeat": 0.5, "sweep": 0.3}
    with (
        Fleet(database_of(lab), "block", seconds=6, **given) as first,
        Fleet(database_of(lab), **given) as second,
    ):
        blocked = first.start()
        await until(lambda: _processing(lab))
        second.start()
        assert await settled(lab, seconds=30) == {"Complete": 20}
        await asyncio.sleep(7)
        blocked.send_signal(signal.SIGKILL)

    assert len(await rows(lab, results)) == 20
    assert await broken(lab) == {}


async def _processing(lab):
    return (await counts(lab)).get("Processing", 0) > 0


@pytest.mark.timed
async def test_claims_stay_quick_in_a_table_of_a_million_rows_a21(lab):
    async with lab.begin() as connection:
        await connection.execute(text("ALTER TABLE things SET (autovacuum_enabled = off)"))
        await connection.execute(
            text(
                "INSERT INTO things (status, finished_at)"
                " SELECT 'Complete', now() FROM generate_series(1, 1000000)"
            )
        )
        await connection.execute(
            text("INSERT INTO things (status) SELECT 'Queued' FROM generate_series(1, 100000)")
        )
    one, times = Claims(stage(), Database(lab), 1, QUICK), []
    for _ in range(1000):
        began = time.perf_counter()
        taken = await one.take(100, 1)
        times.append((time.perf_counter() - began) * 1000)
        assert len(taken) == 100
    first, last = sorted(times[:200])[197], sorted(times[-200:])[197]
    print(f"claim of 100, p99: {first:.1f} ms at the start, {last:.1f} ms at the end")  # noqa: T201 - the figure.
    async with lab.connect() as connection:
        values = {"limit": 100, "after": ONE, "lease": QUICK.lease, "worker": 1, "priorities": PRIORITIES}
        values["resting"] = []
        plan = await plan_of(connection, one._claim, values)
        await connection.rollback()

    assert "ix_make_thing_queue" in plan
    assert "Seq Scan on things" not in plan
    assert first <= 50
    assert last <= 150
