"""Stages that run by intervals: so many rows per interval and so many runs at once in the whole fleet."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from datetime import timedelta

import pytest
from fleet import Fleet
from lab import (
    PAGES,
    QUICK,
    add,
    counts,
    pages,
    rows,
    scheduler_slots,
    settled,
    stage,
    until,
    workers,
    working,
)
from sqlalchemy import insert, text, update

from scrapersky.engine.database import Database
from scrapersky.engine.stage import StageOptions
from scrapersky.engine.throttle import Throttle

# So long that its present slot began far more than any grace ago, and ends in no test.
AGE = timedelta(days=365)
WIDE = StageOptions(continuous=False, batch=5, concurrency=50, interval=AGE, misfire_grace=AGE)


def throttle(lab, me, stage_options=WIDE):
    return Throttle(stage(), stage_options, Database(lab), me, QUICK.lease, lambda wait: None)


async def a_worker(lab, **values):
    async with lab.begin() as connection:
        return await connection.scalar(insert(workers).values(**values).returning(workers.c.id))


async def next_interval(lab):
    async with lab.begin() as connection:
        await connection.execute(update(scheduler_slots).values(slot=0))


@pytest.mark.req("R256")
async def test_the_fleet_begins_one_run_per_interval(lab):
    both = [throttle(lab, await a_worker(lab), replace(WIDE, max_instances=9)) for _ in range(2)]

    first = await asyncio.gather(*(one.open() for one in both))
    assert sorted(run.left if run else 0 for run in first) == [0, 5]
    await next_interval(lab)
    third = await throttle(lab, await a_worker(lab), replace(WIDE, max_instances=9)).open()
    assert third


@pytest.mark.req("R102", "R256")
async def test_no_more_runs_are_open_in_the_fleet_than_allowed_and_dead_workers_do_not_count(lab):
    stage_options = replace(WIDE, max_instances=2)
    numbers = [await a_worker(lab) for _ in range(3)]
    one, two, three = (throttle(lab, me, stage_options) for me in numbers)
    for open_one in (one, two):
        assert await open_one.open()
        await next_interval(lab)
    assert await three.open() is None, "two runs are open"

    await one.close()
    assert (await rows(lab, scheduler_slots))[0]["running"] == [numbers[1]]
    three._ask_at = 0.0
    assert await three.open()
    await next_interval(lab)
    async with lab.begin() as connection:
        await connection.execute(update(workers).values(heartbeat_at=text("now() - interval '1 hour'")))
    assert await throttle(lab, await a_worker(lab), stage_options).open()


@pytest.mark.req("R102", "R256")
async def test_a_run_whose_answer_was_lost_does_not_stay_open(lab):
    """The connection broke after the commit: the table has a run that nobody would ever end."""
    me = await a_worker(lab)
    one = throttle(lab, me)
    assert await one.open()
    one.run, one._ask_at = None, 0.0
    await next_interval(lab)

    assert await one.open()
    assert (await rows(lab, scheduler_slots))[0]["running"] == [me]


async def test_a_worker_that_may_not_claim_ends_its_run_with_the_interval(lab):
    one = throttle(lab, await a_worker(lab))
    run = await one.open()
    await one.end()
    assert len((await rows(lab, scheduler_slots))[0]["running"]) == 1

    run.ends = 0.0
    await one.end()
    assert (await rows(lab, scheduler_slots))[0]["running"] == []


@pytest.mark.req("R101", "R256")
@pytest.mark.parametrize(("grace", "begins"), [(timedelta(seconds=60), False), (AGE, True)])
async def test_a_run_that_is_too_late_waits_for_the_next_interval(lab, grace, begins):
    run = await throttle(lab, await a_worker(lab), replace(WIDE, misfire_grace=grace)).open()

    assert (run is not None) == begins


@pytest.mark.req("R106", "R182", "R256")
@pytest.mark.parametrize("polite", [False, True])
async def test_a_run_takes_no_more_than_the_batch_size(lab, polite):
    table, given = (pages, {"table": pages, "queue": PAGES}) if polite else (None, {})
    table = table if polite else stage().table
    for name in "abc":
        await add(lab, 10, table=table, **({"host": name} if polite else {}))
    stage_options = replace(WIDE, batch=12, per_host=5)
    async with working(lab, stage(**given), stage_options=stage_options) as worker:
        await until(lambda: _done(lab, table, 12))
        await asyncio.sleep(0.5)
        await worker.runners[worker.stages[0][0].name].tick()
        assert await counts(lab, table) == {"Complete": 12, "Queued": 18}
        (row,) = await rows(lab, scheduler_slots)
        assert row["running"] == [], "a run that used up its rows is over"

    assert row["runs"] == 1


async def _done(lab, table, number):
    return (await counts(lab, table)).get("Complete", 0) == number


async def test_rows_queued_later_in_an_interval_use_what_is_left_of_its_run(lab):
    async with working(lab, stage(), stage_options=WIDE):
        for number in (2, 4):
            await add(lab, 2)
            await until(lambda number=number: _done(lab, stage().table, number))
        await add(lab, 2)
        await until(lambda: _done(lab, stage().table, 5))
        await asyncio.sleep(0.3)
        assert await counts(lab) == {"Complete": 5, "Queued": 1}


async def test_an_orderly_stop_gives_the_run_back(lab):
    async with working(lab, stage(), stage_options=WIDE):
        await until(lambda: _running(lab, 1))

    assert (await rows(lab, scheduler_slots))[0]["running"] == []


async def _running(lab, number):
    found = await rows(lab, scheduler_slots)
    return bool(found) and len(found[0]["running"]) == number


@pytest.mark.timed
@pytest.mark.req("R256")
async def test_three_processes_keep_to_rows_per_interval_and_runs_at_once(lab, database_of, tmp_path):
    """Rows take three intervals: with two runs at once a third must wait, whoever begins it."""
    log, most = tmp_path / "log", 0
    log.touch()
    await add(lab, 200)
    given = {"interval": 2, "batch": 4, "max_instances": 2, "seconds": 6, "log": str(log)}
    with Fleet(database_of(lab), **given) as fleet:
        fleet.start(3)
        await until(lambda: _running(lab, 1), seconds=30)
        began = time.monotonic()
        while time.monotonic() - began < 14:
            most = max(most, (await counts(lab)).get("Processing", 0))
            await asyncio.sleep(0.1)
        taken = len(log.read_text().split())

    assert most == 8, "two runs of four rows at once"
    assert 8 <= taken <= 4 * 8


@pytest.mark.req("R256")
async def test_three_processes_drain_continuously_by_default(lab, database_of, tmp_path):
    await add(lab, 300)
    with Fleet(database_of(lab), log=str(tmp_path / "log"), concurrency=20, seconds=0.2) as fleet:
        fleet.start(3)
        assert await settled(lab, seconds=60) == {"Complete": 300}

    assert await rows(lab, scheduler_slots) == []
