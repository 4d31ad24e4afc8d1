"""Politeness: one worker on a host in the whole fleet, pauses between visits, rest after trouble."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import defaultdict
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from lab import PAGES, QUICK, add, counts, hosts, pages, rows, settled, stage, until, working
from sqlalchemy import insert, text

from scrapersky.engine.claims import Claim, Claims, Host
from scrapersky.engine.database import Database
from scrapersky.engine.outcome import DONE, RetryAfter, Snooze
from scrapersky.engine.stage import EngineOptions, StageOptions, save_nothing
from scrapersky.engine.writer import Writer


class Down(Exception):
    """The host is out of order."""

    hurts_host = True


def visit(run=None):
    async def look(item, context):
        await asyncio.sleep(0)

    return stage(run or look, table=pages, queue=PAGES)


def claims_of(lab, me=1, options=QUICK):
    return Claims(visit(), Database(lab), me, options)


def stage_options(**more):
    return StageOptions(
        **{"batch": 10, "concurrency": 10, "per_host": 10, "timeout": timedelta(seconds=10)} | more
    )


async def host_row(lab, name="a"):
    return next(row for row in await rows(lab, hosts) if row["host"] == name)


async def put(lab, number, host="a", **values):
    return await add(lab, number, table=pages, host=host, **values)


@pytest.mark.timed
async def test_no_two_workers_are_on_one_host_and_hosts_run_side_by_side_a20(lab):
    spans, running, together = defaultdict(list), set(), []

    async def look(item, context):
        began = time.perf_counter()
        running.add(item.host)
        together.append(len(running))
        await asyncio.sleep(0.01)
        running.discard(item.host)
        spans[item.host].append((began, time.perf_counter()))

    for name in "abcdef":
        await put(lab, 25, name)
    async with contextlib.AsyncExitStack() as stack:
        for _ in range(3):
            await stack.enter_async_context(
                working(lab, visit(look), stage_options=stage_options(concurrency=4, per_host=5))
            )
        assert await settled(lab, pages) == {"Complete": 150}

    for one in spans.values():
        assert all(before[1] <= after[0] for before, after in pairwise(sorted(one)))
    assert max(together) > 1


@pytest.mark.req("R104")
async def test_rows_of_a_host_run_one_after_another_best_first(lab):
    seen = []

    async def look(item, context):
        seen.append(item.id)
        await asyncio.sleep(0.005)

    now = datetime.now(UTC)
    wanted = [(await put(lab, 1, due_at=now - timedelta(minutes=n)))[0] for n in (3, 9, 1, 7, 5)]
    async with working(lab, visit(look)):
        await settled(lab, pages)

    assert seen == [wanted[n] for n in (1, 3, 4, 0, 2)]


@pytest.mark.timed
@pytest.mark.parametrize(("own", "least"), [(None, 0.3), (0.5, 0.5), (0.1, 0.3)])
async def test_a_delay_is_kept_between_two_batches_of_a_host(lab, own, least):
    spans = []

    async def look(item, context):
        began = time.perf_counter()
        await asyncio.sleep(0.001)
        spans.append((began, time.perf_counter()))

    async with lab.begin() as connection:
        await connection.execute(insert(hosts).values(host="a", delay_seconds=own))
    await put(lab, 6)
    options = replace(QUICK, host_delay=timedelta(seconds=0.3))
    async with (
        working(lab, visit(look), options=options, stage_options=stage_options(per_host=2)),
        working(lab, visit(look), options=options, stage_options=stage_options(per_host=2)),
    ):
        await settled(lab, pages)

    pauses = [after[0] - before[1] for before, after in pairwise(spans)]
    assert min(pauses[1::2]) >= least


async def test_a_host_whose_rows_are_all_for_later_is_not_asked_before(lab):
    started = []

    async def look(item, context):
        started.append(datetime.now(UTC))
        if len(started) == 1:
            raise Snooze("come back", wait=timedelta(seconds=0.8))

    due = datetime.now(UTC) + timedelta(seconds=0.8)
    await put(lab, 1, due_at=due)
    async with working(lab, visit(look)):
        await until(lambda: asyncio.sleep(0, len(started) == 1))
        once = await host_row(lab)
        await settled(lab, pages)

    assert started[0] >= due
    assert started[1] - started[0] >= timedelta(seconds=0.8)
    assert once["lease_seq"] == 1, "it was asked although nothing was due"
    assert (await host_row(lab))["lease_seq"] == 2


@pytest.mark.timed
async def test_a_host_is_paused_after_repeated_faults_and_its_other_rows_are_snoozed(lab):
    calls = []

    async def look(item, context):
        calls.append(time.perf_counter())
        raise Down("connection refused")

    await put(lab, 10)
    options = replace(QUICK, host_errors=3, host_backoff=timedelta(seconds=30))
    async with working(lab, visit(look), options=options):
        await until(lambda: _asleep(lab))
        await asyncio.sleep(0.3)

    host = await host_row(lab)
    resting = [
        row for row in await rows(lab, pages) if row["error"] == "connection refused; the host is paused"
    ]
    assert len(calls) == 3
    assert host["consecutive_errors"] == 3
    assert timedelta(seconds=28) < host["next_allowed_at"] - datetime.now(UTC) < timedelta(seconds=30)
    assert len(resting) == 7
    assert {(row["status"], row["retries"]) for row in resting} == {("Queued", 0)}
    assert all(row["due_at"] > datetime.now(UTC) + timedelta(seconds=28) for row in resting)


async def _asleep(lab):
    found = await rows(lab, hosts)
    return found and found[0]["worker"] is None and found[0]["consecutive_errors"] > 0


async def test_consecutive_errors_are_counted_across_batches_and_end_with_a_success(lab):
    answers, seen = iter([Down("1"), Down("2"), None, None]), asyncio.Event()

    async def look(item, context):
        if error := next(answers):
            raise error
        await seen.wait()

    await put(lab, 1)
    async with working(lab, visit(look)):
        await until(lambda: _streak(lab, 2))
        seen.set()
        assert await settled(lab, pages) == {"Complete": 1}
        await until(lambda: _streak(lab, 0))


async def _streak(lab, number):
    return (await host_row(lab))["consecutive_errors"] == number


@pytest.mark.parametrize(
    ("errors", "minutes"), [(3, None), (4, 5), (5, 5), (9, 15), (14, 45), (19, 45), (99, 45)]
)
def test_each_further_backoff_is_three_times_as_long_up_to_nine(errors, minutes):
    host = Host("a", 1, timedelta(seconds=1), errors, 0.0)

    host.record(Down(), EngineOptions())

    assert host.backoff == (minutes and timedelta(minutes=minutes))


@pytest.mark.parametrize(
    ("asked", "rest"),
    [
        (timedelta(seconds=90), timedelta(seconds=90)),
        (timedelta(0), timedelta(seconds=1)),
        (timedelta(days=-1), timedelta(seconds=1)),
        (timedelta(days=4000), timedelta(hours=24)),
    ],
)
def test_a_host_that_asks_for_a_pause_gets_it_up_to_a_day_a17(asked, rest):
    host = Host("a", 1, timedelta(seconds=1), 0, 0.0)

    host.record(RetryAfter("busy", wait=asked), EngineOptions())

    assert host.backoff == rest


@pytest.mark.timed
async def test_a_pause_one_page_was_asked_for_holds_for_the_whole_host(lab):
    calls = []

    async def look(item, context):
        calls.append(time.perf_counter())
        if len(calls) == 1:
            raise RetryAfter("429", wait=timedelta(seconds=1))

    await put(lab, 5)
    async with working(lab, visit(look)), working(lab, visit(look)):
        assert await settled(lab, pages) == {"Complete": 5}

    assert calls[1] - calls[0] >= 1
    assert sorted(row["retries"] for row in await rows(lab, pages)) == [0, 0, 0, 0, 1]


async def test_a_host_that_a_person_has_paused_is_neither_claimed_nor_followed(lab):
    await put(lab, 2)
    one = claims_of(lab)
    held = (await one.take(1, 1))[0].host
    async with lab.begin() as connection:
        await connection.execute(text("UPDATE hosts SET paused_until = now() + interval '1 hour'"))
    assert await one.follow_hosts([held], 5) == [[]]
    await one.release_hosts([held])
    await Database(lab).rows(text("UPDATE hosts SET next_allowed_at = now() - interval '1 second'"))
    assert await one.take(5, 5) == []

    await Database(lab).rows(text("UPDATE hosts SET paused_until = now() - interval '1 second'"))
    assert [len(batch.items) for batch in await one.take(5, 5)] == [1]


@pytest.mark.timed
async def test_a_crash_gives_the_host_back_after_the_lease_and_never_earlier(lab):
    await put(lab, 5)
    options = replace(QUICK, lease=timedelta(seconds=1))
    began = time.perf_counter()
    assert await claims_of(lab, 1, options).take(1, 2)

    taken, other = [], claims_of(lab, 2, options)
    while not taken:
        taken = await other.take(5, 10)
        await asyncio.sleep(0.01)

    assert 1.0 <= time.perf_counter() - began < 3
    assert len(taken[0].items) == 3


@pytest.mark.timed
async def test_a_host_that_takes_long_is_held_on_to(lab):
    async def look(item, context):
        await asyncio.sleep(3.5)

    await put(lab, 2)
    options = replace(QUICK, lease=timedelta(seconds=1.5), heartbeat=timedelta(seconds=0.2))
    async with working(lab, visit(look), options=options, stage_options=stage_options(per_host=1)):
        await until(lambda: _is_held(lab))
        other, ends = claims_of(lab, 99, options), time.perf_counter() + 2.5
        while time.perf_counter() < ends:
            assert await other.take(5, 10) == []
            await asyncio.sleep(0.02)


async def _is_held(lab):
    return (await host_row(lab))["worker"] is not None


async def test_whoever_lost_a_host_stops_calling_it(lab):
    cut = asyncio.Event()

    async def look(item, context):
        try:
            await asyncio.sleep(30)
        finally:
            cut.set()

    await put(lab, 4)
    async with working(
        lab, visit(look), stage_options=stage_options(timeout=timedelta(seconds=60))
    ) as worker:
        await until(lambda: _is_held(lab))
        async with lab.begin() as connection:
            await connection.execute(
                text(
                    "UPDATE hosts SET lease_seq = lease_seq + 1, worker = 99,"
                    " next_allowed_at = now() + interval '1 hour'"
                )
            )
        await asyncio.wait_for(cut.wait(), 10)
        await until(lambda: asyncio.sleep(0, not worker.runners["visit"].held))

    assert await counts(lab, pages) == {"Queued": 4}
    assert {row["retries"] for row in await rows(lab, pages)} == {0}
    assert (await host_row(lab))["worker"] == 99


async def test_rows_lost_while_they_waited_in_a_batch_are_forgotten(lab):
    go_on = asyncio.Event()

    async def look(item, context):
        await go_on.wait()

    first = (await put(lab, 1, due_at=datetime.now(UTC) - timedelta(hours=1)))[0]
    await put(lab, 3)
    async with working(lab, visit(look)) as worker:
        runner = worker.runners["visit"]
        await until(lambda: asyncio.sleep(0, len(runner.held) == 4))
        async with lab.begin() as connection:
            await connection.execute(
                text("UPDATE pages SET lease_seq = 9 WHERE id <> :first"), {"first": first}
            )
        await until(lambda: asyncio.sleep(0, sum(held.lost for held in runner.held.values()) == 3))
        go_on.set()
        await until(lambda: asyncio.sleep(0, not runner.held))

        assert runner.stats.totals["lease_lost"] == 3


async def test_an_older_claim_neither_keeps_nor_releases_a_host_that_came_to_us_again(lab):
    """The same worker, so only the number of the claim tells the two apart."""
    await put(lab, 2)
    one = claims_of(lab)
    older = (await one.take(1, 1))[0].host
    await Database(lab).rows(text("UPDATE hosts SET next_allowed_at = now() - interval '1 second'"))
    newer = (await one.take(1, 1))[0].host
    before = await host_row(lab)

    assert (older.seq, newer.seq) == (1, 2)
    assert await one.release_hosts([older]) == ([], [])
    assert await one.renew_hosts([older]) == set()
    assert await host_row(lab) == before
    assert await one.renew_hosts([newer]) == {"a"}
    assert len((await one.release_hosts([newer]))[0]) == 1
    assert (await host_row(lab))["worker"] is None


@pytest.mark.parametrize(("way", "awake"), [("locked first", True), ("in one statement", False)])
async def test_no_wake_up_is_lost_when_a_host_is_released_while_a_row_is_queued(lab, way, awake):
    await put(lab, 1)
    one = claims_of(lab)
    taken = (await one.take(1, 1))[0]
    await Writer(visit(), Database(lab), 1, save_nothing).write([Claim(taken.items[0], 0.0, outcome=DONE)])

    async def release_at_once():
        values = {"names": ["a"], "waits": [timedelta(0)], "errors": [0]}
        values |= {"reasons": [None], "own_choices": [False], "resting_visit": []}
        async with lab.begin() as connection:
            await one.release_statement((one,)).run(connection, values)

    async with lab.connect() as queueing:
        await queueing.execute(insert(pages).values(host="a"))
        if way == "locked first":
            assert await one.release_hosts([taken.host]) == ([], [taken.host]), (
                "a locked host is not waited for"
            )
            await queueing.commit()
            assert (await one.release_hosts([taken.host]))[1] == []
        else:
            task = asyncio.create_task(release_at_once())
            await until(lambda: _waits_for_a_lock(lab))
            await queueing.commit()
            await task

    # The second way shows that the trap is real: the host sleeps although a row waits for it.
    assert ((await host_row(lab))["visit_waiting_since"] is not None) == awake


async def _waits_for_a_lock(lab):
    query = (
        "SELECT count(*) FROM pg_stat_activity"
        " WHERE wait_event_type = 'Lock' AND datname = current_database()"
    )
    async with lab.connect() as connection:
        return await connection.scalar(text(query)) == 1


async def test_a_host_with_thousands_of_rows_does_not_delay_one_with_ten(lab):
    seen = []

    async def look(item, context):
        seen.append(item.host)

    async with lab.begin() as connection:
        await connection.execute(
            text("INSERT INTO pages (host) SELECT 'giant ' || n % 3 FROM generate_series(1, 5000) n")
        )
    await put(lab, 10, "small")
    async with working(
        lab,
        visit(look),
        options=replace(QUICK, host_delay=timedelta(0)),
        stage_options=stage_options(concurrency=1),
    ):
        await until(lambda: asyncio.sleep(0, seen.count("small") == 10))

    last = max(n for n, name in enumerate(seen) if name == "small")
    assert last < 60, "more than a few visits to the giants came first"
