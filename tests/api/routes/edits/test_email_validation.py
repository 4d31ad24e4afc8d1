"""Validation of addresses by HTTP: what is queued, skipped and refused, and the numbers."""

from __future__ import annotations

from uuid import UUID, uuid4

import httpx
import pytest
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncEngine

from contacts_lab import add_contact
from product import ago
from scrapersky import tables

API = "/api/v3/contacts"
VALID = {
    "email_validation_status": "Complete",
    "email_validation_result": "valid",
    "email_validation_score": 95,
    "email_validated_at": ago(hours=1),
}

FAILED = {"email_validation_status": "Error", "email_validation_error": "no answer"}


async def statuses(db: AsyncEngine) -> dict[UUID, str | None]:
    contacts = tables.contacts.c
    async with db.connect() as connection:
        found = await connection.execute(select(contacts.id, contacts.email_validation_status))
        return {row.id: row.email_validation_status for row in found}


async def some_contacts(db: AsyncEngine) -> dict[str, UUID]:
    """One contact in each state."""
    return {
        "new": await add_contact(db, "shop.com", email="new@shop.com"),
        "queued": await add_contact(db, "shop.com", email="q@shop.com", email_validation_status="Queued"),
        "valid": await add_contact(db, "shop.com", email="valid@shop.com", **VALID),
        "error": await add_contact(db, "shop.com", email="e@shop.com", **FAILED),
        "phone": await add_contact(db, "shop.com", phone_number="+442079460018"),
        "rejected": await add_contact(
            db, "shop.com", email="no@shop.com", contact_curation_status="Rejected"
        ),
    }


async def test_contacts_are_queued_for_validation(api: httpx.AsyncClient, db: AsyncEngine) -> None:
    ids = await some_contacts(db)
    unknown = uuid4()
    body = {"contact_ids": [str(one) for one in (*ids.values(), unknown)]}
    answer = await api.post(f"{API}/validate", json=body)
    assert answer.status_code == 202, answer.text
    result = answer.json()
    assert (result["queued_count"], result["already_processing"], result["already_validated"]) == (2, 1, 1)
    assert set(result["invalid_ids"]) == {str(unknown), str(ids["phone"]), str(ids["rejected"])}
    after = await statuses(db)
    assert [after[ids[name]] for name in ids] == ["Queued", "Queued", "Complete", "Queued", None, None]
    again = await api.post(f"{API}/validate", json={"contact_ids": [str(ids["valid"])], "again": True})
    assert again.json()["queued_count"] == 1
    assert (await statuses(db))[ids["valid"]] == "Queued"


async def test_all_that_match_are_queued_up_to_a_limit(api: httpx.AsyncClient, db: AsyncEngine) -> None:
    ids = await some_contacts(db)
    body = {"filters": {"email_validation_status": "Error"}, "max_contacts": 5}
    answer = await api.post(f"{API}/validate/all", json=body)
    assert answer.status_code == 202, answer.text
    assert answer.json() == {
        "queued_count": 1,
        "total_matched": 1,
        "filters_applied": {"email_validation_status": ["Error"]},
    }
    assert (await statuses(db))[ids["error"]] == "Queued"
    everything = (await api.post(f"{API}/validate/all", json={"max_contacts": 1})).json()
    assert (everything["queued_count"], everything["total_matched"]) == (1, 6)
    assert (await statuses(db))[ids["new"]] == "Queued"


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("validate", {"contact_ids": []}),
        ("validate", {"contact_ids": ["x"]}),
        ("validate", {}),
        ("validate/all", {"max_contacts": 0}),
        ("validate/all", {"filters": {"nothing": "x"}}),
        ("validate/all", {"filters": {"email_validation_status": "fine"}}),
    ],
)
async def test_bad_requests_queue_nothing(
    api: httpx.AsyncClient, db: AsyncEngine, path: str, body: dict[str, object]
) -> None:
    await some_contacts(db)
    before = await statuses(db)
    assert (await api.post(f"{API}/{path}", json=body)).status_code == 422
    assert await statuses(db) == before


async def test_the_status_and_the_numbers_are_read(api: httpx.AsyncClient, db: AsyncEngine) -> None:
    ids = await some_contacts(db)
    listed = ",".join(str(one) for one in (ids["valid"], ids["new"], uuid4()))
    answer = await api.get(f"{API}/validation-status", params={"contact_ids": listed})
    by_id = {one["contact_id"]: one for one in answer.json()["items"]}
    assert set(by_id) == {str(ids["valid"]), str(ids["new"])}
    shown = by_id[str(ids["valid"])]
    assert (shown["status"], shown["result"], shown["score"]) == ("Complete", "valid", 95)
    for bad in ("", "x", ",".join(str(uuid4()) for _ in range(101))):
        assert (await api.get(f"{API}/validation-status", params={"contact_ids": bad})).status_code == 422
    summary = (await api.get(f"{API}/validation-summary")).json()
    assert (summary["total_contacts"], summary["with_email"], summary["validated"]) == (6, 5, 1)
    assert summary["breakdown"] == {
        "valid": 1, "invalid": 0, "catch-all": 0, "unknown": 0, "disposable": 0,
        "pending": 1, "failed": 1, "not_validated": 2,
    }  # fmt: skip
    assert (summary["validation_rate"], summary["valid_rate"]) == (0.2, 1.0)
    assert summary["last_updated"]
    rejected = await api.get(f"{API}/validation-summary", params={"curation_status": "Rejected"})
    assert rejected.json()["total_contacts"] == 1
