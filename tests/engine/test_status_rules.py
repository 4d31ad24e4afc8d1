"""Which changes of status the database allows, and the whole queue against a model."""

from __future__ import annotations

import asyncio
import itertools

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test
from lab import add, create, rows, things
from queue_machine import Queue
from sqlalchemy import insert, text, update
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import create_async_engine

STATUSES = ("Queued", "Processing", "Complete", "Error", "Filtered", None)
ALLOWED = {
    None: {"Queued", "Filtered"},
    "Queued": {"Processing", "Filtered", None},
    "Processing": {"Queued", "Complete", "Error", "Filtered"},
    "Complete": {"Queued", "Filtered", None},
    "Error": {"Queued", "Filtered", None},
    "Filtered": {"Queued", None},
}
FORBIDDEN = [
    pair
    for pair in itertools.product(STATUSES, STATUSES)
    if pair[0] != pair[1] and pair[1] not in ALLOWED[pair[0]]
]


def proper(word):
    """The status with the neighbours that its rules ask for, so that only the change itself is judged."""
    lease = text("now() + interval '1 minute'") if word == "Processing" else None
    return {"status": word, "lease_until": lease, "error": "bad" if word == "Error" else None}


async def change(lab, before, after):
    async with lab.begin() as connection:
        await connection.execute(insert(things).values(**proper(before)))
    async with lab.begin() as connection:
        await connection.execute(update(things).values(**proper(after)))


async def refused(lab, statement):
    with pytest.raises(DBAPIError) as caught:
        async with lab.begin() as connection:
            await connection.execute(statement)
    return caught.value.orig.sqlstate


@pytest.mark.req("R232")
async def test_every_allowed_change_of_status_passes_a18(lab):
    for before, allowed in ALLOWED.items():
        for after in (*allowed, before):
            await change(lab, before, after)
            assert (await rows(lab))[0]["status"] == after
            async with lab.begin() as connection:
                await connection.execute(text("TRUNCATE things"))


@pytest.mark.req("R232")
async def test_the_database_itself_refuses_every_other_change_a18(lab):
    assert len(FORBIDDEN) == 36 - 6 - sum(len(one) for one in ALLOWED.values())
    for before, after in FORBIDDEN:
        with pytest.raises(DBAPIError) as caught:
            await change(lab, before, after)
        assert caught.value.orig.sqlstate == "23514", f"{before} to {after}"
        assert "cannot change from" in str(caught.value.orig)
        assert [row["status"] for row in await rows(lab)] == [before]
        async with lab.begin() as connection:
            await connection.execute(text("TRUNCATE things"))


@pytest.mark.req("R198")
@pytest.mark.parametrize(
    "values",
    [
        {"status": "Processing", "lease_until": None},
        {"status": "Queued", "lease_until": text("now()")},
        {"status": "Complete", "lease_until": text("now()")},
        {"status": None, "lease_until": text("now()")},
        {"status": "Error", "error": None},
        {"status": "queued"},
        {"status": "Done"},
        {"status": ""},
    ],
)
async def test_a_row_that_contradicts_itself_is_refused_a18(lab, values):
    assert await refused(lab, insert(things).values(**values)) == "23514"


async def test_processing_without_a_lease_is_refused_as_a_change_too(lab):
    await add(lab, 1)

    assert await refused(lab, update(things).values(status="Processing")) == "23514"
    assert await refused(lab, update(things).values(status="processing")) == "23514"


@pytest.mark.req("R060", "R244")
@pytest.mark.parametrize("before", ["Complete", "Error", "Filtered", None])
async def test_queueing_again_begins_from_the_start(lab, before):
    async with lab.begin() as connection:
        values = proper(before) | {"retries": 3, "rescues": 2, "crashes": 2, "lease_seq": 5, "worker": 4}
        await connection.execute(insert(things).values(**values, due_at=text("now() - interval '1 day'")))
        await connection.execute(text("UPDATE things SET status = 'Queued'"))
        fresh = await connection.scalar(text("SELECT due_at = now() FROM things"))

    row = (await rows(lab))[0]
    assert (row["retries"], row["rescues"], row["crashes"]) == (0, 0, 0)
    assert (row["error"], row["worker"]) == (None, None)
    assert row["lease_seq"] == 5, "the fencing number must go on"
    assert fresh, "it goes to the end of the queue"


async def test_queueing_a_row_that_is_queued_changes_nothing(lab):
    await add(lab, 1, retries=2)
    before = await rows(lab)
    async with lab.begin() as connection:
        await connection.execute(text("UPDATE things SET status = 'Queued'"))

    assert await rows(lab) == before


async def test_many_clients_that_queue_the_same_keys_make_each_row_once_a15(lab, database_of):
    # In the order of their keys, as all our savers insert; in any order they would lock each other for long.
    statement = text(
        "INSERT INTO things (key) SELECT n::text FROM generate_series(1, 200) n ORDER BY n"
        " ON CONFLICT (tenant_id, key) DO NOTHING"
    )
    engine = create_async_engine(database_of(lab), pool_size=50)

    async def client():
        async with engine.begin() as connection:
            await connection.execute(statement)

    await asyncio.gather(*(client() for _ in range(50)))
    await engine.dispose()

    assert sorted(int(row["key"]) for row in await rows(lab)) == list(range(1, 201))


def explore(url, *, examples, steps, phases):
    with asyncio.Runner() as runner:
        engine = create_async_engine(url)
        runner.run(create(engine))
        try:
            run_state_machine_as_test(
                lambda: Queue(runner, engine),
                settings=settings(
                    max_examples=examples,
                    stateful_step_count=steps,
                    phases=phases,
                    deadline=None,
                    suppress_health_check=list(HealthCheck),
                ),
            )
        finally:
            runner.run(engine.dispose())


@pytest.mark.req("R163")
def test_the_queue_behaves_as_its_model_a18_e1(empty_database_url):
    # Shrinking a failure takes minutes; the long proof does it.
    phases = [phase for phase in Phase if phase is not Phase.shrink]
    explore(empty_database_url, examples=30, steps=40, phases=phases)


@pytest.mark.req("R163")
@pytest.mark.reliability
def test_the_queue_behaves_as_its_model_for_long_a18_e1(empty_database_url):
    explore(empty_database_url, examples=500, steps=50, phases=list(Phase))
