"""Decisions by HTTP: every path and table, with what each does to the rows."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
from sqlalchemy import insert, update
from sqlalchemy.ext.asyncio import AsyncEngine

from operation_lab import add_rows, operation_row, snapshot
from product import TENANT, until
from scrapersky import tables
from scrapersky.api.decision_bodies import RESOURCES, Resource
from scrapersky.declarations import statuses
from scrapersky.queries.rows.entities import ENTITIES

API = "/api/v3"
BY_PATH = {resource.path: resource for resource in RESOURCES}
# Every batch update: its path, and the name of the new status in the body.
BATCH = [
    *((path, "status") for path in BY_PATH),
    ("/domains/sitemap-curation", "sitemap_curation_status"),
    ("/sitemap-files/sitemap_import_curation", "deep_scrape_curation_status"),
    ("/sitemap-files/sitemap_import_curation", "sitemap_curation_status"),
]


def resource_of(path: str) -> Resource:
    return next(one for one in RESOURCES if path in (one.path, one.status_path))


def decisions(rows: dict[uuid.UUID, dict[str, Any]], resource: Resource) -> dict[uuid.UUID, str]:
    return {row_id: row[resource.entity.curation_column] for row_id, row in rows.items()}


async def rows_of(db: AsyncEngine, resource: Resource) -> dict[uuid.UUID, dict[str, Any]]:
    return await snapshot(db, resource.entity)


@pytest.mark.req("R011", "R012", "R013", "R050")
@pytest.mark.parametrize(("path", "field"), BATCH)
async def test_a_batch_update_decides_and_queues(
    api: httpx.AsyncClient, db: AsyncEngine, path: str, field: str
) -> None:
    resource = resource_of(path)
    ids = await add_rows(db, resource.entity.name, 3)
    body = {resource.ids_field: [str(row_id) for row_id in ids[:2]], field: "Selected"}
    answer = await api.put(f"{API}{path}/status", json=body)
    assert answer.status_code == 200, answer.text
    assert (answer.json()["updated_count"], answer.json()["queued_count"]) == (2, 2)
    rows, stage = await rows_of(db, resource), resource.entity.selected_stage
    for row_id in ids[:2]:
        row = rows[row_id]
        assert (row[resource.entity.curation_column], row[stage.status]) == (
            "Selected",
            stage.statuses.queued,
        )
        assert row[stage.error] is None
    assert decisions(rows, resource)[ids[2]] == "New"


@pytest.mark.req("R014", "R016", "R017", "R051")
@pytest.mark.parametrize(("path", "field"), BATCH)
async def test_a_filtered_update_decides_about_all_that_match(
    api: httpx.AsyncClient, db: AsyncEngine, path: str, field: str
) -> None:
    resource = resource_of(path)
    ids = await add_rows(db, resource.entity.name, 3)
    await api.put(
        f"{API}{resource.path}/status",
        json={resource.ids_field: [str(ids[0])], "status": "Maybe"},
    )
    alias = (
        "sitemap_curation_status_filter"
        if field == "sitemap_curation_status" and path.startswith("/domains")
        else "status_filter"
    )
    answer = await api.put(f"{API}{path}/status/filtered", json={field: "Not a Fit", alias: "New"})
    assert answer.status_code == 200, answer.text
    assert answer.json()["updated_count"] == 2
    assert answer.json()["queued_count"] == 0
    found = decisions(await rows_of(db, resource), resource)
    assert [found[row_id] for row_id in ids] == ["Maybe", "Rejected", "Rejected"]


@pytest.mark.req("R046", "R048", "R254")
@pytest.mark.parametrize("path", BY_PATH)
async def test_bulk_update_answers_how_many_rows_it_changed(
    api: httpx.AsyncClient, db: AsyncEngine, path: str
) -> None:
    resource = BY_PATH[path]
    ids = await add_rows(db, resource.entity.name, 3)
    body = {resource.ids_field: [*map(str, ids), str(uuid.uuid4())], "status": "Rejected"}
    answer = await api.put(f"{API}{path}/bulk-update", json=body)
    assert answer.status_code == 200, answer.text
    assert answer.json()["updated_count"] == 3
    assert answer.json()["skipped"] == {"not_found": 1}
    assert set(decisions(await rows_of(db, resource), resource).values()) == {"Rejected"}


@pytest.mark.req("R047", "R049")
async def test_ten_thousand_ids_are_updated_within_the_request(
    api: httpx.AsyncClient, db: AsyncEngine
) -> None:
    ids = await add_rows(db, "page", 10_000)
    body = {"page_ids": [str(row_id) for row_id in ids], "status": "Selected"}
    answer = await api.put(f"{API}/pages/bulk-update", json=body, timeout=60)
    assert answer.status_code == 200, answer.text
    assert (answer.json()["updated_count"], answer.json()["queued_count"]) == (10_000, 10_000)


@pytest.mark.parametrize("path", BY_PATH)
async def test_a_decision_with_a_filter_or_ids(api: httpx.AsyncClient, db: AsyncEngine, path: str) -> None:
    resource = BY_PATH[path]
    ids = await add_rows(db, resource.entity.name, 4)
    chosen = {"ids": [str(ids[0])], "decision": "Maybe", "expected": 1}
    answer = await api.post(f"{API}{path}/decisions", json=chosen)
    assert (answer.status_code, answer.json()["updated_count"]) == (200, 1), answer.text
    look = {"filter": {"curation_status": ["New", "Maybe"]}, "decision": "Selected", "dry_run": True}
    answer = await api.post(f"{API}{path}/decisions", json=look)
    assert (answer.json()["matched_count"], answer.json()["operation_id"]) == (4, None)
    assert sorted(decisions(await rows_of(db, resource), resource).values()) == ["Maybe", "New", "New", "New"]
    answer = await api.post(f"{API}{path}/decisions", json=look | {"dry_run": False, "expected": 4})
    assert answer.json()["updated_count"] == 4
    assert answer.headers["Location"] == f"{API}/operations/{answer.json()['operation_id']}"
    assert set(decisions(await rows_of(db, resource), resource).values()) == {"Selected"}
    answer = await api.post(f"{API}{path}/reset", json={"ids": [str(ids[0])]})
    assert answer.json()["updated_count"] == 1
    assert decisions(await rows_of(db, resource), resource)[ids[0]] == "New"


async def test_another_number_of_matches_than_was_shown_is_a_conflict(
    api: httpx.AsyncClient, db: AsyncEngine
) -> None:
    await add_rows(db, "page", 99)
    body: dict[str, Any] = {"filter": {}, "decision": "Rejected", "expected": 98}
    answer = await api.post(f"{API}/pages/decisions", json=body)
    assert answer.status_code == 409
    assert (answer.json()["expected"], answer.json()["actual"]) == (98, 99)
    assert (await api.post(f"{API}/pages/decisions", json=body | {"dry_run": True})).status_code == 409
    await add_rows(db, "page", 101)
    for expected, status in ((198, 409), (199, 200)):
        answer = await api.post(f"{API}/pages/decisions", json=body | {"expected": expected})
        assert answer.status_code == status, (expected, answer.text)
    filtered = {"status": "Maybe", "expected": 150}
    assert (await api.put(f"{API}/pages/status/filtered", json=filtered)).status_code == 409


@pytest.mark.parametrize("path", BY_PATH)
async def test_running_rows_queues_them_at_the_head_without_a_decision(
    api: httpx.AsyncClient, db: AsyncEngine, path: str
) -> None:
    resource = BY_PATH[path]
    ids = await add_rows(db, resource.entity.name, 3)
    assert (await api.post(f"{API}{path}/{ids[0]}/run")).json()["queued_count"] == 1
    assert (await api.post(f"{API}{path}/{uuid.uuid4()}/run")).status_code == 404
    answer = await api.post(f"{API}{path}/run", json={"filter": {"curation_status": "New"}})
    assert answer.json()["updated_count"] == 3
    rows, stage = await rows_of(db, resource), resource.entity.first_stage
    assert set(decisions(rows, resource).values()) == {"New"}
    head = datetime.now(UTC) - timedelta(hours=23)
    assert all(row[stage.status] == stage.statuses.queued for row in rows.values())
    assert all(row[stage.column("due_at")] < head for row in rows.values())


async def test_places_are_queued_for_their_details(api: httpx.AsyncClient, db: AsyncEngine) -> None:
    [row_id] = await add_rows(db, "place", 1)
    answer = await api.put(f"{API}/places/staging/queue-deep-scan", json={"place_ids": [str(row_id)]})
    assert (answer.status_code, answer.json()["updated_count"]) == (202, 1), answer.text
    row = (await snapshot(db, ENTITIES["place"]))[row_id]
    assert (row["status"], row["deep_scan_status"]) == ("New", "Queued")


@pytest.mark.req("R258")
async def test_one_request_reads_every_page_that_is_not_read_automatically(
    api: httpx.AsyncClient, db: AsyncEngine
) -> None:
    unread = await add_rows(db, "page", 3, priority_level=3)
    [promising] = await add_rows(db, "page", 1, priority_level=2)
    answer = await api.post(f"{API}/pages/read-all", json={"expected": 3})
    assert (answer.status_code, answer.json()["queued_count"]) == (200, 3), answer.text
    rows = await snapshot(db, ENTITIES["page"])
    assert {rows[row_id]["page_processing_status"] for row_id in unread} == {"Queued"}
    assert rows[promising]["page_processing_status"] is None


async def test_the_grace_delays_what_a_decision_queues_and_nothing_else(
    api: httpx.AsyncClient, db: AsyncEngine
) -> None:
    waiting = datetime.now(UTC) - timedelta(hours=2)
    first, second, queued = await add_rows(db, "page", 3)
    async with db.begin() as connection:
        values = {"page_processing_status": "Queued", "page_processing_due_at": waiting}
        await connection.execute(update(tables.pages).where(tables.pages.c.id == queued).values(values))
    body = {"page_ids": [str(first), str(queued)], "status": "Selected"}
    await api.put(f"{API}/pages/status", json=body)
    await api.post(f"{API}/pages/{second}/run")
    rows = await snapshot(db, ENTITIES["page"])
    delay = rows[first]["page_processing_due_at"] - datetime.now(UTC)
    assert timedelta(seconds=5) < delay < timedelta(seconds=10)
    assert rows[second]["page_processing_due_at"] < datetime.now(UTC)
    # A row that is due already keeps its place in the queue.
    assert rows[queued]["page_processing_due_at"] == waiting


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("PUT", "/pages/status", {"page_ids": [], "status": "Maybe"}),
        ("PUT", "/pages/status", {"page_ids": ["x"], "status": "Maybe"}),
        ("PUT", "/pages/status", {"page_ids": [str(uuid.uuid4())], "status": "Perhaps"}),
        ("PUT", "/pages/status", {"page_ids": [str(uuid.uuid4())], "status": "Maybe", "tenant_id": 1}),
        ("PUT", "/sitemap-files/sitemap_import_curation/status", {"sitemap_file_ids": [str(uuid.uuid4())]}),
        ("PUT", "/pages/status/filtered", {"status": "Maybe", "colour": "red"}),
        ("PUT", "/pages/status/filtered", {"status": "Maybe", "page_processing_status": "submitted"}),
        ("PUT", "/pages/status/filtered", {"status": "New", "status_filter": "New", "curation_status": "x"}),
        ("POST", "/pages/decisions", {"decision": "Maybe"}),
        ("POST", "/pages/decisions", {"decision": "Maybe", "ids": [str(uuid.uuid4())], "filter": {}}),
        ("POST", "/pages/decisions", {"decision": "Maybe", "filter": {"colour": "red"}}),
        ("POST", "/domains/decisions", {"decision": "Maybe", "filter": {"page_type": "login"}}),
    ],
)  # fmt: skip
async def test_wrong_decisions_are_refused(
    api: httpx.AsyncClient, db: AsyncEngine, method: str, path: str, body: dict[str, Any]
) -> None:
    await add_rows(db, "page", 1)
    answer = await api.request(method, f"{API}{path}", json=body)
    assert answer.status_code == 422, answer.text
    assert {row["page_curation_status"] for row in (await snapshot(db, ENTITIES["page"])).values()} == {"New"}


async def test_too_many_ids_are_refused_with_a_hint(api: httpx.AsyncClient) -> None:
    body = {"page_ids": [str(uuid.UUID(int=number)) for number in range(100_001)], "status": "Maybe"}
    answer = await api.put(f"{API}/pages/bulk-update", json=body, timeout=60)
    assert answer.status_code == 422, answer.text[:500]
    assert "use a filter" in answer.json()["detail"]


@pytest.mark.parametrize("path", BY_PATH)
async def test_a_batch_update_without_a_match_is_not_found(api: httpx.AsyncClient, path: str) -> None:
    resource = BY_PATH[path]
    body = {resource.ids_field: [str(uuid.uuid4())], "status": "Maybe"}
    assert (await api.put(f"{API}{path}/status", json=body)).status_code == 404
    assert (await api.put(f"{API}{path}/status/filtered", json={"status": "Maybe"})).status_code == 404


async def test_a_decision_about_nothing_names_no_operation(api: httpx.AsyncClient) -> None:
    body = {"filter": {"q": "nowhere"}, "decision": statuses.REJECTED}
    answer = await api.post(f"{API}/pages/decisions", json=body)
    assert (answer.status_code, answer.json()["operation_id"]) == (200, None)
    assert "location" not in answer.headers


async def test_the_original_filters_select_the_same_rows(api: httpx.AsyncClient, db: AsyncEngine) -> None:
    first, second = await add_rows(db, "domain", 2)
    name = (await snapshot(db, ENTITIES["domain"]))[first]["domain"]
    body = {"sitemap_curation_status": "Maybe", "domain_filter": name}
    answer = await api.put(f"{API}/domains/sitemap-curation/status/filtered", json=body)
    assert answer.json()["updated_count"] == 1, answer.text
    found = decisions(await snapshot(db, ENTITIES["domain"]), BY_PATH["/domains"])
    assert found == {first: "Maybe", second: "New"}
    business, _ = await add_rows(db, "business", 2)
    label = (await snapshot(db, ENTITIES["business"]))[business]["business_name"]
    body = {"status": "Maybe", "business_name": label}
    answer = await api.put(f"{API}/local-businesses/status/filtered", json=body)
    assert answer.json()["updated_count"] == 1, answer.text


@pytest.mark.parametrize("path", BY_PATH)
async def test_a_row_that_is_named_twice_counts_once(
    api: httpx.AsyncClient, db: AsyncEngine, path: str
) -> None:
    resource = BY_PATH[path]
    [row_id] = await add_rows(db, resource.entity.name, 1)
    body = {resource.ids_field: [str(row_id)] * 3, "status": "Maybe"}
    answer = (await api.put(f"{API}{path}/bulk-update", json=body)).json()
    assert (answer["matched_count"], answer["updated_count"], answer["skipped"]) == (1, 1, {})


@pytest.mark.parametrize("path", BY_PATH)
async def test_rows_of_another_tenant_are_out_of_reach(
    api: httpx.AsyncClient, db: AsyncEngine, path: str
) -> None:
    resource, other = BY_PATH[path], uuid.uuid4()
    async with db.begin() as connection:
        await connection.execute(insert(tables.tenants).values(id=other, name="Other"))
    theirs = await add_rows(db, resource.entity.name, 2, tenant_id=other)
    before = await snapshot(db, resource.entity)
    ids = [str(row_id) for row_id in theirs]
    for method, end, body in (
        ("PUT", "status", {resource.ids_field: ids, "status": "Rejected"}),
        ("PUT", "bulk-update", {resource.ids_field: ids, "status": "Rejected"}),
        ("PUT", "status/filtered", {"status": "Rejected"}),
        ("POST", "decisions", {"ids": ids, "decision": "Selected"}),
        ("POST", "decisions", {"filter": {}, "decision": "Selected"}),
        ("POST", "run", {"ids": ids}),
        ("POST", "reset", {"filter": {}}),
        ("POST", f"{ids[0]}/run", None),
    ):
        answer = await api.request(method, f"{API}{path}/{end}", json=body)
        assert answer.status_code in (200, 404), answer.text
        assert answer.json().get("updated_count", 0) == 0
    assert await snapshot(db, resource.entity) == before


async def test_more_than_five_thousand_matches_continue_as_an_operation(
    api: httpx.AsyncClient, db: AsyncEngine
) -> None:
    await add_rows(db, "page", 5_001)
    answer = await api.put(f"{API}/pages/status/filtered", json={"status": "Selected", "expected": 5_001})
    assert answer.status_code == 202, answer.text
    where = answer.headers["Location"]

    async def finished() -> Any:
        operation = (await api.get(where)).json()
        return operation if operation["finished_at"] else None

    operation = await until(finished, seconds=60)
    assert (operation["status"], operation["changed"], operation["queued"]) == ("complete", 5_001, 5_001)
    assert operation["progress"] == 1
    assert {row["page_curation_status"] for row in (await snapshot(db, ENTITIES["page"])).values()} == {
        "Selected"
    }


async def test_a_decision_is_one_entry_in_the_audit_log(api: httpx.AsyncClient, db: AsyncEngine) -> None:
    ids = await add_rows(db, "page", 250)
    body = {"page_ids": [str(row_id) for row_id in ids], "status": "Maybe"}
    answer = await api.put(
        f"{API}/pages/status", json=body, headers={"X-Correlation-Id": "decision-1234567890"}
    )
    operation_id = uuid.UUID(answer.json()["operation_id"])
    async with db.connect() as connection:
        log = tables.audit_log
        entries = (await connection.execute(log.select().where(log.c.tenant_id == TENANT))).all()
    [entry] = [entry for entry in entries if entry.operation_id == operation_id]
    assert (entry.action, entry.table_name, entry.correlation_id) == (
        "page.curate",
        "pages",
        "decision-1234567890",
    )
    row = await operation_row(db, operation_id)
    assert (row.correlation_id, row.status) == ("decision-1234567890", statuses.OPERATION_COMPLETE)


async def test_the_message_says_what_happened(api: httpx.AsyncClient, db: AsyncEngine) -> None:
    await add_rows(db, "page", 2)
    body = {"filter": {}, "decision": "Maybe"}
    preview = await api.post(f"{API}/pages/decisions", json={**body, "dry_run": True})
    assert (preview.json()["message"], preview.json()["matched_count"]) == ("2 pages would be updated", 2)
    done = await api.post(f"{API}/pages/decisions", json=body)
    assert done.json()["message"] == "2 of 2 pages updated"
