"""Every change of status of every queue, tried by plain SQL: allowed ones pass, the others are refused."""

from __future__ import annotations

import itertools
from datetime import UTC, datetime
from typing import Any

import pytest
from sqlalchemy import update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncEngine

from scrapersky.declarations import COLUMN_OWNERS
from scrapersky.declarations.queue import Queue
from scrapersky.tables import metadata


def allowed(queue: Queue) -> set[tuple[str, str]]:
    """Queue from anywhere, claim what is queued, end what is claimed; people may set a row aside."""
    statuses = queue.statuses
    pairs = {(word, statuses.queued) for word in statuses.all}
    pairs |= {
        (statuses.queued, statuses.processing),
        (statuses.processing, statuses.done),
        (statuses.processing, statuses.failed),
    }
    return pairs | {(word, aside) for word in statuses.all for aside in statuses.other}


def values_for(queue: Queue, word: str) -> dict[str, Any]:
    leased = word == queue.statuses.processing
    return {
        queue.status: word,
        queue.error: "it did not work" if word == queue.statuses.failed else None,
        queue.column("lease_until"): datetime(2026, 1, 1, tzinfo=UTC) if leased else None,
    }


@pytest.mark.req("R108", "R133", "R141", "R148", "R232", "R244")
@pytest.mark.parametrize("queue", COLUMN_OWNERS, ids=lambda queue: queue.name)
async def test_only_the_allowed_changes_of_status_pass_a18(queue: Queue, make: Any, db: AsyncEngine) -> None:
    table = metadata.tables[queue.table]
    wrong = []
    for before, after in itertools.permutations(queue.statuses.all, 2):
        row = await make(queue.table, **values_for(queue, before))
        try:
            async with db.begin() as connection:
                change = update(table).where(table.c.id == row["id"]).values(values_for(queue, after))
                await connection.execute(change)
            said = "passed"
        except IntegrityError as error:
            said = "refused" if "cannot change from" in str(error.orig) else str(error.orig)
        if said != ("passed" if (before, after) in allowed(queue) else "refused"):
            wrong.append((before, after, said))

    assert wrong == []
