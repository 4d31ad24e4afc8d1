"""The invariants hold after ordinary work, and each of them catches what it is there for."""

from __future__ import annotations

import pytest
from invariants import broken, invariants
from lab import QUICK, add, settled, stage, things, working
from sqlalchemy import text

from scrapersky.engine.claims import Claims
from scrapersky.engine.database import Database
from scrapersky.engine.outcome import Discard
from scrapersky.engine.stage import Result

# Each plants one violation that the table's own rules would refuse, so those are taken away first.
FREE = (
    "ALTER TABLE things DISABLE TRIGGER USER",
    "ALTER TABLE things DROP CONSTRAINT make_thing_status",
    "ALTER TABLE things DROP CONSTRAINT make_thing_lease",
    "ALTER TABLE things DROP CONSTRAINT make_thing_reason",
    "ALTER TABLE results DROP CONSTRAINT results_thing_id_key",
)
ONE_DONE = "WHERE id = (SELECT id FROM things WHERE status = 'Complete' LIMIT 1)"
PLANTED = [
    (
        "I1",
        "UPDATE things SET status = 'Processing', lease_until = now() - interval '1 minute', worker = 99,"
        " lease_seq = 9 WHERE status = 'Error'",
    ),
    ("I2", f"DELETE FROM results WHERE thing_id = (SELECT id FROM things {ONE_DONE})"),
    ("I3", "INSERT INTO results (thing_id) SELECT thing_id FROM results LIMIT 1"),
    ("I4", "UPDATE things SET lease_until = now() WHERE status = 'Error'"),
    ("I4", "UPDATE things SET status = 'Sleeping', lease_until = NULL WHERE status = 'Error'"),
    ("I5", "UPDATE things SET retries = 4 WHERE status = 'Error'"),
    ("I5", "UPDATE things SET crashes = 4 WHERE status = 'Error'"),
    ("I6", "UPDATE things SET error = ' ' WHERE status = 'Error'"),
    ("I7", "INSERT INTO results (thing_id) VALUES (gen_random_uuid())"),
    ("I8", f"UPDATE things SET lease_seq = 0 {ONE_DONE}"),
]


@pytest.fixture
async def worked(lab):
    """A lab with three things done, one failed, and one that was rescued on the way."""

    async def run(item, context):
        if item.row.key == "bad":
            raise Discard("bad")
        return Result(rows=[{"thing_id": item.id, "word": "made"}])

    await add(lab, 3)
    await Claims(stage(), Database(lab), 77, QUICK).take(3, 1)
    await add(lab, 1, key="bad")
    async with lab.begin() as connection:
        await connection.execute(text("UPDATE things SET lease_until = now() WHERE lease_until IS NOT NULL"))
    async with working(lab, stage(run, reads=("key",))):
        assert await settled(lab, things) == {"Complete": 3, "Error": 1}
    return lab


async def test_after_ordinary_work_every_invariant_holds_i1_to_i8(worked):
    assert await broken(worked) == {}


def test_all_eight_invariants_are_asked():
    assert {name for name, _ in invariants()} == {f"I{n}" for n in range(1, 9)}


@pytest.mark.parametrize(("name", "violation"), PLANTED)
async def test_each_invariant_catches_a_planted_violation(worked, name, violation):
    async with worked.begin() as connection:
        for statement in (*FREE, violation):
            await connection.execute(text(statement))

    assert name in await broken(worked)
