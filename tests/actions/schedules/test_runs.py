"""A run is started once: by one of many processes, after a kill -9, and after days in which nothing ran."""

from __future__ import annotations

import asyncio
import signal
import sys
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncEngine

from operation_lab import add_rows
from product import TENANT, USER, WHO
from scrapersky import tables
from scrapersky.actions.operations.background import run_open_operations
from scrapersky.actions.presets.saved_views import create_view
from scrapersky.actions.schedules.runs import run_schedule, start_due_schedules
from scrapersky.declarations import SEARCH_PLACES
from scrapersky.errors import Conflict
from scrapersky.maintenance import Maintenance, MaintenanceOptions
from scrapersky.maintenance.schedule_failures import failing_schedules

SEARCH = {"kind": "bakery", "location": "Berlin", "source": "overture", "params": {"place": "Berlin"}}
# Starts what is due; told to hang, it stops in the middle of the transaction, after the run was started.
PROGRAM = """
import asyncio, sys
from sqlalchemy.ext.asyncio import create_async_engine
from scrapersky.actions.schedules import kinds, runs

async def main(url, hang):
    if hang:
        insert = kinds.insert_search
        async def insert_and_hang(*args):
            found = await insert(*args)
            print("inserted", flush=True)
            await asyncio.sleep(60)
            return found
        kinds.insert_search = insert_and_hang
    engine = create_async_engine(url)
    print("ready", flush=True)
    sys.stdin.readline()
    print("started", await runs.start_due_schedules(engine, print), flush=True)

asyncio.run(main(sys.argv[1], sys.argv[2] == "hang"))
"""


async def add_schedule(db: AsyncEngine, **changes: Any) -> UUID:
    values = {
        "tenant_id": TENANT, "user_id": USER, "name": "Bakeries", "kind": "search", "options": SEARCH,
        "every_days": 7, "time_of_day": "06:00", "time_zone": "UTC",
        "next_run_at": func.now() - timedelta(days=30),
    }  # fmt: skip
    async with db.begin() as connection:
        statement = insert(tables.schedules).values({**values, **changes}).returning(tables.schedules.c.id)
        return UUID(str(await connection.scalar(statement)))


async def searches(db: AsyncEngine) -> int:
    async with db.connect() as connection:
        return int(await connection.scalar(select(func.count()).select_from(tables.place_searches)) or 0)


async def schedule(db: AsyncEngine) -> Any:
    async with db.connect() as connection:
        return (await connection.execute(select(tables.schedules, func.now().label("now")))).one()


async def start(db: AsyncEngine) -> int:
    lines: list[Any] = []
    number = await start_due_schedules(db, lines.extend)
    assert not lines
    return number


async def test_a_month_of_missed_runs_is_one_run(db: AsyncEngine) -> None:
    await add_schedule(db)
    assert await start(db) == 1
    assert await start(db) == 0
    row = await schedule(db)
    assert await searches(db) == 1
    assert row.now < row.next_run_at <= row.now + timedelta(days=7)
    assert row.last_run_id is not None
    assert (row.last_outcome, row.last_reason) == ("started", None)


async def test_what_is_paused_or_not_due_does_not_run(db: AsyncEngine) -> None:
    await add_schedule(db, is_enabled=False)
    await add_schedule(db, name="Later", next_run_at=func.now() + timedelta(hours=1))
    assert await start(db) == 0


async def test_a_run_now_leaves_the_next_one_where_it_was(db: AsyncEngine) -> None:
    schedule_id = await add_schedule(db, next_run_at=func.now() + timedelta(days=3))
    before = (await schedule(db)).next_run_at
    await run_schedule(db, WHO, schedule_id)
    assert await searches(db) == 1
    assert (await schedule(db)).next_run_at == before


async def test_a_run_that_cannot_start_says_why_and_waits_for_its_next_time(db: AsyncEngine) -> None:
    await add_schedule(db)
    async with db.begin() as connection:
        await connection.execute(update(tables.tenants).values(quotas={"queued_items": 0}))
    lines: list[Any] = []
    assert await start_due_schedules(db, lines.extend) == 0
    row = await schedule(db)
    assert [line["event"] for line in lines] == ["schedule_failed"]
    assert "queued items" in row.last_reason
    assert row.last_outcome == "failed"
    assert row.failures == 1
    assert row.next_run_at > row.now
    assert await searches(db) == 0


async def launch(url: str, mode: str) -> asyncio.subprocess.Process:
    pipes = {"stdin": asyncio.subprocess.PIPE, "stdout": asyncio.subprocess.PIPE}
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", PROGRAM, url, mode, **pipes)
    assert await said(process) == "ready"
    return process


async def said(process: asyncio.subprocess.Process) -> str:
    assert process.stdout is not None
    async with asyncio.timeout(60):
        return (await process.stdout.readline()).decode().strip()


