"""Running operations: in chunks, under a lease, through crashes, cancellation and competition."""

from __future__ import annotations

import asyncio
import signal
import sys
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, select, text, update
from sqlalchemy.ext.asyncio import AsyncEngine

from children import die_with_parent
from operation_lab import add_rows, operation_row, snapshot
from product import FEW, QUICK, TENANT, WHO, add_domain, until
from scrapersky import tables
from scrapersky.actions.curation import curate, decide, undo
from scrapersky.actions.operations import (
    Decision,
    OperationLost,
    cancel_operation,
    chunks,
    claim_operation,
    create_operation,
    run_operation,
    runner,
)
from scrapersky.actions.operations.background import run_open_operations
from scrapersky.actions.operations.exclusions import dequeue_excluded_rows
from scrapersky.engine.stage import Item
from scrapersky.engine.worker import Worker
from scrapersky.maintenance import MaintenanceOptions
from scrapersky.maintenance.retention import delete_expired_rows
from scrapersky.pipeline import STAGES
from scrapersky.queries.rows.entities import ENTITIES
from scrapersky.queries.rows.filters import Filters

PAGE = ENTITIES["page"]
OPERATIONS = tables.operations
# The server ends the transaction of a killed client when it notices.
OTHERS_ARE_IDLE = text(
    "SELECT count(*) = 0 FROM pg_stat_activity"
    " WHERE state <> 'idle' AND pid <> pg_backend_pid() AND datname = current_database()"
)
PROCESS = Path(__file__).parents[2] / "operation_process.py"


@pytest.fixture
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chunks, "ROWS_PER_CHUNK", 50)


async def start(db: AsyncEngine, decision: str = "Selected", **values: Any) -> uuid.UUID:
    """An operation on all pages that waits for a process."""
    chosen = Decision(entity=PAGE, value=decision, **{"filters": Filters(), **values})
    operation = await create_operation(db, WHO, chosen, matched=0, is_leased=False)
    return operation.id


async def expire_leases(db: AsyncEngine) -> None:
    async with db.begin() as connection:
        expired = {"lease_until": func.now() - timedelta(seconds=1)}
        await connection.execute(update(OPERATIONS).where(OPERATIONS.c.finished_at.is_(None)).values(expired))


async def counts(db: AsyncEngine, operation_id: uuid.UUID) -> tuple[int, int, int]:
    """Rows that are selected, rows in the journal, and rows that the operation counted."""
    async with db.connect() as connection:
        selected = select(func.count()).where(tables.pages.c.page_curation_status == "Selected")
        journal = select(func.count()).where(tables.operation_rows.c.operation_id == operation_id)
        numbers = [(await connection.execute(query)).scalar_one() for query in (selected, journal)]
    return numbers[0], numbers[1], (await operation_row(db, operation_id)).changed


@asynccontextmanager
async def process(url: str) -> AsyncIterator[asyncio.subprocess.Process]:
    child = await asyncio.create_subprocess_exec(
        sys.executable, str(PROCESS), url, preexec_fn=die_with_parent, stdout=asyncio.subprocess.DEVNULL
    )
    try:
        yield child
    finally:
        if child.returncode is None:
            child.kill()
        await child.wait()


@pytest.mark.reliability
async def test_another_process_finishes_what_a_killed_one_began(db: AsyncEngine, database_url: str) -> None:
    """kill -9 in the middle of 20,000 rows, twice: no chunk is lost, none is done again."""
    await add_rows(db, "page", 20_000)
    operation_id = await start(db)
    for enough in (3_000, 9_000):
        async with process(database_url) as child:

            async def is_far(enough: int = enough) -> bool:
                return bool((await operation_row(db, operation_id)).changed >= enough)

            await until(is_far, seconds=60)
            child.send_signal(signal.SIGKILL)
            await child.wait()

        async def is_quiet() -> bool:
            async with db.connect() as connection:
                return bool((await connection.execute(OTHERS_ARE_IDLE)).scalar_one())

        await until(is_quiet)
        selected, journaled, counted = await counts(db, operation_id)
        assert enough <= selected < 20_000
        assert selected == journaled == counted
        await expire_leases(db)
    async with process(database_url) as child:
        assert await asyncio.wait_for(child.wait(), 60) == 0
    assert await counts(db, operation_id) == (20_000, 20_000, 20_000)
    row = await operation_row(db, operation_id)
    assert (row.status, row.queued) == ("complete", 20_000)


@pytest.mark.usefixtures("small_chunks")
async def test_who_has_lost_the_lease_cannot_write(db: AsyncEngine) -> None:
    await add_rows(db, "page", 120)
    operation_id = await start(db)
    slow = await claim_operation(db)
    assert slow is not None
    assert await claim_operation(db) is None
    await expire_leases(db)
    other = await claim_operation(db)
    assert other is not None
    with pytest.raises(OperationLost):
        await run_operation(db, slow)
    assert await counts(db, operation_id) == (0, 0, 0)
    await run_operation(db, other)
    assert await counts(db, operation_id) == (120, 120, 120)


