"""Every change of status of every queue, tried by plain SQL: allowed ones pass, the others are refused."""

from __future__ import annotations

import itertools
from datetime import UTC, datetime
from typing import Any

import pytest
from sqlalchemy import update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncEngine

from scrapersky.engine.work import Work
from scrapersky.tables import metadata
from scrapersky.tables.works import WORKS_WITH_COLUMNS


def allowed(work: Work) -> set[tuple[str, str]]:
    """Queue from anywhere, claim what is queued, end what is claimed; people may set a row aside."""
    words = work.words
    pairs = {(word, words.queued) for word in words.all}
    pairs |= {
        (words.queued, words.processing),
        (words.processing, words.done),
        (words.processing, words.failed),
    }
    return pairs | {(word, aside) for word in words.all for aside in words.extra}


def values_for(work: Work, word: str) -> dict[str, Any]:
    leased = word == work.words.processing
    return {
        work.status: word,
        work.error: "it did not work" if word == work.words.failed else None,
        work.column("lease_until"): datetime(2026, 1, 1, tzinfo=UTC) if leased else None,
    }


@pytest.mark.req("R108", "R133", "R141", "R148", "R232", "R244")
@pytest.mark.parametrize("work", WORKS_WITH_COLUMNS, ids=lambda work: work.name)
async def test_only_the_allowed_changes_of_status_pass_a18(work: Work, make: Any, db: AsyncEngine) -> None:
    table = metadata.tables[work.table]
    wrong = []
    for before, after in itertools.permutations(work.words.all, 2):
        row = await make(work.table, **values_for(work, before))
        try:
            async with db.begin() as connection:
                change = update(table).where(table.c.id == row["id"]).values(values_for(work, after))
                await connection.execute(change)
            said = "passed"
        except IntegrityError as error:
            said = "refused" if "cannot change from" in str(error.orig) else str(error.orig)
        if said != ("passed" if (before, after) in allowed(work) else "refused"):
            wrong.append((before, after, said))

    assert wrong == []
