"""The schedule of a process, and jobs that run once in the whole fleet."""

from __future__ import annotations

import asyncio
import os
import random
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from fleet import Fleet
from lab import QUICK, add, marks, rows, scheduler_slots, stage
from sqlalchemy import text
from sqlalchemy.ext.asyncio import create_async_engine

from scrapersky.engine.claims import Claims
from scrapersky.engine.database import Database
from scrapersky.engine.schedule import Leader, Schedule

SOON = timedelta(seconds=0.1)
FAR = timedelta(hours=1)


@pytest.fixture
async def schedule():
    lines = []
    one = Schedule(lines.extend)
    one.lines = lines
    yield one
    one.shutdown()
    await asyncio.sleep(0)


async def nothing():
    return None


def said(schedule, level):
    return [
        line["what"] for line in schedule.lines if line["event"] == "scheduler" and line["level"] == level
    ]


def ran(schedule, job):
    return [
        line for line in schedule.lines if line["event"] == "scheduled_job_finished" and line["job"] == job
    ]


async def until_said(condition):
    async with asyncio.timeout(10):
        while not condition():  # noqa: ASYNC110 - the schedule tells nobody else.
            await asyncio.sleep(0.01)


@pytest.mark.req("R092")
async def test_the_schedule_keeps_utc_a14(schedule):
    schedule.start()
    schedule.add("job", nothing, FAR)

    next_run = schedule.state()["job"]["next_run"]
    assert str(schedule.scheduler.timezone) == "UTC"
    assert next_run.utcoffset() == timedelta(0)


@pytest.mark.req("R094")
async def test_a_second_start_only_warns(schedule):
    schedule.start()
    schedule.add("job", nothing, FAR)
    before = schedule.state()["job"]["next_run"]
    schedule.start()

    assert said(schedule, "info") == ["started"]
    assert said(schedule, "warning") == ["already running"]
    assert schedule.state()["job"]["next_run"] == before


@pytest.mark.req("R094")
async def test_a_start_that_fails_half_way_is_undone(schedule):
    class Broken(Exception):
        pass

    def refuse(*given):
        raise Broken("no executor today")

    schedule.scheduler._create_default_executor = refuse
    with pytest.raises(Broken):
        schedule.start()

    assert "no executor today" in said(schedule, "error")[0]
    assert not schedule.scheduler.running


@pytest.mark.req("R098")
async def test_a_registration_that_fails_harms_no_other(schedule):
    schedule.start()

    assert schedule.add("good", nothing, SOON)
    assert not schedule.add("bad", "not a function", SOON)
    assert schedule.add("also good", nothing, SOON)
    await until_said(lambda: ran(schedule, "good") and ran(schedule, "also good"))
    assert "could not register bad" in said(schedule, "error")[0]


@pytest.mark.req("R099")
async def test_registering_again_replaces_by_id(schedule):
    calls = []

    async def first():
        calls.append("first")

    async def second():
        calls.append("second")

    schedule.start()
    schedule.add("job", first, SOON)
    schedule.add("job", second, SOON)
    await until_said(lambda: calls)

    assert list(schedule.state()) == ["job"]
    assert set(calls) == {"second"}


@pytest.mark.req("R100", "R101", "R102")
@pytest.mark.parametrize(("grace", "most"), [(timedelta(seconds=60), 1), (timedelta(seconds=1800), 3)])
async def test_jobs_coalesce_and_keep_their_grace_and_number(schedule, grace, most):
    schedule.start()
    schedule.add("job", nothing, FAR, misfire_grace=grace, max_instances=most)

    job = schedule.scheduler.get_job("job")
    assert (job.coalesce, job.misfire_grace_time, job.max_instances) == (True, grace.total_seconds(), most)


@pytest.mark.req("R100")
async def test_a_process_that_slept_runs_a_job_once_not_once_for_each_missed_time(schedule):
    calls = []

    async def call():
        calls.append(1)

    schedule.start()
    schedule.add("job", call, timedelta(seconds=0.2))
    time.sleep(1.5)  # noqa: ASYNC251 - the whole process stands still.
    await asyncio.sleep(0.1)

    # Seven times were missed; a second run may have come due since.
    assert 1 <= len(calls) <= 2


@pytest.mark.req("R102")
@pytest.mark.parametrize("most", [1, 2])
@pytest.mark.filterwarnings("ignore::UserWarning")
async def test_a_job_never_runs_more_often_at_once_than_allowed(schedule, most):
    running, together = 0, []

    async def slow():
        nonlocal running
        running += 1
        together.append(running)
        await asyncio.sleep(0.5)
        running -= 1

    schedule.start()
    schedule.add("job", slow, timedelta(seconds=0.1), max_instances=most)
    await asyncio.sleep(1.2)

    assert max(together) == most


@pytest.mark.req("R037", "R093")
async def test_every_run_is_logged_and_failures_with_their_traceback(schedule):
    answers = iter([None, ValueError("out of paper"), None])

    async def call():
        if error := next(answers, None):
            raise error

    schedule.start()
    schedule.add("job", call, SOON)
    await until_said(lambda: len(ran(schedule, "job")) >= 3)

    lines = ran(schedule, "job")[:3]
    assert [line["level"] for line in lines] == ["info", "error", "info"]
    assert (lines[1]["error"], lines[1]["ok"]) == ("out of paper", False)
    assert "Traceback" in lines[1]["trace"]
    assert schedule.state()["job"]["ok"] is True
    assert schedule.state()["job"]["last_run"].tzinfo is UTC


