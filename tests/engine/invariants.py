"""What must hold after every storm: I1 to I8 as SQL over the lab's tables, each giving no rows."""

from __future__ import annotations

from collections.abc import Iterator

from lab import PAGES, THINGS
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from scrapersky.declarations.queue import Queue

MOST_TRIES = 4
MOST_CRASHES = 3

# A row that is open long after its lease has ended, and whose worker no longer answers, is lost.
FORGOTTEN = """
SELECT t.id FROM {table} t LEFT JOIN workers w ON w.id = t.worker
WHERE t.status = 'Processing' AND t.lease_until < now() - interval '{patience} seconds'
  AND (w.id IS NULL OR w.heartbeat_at < now() - interval '{patience} seconds')"""

DONE_WITHOUT_RESULT = """
SELECT t.id FROM things t WHERE t.status = 'Complete' AND NOT EXISTS (
  SELECT FROM results r WHERE r.thing_id = t.id)"""

TWO_RESULTS = "SELECT thing_id FROM results GROUP BY thing_id HAVING count(*) > 1"

# Status, lease, reason and end belong together; the words are those of the table.
WRONG_PAIR = """
SELECT id FROM {table} WHERE status IS NOT NULL AND status NOT IN ({words})
  OR (coalesce(status, '') = 'Processing') <> (lease_until IS NOT NULL)
  OR status = 'Processing' AND worker IS NULL
  OR status = 'Queued' AND worker IS NOT NULL
  OR status IN ('Complete', 'Error', 'Filtered') AND finished_at IS NULL AND lease_seq > 0
  OR status = 'Complete' AND error IS NOT NULL"""

TOO_MANY_TRIES = "SELECT id FROM {table} WHERE retries > {most} - 1 OR crashes > {crashes} OR retries < 0"

NO_REASON = "SELECT id FROM {table} WHERE status = 'Error' AND coalesce(btrim(error), '') = ''"

# In the lab a result is the next stage's row: it must belong to a thing that is done.
RESULT_OF_NOTHING = """
SELECT r.thing_id FROM results r LEFT JOIN things t ON t.id = r.thing_id
WHERE t.id IS NULL OR t.status IS DISTINCT FROM 'Complete'"""

# Each claim raises the number by one; a zombie is a claim that was taken away, so there are no more of them.
TWO_CLAIMS = """
SELECT t.id FROM {table} t
JOIN (SELECT row_id, count(*) AS n FROM zombies WHERE table_name = '{table}' GROUP BY row_id) z
  ON z.row_id = t.id::text
WHERE z.n + (t.status IN ('Processing', 'Complete', 'Filtered'))::int > t.lease_seq"""


def _of(queue: Queue, patience: float) -> Iterator[tuple[str, str]]:
    statuses = ", ".join(f"'{word}'" for word in queue.statuses.all)
    given = {"table": queue.table, "words": statuses, "patience": patience}
    given |= {"most": MOST_TRIES, "crashes": MOST_CRASHES}
    yield "I1", FORGOTTEN.format(**given)
    yield "I4", WRONG_PAIR.format(**given)
    yield "I5", TOO_MANY_TRIES.format(**given)
    yield "I6", NO_REASON.format(**given)
    yield "I8", TWO_CLAIMS.format(**given)


def invariants(*, patience: float = 15.0) -> list[tuple[str, str]]:
    """Every invariant with its query; `patience` is lease, sweep and five seconds."""
    results = [("I2", DONE_WITHOUT_RESULT), ("I3", TWO_RESULTS), ("I7", RESULT_OF_NOTHING)]
    return [*_of(THINGS, patience), *_of(PAGES, patience), *results]


async def broken(engine: AsyncEngine, *, patience: float = 15.0) -> dict[str, int]:
    """The invariants that do not hold, each with the number of rows that break it."""
    found: dict[str, int] = {}
    async with engine.connect() as connection:
        for name, query in invariants(patience=patience):
            rows = (await connection.execute(text(query))).all()
            if rows:
                found[name] = found.get(name, 0) + len(rows)
    return found
