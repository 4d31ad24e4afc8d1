"""Every column of every table takes a value, gives it back and can be filtered by (R200, R201, trap 30)."""

from __future__ import annotations

import re
from typing import Any

import pytest
from sqlalchemy import insert, select, text
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncEngine

from scrapersky.declarations import COLUMN_OWNERS, statuses
from scrapersky.tables import metadata

CURATED = {
    "places_staging": "status",
    "local_businesses": "status",
    "domains": "sitemap_curation_status",
    "sitemap_files": "sitemap_curation_status",
    "pages": "page_curation_status",
    "contacts": "contact_curation_status",
}
STATUS_COLUMNS = [*CURATED.items(), *((queue.table, queue.status) for queue in COLUMN_OWNERS)]


@pytest.mark.req("R200", "R201")
@pytest.mark.parametrize("name", sorted(metadata.tables))
async def test_every_column_round_trips_and_can_be_filtered_by(name: str, make: Any, db: AsyncEngine) -> None:
    empty = await columns_left_empty(name, await make(name), db)
    leases = {queue.column("lease_until") for queue in COLUMN_OWNERS if queue.table == name}
    errors = {queue.error for queue in COLUMN_OWNERS if queue.table == name}
    other = {"destination_id"} if name in ("rules", "schedules") else set()
    assert empty <= leases | errors | other | {"parent_id", "encrypted_value"}


@pytest.mark.req("R200", "R201")
async def test_a_rule_that_delivers_round_trips_too(make: Any, db: AsyncEngine) -> None:
    destination = await make("destinations")
    stored = await make("rules", decision=None, destination_id=destination["id"])
    assert await columns_left_empty("rules", stored, db) == {"decision"}


async def columns_left_empty(name: str, stored: dict[str, Any], db: AsyncEngine) -> set[str]:
    """Checks that the row comes back as it was stored; gives the columns that hold nothing."""
    table = metadata.tables[name]
    keys = [column == stored[column.name] for column in table.primary_key.columns]
    async with db.connect() as connection:
        found = (await connection.execute(select(table).where(*keys))).mappings().one()
        for column in table.c:
            value = stored[column.name]
            wanted = column.is_(None) if value is None else column == value
            again = (await connection.execute(select(*table.c).where(*keys, wanted))).all()
            assert len(again) == 1, f"{name}.{column.name} is not found by its own value"
    assert {column: found[column] for column in stored if column != "updated_at"} == {
        column: value for column, value in stored.items() if column != "updated_at"
    }
    return {column.name for column in table.c if found[column.name] is None}


# As the acceptance list has them: queued, processing, done, failed, and what else may stand there.
STATUSES = {
    "domains.status": ("pending", "processing", "completed", "error"),
    "places_staging.deep_scan_status": ("Queued", "Processing", "Completed", "Error"),
    "local_businesses.domain_extraction_status": ("Queued", "Processing", "Completed", "Error"),
    "domains.sitemap_analysis_status": ("queued", "processing", "submitted", "failed", "pending"),
    "sitemap_files.sitemap_import_status": ("Queued", "Processing", "Complete", "Error"),
    "pages.page_processing_status": ("Queued", "Processing", "Complete", "Error", "Filtered"),
    # The list has no word for a job that a person cancelled; it is the one addition.
    "jobs.status": ("pending", "running", "complete", "failed", "cancelled"),
}


@pytest.mark.req("R235", "R236", "R237", "R238", "R239", "R240", "R241", "R108", "R133")
@pytest.mark.parametrize("column", STATUSES)
async def test_a_status_column_takes_exactly_the_words_of_the_acceptance_list(
    column: str, make: Any, db: AsyncEngine
) -> None:
    table, status = column.split(".")
    queue = next(one for one in COLUMN_OWNERS if (one.table, one.status) == (table, status))
    assert queue.statuses.all == STATUSES[column], "the engine works by these words, in these roles"
    async with db.connect() as connection:
        rule = await connection.scalar(
            text("SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conname LIKE :name"),
            {"name": f"%{queue.name}_status"},
        )
    assert set(re.findall(r"'(\w+)'", rule)) == set(STATUSES[column]), "and so does the database"


@pytest.mark.req("R017", "R242")
@pytest.mark.parametrize(("name", "column"), CURATED.items())
async def test_a_curation_column_takes_the_words_of_the_acceptance_list(
    name: str, column: str, make: Any
) -> None:
    for word in ("New", "Selected", "Maybe", "Rejected", "Archived"):
        assert (await make(name, **{column: word}))[column] == word
    with pytest.raises(IntegrityError):
        await make(name, **{column: "selected"})


@pytest.mark.parametrize("queue", COLUMN_OWNERS, ids=lambda queue: queue.name)
async def test_a_status_word_is_found_by_the_word_it_was_stored_with(
    queue: Any, make: Any, db: AsyncEngine
) -> None:
    """Stored and compared as they are written."""
    table = metadata.tables[queue.table]
    status = table.c[queue.status]
    made = {word: (await make(queue.table, **{queue.status: word}))["id"] for word in queue.statuses.all}
    async with db.connect() as connection:
        for word, row_id in made.items():
            found = (await connection.execute(select(table.c.id).where(status == word))).scalars().all()
            others = (await connection.execute(select(table.c.id).where(status != word))).scalars().all()
            assert found == [row_id]
            assert set(others) == set(made.values()) - {row_id}


@pytest.mark.req("R242")
@pytest.mark.parametrize(("name", "column"), CURATED.items())
async def test_a_curation_word_is_found_by_itself(name: str, column: str, make: Any, db: AsyncEngine) -> None:
    table = metadata.tables[name]
    made = {word: (await make(name, **{column: word}))["id"] for word in statuses.CURATION}
    async with db.connect() as connection:
        for word, row_id in made.items():
            found = (
                (await connection.execute(select(table.c.id).where(table.c[column] == word))).scalars().all()
            )
            assert found == [row_id]


@pytest.mark.parametrize(("name", "column"), STATUS_COLUMNS)
async def test_a_word_outside_the_vocabulary_is_refused(name: str, column: str, make: Any) -> None:
    for word in ("Not a Fit", "QUEUED", "done", ""):
        with pytest.raises(IntegrityError, match=r"_status|_allowed"):
            await make(name, **{column: word})


async def test_a_bulk_insert_of_objects_works_like_a_single_one(make: Any, db: AsyncEngine) -> None:
    """Trap 10: identifiers are typed, so many rows at once take the same path as one."""
    domain = await make("domains")
    table = metadata.tables["pages"]
    rows = [
        {
            "tenant_id": domain["tenant_id"],
            "domain_id": domain["id"],
            "host": "shop.example",
            "url": f"https://a/{n}",
        }
        for n in range(5_000)
    ]
    async with db.begin() as connection:
        await connection.execute(insert(table), rows)
        ids = (await connection.execute(select(table.c.id))).scalars().all()
    assert len(set(ids)) == 5_000
