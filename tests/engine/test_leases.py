"""Leases: who dies or stalls loses the row, and whoever lost a row writes nothing."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest
from lab import (
    PAGES,
    QUICK,
    add,
    counts,
    hosts,
    pages,
    results,
    rows,
    save,
    settled,
    stage,
    things,
    until,
    workers,
    working,
    zombies,
)
from sqlalchemy import func, insert, select, text, update

from scrapersky.engine.claims import Claim, Claims
from scrapersky.engine.database import Database
from scrapersky.engine.outcome import RELEASED, Outcome, OutcomeKind
from scrapersky.engine.stage import Result, StageOptions
from scrapersky.engine.writer import Writer


async def claim(lab, me):
    batches = await Claims(stage(), Database(lab), me, QUICK).take(1, 1)
    return batches[0].items[0]


def writer_of(lab, me):
    return Writer(stage(), Database(lab), me, save)


async def expire(lab):
    async with lab.begin() as connection:
        await connection.execute(
            update(things)
            .where(things.c.status == "Processing")
            .values(lease_until=func.now() - timedelta(seconds=1))
        )


def finished(item, word):
    done = Result(rows=[{"thing_id": item.id, "word": word}])
    return Claim(item, 0.0, outcome=Outcome(OutcomeKind.DONE, result=done))


async def test_a_lost_lease_writes_nothing_a4(lab):
    await add(lab, 1)
    slow = await claim(lab, 1)
    await expire(lab)
    async with working(lab, stage(lambda item, context: asyncio.sleep(0))) as other:
        await other.rescue()
        await settled(lab)

    kept, stored = await writer_of(lab, 1).write([finished(slow, "late")])

    assert (kept, stored) == (set(), 0)
    assert await rows(lab, results) == []
    assert (await rows(lab))[0]["status"] == "Complete"


async def test_the_newer_claim_wins_even_on_the_same_worker_number(lab):
    await add(lab, 1)
    first = await claim(lab, 1)
    await writer_of(lab, 1).write([Claim(first, 0.0, outcome=RELEASED)])
    second = await claim(lab, 1)

    late, _ = await writer_of(lab, 1).write([finished(first, "late")])
    right, _ = await writer_of(lab, 1).write([finished(second, "right")])

    assert (late, right) == (set(), {second.id})
    assert [row["word"] for row in await rows(lab, results)] == ["right"]


async def test_a_number_of_another_worker_writes_and_keeps_nothing(lab):
    """A claim that was lost in a crash of the database may be issued again, to somebody else."""
    await add(lab, 1)
    item = await claim(lab, 1)

    assert await writer_of(lab, 2).write([finished(item, "theirs")]) == (set(), 0)
    assert await writer_of(lab, 2).write([Claim(item, 0.0, outcome=RELEASED)]) == (set(), 0)
    assert await writer_of(lab, 2).renew([item], QUICK.lease) == set()
    assert await writer_of(lab, 1).renew([item], QUICK.lease) == {item.id}


async def test_a_fencing_number_is_never_issued_twice_after_an_orderly_stop(lab):
    await add(lab, 1)
    numbers = []
    for _ in range(3):
        item = await claim(lab, 1)
        numbers.append(item.seq)
        await writer_of(lab, 1).write([Claim(item, 0.0, outcome=RELEASED)])

    row = (await rows(lab))[0]
    assert numbers == [1, 2, 3]
    assert (row["status"], row["retries"], row["crashes"]) == ("Queued", 0, 0)


async def test_an_item_that_lasts_many_leases_is_started_once_a5(lab):
    starts = []

    async def slow(item, context):
        starts.append(item)
        await asyncio.sleep(5)

    options = replace(
        QUICK, lease=timedelta(seconds=1.5), heartbeat=timedelta(seconds=0.2), sweep=timedelta(seconds=0.1)
    )
    await add(lab, 1)
    async with working(lab, stage(slow), options=options), working(lab, stage(slow), options=options):
        assert await settled(lab) == {"Complete": 1}

    assert len(starts) == 1
    assert starts[0].retries + starts[0].crashes + 1 == 1
    assert (await rows(lab))[0]["lease_seq"] == 1


@pytest.mark.req("R160")
async def test_what_a_worker_held_that_died_later_is_found_by_the_sweep(lab):
    async with working(lab, stage(), stage_options=_nothing()):
        await asyncio.sleep(0.5)
        await add(lab, 2)
        await claim(lab, 77)
        await expire(lab)
        await until(lambda: _is_queued(lab, 2), seconds=5)


async def _is_queued(lab, number):
    return await counts(lab) == {"Queued": number}


@pytest.mark.req("R160", "R164")
async def test_what_a_dead_worker_held_is_rescued_and_written_down(lab):
    await add(lab, 3)
    await claim(lab, 77)
    await expire(lab)

    async with working(lab, stage()) as worker:
        assert await settled(lab) == {"Complete": 3}
        await until(lambda: asyncio.sleep(0, worker.runners["make_thing"].stats.totals["rescued"] == 1))

    zombie = (await rows(lab, zombies))[0]
    assert (zombie["stage"], zombie["worker"], zombie["crashes"]) == ("make_thing", 77, 0)
    assert [row["rescues"] for row in await rows(lab) if str(row["id"]) == zombie["row_id"]] == [1]
    assert zombie["reason"] == "lease ran out"
    assert zombie["found_at"] is not None


async def dead_worker(lab, alone=None):
    """A worker that has not been heard of for long; says its number."""
    long_ago = func.now() - timedelta(hours=1)
    async with lab.begin() as connection:
        row = insert(workers).values(heartbeat_at=long_ago, alone=alone).returning(workers.c.id)
        return await connection.scalar(row)


async def crash(lab, *, alone, options=QUICK):
    """A worker claims the row, says that it runs it alone or not, and is gone; the others rescue the row."""
    me = await dead_worker(lab)
    item = await claim(lab, me)
    mark = f"make_thing:{item.id}:{item.seq}" if alone else f"make_thing:{item.id}:{item.seq - 1}"
    async with lab.begin() as connection:
        await connection.execute(update(workers).where(workers.c.id == me).values(alone=mark))
    await expire(lab)
    quiet = stage(lambda item, context: asyncio.sleep(0))
    async with working(lab, quiet, stage_options=_nothing(), options=options) as worker:
        await worker.rescue()
    return {**(await rows(lab))[0], "lines": worker.lines}


@pytest.mark.req("R161", "R252")
async def test_only_crashes_while_a_row_ran_alone_count_and_the_third_fails_it(lab):
    await add(lab, 1)
    seen = []
    for alone in (False, False, True, False, False, True, False, True):
        row = await crash(lab, alone=alone)
        seen.append((row["crashes"], row["status"]))
        async with lab.begin() as connection:
            await connection.execute(update(things).values(due_at=func.now()))

    assert seen == [(n, "Queued") for n in (0, 0, 1, 1, 1, 2, 2)] + [(3, "Error")]
    assert (row["error"], row["rescues"]) == ("crashed worker", 8)
    [line] = [line for line in row["lines"] if line.get("state") == "failed"]
    assert (line["level"], line["stage"], line["id"], line["class"], line["crashes"]) == (
        "error", "make_thing", row["id"], "WorkerCrashed", 3,
    )  # fmt: skip
    assert [row["reason"] for row in await rows(lab, zombies)].count("lease ran out") == 5


async def test_a_row_that_crashed_alone_waits_like_after_any_failure_and_others_do_not(lab):
    await add(lab, 1)
    waits = []
    for alone in (False, True, True):
        row = await crash(lab, alone=alone, options=replace(QUICK, retry_base=timedelta(minutes=1)))
        now = (await Database(lab).rows(select(func.now())))[0][0]
        waits.append(round((row["due_at"] - now) / timedelta(minutes=1)))
        async with lab.begin() as connection:
            await connection.execute(update(things).values(due_at=func.now()))

    assert waits == [0, 1, 2]


async def test_a_worker_that_lives_keeps_its_rows_and_gives_up_those_it_does_not_hold(lab):
    await add(lab, 2)
    by_hand = replace(QUICK, sweep=timedelta(hours=1))
    async with (
        working(lab, stage(), stage_options=_nothing(), options=by_hand) as mine,
        working(lab, stage(), stage_options=_nothing(), options=by_hand) as other,
    ):
        held, unknown = await claim(lab, mine.id), await claim(lab, mine.id)
        mine.runners["make_thing"].held[held.id] = Claim(held, 0.0)
        await expire(lab)
        await other.rescue()
        assert await counts(lab) == {"Processing": 2}
        await mine.rescue()
        assert {row["id"]: row["status"] for row in await rows(lab)} == {
            held.id: "Processing",
            unknown.id: "Queued",
        }
        mine.runners["make_thing"].held.clear()


def _nothing():
    return StageOptions(batch=1, concurrency=0)


async def test_one_stuck_row_behind_many_long_leases_is_rescued_in_the_next_sweep_a12(lab):
    await add(lab, 2000)
    # By a worker that is gone: the one that starts below is number 1.
    gone = Claims(stage(), Database(lab), 77, replace(QUICK, lease=timedelta(hours=1)))
    batches = await gone.take(2000, 1)
    stuck = batches[1999].items[0].id
    async with lab.begin() as connection:
        await connection.execute(
            update(things).where(things.c.id == stuck).values(lease_until=func.now() - timedelta(seconds=1))
        )

    async with working(lab, stage(), stage_options=_nothing()) as worker:
        await worker.rescue()

    assert await counts(lab) == {"Processing": 1999, "Queued": 1}


async def test_a_suspect_runs_alone_and_its_neighbours_are_not_blamed(lab):
    running = 0
    together = []

    async def count(item, context):
        nonlocal running
        running += 1
        together.append((item.crashes or item.rescues, running))
        await asyncio.sleep(0.01)
        running -= 1

    await add(lab, 30)
    await add(lab, 2, rescues=2)
    await add(lab, 1, crashes=1)
    async with working(lab, stage(count)):
        assert await settled(lab) == {"Complete": 33}

    assert [alone for suspect, alone in together if suspect] == [1, 1, 1]
    assert max(alone for _, alone in together) > 1


async def test_the_lease_is_lost_while_running_and_the_work_is_cut_off(lab):
    cut = asyncio.Event()

    async def hang(item, context):
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            cut.set()
            raise

    await add(lab, 1)
    long = StageOptions(batch=5, concurrency=5, timeout=timedelta(minutes=5))
    async with working(lab, stage(hang), stage_options=long) as worker:
        await until(lambda: _is_processing(lab))
        async with lab.begin() as connection:
            await connection.execute(text("UPDATE things SET lease_seq = lease_seq + 1"))
        await asyncio.wait_for(cut.wait(), 10)
        await until(lambda: asyncio.sleep(0, any(line.get("state") == "lease_lost" for line in worker.lines)))


async def _is_processing(lab):
    return (await counts(lab)).get("Processing") == 1


async def test_a_row_rescued_from_ourselves_is_held_once_and_its_older_run_ends(lab):
    """A machine that slept longer than its leases rescues and claims its own rows while they still run."""
    begun, parallel, most = [], 0, 0
    going = asyncio.Event()

    async def run(item, context):
        nonlocal parallel, most
        begun.append(item.seq)
        parallel += 1
        most = max(most, parallel)
        try:
            await going.wait()
        finally:
            parallel -= 1

    await add(lab, 2, table=pages, host="a.example")
    long = replace(QUICK, lease=timedelta(minutes=1), heartbeat=timedelta(minutes=1))
    polite = stage(run, table=pages, queue=PAGES)
    async with working(lab, polite, options=replace(long, sweep=timedelta(minutes=1))) as worker:
        await until(lambda: asyncio.sleep(0, bool(begun)))
        async with lab.begin() as connection:
            past = func.now() - timedelta(seconds=1)
            await connection.execute(update(pages).values(lease_until=past))
            await connection.execute(update(hosts).values(next_allowed_at=past))
        await worker.rescue()
        await until(lambda: asyncio.sleep(0, begun[-1] == 2))
        await until(lambda: asyncio.sleep(0, parallel == 1))
        assert len(worker.runners["visit"].held) == 2
        going.set()
        assert await settled(lab, pages) == {"Complete": 2}
    assert (begun, most) == ([1, 2, 2], 1)


QUICKEST = replace(QUICK, lease=timedelta(seconds=1), heartbeat=timedelta(seconds=0.25))


@pytest.mark.parametrize("polite", [False, True])
@pytest.mark.req("R155", "R158")
async def test_a_row_locked_by_another_session_stops_neither_its_neighbours_nor_its_stage(lab, polite):
    """Somebody holds one row for several leases while its batch ends; a second worker watches for rescues."""
    begun, locked = [], asyncio.Event()
    table = pages if polite else things

    async def run(item, context):
        begun.append(item.id)
        await locked.wait()
        return Result(rows=[{"thing_id": item.id, "word": "made"}])

    given = {"table": pages, "queue": PAGES} if polite else {}
    first = await add(lab, 10, table=table, **({"host": "a.example"} if polite else {}))
    one = stage(run, **given)
    async with working(lab, one, options=QUICKEST) as worker, working(lab, one, options=QUICKEST) as other:
        await until(lambda: asyncio.sleep(0, len(begun) >= (1 if polite else 10)))
        async with lab.connect() as session:
            held = begun[0]
            await session.execute(select(table.c.id).where(table.c.id == held).with_for_update())
            locked.set()
            await until(lambda: _has_done(lab, table, 9), seconds=5)
            more = await add(lab, 60, table=table, **({"host": "b.example"} if polite else {}))
            await until(lambda: _has_done(lab, table, 69), seconds=10)
            await asyncio.sleep(3 * QUICKEST.lease.total_seconds())
            assert (await counts(lab, table))["Processing"] == 1
            await session.rollback()
        assert await settled(lab, table, seconds=10) == {"Complete": 70}

    assert sorted(begun) == sorted([*first, *more]), "a row ran twice"
    assert {row["lease_seq"] for row in await rows(lab, table)} == {1}
    assert len(await rows(lab, results)) == 70
    assert await rows(lab, zombies) == []
    assert sum(one.runners[one.stages[0][0].name].stats.totals["done"] for one in (worker, other)) == 70


async def _has_done(lab, table, number):
    return (await counts(lab, table)).get("Complete", 0) >= number


async def test_a_locked_row_that_a_result_needs_holds_up_nobody_else(lab):
    """The lock is not on the row in work but on what is stored with it."""
    blocked = (await add(lab, 1, key="bad"))[0]
    await add(lab, 20)
    async with lab.connect() as session:
        await session.execute(insert(results).values(thing_id=blocked, word="theirs"))
        async with working(lab, stage(), options=QUICKEST) as worker:
            await until(lambda: _has_done(lab, things, 20), seconds=10)
            await asyncio.sleep(2)
            left = "SELECT lease_until > now() FROM things WHERE status = 'Processing'"
            assert [row[0] for row in await Database(lab).rows(text(left))] == [True], "its lease is renewed"
            await session.rollback()
            assert await settled(lab) == {"Complete": 21}

    assert {row["lease_seq"] for row in await rows(lab)} == {1}
    assert not [line for line in worker.lines if line["event"] == "task_failed"]


async def test_an_error_while_writing_around_a_lock_loses_no_result(lab, monkeypatch):
    """What has ended keeps its lease for as long as its worker lives, so it must be written in the end."""
    broken, begun = asyncio.Event(), []

    async def run(item, context):
        begun.append(item.id)
        await asyncio.sleep(0.2)

    await add(lab, 10)
    async with working(lab, stage(run), options=QUICKEST) as worker:
        writer_of = worker.runners["make_thing"].buffer.writer
        look = writer_of.unlocked

        async def unlocked(entries):
            if broken.is_set():
                return await look(entries)
            broken.set()
            raise RuntimeError("canceling statement due to statement timeout")

        monkeypatch.setattr(writer_of, "unlocked", unlocked)
        await until(lambda: asyncio.sleep(0, len(begun) == 10))
        async with lab.connect() as session:
            await session.execute(select(things.c.id).where(things.c.id == begun[0]).with_for_update())
            await until(lambda: _has_done(lab, things, 9), seconds=10)
            await session.rollback()
        assert await settled(lab, seconds=10) == {"Complete": 10}

    assert broken.is_set()
    assert len(begun) == 10, "a row ran twice"


async def test_a_failure_that_meets_a_lock_is_written_later(lab):
    """A result cannot be stored, and somebody locks the row before that can be written down."""
    failed = asyncio.Event()
    async with lab.connect() as session, working(lab, stage(), options=QUICKEST) as worker:
        writer_of = worker.runners["make_thing"].buffer.writer
        save = writer_of.save

        async def save_once_not(connection, found):
            if failed.is_set():
                return await save(connection, found)
            lock = select(things.c.id).with_for_update()
            waiting.append(asyncio.create_task(session.execute(lock)))
            await asyncio.sleep(0.2)
            failed.set()
            raise RuntimeError("cannot be stored")

        waiting: list[asyncio.Task] = []
        writer_of.save = save_once_not
        await add(lab, 1)
        await until(lambda: asyncio.sleep(0, failed.is_set()))
        await waiting[0]
        await until(lambda: asyncio.sleep(0, worker.runners["make_thing"].buffer.blocked), seconds=5)
        await session.rollback()
        assert await settled(lab) == {"Complete": 1}

    (row,) = await rows(lab)
    assert (row["lease_seq"], row["retries"]) == (2, 1), "the failure counted as one try"
    assert not [line for line in worker.lines if line["event"] == "task_failed"]


async def test_a_host_locked_by_another_session_does_not_hold_up_other_hosts(lab):
    """A transaction that queues thousands of pages locks their host for as long as it lasts."""

    async def quiet(item, context):
        await asyncio.sleep(0)

    async with working(lab, stage(quiet, table=pages, queue=PAGES), options=QUICKEST) as worker:
        await add(lab, 3, table=pages, host="a.example")
        async with lab.connect() as session:
            await session.execute(text("INSERT INTO pages (host) VALUES ('a.example')"))
            for name in "bcd":
                await add(lab, 3, table=pages, host=f"{name}.example")
            await until(lambda: _has_done(lab, pages, 9), seconds=5)
            await session.commit()
        assert await settled(lab, pages) == {"Complete": 13}

    assert not [line for line in worker.lines if line["event"] == "task_failed"]


async def test_a_worker_rescues_as_soon_as_it_starts(lab):
    await add(lab, 1)
    await claim(lab, 1)
    await expire(lab)

    async with working(lab, stage(), options=replace(QUICK, sweep=timedelta(hours=1))):
        assert await settled(lab) == {"Complete": 1}
