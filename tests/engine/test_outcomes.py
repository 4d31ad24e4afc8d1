"""The four outcomes of a stage's function, and what each leaves on the row."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from lab import QUICK, add, results, rows, settled, stage, things, until, working
from sqlalchemy import text

from scrapersky.engine.outcome import Discard, Snooze
from scrapersky.engine.stage import Result, StageOptions


async def test_what_a_function_returns_is_stored_and_the_row_is_done(lab):
    await add(lab, 20)

    async with working(lab, stage()):
        found = await settled(lab)

    assert found == {"Complete": 20}
    assert len(await rows(lab, results)) == 20


async def test_fields_of_every_type_are_set_on_the_row_itself(lab):
    moment = datetime(2026, 11, 15, 12, tzinfo=UTC)

    async def learn(item, context):
        return Result(fields={"note": {"a": [1, None]}, "tags": ["x", "y"], "moment": moment})

    await add(lab, 3)
    async with working(lab, stage(learn)):
        await settled(lab)

    row = (await rows(lab))[0]
    assert (row["note"], row["tags"], row["moment"]) == ({"a": [1, None]}, ["x", "y"], moment)
    assert row["finished_at"] is not None


async def test_a_function_may_choose_another_final_word(lab):
    async def filter_out(item, context):
        return Result(status="Filtered")

    await add(lab, 1)
    async with working(lab, stage(filter_out)):
        assert await settled(lab) == {"Filtered": 1}


@pytest.mark.req("R056")
async def test_rows_that_fail_together_are_tried_again_at_different_times(lab):
    async def fail(item, context):
        raise ValueError("no")

    async def all_retried():
        return {row["retries"] for row in await rows(lab)} == {1}

    await add(lab, 30)
    async with working(lab, stage(fail), options=replace(QUICK, retry_base=timedelta(minutes=1))):
        await until(all_retried)

    waits = [(row["due_at"] - row["updated_at"]).total_seconds() for row in await rows(lab)]
    assert 60 <= min(waits) < max(waits) <= 72
    assert max(waits) - min(waits) > 3, "they would all come back at once"


async def test_give_up_fails_at_once_with_its_reason(lab):
    async def refuse(item, context):
        raise Discard("gone for good")

    await add(lab, 1)
    async with working(lab, stage(refuse)):
        await settled(lab)

    row = (await rows(lab))[0]
    assert (row["status"], row["error"], row["retries"]) == ("Error", "gone for good", 0)


async def test_later_gives_the_try_back_and_waits(lab):
    seen = []

    async def not_yet(item, context):
        seen.append(item.retries)
        if len(seen) < 3:
            raise Snooze("quota spent", wait=timedelta(milliseconds=30))

    await add(lab, 1)
    async with working(lab, stage(not_yet)):
        found = await settled(lab)

    assert found == {"Complete": 1}
    assert seen == [0, 0, 0]


@pytest.mark.req("R055", "R057", "R163", "R231")
async def test_any_other_error_is_retried_three_times_and_then_failed(lab):
    seen = []

    async def break_down(item, context):
        seen.append(item.retries)
        raise ValueError("broken pipe in the sky")

    await add(lab, 1)
    async with working(lab, stage(break_down)):
        await settled(lab)

    row = (await rows(lab))[0]
    assert seen == [0, 1, 2, 3]
    assert (row["status"], row["error"], row["retries"]) == ("Error", "broken pipe in the sky", 3)


@pytest.mark.req("R059")
async def test_a_success_after_a_retry_is_complete_and_clears_the_error(lab):
    tries = []

    async def second_time_lucky(item, context):
        tries.append(1)
        if len(tries) == 1:
            raise OSError("connection reset")

    await add(lab, 1)
    async with working(lab, stage(second_time_lucky)):
        await settled(lab)

    row = (await rows(lab))[0]
    assert (row["status"], row["error"], row["retries"]) == ("Complete", None, 1)


@pytest.mark.req("R040", "R155", "R156", "R181")
async def test_one_bad_item_never_stops_the_others(lab):
    bad = (await add(lab, 1))[0]
    await add(lab, 30)

    async def one_is_bad(item, context):
        if item.id == bad:
            raise Discard("bad")

    async with working(lab, stage(one_is_bad)):
        assert await settled(lab) == {"Complete": 30, "Error": 1}


@pytest.mark.req("R118", "R155", "R231")
async def test_an_item_whose_results_cannot_be_stored_fails_alone(lab):
    bad = (await add(lab, 1))[0]
    await add(lab, 30)

    async def write(item, context):
        word = None if item.id == bad else "fine"
        return Result(rows=[{"thing_id": None if item.id == bad else item.id, "word": word}])

    async with working(lab, stage(write)):
        found = await settled(lab)

    assert found == {"Complete": 30, "Error": 1}
    row = next(row for row in await rows(lab) if row["id"] == bad)
    assert "thing_id" in row["error"]


@pytest.mark.req("R185")
async def test_a_function_that_takes_too_long_is_cut_off(lab):
    async def hang(item, context):
        await asyncio.sleep(60)

    await add(lab, 1, max_retries=0)
    stage_options = StageOptions(batch=5, concurrency=5, timeout=timedelta(milliseconds=100))
    async with working(lab, stage(hang), stage_options=stage_options):
        await settled(lab)

    row = (await rows(lab))[0]
    assert (row["status"], row["error"]) == ("Error", "took longer than 0.1 s")


async def test_text_no_column_can_hold_does_not_hide_the_error(lab):
    async def odd(item, context):
        raise Discard("nul \x00 and \ud800 and " + "x" * 5000)

    await add(lab, 1)
    async with working(lab, stage(odd)):
        await settled(lab)

    row = (await rows(lab))[0]
    assert row["status"] == "Error"
    assert len(row["error"]) == 1024


@pytest.mark.req("R060")
async def test_a_row_queued_by_hand_in_psql_is_worked(lab):
    async def refuse(item, context):
        if item.row.key is None:
            raise Discard("no key")

    await add(lab, 1)
    async with working(lab, stage(refuse, reads=("key",))):
        await settled(lab)
        async with lab.begin() as connection:
            await connection.execute(text("UPDATE things SET status = 'Queued', key = 'k'"))
        found = await settled(lab)

    row = (await rows(lab, things))[0]
    assert found == {"Complete": 1}
    assert (row["retries"], row["error"]) == (0, None)


async def test_rejected_and_archived_rows_are_never_worked(lab):
    await add(lab, 1, curation="Rejected")
    await add(lab, 1, curation="Archived")
    await add(lab, 2)

    async with working(lab, stage()) as worker:
        await until(lambda: _is(lab, {"Complete": 2, "Queued": 2}))
        await worker.runners["make_thing"].tick()
        async with lab.begin() as connection:
            await connection.execute(text("UPDATE things SET curation = 'New' WHERE curation = 'Rejected'"))
        await until(lambda: _is(lab, {"Complete": 3, "Queued": 1}))


async def _is(lab, wanted):
    from lab import counts

    return await counts(lab) == wanted


async def test_every_item_leaves_one_line_in_the_log(lab):
    await add(lab, 5)

    async with working(lab, stage()) as worker:
        await settled(lab)
        await until(lambda: asyncio.sleep(0, len(worker.lines) >= 5))

    items = [line for line in worker.lines if line["event"] == "item_processed"]
    assert len(items) == 5
    assert {"stage", "id", "state", "attempt", "ms"} <= items[0].keys()
    run = next(line for line in worker.lines if line["event"] == "run_finished")
    assert (run["success"], run["failed"], run["total"]) == (5, 0, 5)
    assert QUICK.max_retries == 3
