"""The database goes away, comes back, is full or refuses: workers wait, lose nothing and say so."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
import time
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from fleet import Fleet
from invariants import broken
from lab import (
    PAGES,
    QUICK,
    add,
    counts,
    create,
    pages,
    results,
    rows,
    save,
    settled,
    stage,
    until,
    working,
    zombies,
)
from outage import Crashing
from sqlalchemy import text
from sqlalchemy.ext.asyncio import create_async_engine

from scrapersky.engine.database import Database
from scrapersky.engine.stage import Result, StageOptions
from scrapersky.engine.worker import Worker


async def quiet(item, context):
    await asyncio.sleep(0)


@pytest.fixture
async def crashing():
    # pytest's own folder is private to us, and the server runs as another user when we are root.
    folder = Path(tempfile.mkdtemp(prefix="scrapersky-outage-"))
    folder.chmod(0o755)
    server = Crashing(folder / "data", max_connections="30")
    await server.start()
    yield server
    server.server.stop()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
async def frail(crashing):
    """The lab in a database that can be crashed."""
    engine = create_async_engine(crashing.url, pool_size=5)
    await create(engine)
    yield engine
    await engine.dispose()


async def patient(engine, query):
    """Ask until the database answers; says what it said."""
    async with asyncio.timeout(60):
        return (await Database(engine).with_retry(lambda: Database(engine).rows(text(query))))[0][0]


async def crash_storm(crashing, frail, log, *, items, crashes, every):
    """Crash the server again and again under two workers; says how long the first claim took each time."""
    async with frail.begin() as connection:
        await connection.execute(text(f"INSERT INTO things (key) SELECT generate_series(1, {items})::text"))
    waits = []
    with Fleet(
        crashing.url, log=str(log), lease=3, heartbeat=1, sweep=0.5, concurrency=20, seconds=0.05
    ) as fleet:
        fleet.start(2)
        for _ in range(crashes):
            await asyncio.sleep(every)
            await crashing.crash()
            await asyncio.sleep(0.5)
            await crashing.start()
            back = time.monotonic()
            seq = await patient(frail, "SELECT sum(lease_seq) FROM things")

            async def claimed(seq=seq):
                return await patient(frail, "SELECT sum(lease_seq) FROM things") > seq

            await until(claimed, seconds=30)
            waits.append(time.monotonic() - back)
        await until(lambda: _nothing_open(frail), seconds=300)
        assert [one.poll() for one in fleet.processes] == [None, None], "a worker ended by itself"
    return waits


async def _nothing_open(engine):
    open_rows = "SELECT count(*) FROM things WHERE status IN ('Queued', 'Processing')"
    return await patient(engine, open_rows) == 0


async def check(frail, log, items):
    assert await counts(frail) == {"Complete": items}
    assert len(await rows(frail, results)) == items
    assert len(set(log.read_text().split())) == items
    assert await broken(frail) == {}


@pytest.mark.timed
async def test_crashes_of_the_database_lose_nothing_and_end_no_worker_a2(crashing, frail, tmp_path):
    waits = await crash_storm(crashing, frail, tmp_path / "log", items=4000, crashes=2, every=1.0)

    assert max(waits) <= 5
    await check(frail, tmp_path / "log", 4000)


@pytest.mark.timed
@pytest.mark.reliability
@pytest.mark.timeout(900)
async def test_many_crashes_of_the_database_lose_nothing_a2(crashing, frail, tmp_path):
    waits = await crash_storm(crashing, frail, tmp_path / "log", items=40_000, crashes=6, every=8.0)

    assert max(waits) <= 5
    await check(frail, tmp_path / "log", 40_000)


@pytest.mark.timed
async def test_a_worker_started_before_its_database_waits_for_it_a28(crashing, frail):
    await add(frail, 10)
    await frail.dispose()
    url = crashing.url
    await crashing.crash()
    engine, stop = create_async_engine(url), asyncio.Event()
    lines = []
    worker = Worker(engine, [(stage(), StageOptions())], options=QUICK, save=save, report=lines.extend)
    running = asyncio.create_task(worker.run(stop))
    await asyncio.sleep(1)
    assert not running.done()
    assert not worker.ready.is_set()

    await crashing.start()
    back = time.monotonic()
    await asyncio.wait_for(worker.ready.wait(), 10)
    assert time.monotonic() - back <= 5
    assert await settled(frail) == {"Complete": 10}
    stop.set()
    await running
    await engine.dispose()


async def test_a_worker_told_to_stop_while_its_database_is_away_ends_a9(crashing, frail):
    url = crashing.url
    await frail.dispose()
    await crashing.crash()
    engine, stop = create_async_engine(url), asyncio.Event()
    worker = Worker(engine, [(stage(), StageOptions())], options=QUICK)
    running = asyncio.create_task(worker.run(stop))
    await asyncio.sleep(0.3)
    stop.set()
    await asyncio.wait_for(running, 5)
    await engine.dispose()


async def test_a_database_that_went_away_holds_up_no_stop_beyond_the_grace_a7(crashing, frail):
    await add(frail, 3)
    stop, begun = asyncio.Event(), asyncio.Event()

    async def run(item, context):
        begun.set()
        await asyncio.sleep(0.5)

    worker = Worker(frail, [(stage(run), StageOptions())], options=QUICK)
    running = asyncio.create_task(worker.run(stop))
    await begun.wait()
    await crashing.crash()
    stop.set()
    await asyncio.wait_for(running, QUICK.grace.total_seconds() + 5)


@pytest.mark.timed
async def test_a_server_with_no_connection_left_is_waited_for_a22(crashing, frail):
    await say(frail, "CREATE ROLE plain LOGIN")
    await say(frail, "GRANT ALL ON ALL TABLES IN SCHEMA public TO plain")
    await add(frail, 300)
    engine = create_async_engine(crashing.url.replace("scrapersky@", "plain@"))

    async def slow(item, context):
        await asyncio.sleep(0.1)
        return Result(rows=[{"thing_id": item.id, "word": "made"}])

    async with working(engine, stage(slow), stage_options=StageOptions(batch=20, concurrency=20)) as worker:
        await until(lambda: _some(frail, "Complete"))
        await say(frail, "ALTER ROLE plain CONNECTION LIMIT 0")
        await say(frail, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'plain'")
        await until(lambda: _no_session(frail))
        await asyncio.sleep(1)
        assert (await counts(frail)).get("Complete", 0) < 300
        await say(frail, "ALTER ROLE plain CONNECTION LIMIT -1")
        freed, before = time.monotonic(), (await counts(frail))["Complete"]
        await until(lambda: _more(frail, before))
        assert time.monotonic() - freed <= 10
        assert await settled(frail, seconds=30) == {"Complete": 300}
    await engine.dispose()

    assert await broken(frail) == {}
    assert [line for line in worker.lines if line["event"] == "task_failed"] == [], (
        "an outage is no fault of ours"
    )


async def say(engine, statement):
    async with engine.begin() as connection:
        await connection.execute(text(statement))


async def _no_session(lab):
    async with lab.connect() as connection:
        sessions = text("SELECT count(*) FROM pg_stat_activity WHERE usename = 'plain'")
        return await connection.scalar(sessions) == 0


async def _more(engine, before):
    return (await counts(engine))["Complete"] > before


async def _some(engine, word):
    return (await counts(engine)).get(word, 0) > 0


@pytest.mark.req("R107", "R120", "R199")
async def test_no_session_is_open_while_functions_wait_a31(lab):
    go_on = asyncio.Event()

    async def hang(item, context):
        await go_on.wait()

    await add(lab, 40)
    for name in "abcdefghij":
        await add(lab, 1, table=pages, host=name)
    stages = stage(hang), stage(hang, table=pages, queue=PAGES)
    stage_options = StageOptions(batch=50, concurrency=50, timeout=timedelta(seconds=60))
    seen = []
    async with working(lab, *stages, stage_options=stage_options) as worker:
        await until(lambda: asyncio.sleep(0, sum(len(x.held) for x in worker.runners.values()) == 50))
        watcher = create_async_engine(lab.url, isolation_level="AUTOCOMMIT")
        async with watcher.connect() as connection:
            for _ in range(30):
                seen += (await connection.execute(text(SESSIONS))).all()
                await asyncio.sleep(0.1)
        checked_out = lab.sync_engine.pool.checkedout()
        await watcher.dispose()
        go_on.set()
        await settled(lab)

    assert [row for row in seen if row.state.startswith("idle in transaction")] == []
    assert [row for row in seen if row.age is not None and row.age > timedelta(seconds=1)] == []
    assert max(sum(1 for row in seen if row.n == n) for n in {row.n for row in seen}) <= 10
    assert checked_out <= 1 + 2, "more than the listener and a passing statement"


SESSIONS = """
SELECT statement_timestamp() AS n, state, now() - xact_start AS age, query FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid() AND state IS NOT NULL"""


@pytest.mark.req("R120")
async def test_a_failed_write_leaks_no_connection(lab):
    async def odd(item, context):
        return Result(rows=[{"thing_id": None, "word": "no"}])

    await add(lab, 20)
    async with working(lab, stage(odd)):
        assert await settled(lab) == {"Error": 20}

    assert lab.sync_engine.pool.checkedout() == 0
    async with lab.connect() as connection:
        open_ones = await connection.scalar(
            text(
                "SELECT count(*) FROM pg_stat_activity"
                " WHERE state LIKE 'idle in%' AND datname = current_database()"
            )
        )
    assert open_ones == 0


REFUSE = """
CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'not today'; END $$;
"""


async def broken_on(lab, what, condition="true"):
    async with lab.begin() as connection:
        await connection.execute(text(REFUSE))
        await connection.execute(
            text(
                f"CREATE TRIGGER refuse BEFORE UPDATE ON {what} FOR EACH ROW WHEN ({condition})"
                " EXECUTE FUNCTION refuse()"
            )
        )


async def mended(lab):
    async with lab.begin() as connection:
        await connection.execute(text("DROP FUNCTION refuse() CASCADE"))


@pytest.mark.req("R035", "R036", "R037", "R038", "R204")
@pytest.mark.parametrize(
    ("what", "condition"),
    [
        ("things", "NEW.status = 'Processing' AND OLD.status = 'Queued'"),
        ("things", "OLD.status = 'Processing'"),
        ("workers", "true"),
    ],
    ids=["claiming", "finishing", "heartbeat"],
)
async def test_a_failing_loop_is_logged_and_alerted_and_continues(lab, what, condition):
    alerts = []

    async def alert(kind, statuses):
        alerts.append((kind, statuses))

    options = replace(QUICK, lease=timedelta(seconds=1))
    async with working(lab, stage(), options=options, alert=alert) as worker:
        await broken_on(lab, what, condition)
        await add(lab, 5)
        await until(lambda: asyncio.sleep(0, alerts))
        await mended(lab)
        assert await settled(lab) == {"Complete": 5}

    failures = [line for line in worker.lines if line["event"] == "task_failed"]
    assert failures[0]["level"] == "error"
    assert "not today" in failures[0]["error"]
    assert "Traceback" in failures[0]["trace"]
    assert (alerts[0][0], "not today" in alerts[0][1]) == ("scheduler_failure", True)
    assert await broken(lab) == {}


@pytest.mark.req("R158")
async def test_an_item_whose_end_cannot_be_written_is_recorded_and_recovered(lab):
    bad = (await add(lab, 1, key="bad"))[0]
    await add(lab, 5)
    await broken_on(
        lab,
        "things",
        "OLD.status = 'Processing' AND OLD.key = 'bad' AND OLD.rescues = 0"
        " AND NEW.rescues = 0 AND NEW.lease_until IS NULL",
    )
    async with working(lab, stage()) as worker:
        assert await settled(lab) == {"Complete": 6}

    assert [row["row_id"] for row in await rows(lab, zombies)] == [str(bad)]
    assert any(line["event"] == "task_failed" for line in worker.lines)


@pytest.mark.req("R035")
async def test_an_alert_that_fails_breaks_nothing(lab):
    async def alert(kind, statuses):
        raise OSError("no mail today")

    async with working(lab, stage(), alert=alert) as worker:
        await broken_on(lab, "things", "NEW.status = 'Processing' AND OLD.status = 'Queued'")
        await add(lab, 1)
        await until(lambda: asyncio.sleep(0, [x for x in worker.lines if x["event"] == "alert_failed"]))
        await mended(lab)
        assert await settled(lab) == {"Complete": 1}


@pytest.mark.timed
@pytest.mark.req("R124")
async def test_a_stage_that_fails_does_not_delay_another(lab):
    async with working(lab, stage(), stage(quiet, table=pages, queue=PAGES)):
        await broken_on(lab, "things", "NEW.status = 'Processing' AND OLD.status = 'Queued'")
        await add(lab, 3)
        began = time.monotonic()
        await add(lab, 3, table=pages, host="a")
        assert await settled(lab, pages) == {"Complete": 3}
        assert time.monotonic() - began < 5
        assert await counts(lab) == {"Queued": 3}, "a failed claim marks nothing (R157)"
        await mended(lab)
        assert await settled(lab) == {"Complete": 3}
