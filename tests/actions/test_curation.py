"""Deciding about rows: decision and queue change together, in small batches, and never twice."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import event, insert, select, update
from sqlalchemy.ext.asyncio import AsyncEngine

from contacts_lab import add_contact
from product import TENANT, USER, add_domain, add_pages, add_sitemaps
from scrapersky import tables
from scrapersky.actions.actor import Actor
from scrapersky.actions.curation import curate, reset, run_now
from scrapersky.errors import InvalidInput
from scrapersky.queries.rows.entities import ENTITIES, Entity
from scrapersky.queries.rows.filters import Filters, parse_curation_status
from scrapersky.queries.rows.lists import ListQuery

WHO = Actor(TENANT, USER)


async def one_of(db: AsyncEngine, name: str) -> uuid.UUID:
    """A new row of the kind, not queued."""
    if name == "domain":
        return await add_domain(db, "shop.com", host="shop.com", status=None)
    if name == "sitemap":
        return (await add_sitemaps(db, 1, host="shop.com", sitemap_import_status=None))[0]
    if name == "page":
        return (await add_pages(db, 1, host="shop.com"))[0]
    if name == "contact":
        return await add_contact(db, "shop.com", email="info@shop.com")
    made = uuid.uuid4()
    row: Any = tables.places_staging if name == "place" else tables.local_businesses
    named = {"name": "Shop"} if name == "place" else {"business_name": "Shop"}
    async with db.begin() as connection:
        await connection.execute(insert(row).values(id=made, tenant_id=TENANT, place_id="p1", **named))
    return made


async def row_of(db: AsyncEngine, entity: Entity, row_id: uuid.UUID) -> Any:
    async with db.connect() as connection:
        return (
            (await connection.execute(select(entity.table).where(entity.table.c.id == row_id))).one()._mapping
        )


async def write(db: AsyncEngine, entity: Entity, row_id: uuid.UUID, **values: Any) -> None:
    async with db.begin() as connection:
        await connection.execute(update(entity.table).where(entity.table.c.id == row_id).values(values))


async def fail(db: AsyncEngine, entity: Entity, row_id: uuid.UUID) -> None:
    """The row as it is after its work failed for good."""
    queue = entity.selected_stage
    lease = queue.column("lease_until")
    await write(db, entity, row_id, **{queue.status: queue.statuses.queued})
    await write(db, entity, row_id, **{queue.status: queue.statuses.processing, lease: datetime.now(UTC)})
    failed = {
        queue.status: queue.statuses.failed,
        lease: None,
        queue.error: "no answer",
        queue.column("retries"): 3,
    }
    await write(db, entity, row_id, **failed)


@pytest.mark.req("R012", "R139", "R152")
@pytest.mark.parametrize("name", ENTITIES)
async def test_selecting_queues_in_the_same_statement(db: AsyncEngine, name: str) -> None:
    entity, row_id = ENTITIES[name], await one_of(db, name)
    await fail(db, entity, row_id)
    updates: list[str] = []

    def seen(_: Any, __: Any, statement: str, *___: Any) -> None:
        if f"UPDATE {entity.table.name} SET" in statement:
            updates.append(statement)

    event.listen(db.sync_engine, "before_cursor_execute", seen)
    changed = await curate(db, WHO, entity, "selected", ids=[row_id])
    assert changed.as_dict() == {"updated": 1, "queued": 1}
    assert len(updates) == 1
    row = await row_of(db, entity, row_id)
    queue = entity.selected_stage
    assert (row[entity.curation_column], row[queue.status], row[queue.error]) == (
        "Selected",
        queue.statuses.queued,
        None,
    )
    assert row[queue.column("retries")] == 0


@pytest.mark.req("R014")
@pytest.mark.parametrize("name", ["domain", "sitemap", "page"])
async def test_curation_is_filtered_and_changed_in_bulk_in_one_way(db: AsyncEngine, name: str) -> None:
    add = {"domain": add_domain_rows, "sitemap": add_sitemaps, "page": add_pages}[name]
    entity, ids = ENTITIES[name], await add(db, 3)
    await curate(db, WHO, entity, "Rejected", ids=ids[:1])

    async def listed(word: str) -> set[uuid.UUID]:
        return {
            row["id"] for row in await ListQuery(db, TENANT).list_rows(entity, Filters(curation_status=word))
        }

    assert (await listed("New"), await listed("Rejected")) == (set(ids[1:]), set(ids[:1]))
    changed = await curate(db, WHO, entity, "Selected", filters=Filters(curation_status="Rejected"))
    assert changed.as_dict() == {"updated": 1, "queued": 1}
    assert (await listed("Selected"), await listed("Rejected")) == (set(ids[:1]), set())


async def add_domain_rows(db: AsyncEngine, number: int) -> list[uuid.UUID]:
    return [await add_domain(db, status=None) for _ in range(number)]


@pytest.mark.parametrize("name", ENTITIES)
@pytest.mark.parametrize("word", ["New", "Maybe", "Rejected", "Archived", "Not a Fit"])
async def test_every_other_decision_leaves_the_work_alone(db: AsyncEngine, name: str, word: str) -> None:
    entity, row_id = ENTITIES[name], await one_of(db, name)
    await fail(db, entity, row_id)
    changed = await curate(db, WHO, entity, word, ids=[row_id])
    assert changed.as_dict() == {"updated": 1, "queued": 0}
    row = await row_of(db, entity, row_id)
    assert row[entity.curation_column] == ("Rejected" if word == "Not a Fit" else word)
    assert row[entity.selected_stage.status] == entity.selected_stage.statuses.failed


async def test_a_row_in_work_is_not_taken_from_its_worker(db: AsyncEngine) -> None:
    entity, row_id = ENTITIES["page"], await one_of(db, "page")
    lease = datetime.now(UTC) + timedelta(minutes=1)
    await write(db, entity, row_id, page_processing_status="Queued")
    await write(db, entity, row_id, page_processing_status="Processing", page_processing_lease_until=lease)
    for change in (curate(db, WHO, entity, "Selected", ids=[row_id]), reset(db, WHO, entity, ids=[row_id])):
        assert (await change).queued == 0
        row = await row_of(db, entity, row_id)
        assert (row["page_processing_status"], row["page_processing_lease_until"]) == ("Processing", lease)


async def test_a_contact_without_an_address_is_selected_but_not_validated(db: AsyncEngine) -> None:
    row_id = await add_contact(db, "shop.com", phone_number="+4930123456")
    changed = await curate(db, WHO, ENTITIES["contact"], "Selected", ids=[row_id])
    assert changed.as_dict() == {"updated": 1, "queued": 0}


@pytest.mark.req("R046", "R047", "R048", "R049", "R050")
async def test_ten_thousand_ids_go_in_sub_batches_of_a_hundred(db: AsyncEngine) -> None:
    ids = await add_pages(db, 10_000, host="shop.com")
    commits: list[int] = []
    updates: list[int] = []

    def seen(_: Any, __: Any, statement: str, *___: Any) -> None:
        updates.append(1) if "UPDATE pages SET" in statement else None

    event.listen(db.sync_engine, "before_cursor_execute", seen)
    event.listen(db.sync_engine, "commit", lambda _: commits.append(1))
    changed = await curate(db, WHO, ENTITIES["page"], "Selected", ids=[*ids, *ids[:50]])
    assert changed.as_dict() == {"updated": 10_000, "queued": 10_000}
    # One more commit: the operation itself.
    assert (len(updates), len(commits)) == (100, 101)


@pytest.mark.req("R051")
async def test_all_filtered_rows_change_set_by_set(db: AsyncEngine) -> None:
    await add_pages(db, 2_500, host="shop.com", priority_level=1)
    await add_pages(db, 10, host="shop.com", priority_level=3)
    updates: list[int] = []

    def seen(_: Any, __: Any, statement: str, *___: Any) -> None:
        updates.append(1) if "UPDATE pages SET" in statement else None

    event.listen(db.sync_engine, "before_cursor_execute", seen)
    page, first = ENTITIES["page"], Filters(priority=1, curation_status="new")
    assert await ListQuery(db, TENANT).count(page, first) == 2_500
    changed = await curate(db, WHO, page, "Selected", filters=first)
    assert changed.as_dict() == {"updated": 2_500, "queued": 2_500}
    assert len(updates) == 3
    assert await ListQuery(db, TENANT).count(page, first) == 0
    assert (await curate(db, WHO, page, "Maybe", filters=Filters(priority=3))).updated == 10


async def test_rows_of_another_tenant_cannot_be_decided_about(db: AsyncEngine) -> None:
    [row_id] = await add_pages(db, 1, host="shop.com")
    other = uuid.uuid4()
    async with db.begin() as connection:
        await connection.execute(insert(tables.tenants).values(id=other, name="Other"))
    page = ENTITIES["page"]
    stranger = Actor(other, USER)
    assert (await curate(db, stranger, page, "Rejected", ids=[row_id])).updated == 0
    assert (await curate(db, stranger, page, "Rejected", filters=Filters())).updated == 0
    assert (await row_of(db, page, row_id))["page_curation_status"] == "New"


@pytest.mark.req("R223")
@pytest.mark.parametrize("name", ENTITIES)
async def test_a_reset_row_is_as_new(db: AsyncEngine, name: str) -> None:
    entity, row_id = ENTITIES[name], await one_of(db, name)
    await fail(db, entity, row_id)
    await curate(db, WHO, entity, "Rejected", ids=[row_id])
    assert (await reset(db, WHO, entity, ids=[row_id])).updated == 1
    row = await row_of(db, entity, row_id)
    begins = {"domain": None, "sitemap": "Queued"}.get(name)
    assert (
        row[entity.curation_column],
        row[entity.selected_stage.status],
        row[entity.selected_stage.error],
    ) == ("New", begins, None)
    assert row[entity.selected_stage.column("retries")] == 0
    if name == "domain":
        assert row["status"] == "pending"


@pytest.mark.parametrize("name", ENTITIES)
async def test_running_again_queues_at_the_head_and_keeps_the_decision(db: AsyncEngine, name: str) -> None:
    entity, row_id = ENTITIES[name], await one_of(db, name)
    await curate(db, WHO, entity, "Maybe", ids=[row_id])
    assert (await run_now(db, WHO, entity, ids=[row_id])).queued == 1
    row, queue = await row_of(db, entity, row_id), entity.first_stage
    assert (row[entity.curation_column], row[queue.status]) == ("Maybe", queue.statuses.queued)
    assert row[queue.column("due_at")] < datetime.now(UTC) - timedelta(hours=23)


async def test_wrong_words_and_no_rows_are_refused(db: AsyncEngine) -> None:
    with pytest.raises(InvalidInput, match="Invalid curation status"):
        await curate(db, WHO, ENTITIES["page"], "Perhaps", filters=Filters())
    with pytest.raises(InvalidInput, match="Ids or a filter are required"):
        await curate(db, WHO, ENTITIES["page"], "New")
    with pytest.raises(InvalidInput, match="Invalid status"):
        await curate(db, WHO, ENTITIES["page"], "New", filters=Filters(status="submitted"))
    with pytest.raises(InvalidInput, match="no filter 'page_type'"):
        await curate(db, WHO, ENTITIES["domain"], "New", filters=Filters(page_type="x"))
    assert [parse_curation_status(text) for text in ("not a fit", "NOT-A-FIT", "selected")] == [
        "Rejected", "Rejected", "Selected",
    ]  # fmt: skip


async def test_filters_by_status_domain_text_and_error(db: AsyncEngine) -> None:
    page = ENTITIES["page"]
    mine, *_ = await add_pages(db, 3, host="shop.com")
    domain = (await row_of(db, page, mine))["domain_id"]
    name = (await row_of(db, ENTITIES["domain"], domain))["domain"]
    await fail(db, page, mine)
    for filters, number in (
        (Filters(status="error"), 1),
        (Filters(status="none"), 2),
        (Filters(domain=name), 3),
        (Filters(domain="other.com"), 0),
        (Filters(contains=str(mine)), 1),
        (Filters(contains="100%"), 0),
        (Filters(error="NO ANSWER"), 1),
        (Filters(page_type="UNKNOWN"), 3),
    ):
        assert len(await ListQuery(db, TENANT).list_rows(page, filters)) == number
