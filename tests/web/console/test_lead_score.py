"""The lead score in the console: its parts in the settings, and why a contact has its score."""

from __future__ import annotations

from typing import Any

import httpx
from sqlalchemy.ext.asyncio import AsyncEngine

from contacts_lab import add_contact
from scrapersky.actions.lead_score import score_leads


async def test_a_weight_is_edited_and_the_contact_says_why(
    console: httpx.AsyncClient, db: AsyncEngine
) -> None:
    contact = await add_contact(db, "shop.example", email="info@shop.example")
    assert "Not computed yet" in (await console.get(f"/contacts/{contact}")).text
    await score_leads(db)
    page = (await console.get(f"/contacts/{contact}")).text
    assert "2 pages" in page
    assert "e-mail elsewhere, no phone, no name" in page
    assert 'href="/contacts?sort=lead_score' in (await console.get("/contacts")).text

    form = {"weight": "50", "words": "dentist\nbakery\n"}
    answer = await console.post("/settings/score/category", data=form)
    assert answer.status_code == 303
    page = (await console.get("/settings/score")).text
    assert "dentist\nbakery" in page
    assert "being scored with the latest weights" in page
    await score_leads(db)
    assert "none of the wanted ones" in (await console.get(f"/contacts/{contact}")).text
    assert (await console.post("/settings/score/category/reset")).status_code == 303
    assert "dentist" not in (await console.get("/settings/score")).text


async def test_a_bad_weight_keeps_what_was_typed(console: httpx.AsyncClient) -> None:
    answer = await console.post("/settings/score/category", data={"weight": "many", "words": "<b>"})
    assert answer.status_code == 422
    assert "A weight is a whole number" in answer.text
    assert "&lt;b&gt;" in answer.text


async def test_viewers_see_weights_without_a_form(open_console: Any) -> None:
    async with open_console("viewer") as client:
        page = (await client.get("/settings/score")).text
    assert "Reachability" in page
    assert "<textarea" not in page