@pytest.mark.usefixtures("small_chunks")
async def test_a_cancelled_operation_stops_between_chunks_and_can_be_undone(db: AsyncEngine) -> None:
    await add_rows(db, "page", 500)
    before = await snapshot(db, PAGE)
    operation_id = await start(db)
    running = asyncio.create_task(run_open_operations(db, lambda lines: None))

    async def has_begun() -> bool:
        return bool((await operation_row(db, operation_id)).changed)

    await until(has_begun)
    await cancel_operation(db, WHO, operation_id)
    await running
    row = await operation_row(db, operation_id)
    assert row.status == "cancelled"
    assert row.changed < 500
    assert await counts(db, operation_id) == (row.changed, row.changed, row.changed)
    assert (await undo(db, WHO, operation_id)).updated == row.changed
    assert await snapshot(db, PAGE) == before


@pytest.mark.usefixtures("small_chunks")
async def test_an_operation_cancelled_after_an_outage_still_moves_the_rows_below_its_domains(
    db: AsyncEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The chunk is committed and the rows below are not; nobody else would ever queue them again."""
    domain = await add_domain(db, status="completed")
    await add_rows(db, "page", 2, domain_id=domain, page_processing_status="Queued")
    await curate(db, WHO, ENTITIES["domain"], "Rejected", ids=[domain])

    async def fail(*_: Any, **__: Any) -> int:
        raise ConnectionResetError

    monkeypatch.setattr(runner, "requeue_excluded_rows", fail)
    with pytest.raises(ConnectionResetError):
        await curate(db, WHO, ENTITIES["domain"], "Maybe", ids=[domain])
    monkeypatch.undo()
    async with db.connect() as connection:
        open_one = select(OPERATIONS.c.id).where(OPERATIONS.c.finished_at.is_(None))
        operation_id = (await connection.scalars(open_one)).one()
    await cancel_operation(db, WHO, operation_id)
    assert await run_open_operations(db, lambda lines: None) == 1
    row = await operation_row(db, operation_id)
    assert (row.status, row.changed) == ("cancelled", 1)
    pages = (await snapshot(db, PAGE)).values()
    assert {page["page_processing_status"] for page in pages} == {"Queued"}


async def test_who_has_lost_the_lease_moves_no_rows_below_a_domain(
    db: AsyncEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    domain = await add_domain(db, status="completed")
    await add_rows(db, "page", 2, domain_id=domain, page_processing_status="Queued")

    async def lose_the_lease(engine: AsyncEngine, **chosen: Any) -> int:
        async with db.begin() as connection:
            await connection.execute(update(OPERATIONS).values(lease_token=uuid.uuid4()))
        return await dequeue_excluded_rows(engine, **chosen)

    monkeypatch.setattr(runner, "dequeue_excluded_rows", lose_the_lease)
    with pytest.raises(OperationLost):
        await curate(db, WHO, ENTITIES["domain"], "Rejected", ids=[domain])
    pages = (await snapshot(db, PAGE)).values()
    assert {page["page_processing_status"] for page in pages} == {"Queued"}


async def test_conflicting_operations_at_once_all_finish_with_whole_journals(db: AsyncEngine) -> None:
    ids = await add_rows(db, "page", 400)
    words = ["Selected", "Maybe", "Rejected", "Archived"]
    by_filter = [curate(db, WHO, PAGE, word, filters=Filters()) for word in words]
    by_ids = [curate(db, WHO, PAGE, word, ids=ids) for word in words]
    results = await asyncio.gather(*by_filter, *by_ids)
    assert [result.updated for result in results] == [400] * 8
    final = {row["page_curation_status"] for row in (await snapshot(db, PAGE)).values()}
    assert final <= set(words)
    async with db.connect() as connection:
        journal = tables.operation_rows.c
        query = select(journal.operation_id, func.count()).group_by(journal.operation_id)
        journaled = {row[0]: row[1] for row in await connection.execute(query)}
    assert journaled == {result.operation_id: 400 for result in results}


async def test_rows_that_come_after_the_decision_are_not_part_of_it(db: AsyncEngine) -> None:
    first = await add_rows(db, "page", 2)
    await start(db)
    later = await add_rows(db, "page", 2)
    await run_open_operations(db, lambda lines: None)
    rows = await snapshot(db, PAGE)
    assert {rows[row_id]["page_curation_status"] for row_id in first} == {"Selected"}
    assert {rows[row_id]["page_curation_status"] for row_id in later} == {"New"}


async def test_an_operation_that_cannot_run_fails_and_the_next_one_runs(db: AsyncEngine) -> None:
    await add_rows(db, "page", 1)
    broken, good = await start(db), await start(db)
    async with db.begin() as connection:
        values = {"filters": {"colour": ["red"]}}
        await connection.execute(update(OPERATIONS).where(OPERATIONS.c.id == broken).values(values))
    lines: list[Any] = []
    assert await run_open_operations(db, lines.extend) == 2
    assert [line["event"] for line in lines] == ["operation_failed", "operation_finished"]
    row = await operation_row(db, broken)
    assert (row.status, "colour" in row.error) == ("failed", True)
    assert (await operation_row(db, good)).status == "complete"


async def test_skipped_rows_are_counted_by_reason(db: AsyncEngine) -> None:
    working, excluded, fine = [(await add_rows(db, "page", 1))[0] for _ in range(3)]
    pages = tables.pages
    async with db.begin() as connection:
        lease = {"page_processing_status": "Processing", "page_processing_lease_until": func.now()}
        await connection.execute(
            update(pages).where(pages.c.id == working).values(page_processing_status="Queued")
        )
        await connection.execute(update(pages).where(pages.c.id == working).values(lease))
        domain = select(pages.c.domain_id).where(pages.c.id == excluded).scalar_subquery()
        values = {"sitemap_curation_status": "Rejected"}
        await connection.execute(update(tables.domains).where(tables.domains.c.id == domain).values(values))
    result = await curate(db, WHO, PAGE, "Selected", ids=[working, excluded, fine, uuid.uuid4()])
    assert (result.updated, result.queued) == (3, 1)
    assert result.skipped == {"in_work": 1, "domain_excluded": 1, "not_found": 1}


async def test_journals_are_kept_for_the_time_of_undo(db: AsyncEngine) -> None:
    old = await curate(db, WHO, PAGE, "Maybe", ids=await add_rows(db, "page", 3))
    recent = await curate(db, WHO, PAGE, "Maybe", ids=await add_rows(db, "page", 2))
    async with db.begin() as connection:
        finished = {"finished_at": func.now() - timedelta(hours=25)}
        await connection.execute(
            update(OPERATIONS).where(OPERATIONS.c.id == old.operation_id).values(finished)
        )
    deleted = await delete_expired_rows(db, MaintenanceOptions())
    assert (deleted["operation_rows"], deleted["operations"]) == (3, 0)
    async with db.connect() as connection:
        left = set(await connection.scalars(select(tables.operation_rows.c.operation_id)))
    assert left == {recent.operation_id}


@asynccontextmanager
async def validating(db: AsyncEngine) -> AsyncIterator[list[uuid.UUID]]:
    """A real worker that validates addresses, and the contacts that it has run."""
    ran: list[uuid.UUID] = []

    async def run(item: Item, context: Any) -> None:
        ran.append(item.id)

    stage = replace(next(stage for stage in STAGES if stage.name == "validate_email"), run=run)
    worker = Worker(db, [(stage, FEW)], options=QUICK, context=None, report=lambda lines: None)
    stop = asyncio.Event()
    task = asyncio.create_task(worker.run(stop))
    try:
        await worker.ready.wait()
        yield ran
    finally:
        stop.set()
        await task


async def test_a_quick_undo_stops_the_work_and_without_one_it_is_done(db: AsyncEngine) -> None:
    contact = ENTITIES["contact"]
    undone, kept = await add_rows(db, "contact", 2)
    grace = timedelta(seconds=1)
    async with validating(db) as ran:
        decision = Decision(entity=contact, value="Selected", ids=[undone], grace=grace)
        made = await decide(db, WHO, decision)
        await decide(db, WHO, replace(decision, ids=[kept]))
        assert made.queued == 1
        assert made.operation_id is not None
        assert (await undo(db, WHO, made.operation_id)).updated == 1
        assert ran == []

        async def has_run() -> bool:
            return bool(ran)

        await until(has_run)
        await asyncio.sleep(0.3)
        assert ran == [kept]


async def test_other_tenants_operations_are_run_with_their_own_rows_only(db: AsyncEngine) -> None:
    other = uuid.uuid4()
    async with db.begin() as connection:
        await connection.execute(tables.tenants.insert().values(id=other, name="Other"))
    ours, theirs = await add_rows(db, "page", 2), await add_rows(db, "page", 2, tenant_id=other)
    await start(db)
    await run_open_operations(db, lambda lines: None)
    rows = await snapshot(db, PAGE)
    assert {rows[row_id]["page_curation_status"] for row_id in ours} == {"Selected"}
    assert {rows[row_id]["page_curation_status"] for row_id in theirs} == {"New"}
    assert {rows[row_id]["tenant_id"] for row_id in ours} == {TENANT}