def go(process: asyncio.subprocess.Process) -> None:
    assert process.stdin is not None
    process.stdin.write(b"\n")


async def test_killed_in_the_middle_and_raced_for_it_starts_once(db: AsyncEngine) -> None:
    await add_schedule(db)
    url = db.url.render_as_string(hide_password=False)
    victim = await launch(url, "hang")
    others = [await launch(url, "run") for _ in range(2)]
    go(victim)
    assert await said(victim) == "inserted"
    assert await start(db) == 0, "while another process has the schedule, nobody else starts it"
    victim.send_signal(signal.SIGKILL)
    await victim.wait()
    for _ in range(100):
        # The server notices soon that the killed process is gone, and undoes what it began.
        async with db.connect() as connection:
            free = select(tables.schedules.c.id).with_for_update(skip_locked=True)
            if (await connection.execute(free)).first():
                break
        await asyncio.sleep(0.1)
    assert await searches(db) == 0
    for process in others:
        go(process)
    assert sorted([await said(process) for process in others]) == ["started 0", "started 1"]
    for process in others:
        await process.wait()
    assert await searches(db) == 1


async def make_due(db: AsyncEngine) -> None:
    async with db.begin() as connection:
        await connection.execute(update(tables.schedules).values(next_run_at=func.now() - timedelta(hours=1)))


async def end_searches(db: AsyncEngine, status: str, error: str | None = None) -> None:
    words = SEARCH_PLACES.statuses
    steps = [
        (words.queued, {"status": words.processing, "lease_until": func.now() + timedelta(hours=1)}),
        (words.processing, {"status": status, "error": error, "lease_until": None}),
    ]
    async with db.begin() as connection:
        for before, values in steps:
            of = tables.place_searches.c.status == before
            await connection.execute(update(tables.place_searches).where(of).values(values))


async def test_while_a_run_is_open_the_next_one_is_skipped_with_the_reason(db: AsyncEngine) -> None:
    schedule_id = await add_schedule(db)
    assert await start(db) == 1
    await make_due(db)
    lines: list[Any] = []
    assert await start_due_schedules(db, lines.extend) == 0
    row = await schedule(db)
    assert [line["event"] for line in lines] == ["schedule_skipped"]
    assert (row.last_outcome, row.failures, await searches(db)) == ("skipped", 0, 1)
    assert "is still open" in row.last_reason
    assert row.next_run_at > row.now
    with pytest.raises(Conflict, match="is still open"):
        await run_schedule(db, WHO, schedule_id)
    await end_searches(db, SEARCH_PLACES.statuses.done)
    await run_schedule(db, WHO, schedule_id)
    assert await searches(db) == 2


async def test_failed_runs_are_counted_and_raise_an_alert_until_one_succeeds(db: AsyncEngine) -> None:
    schedule_id = await add_schedule(db, name="Secret name")
    for number in range(1, 4):
        await make_due(db)
        assert await start(db) == 1
        await end_searches(db, SEARCH_PLACES.statuses.failed, "no such place")
        await start(db)
        row = await schedule(db)
        assert (row.last_outcome, row.last_reason, row.failures) == ("failed", "no such place", number)
        async with db.connect() as connection:
            problems = await failing_schedules(connection, MaintenanceOptions())
        assert len(problems) == (number == 3)
    assert str(schedule_id) in problems[0].reason
    assert "Secret" not in problems[0].reason + problems[0].stage
    await make_due(db)
    assert await start(db) == 1
    await end_searches(db, SEARCH_PLACES.statuses.done)
    await start(db)
    assert ((await schedule(db)).last_outcome, (await schedule(db)).failures) == ("ended", 0)


async def test_maintenance_starts_what_is_due(db: AsyncEngine) -> None:
    await add_schedule(db)
    lines: list[Any] = []
    assert await Maintenance(db, MaintenanceOptions(), lines.extend).start_schedules() == 1
    assert [line["event"] for line in lines] == ["schedules_started"]


@pytest.mark.parametrize("view", [None, "page", "domain"])
async def test_a_crawl_reads_pages_again_that_were_read_before(db: AsyncEngine, view: str | None) -> None:
    read, _never_read = await add_rows(db, "page", 2)
    async with db.begin() as connection:
        pages = tables.pages
        await connection.execute(
            update(pages).where(pages.c.id == read).values(last_scan_at=func.now() - timedelta(days=9))
        )
        await connection.execute(update(pages).values(page_processing_status=None))
    view_id = view and await create_view(db, WHO, name="Mine", entity=view, params={})
    await add_schedule(db, kind="crawl", options={}, view_id=view_id)
    assert await start(db) == 1
    await run_open_operations(db, lambda lines: None)
    async with db.connect() as connection:
        queued = select(tables.pages.c.id).where(tables.pages.c.page_processing_status == "Queued")
        assert (await connection.scalars(queued)).all() == [read]
    await start(db)
    assert (await schedule(db)).last_outcome == "ended"
