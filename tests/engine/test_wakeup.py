"""Wake-up: heard without polling, once per transaction, by the runner it means, and again after a break."""

from __future__ import annotations

import asyncio
import time
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta

import asyncpg
import pytest
from lab import PAGES, QUICK, add, counts, pages, rows, settled, stage, things, until, working
from sqlalchemy import event, text
from sqlalchemy.ext.asyncio import create_async_engine

from scrapersky.engine import wakeup

NEVER = timedelta(hours=1)
DEAF_WITHOUT_NOTICE = replace(QUICK, poll_first=NEVER, poll_longest=NEVER, sweep=NEVER)


async def quiet(item, context):
    return None


async def hearing(worker, times=1):
    """Wait until it hears, then take its polling away, so that only a notice can wake it."""
    await until(lambda: asyncio.sleep(0, _said(worker).count(True) >= times))
    for runner in worker.runners.values():
        await runner.tick()
        runner.poll_longest = NEVER
        await runner.tick()


def _said(worker):
    return [line["listening"] for line in worker.lines if line["event"] == "listening_changed"]


@pytest.fixture
async def notices(lab):
    """What is heard on the engine's channel, by a listener of the test's own."""
    url = lab.url.set(drivername="postgresql").render_as_string(hide_password=False)
    connection = await asyncpg.connect(url)
    heard = []
    await connection.add_listener("scrapersky", lambda *given: heard.append(given[3]))

    async def all_heard():
        await connection.fetchval("SELECT 1")
        await asyncio.sleep(0.05)
        return heard

    yield all_heard
    await connection.close()


@pytest.mark.timed
async def test_a_queued_row_is_picked_up_without_polling(lab):
    waits = []
    async with working(lab, stage(quiet), options=DEAF_WITHOUT_NOTICE) as worker:
        await hearing(worker)
        for number in range(1, 11):
            began = time.perf_counter()
            await add(lab, 1)
            await until(lambda number=number: _complete(lab, number), seconds=10)
            waits.append(time.perf_counter() - began)

    assert sorted(waits)[5] < 0.5


async def _complete(lab, number):
    return (await counts(lab)).get("Complete", 0) == number


async def test_without_a_notification_nothing_is_polled_so_the_proof_above_can_fail(lab):
    async with lab.begin() as connection:
        await connection.execute(text("ALTER TABLE things DISABLE TRIGGER make_thing_wake_new"))
    async with working(lab, stage(quiet), options=DEAF_WITHOUT_NOTICE) as worker:
        await hearing(worker)
        await add(lab, 1)
        await asyncio.sleep(0.5)
        assert await counts(lab) == {"Queued": 1}
        await worker.runners["make_thing"].tick()
        await settled(lab)


@pytest.mark.parametrize(
    ("statements", "expected"),
    [
        (["INSERT INTO things (key) SELECT n::text FROM generate_series(1, 1000) n"], ["make_thing"]),
        (["INSERT INTO pages (host) SELECT 'h' || n % 7 FROM generate_series(1, 500) n"], ["visit"]),
        (["INSERT INTO things DEFAULT VALUES"] * 3, ["make_thing"]),
        (
            ["INSERT INTO things (due_at) SELECT now() + interval '1 h' FROM generate_series(1, 50)"],
            ["make_thing"],
        ),
        (
            ["INSERT INTO things DEFAULT VALUES", "INSERT INTO pages (host) VALUES ('a')"],
            ["make_thing", "visit"],
        ),
        (["INSERT INTO things (status) VALUES ('Complete')"], []),
        (["INSERT INTO things (curation) VALUES ('Rejected')"], []),
    ],
)
async def test_a_transaction_sends_one_notice_for_a_stage_whatever_the_number_of_rows(
    lab, notices, statements, expected
):
    async with lab.begin() as connection:
        for statement in statements:
            await connection.execute(text(statement))

    assert sorted(await notices()) == expected


async def test_rows_queued_again_by_hand_send_one_notice(lab, notices):
    await add(lab, 300, status="Complete")
    assert await notices() == []
    async with lab.begin() as connection:
        await connection.execute(text("UPDATE things SET status = 'Queued'"))

    assert await notices() == ["make_thing"]


async def test_a_transaction_that_is_undone_wakes_nobody(lab, notices):
    async with lab.connect() as connection:
        await connection.execute(text("INSERT INTO things DEFAULT VALUES"))
        await connection.rollback()

    assert await notices() == []


async def cut_the_listener(lab):
    async with lab.begin() as connection:
        return await connection.scalar(
            text(
                "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
                " WHERE query LIKE 'SELECT pg_notify%' AND datname = current_database()"
                " AND pid <> pg_backend_pid()"
            )
        )


async def test_a_listening_connection_that_is_cut_is_replaced(lab):
    async with working(lab, stage(quiet), options=DEAF_WITHOUT_NOTICE) as worker:
        await hearing(worker)
        assert await cut_the_listener(lab) == 1
        await hearing(worker, times=2)
        await add(lab, 1)
        assert await settled(lab) == {"Complete": 1}

    assert _said(worker)[:3] == [True, False, True]
    assert not [line for line in worker.lines if line["event"] == "task_failed"]


