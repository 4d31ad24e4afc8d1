"""Undoing a decision: rows are exactly as before, except those that have moved on, and the answer says so."""

from __future__ import annotations

import random
import uuid
from typing import Any

import pytest
from sqlalchemy import delete, event, select, text, update
from sqlalchemy.ext.asyncio import AsyncEngine

from operation_lab import add_rows, operation_row, scatter, snapshot
from product import TENANT, WHO, add_domain
from scrapersky import tables
from scrapersky.actions.actor import Actor
from scrapersky.actions.curation import curate, reset, run_now, undo
from scrapersky.actions.operations import cancel_operation, runner
from scrapersky.database import tenant_engine
from scrapersky.errors import Conflict, NotFound
from scrapersky.queries.rows.entities import ENTITIES, Entity
from scrapersky.queries.rows.filters import Filters

PAGE, DOMAIN = ENTITIES["page"], ENTITIES["domain"]


async def decide_at_random(
    db: AsyncEngine, entity: Entity, ids: list[uuid.UUID], chance: random.Random
) -> Any:
    chosen: dict[str, Any] = {"ids": chance.sample(ids, len(ids) // 2)}
    if chance.random() < 0.5:
        chosen = {"filters": Filters(curation_status=chance.choice(["new", "rejected", "selected"]))}
    action = chance.choice(["curate", "curate", "curate", "reset", "run"])
    if action == "reset":
        return await reset(db, WHO, entity, **chosen)
    if action == "run":
        return await run_now(db, WHO, entity, **chosen)
    status = chance.choice(["Selected", "Selected", "Maybe", "Rejected", "New", "Archived"])
    return await curate(db, WHO, entity, status, **chosen)


@pytest.mark.parametrize("name", ENTITIES)
async def test_undo_restores_every_column_of_rows_in_any_state(db: AsyncEngine, name: str) -> None:
    """Random states and decisions, with the seed in the failure; each undo must give back the whole table."""
    entity = ENTITIES[name]
    ids = await add_rows(db, name, 60)
    engine = tenant_engine(db, TENANT, correlation_id="this-request")
    for seed in range(12):
        chance = random.Random(f"{name} {seed}")
        await scatter(db, entity, ids, chance)
        before = await snapshot(db, entity)
        made = await decide_at_random(engine, entity, ids, chance)
        if made.operation_id is None:
            continue
        result = await undo(engine, WHO, made.operation_id)
        after = await snapshot(db, entity)
        assert after == before, seed
        assert result.updated == made.updated


async def test_rows_that_a_worker_took_or_a_person_changed_stay_and_are_counted(db: AsyncEngine) -> None:
    ids = await add_rows(db, "page", 10)
    made = await curate(db, WHO, PAGE, "Selected", ids=ids)
    pages = tables.pages
    async with db.begin() as connection:
        claimed = {"page_processing_status": "Processing", "page_processing_lease_seq": 1}
        claimed["page_processing_lease_until"] = text("now() + interval '1 hour'")  # type: ignore[assignment]
        await connection.execute(update(pages).where(pages.c.id == ids[0]).values(claimed))
        await connection.execute(delete(pages).where(pages.c.id == ids[1]))
    await curate(db, WHO, PAGE, "Maybe", ids=[ids[2]])
    result = await undo(db, WHO, made.operation_id)
    assert result.updated == 7
    row = await operation_row(db, result.operation_id)
    assert row.skipped == {"taken": 1, "changed_since": 1, "deleted": 1}
    assert (row.undo_of, row.matched, row.status) == (made.operation_id, 10, "complete")
    now = await snapshot(db, PAGE)
    assert now[ids[0]]["page_curation_status"] == "Selected"
    assert now[ids[2]]["page_curation_status"] == "Maybe"
    assert {now[row_id]["page_processing_status"] for row_id in ids[3:]} == {None}


async def test_a_second_decision_with_the_same_outcome_is_not_undone_with_the_first(db: AsyncEngine) -> None:
    """Two people select the same page; the one who changes their mind speaks for one of them."""
    ids = await add_rows(db, "page", 3)
    first = await curate(db, WHO, PAGE, "Selected", ids=ids)
    second = await curate(db, WHO, PAGE, "Selected", ids=ids[:1])
    await run_now(db, WHO, ENTITIES["contact"], filters=Filters())
    result = await undo(db, WHO, first.operation_id)
    assert (result.updated, result.skipped) == (2, {"changed_since": 1})
    now = await snapshot(db, PAGE)
    assert [now[row_id]["page_curation_status"] for row_id in ids] == ["Selected", "New", "New"]
    assert (await undo(db, WHO, second.operation_id)).updated == 1


async def test_a_second_decision_that_was_undone_does_not_hold_the_first(db: AsyncEngine) -> None:
    ids = await add_rows(db, "page", 1)
    first = await curate(db, WHO, PAGE, "Selected", ids=ids)
    second = await curate(db, WHO, PAGE, "Selected", ids=ids)
    await undo(db, WHO, second.operation_id)
    assert (await undo(db, WHO, first.operation_id)).updated == 1
    assert (await snapshot(db, PAGE))[ids[0]]["page_curation_status"] == "New"


async def test_a_change_that_does_not_concern_the_decision_is_kept_by_the_undo(db: AsyncEngine) -> None:
    [row_id] = await add_rows(db, "page", 1)
    made = await curate(db, WHO, PAGE, "Rejected", ids=[row_id])
    async with db.begin() as connection:
        await connection.execute(update(tables.pages).values(title="Found later"))
    changed_at = (await snapshot(db, PAGE))[row_id]["updated_at"]
    assert (await undo(db, WHO, made.operation_id)).updated == 1
    row = (await snapshot(db, PAGE))[row_id]
    assert (row["page_curation_status"], row["title"]) == ("New", "Found later")
    assert row["updated_at"] > changed_at


async def test_an_operation_is_undone_once(db: AsyncEngine) -> None:
    ids = await add_rows(db, "contact", 2)
    made = await curate(db, WHO, ENTITIES["contact"], "Selected", ids=ids)
    result = await undo(db, WHO, made.operation_id)
    row = await operation_row(db, made.operation_id)
    assert row.status == "undone"
    assert row.undone_at is not None
    with pytest.raises(Conflict, match="undone already"):
        await undo(db, WHO, made.operation_id)
    with pytest.raises(Conflict, match="An undo cannot be undone"):
        await undo(db, WHO, result.operation_id)
    with pytest.raises(Conflict, match="undone already"):
        await cancel_operation(db, WHO, made.operation_id)


async def test_an_operation_of_another_tenant_does_not_exist(db: AsyncEngine) -> None:
    made = await curate(db, WHO, PAGE, "Maybe", ids=await add_rows(db, "page", 1))
    stranger = Actor(uuid.uuid4(), WHO.user_id)
    with pytest.raises(NotFound):
        await undo(db, stranger, made.operation_id)
    with pytest.raises(NotFound):
        await cancel_operation(db, stranger, made.operation_id)


async def test_after_the_time_for_undo_the_journal_is_gone(db: AsyncEngine) -> None:
    made = await curate(db, WHO, PAGE, "Maybe", ids=await add_rows(db, "page", 1))
    async with db.begin() as connection:
        await connection.execute(delete(tables.operation_rows))
    with pytest.raises(Conflict, match="is over"):
        await undo(db, WHO, made.operation_id)


async def test_a_journal_that_is_partly_deleted_undoes_nothing(db: AsyncEngine) -> None:
    ids = await add_rows(db, "page", 3)
    made = await curate(db, WHO, PAGE, "Maybe", ids=ids)
    async with db.begin() as connection:
        journal = tables.operation_rows
        await connection.execute(delete(journal).where(journal.c.row_id == ids[1]))
    with pytest.raises(Conflict, match="is over"):
        await undo(db, WHO, made.operation_id)
    assert {row["page_curation_status"] for row in (await snapshot(db, PAGE)).values()} == {"Maybe"}


async def test_an_undo_that_fails_leaves_the_operation_as_it_was(
    db: AsyncEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = await add_rows(db, "page", 2)
    made = await curate(db, WHO, PAGE, "Maybe", ids=ids)
    async with db.begin() as connection:
        stopped = {"status": "cancelled", "cancel_requested": True}
        await connection.execute(update(tables.operations).values(stopped))

    async def fail(*_: Any) -> None:
        raise ValueError("broken")

    monkeypatch.setattr(runner, "restore_next", fail)
    with pytest.raises(ValueError, match="broken"):
        await undo(db, WHO, made.operation_id)
    row = await operation_row(db, made.operation_id)
    assert (row.status, row.undone_at) == ("cancelled", None)
    monkeypatch.undo()
    assert (await undo(db, WHO, made.operation_id)).updated == 2


async def below(db: AsyncEngine, domain: uuid.UUID) -> list[str | None]:
    async with db.connect() as connection:
        query = select(tables.pages.c.page_processing_status).where(tables.pages.c.domain_id == domain)
        pages = list(await connection.scalars(query.order_by(tables.pages.c.id)))
        jobs = select(tables.jobs.c.status).where(tables.jobs.c.domain_id == domain)
        return [*pages, *(await connection.scalars(jobs))]


async def test_undoing_a_rejection_returns_the_rows_below_the_domain_to_their_queues(db: AsyncEngine) -> None:
    domain = await add_domain(db, status="completed")
    await add_rows(db, "page", 2, domain_id=domain, page_processing_status="Queued")
    async with db.begin() as connection:
        values = {"tenant_id": TENANT, "job_type": "sitemap", "domain_id": domain}
        await connection.execute(tables.jobs.insert().values(values))
    assert await below(db, domain) == ["Queued", "Queued", "pending"]
    rejected = await curate(db, WHO, DOMAIN, "Rejected", ids=[domain])
    assert await below(db, domain) == [None, None, "cancelled"]
    await undo(db, WHO, rejected.operation_id)
    assert await below(db, domain) == ["Queued", "Queued", "pending"]


async def test_undoing_a_rejection_keeps_the_place_of_the_rows_below_in_their_queues(db: AsyncEngine) -> None:
    """A page that waits for its third try must not be read at once because somebody changed their mind."""
    domain = await add_domain(db, status="completed")
    [row_id] = await add_rows(db, "page", 1, domain_id=domain, page_processing_status="Queued")
    async with db.begin() as connection:
        later = {"page_processing_due_at": text("now() + interval '3 hours'"), "page_processing_retries": 2}
        await connection.execute(update(tables.pages).values(later))
    before = (await snapshot(db, PAGE))[row_id]
    rejected = await curate(db, WHO, DOMAIN, "Rejected", ids=[domain])
    await undo(db, WHO, rejected.operation_id)
    after = (await snapshot(db, PAGE))[row_id]
    changed = {name for name in before if before[name] != after[name]}
    assert changed <= {"page_processing_finished_at", "updated_at"}


async def test_undoing_a_rejection_that_was_decided_again_queues_no_job_twice(db: AsyncEngine) -> None:
    domain = await add_domain(db, status="completed")
    async with db.begin() as connection:
        values = {"tenant_id": TENANT, "job_type": "sitemap", "domain_id": domain}
        await connection.execute(tables.jobs.insert().values(values))
    rejected = await curate(db, WHO, DOMAIN, "Rejected", ids=[domain])
    await curate(db, WHO, DOMAIN, "Selected", ids=[domain])
    assert (await undo(db, WHO, rejected.operation_id)).skipped == {"changed_since": 1}
    assert await below(db, domain) == ["cancelled"]


async def test_undoing_a_selection_of_rejected_domains_dequeues_the_rows_below_again(db: AsyncEngine) -> None:
    domain = await add_domain(db, status="completed")
    await add_rows(db, "page", 1, domain_id=domain, page_processing_status="Queued")
    await curate(db, WHO, DOMAIN, "Rejected", ids=[domain])
    selected = await curate(db, WHO, DOMAIN, "Selected", filters=Filters(curation_status="rejected"))
    assert await below(db, domain) == ["Queued"]
    await undo(db, WHO, selected.operation_id)
    assert await below(db, domain) == [None]


async def test_the_journal_and_the_rows_of_a_chunk_are_one_statement(db: AsyncEngine) -> None:
    ids = await add_rows(db, "page", 3)
    statements: list[str] = []
    event.listen(db.sync_engine, "before_cursor_execute", lambda *seen: statements.append(seen[2]))
    await curate(db, WHO, PAGE, "Selected", ids=ids)
    [chunk] = [statement for statement in statements if "UPDATE pages" in statement]
    assert "INSERT INTO operation_rows" in chunk
    assert "FOR NO KEY UPDATE" in chunk
