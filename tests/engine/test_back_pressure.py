"""Pressure: water marks, batches that fit, pauses, turns between tenants, and the figures of it all."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from lab import (
    ONE,
    PAGES,
    QUICK,
    TWO,
    add,
    controls,
    counts,
    pages,
    rows,
    settled,
    stage,
    stats,
    until,
    working,
)
from sqlalchemy import func, select, text
from sqlalchemy.dialects.postgresql import insert

from scrapersky.engine import stats as counting
from scrapersky.engine.database import Database
from scrapersky.engine.outcome import Discard
from scrapersky.engine.stage import StageOptions
from scrapersky.engine.stats import BUCKETS, DatabaseClock, Stats

MARKS = StageOptions(batch=10, concurrency=10, high_water=10, low_water=5)


async def quiet(item, context):
    await asyncio.sleep(0)


async def keep_pages(lab, number):
    """Exactly so many pages wait for the next stage."""
    async with lab.begin() as connection:
        await connection.execute(text("TRUNCATE pages"))
        await connection.execute(
            text(f"INSERT INTO pages (host) SELECT 'a' FROM generate_series(1, {number})")
        )


async def pause(lab, paused):
    statement = insert(controls).values(stage="make_thing", paused=paused)
    async with lab.begin() as connection:
        await connection.execute(
            statement.on_conflict_do_update(index_elements=["stage"], set_={"paused": paused})
        )


async def waiting_pages(connection):
    query = select(func.count()).select_from(pages).where(text(PAGES.claimable()))
    return {PAGES.name: await connection.scalar(query)}


@pytest.mark.req("R207", "R208")
async def test_a_stage_stops_above_the_high_mark_and_resumes_below_the_low_one(lab):
    upstream = stage(quiet, feeds=PAGES)
    async with working(lab, upstream, stage_options=MARKS, waiting=waiting_pages) as worker:
        runner = worker.runners["make_thing"]
        states = []
        for waiting in (0, 10, 11, 300, 8, 5, 4, 8, 10, 11):
            await keep_pages(lab, waiting)
            await worker.housekeeping()
            states.append(runner.congested)

    assert states == [False, False, True, True, True, True, False, False, False, True]


@pytest.mark.req("R208")
async def test_a_congested_stage_claims_nothing_until_the_next_one_has_caught_up(lab):
    upstream = stage(quiet, feeds=PAGES)
    await keep_pages(lab, 11)
    async with working(lab, upstream, stage_options=MARKS, waiting=waiting_pages) as worker:
        runner = worker.runners["make_thing"]
        await worker.housekeeping()
        await runner.tick()
        await add(lab, 20)
        await runner.tick()
        assert await counts(lab) == {"Queued": 20}
        await keep_pages(lab, 4)
        assert await settled(lab) == {"Complete": 20}


async def test_rows_that_no_worker_may_take_do_not_count_as_pressure(lab):
    await add(lab, 12, table=pages, host="a", status="Filtered")
    async with working(lab, stage(quiet, feeds=PAGES), stage_options=MARKS, waiting=waiting_pages) as worker:
        await worker.housekeeping()
        assert not worker.runners["make_thing"].congested


@pytest.mark.req("R207")
@pytest.mark.parametrize(
    ("ms", "batch"), [(0.01, 100), (10, 100), (500, 100), (1_000, 50), (10_000, 5), (600_000, 1)]
)
async def test_the_batch_is_what_takes_about_the_target_time_within_its_limits(lab, ms, batch):
    stage_options = StageOptions(batch=100, concurrency=10, target=timedelta(seconds=5))
    async with working(lab, stage(quiet), stage_options=stage_options) as worker:
        runner = worker.runners["make_thing"]
        assert runner.batch() == 100
        runner.stats.items({}, [ms] * 20)
        assert runner.batch() == batch


@pytest.mark.req("R207")
async def test_batches_get_smaller_the_more_waits_for_the_next_stage_down_to_the_floor(lab):
    stage_options = StageOptions(batch=100, concurrency=100, high_water=200, low_water=100, batch_floor=7)
    async with working(
        lab, stage(quiet, feeds=PAGES), stage_options=stage_options, waiting=waiting_pages
    ) as worker:
        runner, sizes = worker.runners["make_thing"], []
        for waiting in (0, 100, 125, 150, 190, 196, 200):
            await keep_pages(lab, waiting)
            await worker.housekeeping()
            sizes.append(runner.batch())

    assert sizes == [100, 100, 75, 50, 10, 7, 7]


@pytest.mark.req("R182")
async def test_no_more_rows_are_held_than_run_at_once(lab):
    most = 0

    async def look(item, context):
        nonlocal most
        most = max(most, len(worker.runners["make_thing"].held))
        await asyncio.sleep(0.005)

    await add(lab, 100)
    async with working(lab, stage(look), stage_options=StageOptions(batch=50, concurrency=7)) as worker:
        await settled(lab)

    assert 1 < most <= 7


async def test_a_paused_stage_claims_nothing_until_it_is_resumed(lab):
    async with working(lab, stage(quiet)) as worker:
        await pause(lab, True)
        await worker.housekeeping()
        await worker.runners["make_thing"].tick()
        await add(lab, 5)
        await worker.runners["make_thing"].tick()
        assert await counts(lab) == {"Queued": 5}
        await pause(lab, False)
        assert await settled(lab) == {"Complete": 5}


async def test_a_worker_that_starts_while_a_stage_is_paused_leaves_it_alone(lab):
    await pause(lab, True)
    await add(lab, 5)
    async with working(lab, stage(quiet)) as worker:
        await worker.runners["make_thing"].tick()
        await asyncio.sleep(0.2)

    assert await counts(lab) == {"Queued": 5}


@pytest.mark.req("R124")
async def test_a_pause_of_one_stage_does_not_stop_another(lab):
    await pause(lab, True)
    async with working(lab, stage(quiet), stage(quiet, table=pages, queue=PAGES)):
        await add(lab, 3)
        await add(lab, 3, table=pages, host="a")
        assert await settled(lab, pages) == {"Complete": 3}

    assert await counts(lab) == {"Queued": 3}


async def test_a_tenant_with_thousands_of_rows_does_not_delay_one_with_ten_a20(lab):
    seen = []

    async def look(item, context):
        seen.append(item.tenant_id)
        await asyncio.sleep(0.001)

    async with lab.begin() as connection:
        await connection.execute(
            text(f"INSERT INTO things (tenant_id) SELECT '{ONE}' FROM generate_series(1, 5000)")
        )
    await add(lab, 10, tenant_id=TWO)
    async with working(lab, stage(look), stage_options=StageOptions(batch=10, concurrency=10)):
        await until(lambda: asyncio.sleep(0, seen.count(TWO) == 10))

    assert max(n for n, one in enumerate(seen) if one == TWO) < 200


@pytest.mark.req("R202", "R213")
async def test_what_a_stage_did_is_in_the_database_minute_by_minute(lab):
    async def mixed(item, context):
        await asyncio.sleep(0.02)
        if item.row.key == "bad":
            raise Discard("bad")
        if item.row.key == "unlucky" and item.retries == 0:
            raise ValueError("once")

    await add(lab, 20)
    await add(lab, 1, key="bad")
    await add(lab, 1, key="unlucky")
    async with (
        working(lab, stage(mixed, reads=("key",))) as one,
        working(lab, stage(mixed, reads=("key",))) as other,
    ):
        await settled(lab)

    found = await rows(lab, stats)
    assert {row["worker"] for row in found} <= {one.id, other.id}
    assert [sum(row[name] for row in found) for name in ("done", "failed", "retried")] == [21, 1, 1]
    assert sum(sum(row["buckets"]) for row in found) == 23
    assert sum(sum(row["buckets"][3:]) for row in found) == 23, "all took more than 10 ms"
    assert sum(row["ms_sum"] for row in found) >= 23 * 20
    assert 20 <= max(row["ms_max"] for row in found) < 5000
    run = max(found, key=lambda row: row["runs"])
    assert run["runs"] >= 1
    assert run["run_ms_max"] >= run["run_ms_last"] > 0
    assert run["run_ms_sum"] >= run["run_ms_max"]


@pytest.mark.req("R105")
async def test_each_run_says_how_many_succeeded_failed_and_in_all(lab):
    async def some_fail(item, context):
        if item.row.key:
            raise Discard("bad")

    await add(lab, 4)
    await add(lab, 1, key="bad")
    async with working(lab, stage(some_fail, reads=("key",))) as worker:
        await settled(lab)
        await until(lambda: asyncio.sleep(0, any(line["event"] == "run_finished" for line in worker.lines)))

    runs = [line for line in worker.lines if line["event"] == "run_finished"]
    assert sum(line["success"] for line in runs) == 4
    assert sum(line["failed"] for line in runs) == 1
    assert sum(line["total"] for line in runs) == 5


@pytest.mark.req("R202")
@pytest.mark.parametrize(("ms", "bucket"), [(0, 0), (1, 0), (1.1, 1), (100, 4), (30_000, 9), (30_001, 10)])
def test_a_span_falls_into_the_bucket_of_its_upper_edge(ms, bucket):
    one = Stats("x", DatabaseClock())
    one.items({"done": 1}, [ms])

    buckets = one.rows(1)[0]["buckets"]
    assert (len(buckets), buckets.index(1)) == (len(BUCKETS) + 1, bucket)


@pytest.mark.req("R202")
def test_a_minute_is_kept_until_it_was_written():
    one, now = Stats("x", DatabaseClock()), datetime.now(UTC).replace(second=0, microsecond=0)
    one.items({"done": 3}, [1.0])
    one._minutes[now - timedelta(minutes=1)] = one._minutes.pop(now)
    one.items({"done": 2}, [1.0])

    lost = one.rows(1)
    one.forget([])
    again = one.rows(1)
    one.forget(again)

    assert [row["done"] for row in lost] == [row["done"] for row in again] == [3, 2]
    assert [row["done"] for row in one.rows(1)] == [2]
    assert one.totals["done"] == 5


@pytest.mark.req("R202")
async def test_what_is_done_later_in_a_minute_is_added_to_what_was_written(lab):
    options = replace(QUICK, sweep=timedelta(hours=1))
    async with working(lab, stage(quiet), options=options) as worker:
        for number in (3, 6, 9):
            await add(lab, 3)
            await settled(lab)
            done = worker.runners["make_thing"].stats.totals
            await until(lambda number=number, done=done: asyncio.sleep(0, done["done"] == number))
            await worker.housekeeping()
            assert sum(row["done"] for row in await rows(lab, stats)) == number


@pytest.mark.req("R202")
async def test_writing_a_minute_twice_counts_it_once(lab):
    await add(lab, 6)
    options = replace(QUICK, sweep=timedelta(hours=1))
    async with working(lab, stage(quiet), options=options) as worker:
        await settled(lab)
        await until(lambda: asyncio.sleep(0, worker.runners["make_thing"].stats.totals["done"] == 6))
        for _ in range(3):
            await worker.housekeeping()

    assert sum(row["done"] for row in await rows(lab, stats)) == 6


@pytest.mark.req("R202")
@pytest.mark.parametrize("wrong", [timedelta(days=1), timedelta(days=-1)])
async def test_minutes_are_those_of_the_databases_clock(lab, monkeypatch, wrong):
    class WrongClock(datetime):
        @classmethod
        def now(cls, tz=None):
            return datetime.now(tz) + wrong

    monkeypatch.setattr(counting, "datetime", WrongClock)
    await add(lab, 6)
    async with working(lab, stage(quiet)):
        await settled(lab)

    now = (await Database(lab).rows(text("SELECT now()")))[0][0]
    found = await rows(lab, stats)
    assert sum(row["done"] for row in found) == 6
    assert all(abs(row["minute"] - now) < timedelta(minutes=2) for row in found)


@pytest.mark.req("R202")
def test_a_minute_that_is_over_is_not_begun_again_when_the_clock_goes_back():
    clock = DatabaseClock()
    clock.set(datetime(2026, 1, 1, 12, 1, 0, 5, tzinfo=UTC))
    over = clock.minute()
    clock.set(datetime(2026, 1, 1, 12, 0, 59, tzinfo=UTC))

    assert clock.minute() == over == datetime(2026, 1, 1, 12, 1, tzinfo=UTC)
