"""Claims: never twice, never too many, oldest and best first, tenants in turn, and on the small index."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from lab import (
    ONE,
    PAGES,
    QUICK,
    THINGS,
    TWO,
    add,
    counts,
    hosts,
    pages,
    rows,
    settled,
    stage,
    things,
    until,
    working,
)
from sqlalchemy import select, text

from scrapersky.engine.claims import PRIORITIES, Claims
from scrapersky.engine.database import Database
from scrapersky.engine.stage import StageOptions


async def plan_of(connection, statement, values):
    result = await connection.exec_driver_sql(f"EXPLAIN {statement.sql}", statement.arguments(values))
    return "\n".join(row[0] for row in result)


def claims_of(lab, me=1, **more):
    return Claims(stage(**more), Database(lab), me, QUICK)


async def take(lab, number, me=1):
    return [visit.items[0] for visit in await claims_of(lab, me).take(number, 1)]


@pytest.mark.req("R107", "R154")
async def test_a_claim_marks_the_rows_with_the_databases_clock(lab):
    await add(lab, 1, error="old trouble")

    item = (await take(lab, 5))[0]

    row = (await rows(lab))[0]
    assert (row["status"], row["error"], row["worker"], row["lease_seq"]) == ("Processing", None, 1, item.seq)
    left = row["lease_until"] - datetime.now(UTC)
    assert timedelta(0) < left <= QUICK.lease


async def test_statistics_of_an_empty_queue_do_not_make_a_claim_take_everything(lab):
    async with lab.begin() as connection:
        await connection.execute(text("ANALYZE things"))
    await add(lab, 1000)

    taken = await take(lab, 10)

    assert len(taken) == 10
    assert sum(row["status"] == "Processing" for row in await rows(lab)) == 10


@pytest.mark.req("R103", "R132")
async def test_concurrent_workers_never_claim_a_row_twice(lab):
    await add(lab, 500)

    async def drain(me):
        mine, one = [], claims_of(lab, me)
        while batches := await one.take(7, 1):
            mine += [visit.items[0].id for visit in batches]
        return mine

    taken = await asyncio.gather(*(drain(me) for me in range(1, 9)))

    everything = [one for mine in taken for one in mine]
    assert len(everything) == len(set(everything)) == 500


@pytest.mark.req("R104")
async def test_the_oldest_row_comes_first(lab):
    young = await add(lab, 1)
    old = await add(lab, 1, due_at=datetime.now(UTC) - timedelta(hours=1))

    assert [item.id for item in await take(lab, 1)] == old
    assert [item.id for item in await take(lab, 1)] == young


@pytest.mark.req("R103")
@pytest.mark.parametrize("what", ["with priorities", "without", "row of a host", "host"])
async def test_a_claim_does_not_wait_for_rows_that_another_session_has_locked(lab, what):
    polite = "host" in what
    for name in "ab":
        await add(lab, 1, **({"table": pages, "host": name} if polite else {"key": name}))
    table = hosts if what == "host" else pages if polite else things
    queue = (
        PAGES if polite else THINGS if what == "with priorities" else replace(THINGS, order_by=("due_at",))
    )
    one = claims_of(lab, table=pages if polite else things, queue=queue)
    async with lab.connect() as session:
        locked = table.c.host == "a" if polite else table.c.key == "a"
        await session.execute(select(table).where(locked).with_for_update())
        async with asyncio.timeout(5):
            taken = [item for visit in await one.take(5, 5) for item in visit.items]
        await session.rollback()

    assert len(taken) == 1
    assert await counts(lab, pages if polite else things) == {"Queued": 1, "Processing": 1}


@pytest.mark.req("R160")
async def test_a_rescue_does_not_wait_for_a_row_that_another_session_has_locked(lab):
    await add(lab, 1, key="a")
    await add(lab, 1, key="b")
    await take(lab, 2, me=77)
    await Database(lab).rows(text("UPDATE things SET lease_until = now() - interval '1 second'"))
    async with lab.connect() as session:
        # Locked before the worker starts, because it rescues as soon as it starts.
        await session.execute(select(things).where(things.c.key == "a").with_for_update())
        async with working(lab, stage(), stage_options=StageOptions(batch=1, concurrency=0)) as worker:
            async with asyncio.timeout(5):
                await worker.rescue()
            assert await counts(lab) == {"Queued": 1, "Processing": 1}
        await session.rollback()


async def test_a_better_priority_comes_first(lab):
    low = await add(lab, 1, priority=3, due_at=datetime.now(UTC) - timedelta(hours=1))
    high = await add(lab, 1, priority=1)

    assert [item.id for item in await take(lab, 1)] == high
    assert [item.id for item in await take(lab, 1)] == low


@pytest.mark.req("R039", "R153")
async def test_rows_are_claimed_in_the_order_that_their_queue_declares(lab):
    """Neither by age nor by priority: the order is a parameter of the loop."""
    for key, priority, age in (("c", 1, 3), ("a", 3, 1), ("b", 2, 2)):
        await add(lab, 1, key=key, priority=priority, due_at=datetime.now(UTC) - timedelta(hours=age))
    by_key = claims_of(lab, queue=replace(THINGS, order_by=("key",)))

    taken = [batch.items[0].row.key for _ in range(3) for batch in await by_key.take(1, 1)]

    assert taken == ["a", "b", "c"]


@pytest.mark.req("R039", "R153")
async def test_the_rows_of_a_host_are_claimed_in_the_order_that_their_queue_declares(lab):
    ids = await add(lab, 4, table=pages, host="a.example")
    by_id = claims_of(lab, table=pages, queue=replace(PAGES, order_by=("id",)))

    [batch] = await by_id.take(1, 2)

    assert [item.id for item in batch.items] == sorted(ids)[:2]


@pytest.mark.req("R058")
async def test_a_row_whose_time_has_not_come_is_not_claimed(lab):
    await add(lab, 1, due_at=datetime.now(UTC) + timedelta(minutes=1))

    assert await take(lab, 5) == []


async def test_tenants_take_turns_however_much_one_of_them_has(lab):
    await add(lab, 200, tenant_id=ONE)
    await add(lab, 5, tenant_id=TWO)
    one = claims_of(lab)

    owners = [(await one.take(10, 1))[0].items[0].tenant_id for _ in range(2)]

    assert owners == [ONE, TWO]


@pytest.mark.parametrize("queue", [THINGS, replace(THINGS, order_by=("due_at",))])
async def test_a_resting_tenant_passes_its_turn_on_and_loses_nothing(lab, queue):
    await add(lab, 5, tenant_id=ONE)
    await add(lab, 5, tenant_id=TWO)
    one = Claims(stage(queue=queue), Database(lab), 1, QUICK)
    one.resting = [ONE]

    taken = [batch.items[0].tenant_id for _ in range(3) for batch in await one.take(10, 1)]
    assert taken == [TWO] * 5
    one.resting = []
    assert [batch.items[0].tenant_id for batch in await one.take(10, 1)] == [ONE] * 5


async def test_every_start_of_a_worker_has_its_own_number(lab):
    """SET-20: the same machine and the same process id, so nothing else tells them apart."""
    async with working(lab, stage()) as first, working(lab, stage()) as second:
        numbers = [first.id, second.id]
    async with working(lab, stage()) as third:
        numbers.append(third.id)
    assert len(set(numbers)) == 3


async def test_a_tenant_with_nothing_due_passes_its_turn_on(lab):
    await add(lab, 5, tenant_id=ONE, due_at=datetime.now(UTC) + timedelta(hours=1))
    await add(lab, 5, tenant_id=TWO)

    assert {item.tenant_id for item in await take(lab, 10)} == {TWO}


@pytest.mark.req("R045")
@pytest.mark.parametrize("number", [1000, 100_000])
async def test_the_claim_uses_the_partial_index_stale_or_fresh_a21(lab, number):
    async with lab.begin() as connection:
        await connection.execute(text("ANALYZE things"))
        await connection.execute(
            text(
                "INSERT INTO things (status, lease_until, error)"
                f" SELECT 'Complete', NULL, NULL FROM generate_series(1, {number})"
            )
        )
        await connection.execute(
            text(f"INSERT INTO things (status) SELECT 'Queued' FROM generate_series(1, {number // 10})")
        )
    for state in ("stale", "fresh"):
        async with lab.connect() as connection:
            if state == "fresh":
                await connection.execute(text("ANALYZE things"))
            values = {"limit": 10, "after": ONE, "lease": QUICK.lease, "worker": 1, "priorities": PRIORITIES}
            values["resting"] = []
            shown = await plan_of(connection, claims_of(lab)._claim, values)
            await connection.rollback()
        assert "ix_make_thing_queue" in shown, f"{state}:\n{shown}"
        assert "Seq Scan on things" not in shown, f"{state}:\n{shown}"


@pytest.mark.req("R157", "R231")
async def test_when_the_claim_fails_nothing_runs_until_that_is_fixed(lab):
    worked = []

    async def note(item, context):
        worked.append(item.id)

    async def failed():
        return any(line["event"] == "task_failed" and "lease_seq" in line["error"] for line in worker.lines)

    async def rename(old, name):
        async with lab.begin() as connection:
            await connection.execute(text(f"ALTER TABLE things RENAME COLUMN {old} TO {name}"))

    async with working(lab, stage(note)) as worker:
        await rename("lease_seq", "lease_seq_gone")
        await add_by_name(lab, 5)
        await until(failed)
        assert worked == []
        assert await counts(lab) == {"Queued": 5}

        await rename("lease_seq_gone", "lease_seq")
        assert await settled(lab) == {"Complete": 5}

    assert len(worked) == 5


async def add_by_name(lab, number):
    """Rows added while the table is not what the declarations say."""
    async with lab.begin() as connection:
        await connection.execute(text(f"INSERT INTO things (key) SELECT generate_series(1, {number})::text"))