@pytest.mark.timed
@pytest.mark.req("R095")
async def test_a_shutdown_waits_for_nobody_and_is_logged_once(schedule):
    started = asyncio.Event()

    async def slow():
        started.set()
        await asyncio.sleep(60)

    schedule.shutdown()
    schedule.start()
    schedule.add("job", slow, SOON)
    await asyncio.wait_for(started.wait(), 5)
    began = time.perf_counter()
    schedule.shutdown()
    schedule.shutdown()
    await asyncio.sleep(0.05)
    schedule.shutdown()

    assert time.perf_counter() - began < 1
    assert said(schedule, "info") == ["started", "stopped"]
    assert not schedule.scheduler.running


ELSEWHERE = """
import asyncio, sys
from datetime import UTC, datetime, timedelta
from scrapersky.engine.schedule import Schedule
lines = []
async def main():
    schedule, calls = Schedule(lines.extend), []
    async def call():
        calls.append(datetime.now(UTC))
    schedule.start()
    schedule.add("job", call, timedelta(seconds=0.3))
    due = schedule.state()["job"]["next_run"]
    await asyncio.sleep(0.45)
    schedule.shutdown()
    print(due.isoformat(), len(calls), (calls[0] - due).total_seconds())
asyncio.run(main())
"""


@pytest.mark.parametrize("zone", ["America/New_York", "Asia/Kolkata", "Pacific/Apia"])
def test_a_schedule_fires_at_the_right_instant_in_any_time_zone_a14(zone):
    told = subprocess.run(
        [sys.executable, "-c", ELSEWHERE],
        env=os.environ | {"TZ": zone, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        timeout=60,
    )

    assert told.returncode == 0, told.stderr
    due, calls, late = told.stdout.split()
    assert datetime.fromisoformat(due).utcoffset() == timedelta(0)
    assert int(calls) == 1
    assert 0 <= float(late) < 0.2


async def test_slots_and_leases_do_not_depend_on_the_servers_time_zone_a14(lab, database_of):
    async with lab.begin() as connection:
        name = await connection.scalar(text("SELECT current_database()"))
        await connection.execute(text(f"ALTER DATABASE {name} SET timezone = 'Asia/Kolkata'"))
    far_away = create_async_engine(database_of(lab))

    async with far_away.connect() as connection:
        assert await connection.scalar(text("SHOW timezone")) == "Asia/Kolkata"
    before = int(time.time()) // 3600
    await Leader(far_away).run("job", FAR, mark)
    await add(lab, 1)
    await Claims(stage(), Database(far_away), 1, QUICK).take(1, 1)
    await far_away.dispose()

    assert (await rows(lab, scheduler_slots))[0]["slot"] - before * 3600 in (0, 3600)
    left = (await rows(lab))[0]["lease_until"] - datetime.now(UTC)
    assert timedelta(0) < left <= QUICK.lease


async def mark(connection):
    return (await connection.execute(marks.insert().values(slot=1).returning(marks.c.id))).scalar()


async def test_of_many_that_tick_at_once_one_runs(lab):
    every = timedelta(hours=1)
    answers = await asyncio.gather(*(Leader(lab).run("job", every, mark) for _ in range(8)))

    assert len([one for one in answers if one is not None]) == 1
    assert await Leader(lab).run("job", every, mark) is None
    assert len(await rows(lab, marks)) == 1


async def test_jobs_do_not_stand_in_each_others_way(lab):
    assert await Leader(lab).run("one", FAR, mark)
    assert await Leader(lab).run("other", FAR, mark)


async def test_a_tick_that_fails_gives_its_slot_back(lab):
    async def fail(connection):
        await mark(connection)
        raise ValueError("half done")

    with pytest.raises(ValueError, match="half done"):
        await Leader(lab).run("job", FAR, fail)

    assert await rows(lab, marks) == []
    assert await Leader(lab).run("job", FAR, mark)


async def tick_storm(lab, url, *, ticks, kills, every=1):
    """Four schedulers, one of them killed again and again; gives the slots in which a tick happened."""
    chance = random.Random(16)
    with Fleet(url, "tick", every=every) as fleet:
        fleet.start(4)
        for _ in range(kills):
            await asyncio.sleep(ticks * every / (kills + 1))
            fleet.kill_one(chance)
        await asyncio.sleep(ticks * every / (kills + 1))
    return sorted(row["slot"] for row in await rows(lab, marks))


def check_ticks(slots, least):
    assert len(slots) == len(set(slots)), "a tick happened twice"
    assert max(after - before for before, after in pairwise(slots)) <= 2
    assert len(slots) >= least


async def test_of_four_schedulers_each_tick_happens_once_a16(lab, database_of):
    slots = await tick_storm(lab, database_of(lab), ticks=6, kills=3)

    check_ticks(slots, 4)


@pytest.mark.reliability
async def test_of_four_schedulers_each_of_60_ticks_happens_once_a16(lab, database_of):
    slots = await tick_storm(lab, database_of(lab), ticks=62, kills=10)

    check_ticks(slots, 60)
