"""Orderly ends and fair blame: nothing stays leased, nobody is charged for what another did."""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import replace
from datetime import timedelta

import pytest
from lab import PAGES, QUICK, add, counts, hosts, pages, rows, settled, stage, until, workers, working
from sqlalchemy import text

from scrapersky.engine.stage import Result, StageOptions


async def test_a_worker_stopped_while_it_writes_leaves_no_lease_behind_a7(lab):
    async def quick(item, context):
        return Result(rows=[{"thing_id": item.id, "word": "made"}])

    async with lab.begin() as connection:
        # Slow writing makes sure that the end comes in the middle of it.
        await connection.execute(
            text(
                "CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS"
                " $$ BEGIN PERFORM pg_sleep(0.1); RETURN NULL; END $$"
            )
        )
        await connection.execute(
            text("CREATE TRIGGER slow AFTER INSERT ON results FOR EACH STATEMENT EXECUTE FUNCTION slow()")
        )
    for _ in range(3):
        await add(lab, 100)
        async with working(lab, stage(quick), stage_options=StageOptions(batch=20, concurrency=20)):
            await until(lambda: _some_done(lab))
            await asyncio.sleep(0.1)
        assert (await counts(lab)).get("Processing", 0) == 0

    assert {row["rescues"] for row in await rows(lab)} == {0}
    assert await rows(lab, workers) == []


async def _some_done(lab):
    return (await counts(lab)).get("Complete", 0) > 0


async def test_a_stop_while_a_suspect_runs_alone_gives_the_others_back_at_once_a7(lab):
    started = asyncio.Event()

    async def hang(item, context):
        if item.rescues:
            started.set()
        await asyncio.sleep(0.01 if not item.rescues else 60)

    await add(lab, 3, rescues=2)
    await add(lab, 10)
    options = replace(QUICK, grace=timedelta(seconds=0.3))
    stage_options = StageOptions(batch=20, concurrency=20, timeout=timedelta(seconds=60))
    async with working(lab, stage(hang), options=options, stage_options=stage_options):
        await asyncio.wait_for(started.wait(), 10)

    assert (await counts(lab)).get("Processing", 0) == 0
    assert {row["rescues"] for row in await rows(lab) if row["status"] == "Queued"} <= {0, 2}


async def test_while_a_suspect_runs_its_worker_holds_nothing_else_a10(lab):
    held = []

    async def count(item, context):
        if item.rescues:
            held.append((await counts(lab)).get("Processing"))
            await asyncio.sleep(0.05)
            held.append((await counts(lab)).get("Processing"))
        await asyncio.sleep(0.001)

    await add(lab, 40)
    await add(lab, 6, rescues=2)
    async with working(lab, stage(count), stage_options=StageOptions(batch=20, concurrency=20)):
        assert await settled(lab) == {"Complete": 46}

    assert held == [1] * 12


@pytest.mark.req("R163")
async def test_a_function_that_cancels_itself_is_tried_four_times_and_fails(lab):
    tries = []

    async def cancel_itself(item, context):
        tries.append(item.retries)
        inner = asyncio.create_task(asyncio.sleep(60))
        inner.cancel()
        await inner

    await add(lab, 1)
    async with working(lab, stage(cancel_itself)):
        assert await settled(lab) == {"Error": 1}

    assert tries == [0, 1, 2, 3]
    assert (await rows(lab))[0]["error"] == "cancelled from inside"


@pytest.mark.req("R185")
async def test_a_function_that_outlasts_its_time_is_cut_off_and_tried_again(lab):
    tries = []

    async def hang(item, context):
        tries.append(item.retries)
        await asyncio.sleep(60)

    await add(lab, 1)
    async with working(
        lab, stage(hang), stage_options=StageOptions(batch=1, concurrency=1, timeout=timedelta(seconds=0.2))
    ):
        assert await settled(lab) == {"Error": 1}

    assert tries == [0, 1, 2, 3]
    assert (await rows(lab))[0]["error"] == "took longer than 0.2 s"


async def test_an_orderly_stop_lets_go_of_hosts_too_a7(lab):
    async def hang(item, context):
        await asyncio.sleep(60)

    await add(lab, 8, table=pages, host="a")
    options = replace(QUICK, grace=timedelta(seconds=0.1))
    async with working(lab, stage(hang, table=pages, queue=PAGES), options=options):
        await until(lambda: _processing(lab, 8))

    host = (await rows(lab, hosts))[0]
    assert await counts(lab, pages) == {"Queued": 8}
    assert (host["worker"], host["visit_waiting_since"] is not None) == (None, True)


async def _processing(lab, number):
    return (await counts(lab, pages)).get("Processing") == number


async def test_workers_that_come_and_go_lose_and_repeat_nothing_a1_a7(lab):
    starts = []

    async def look(item, context):
        await asyncio.sleep(0.002)
        starts.append(item.id)
        return Result(rows=[{"thing_id": item.id, "word": "made"}])

    await add(lab, 600)
    for _ in range(6):
        async with contextlib.AsyncExitStack() as stack:
            for _ in range(2):
                await stack.enter_async_context(
                    working(lab, stage(look), stage_options=StageOptions(batch=20, concurrency=20))
                )
            await asyncio.sleep(0.05)
    async with working(lab, stage(look)):
        assert await settled(lab) == {"Complete": 600}

    assert len(starts) == len(set(starts)) == 600
    assert {row["rescues"] + row["retries"] for row in await rows(lab)} == {0}