async def test_what_was_queued_while_nobody_listened_is_found_when_somebody_does(lab):
    async with working(lab, stage(quiet), options=DEAF_WITHOUT_NOTICE) as worker:
        await hearing(worker)
        await cut_the_listener(lab)
        await until(lambda: asyncio.sleep(0, False in _said(worker)))
        async with lab.begin() as connection:
            await connection.execute(text("ALTER TABLE things DISABLE TRIGGER make_thing_wake_new"))
        await add(lab, 1)
        assert await settled(lab) == {"Complete": 1}


@pytest.mark.timed
async def test_polling_finds_the_row_of_a_lost_notification(lab):
    async with lab.begin() as connection:
        await connection.execute(text("ALTER TABLE things DISABLE TRIGGER make_thing_wake_new"))
    options = replace(QUICK, poll_listening=timedelta(milliseconds=100), poll_longest=NEVER)
    async with working(lab, stage(quiet), options=options) as worker:
        await until(lambda: asyncio.sleep(0, True in _said(worker)))
        assert worker.runners["make_thing"].poll_longest == options.poll_listening
        # Without a limit the pauses would have grown to seconds by now.
        await asyncio.sleep(3)
        began = time.perf_counter()
        await add(lab, 1)
        assert await settled(lab) == {"Complete": 1}

    assert time.perf_counter() - began < 3


@asynccontextmanager
async def flaky_network(lab):
    """An engine that reaches the database by a relay, and a switch that makes it swallow everything."""
    dead, folder = asyncio.Event(), lab.url.query["host"]

    async def pump(reader, writer):
        while data := await reader.read(65536):
            if dead.is_set():
                await asyncio.sleep(3600)
            writer.write(data)
            await writer.drain()

    async def relay(reader, writer):
        there, to = await asyncio.open_unix_connection(f"{folder}/.s.PGSQL.{lab.url.port or 5432}")
        both = [asyncio.create_task(pump(reader, to)), asyncio.create_task(pump(there, writer))]
        try:
            await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in both:
                task.cancel()
            to.close()
            writer.close()

    server = await asyncio.start_server(relay, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    engine = create_async_engine(
        lab.url.set(host="127.0.0.1", port=port, query={}), connect_args={"ssl": False}
    )
    try:
        yield engine, dead
    finally:
        await engine.dispose()
        server.close()


async def test_a_listening_connection_that_died_silently_is_replaced(lab, monkeypatch):
    monkeypatch.setattr(wakeup, "PROBE_EVERY", 0.3)
    monkeypatch.setattr(wakeup, "PROBE_TIMEOUT", 0.5)
    said, heard = [], []
    async with flaky_network(lab) as (engine, dead):
        listening = asyncio.create_task(wakeup.Listener(engine, heard.append, said.append).listen_forever())
        await until(lambda: asyncio.sleep(0, said == [True]))
        await asyncio.sleep(1)
        assert said == [True], "probes that are answered change nothing"
        dead.set()
        await until(lambda: asyncio.sleep(0, said == [True, False]), seconds=10)
        dead.clear()
        await until(lambda: asyncio.sleep(0, said == [True, False, True]), seconds=10)
        await add(lab, 1)
        await until(lambda: asyncio.sleep(0, heard == ["make_thing"]))
        listening.cancel()
        await asyncio.wait({listening})


async def test_a_notification_wakes_only_the_runner_it_names(lab):
    asked: list[str] = []

    def overhear(adapted, _record):
        adapted.driver_connection.add_query_logger(lambda told: asked.append(told.query))

    event.listen(lab.sync_engine, "connect", overhear)
    both = stage(quiet), stage(quiet, table=pages, queue=PAGES)
    async with working(lab, *both, options=replace(DEAF_WITHOUT_NOTICE, heartbeat=NEVER)) as worker:
        await hearing(worker)
        before = sum("UPDATE pages AS t" in statement and "picked" in statement for statement in asked)
        for _ in range(5):
            await add(lab, 1)
            await settled(lab)
        after = sum("UPDATE pages AS t" in statement and "picked" in statement for statement in asked)

    assert sum("UPDATE things AS t" in statement for statement in asked) >= 10
    assert after == before


@pytest.mark.req("R196")
async def test_behind_a_transaction_pooler_it_polls_and_prepares_nothing(lab, database_of):
    engine = create_async_engine(
        f"{database_of(lab)}&prepared_statement_cache_size=0", connect_args={"statement_cache_size": 0}
    )
    options = replace(QUICK, listen=False, poll_longest=timedelta(milliseconds=100))
    async with working(engine, stage(), stage(quiet, table=pages, queue=PAGES), options=options) as worker:
        await asyncio.sleep(0.5)
        for _ in range(3):
            await add(lab, 5)
            await add(lab, 5, table=pages, host="a")
            assert set(await settled(lab, things)) == set(await settled(lab, pages)) == {"Complete"}
        listeners = await _listeners(lab)
    await engine.dispose()

    assert listeners == 0
    assert _said(worker) == []
    assert len(await rows(lab)) == 15


async def _listeners(lab):
    query = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND query ~ 'LISTEN'"
    async with lab.connect() as connection:
        return await connection.scalar(text(f"{query} AND pid <> pg_backend_pid()"))
