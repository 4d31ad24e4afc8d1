"""The parts of the lead score by HTTP, and the score of a contact."""

from __future__ import annotations

import httpx
from sqlalchemy.ext.asyncio import AsyncEngine

from contacts_lab import add_contact
from people import add_key, add_person, bearer
from scrapersky.actions.lead_score import score_leads

SCORE = "/api/v3/lead-score"


async def test_a_weight_is_changed_and_returned_to_its_default(
    api: httpx.AsyncClient, db: AsyncEngine
) -> None:
    contact = await add_contact(db, "shop.example", email="info@shop.example")
    changed = await api.put(f"{SCORE}/category", json={"weight": 40, "words": ["Dentist", "Dentist"]})
    assert changed.status_code == 200, changed.text
    parts = {part["part"]: part for part in changed.json()["items"]}
    assert (parts["category"]["weight"], parts["category"]["words"]) == (40, ["Dentist"])
    assert changed.json()["is_current"] is False
    await score_leads(db)
    row = (await api.get(f"/api/v3/contacts/{contact}")).json()
    assert row["lead_score_parts"]["category"] == {
        "points": 0,
        "max": 36.4,
        "why": "none of the wanted ones",
    }
    listed = (await api.get("/api/v3/contacts", params={"sort": "-lead_score"})).json()["items"]
    assert listed[0]["lead_score"] == row["lead_score"] > 0

    answer = await api.delete(f"{SCORE}/category")
    assert {part["is_default"] for part in answer.json()["items"]} == {True}
    assert (await api.get(SCORE)).json()["is_current"] is False


async def test_bad_changes_are_refused_with_a_reason(api: httpx.AsyncClient) -> None:
    assert (await api.put(f"{SCORE}/charm", json={"weight": 1})).status_code == 404
    assert (await api.put(f"{SCORE}/evidence", json={"weight": 101})).status_code == 422
    refused = await api.put(f"{SCORE}/evidence", json={"words": ["x"]})
    assert refused.status_code == 422
    assert "compares with no words" in refused.json()["detail"]


async def test_only_admins_change_weights(api: httpx.AsyncClient, db: AsyncEngine) -> None:
    key = await add_key(db, await add_person(db, "op@example.com", "operator"), "operate", "read")
    assert (await api.get(SCORE, headers=bearer(key))).status_code == 200
    answer = await api.put(f"{SCORE}/evidence", json={"weight": 1}, headers=bearer(key))
    assert answer.status_code == 403
