"""Destinations in the console: added, mapped, tested and deleted; contacts are sent from their list."""

from __future__ import annotations

import re
from typing import Any

import httpx
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncEngine

from contacts_lab import add_contact
from scrapersky import tables
from scrapersky.declarations import statuses

HOME = "/settings/destinations"
SECRETS = {"hubspot": "pat-private", "brevo": "xkeysib-private"}
VALID = {"email_validation_result": "valid", "email_relation": "own"}


async def rows(db: AsyncEngine, table: Any) -> list[Any]:
    async with db.connect() as connection:
        return list((await connection.execute(select(table))).all())


async def test_a_destination_is_added_mapped_and_deleted(console: httpx.AsyncClient, db: AsyncEngine) -> None:
    answer = await console.post(HOME, data={"name": "CRM", "kind": "hubspot", "secret": "pat-private"})
    path = answer.headers["location"].partition("?")[0]
    page = (await console.get(path)).text
    assert "last_name = lastname" in page
    mapping = "email = email\nconfidence = score"
    form = {"name": "CRM", "is_active": "1", "is_automatic": "1", "mapping": mapping}
    assert (await console.post(path, data=form)).status_code == 303
    [row] = await rows(db, tables.destinations)
    assert (row.options["mapping"], row.is_automatic) == ({"email": "email", "score": "confidence"}, True)
    refused = await console.post(path, data={**form, "mapping": "nonsense"})
    assert refused.status_code == 422
    assert "Line 1 of the mapping" in refused.text
    home = await console.get(HOME)
    assert (home.status_code, "CRM" in home.text) == (200, True)
    assert "pat-private" not in page + refused.text + home.text
    assert (await console.post(f"{path}/delete")).status_code == 303
    assert await rows(db, tables.destinations) == []


async def test_a_generated_secret_is_shown_once_and_rotated(
    console: httpx.AsyncClient, db: AsyncEngine
) -> None:
    form = {"name": "Hook", "kind": "webhook", "url": "https://hook.example/x"}
    first = re.search(r"whsec_[\w+/=]+", (await console.post(HOME, data=form)).text)
    assert first
    [row] = await rows(db, tables.destinations)
    assert "whsec_" not in (await console.get(f"{HOME}/{row.id}")).text
    second = re.search(r"whsec_[\w+/=]+", (await console.post(f"{HOME}/{row.id}/rotate")).text)
    assert second
    assert second[0] != first[0]
    test = await console.post(f"{HOME}/{row.id}/test")
    assert "Test: failed" in test.text


async def test_each_kind_of_destination_has_a_page(console: httpx.AsyncClient, db: AsyncEngine) -> None:
    needed = {"url": "https://hook.example/x", "list_id": "7"}
    for kind in statuses.DESTINATION_KIND:
        await console.post(
            HOME, data={"name": f"To {kind}", "kind": kind, "secret": SECRETS.get(kind, ""), **needed}
        )
    added = {row.kind: row.id for row in await rows(db, tables.destinations)}
    assert set(added) == set(statuses.DESTINATION_KIND)
    for kind, destination_id in added.items():
        page = await console.get(f"{HOME}/{destination_id}")
        assert (page.status_code, f"To {kind}" in page.text) == (200, True), kind


async def test_what_is_refused_says_why_and_keeps_what_was_typed(console: httpx.AsyncClient) -> None:
    form = {"name": "Flow", "kind": "n8n", "url": "https://n8n.example/webhook-test/x"}
    answer = await console.post(HOME, data=form)
    assert answer.status_code == 422
    assert "production URL" in answer.text
    assert "webhook-test" in answer.text


async def test_contacts_are_sent_after_a_look_at_what_is_left_out(
    console: httpx.AsyncClient, db: AsyncEngine
) -> None:
    assert "There is no destination yet" in (await console.get("/contacts/send")).text
    await console.post(HOME, data={"name": "CRM", "kind": "hubspot", "secret": "pat-x"})
    good = await add_contact(db, "good.com", email="info@good.com", **VALID)
    hidden = await add_contact(db, "hidden.com", email="info@hidden.com", is_email_hidden=True, **VALID)
    assert "/contacts/send" in (await console.get("/contacts")).text
    look = await console.get("/contacts/send")
    assert "1 of 2 contacts" in look.text
    assert "1 with an address that the site hides" in look.text
    [destination] = await rows(db, tables.destinations)
    form = {"query": "", "destination": str(destination.id), "expected": "2", "do": "send"}
    stale = await console.post("/contacts/send", data={**form, "expected": "9"})
    assert stale.status_code == 409
    assert (await console.post("/contacts/send", data=form)).headers["location"].startswith("/deliveries?")
    assert {row.contact_id for row in await rows(db, tables.deliveries)} == {good}
    picked = {**form, "ids": f"{good},{hidden}", "include": "hidden", "expected": ""}
    await console.post("/contacts/send", data=picked)
    assert {row.contact_id for row in await rows(db, tables.deliveries)} == {good, hidden}
    page = await console.get(f"/deliveries?destination_id={destination.id}")
    assert page.status_code == 200
    # People read names: of the contacts, of the destination, and of the filter by it.
    for name in (
        "info@good.com",
        "info@hidden.com",
        f'<a class="clip" href="{HOME}/{destination.id}">CRM</a>',
    ):
        assert name in page.text
    assert "Destination: <b>CRM</b>" in page.text


async def test_a_suppressed_contact_has_no_name_among_the_deliveries(
    console: httpx.AsyncClient, db: AsyncEngine
) -> None:
    await console.post(HOME, data={"name": "CRM", "kind": "hubspot", "secret": "pat-x"})
    [destination] = await rows(db, tables.destinations)
    await add_contact(db, "good.com", email="info@good.com", **VALID)
    form = {"query": "", "destination": str(destination.id), "expected": "1", "do": "send"}
    await console.post("/contacts/send", data=form)
    assert "info@good.com" in (await console.get("/deliveries")).text
    suppression = {"entries": "info@good.com", "reason": "objected"}
    await console.post("/settings/privacy/suppressions", data=suppression)
    page = await console.get("/deliveries")
    assert page.status_code == 200
    assert "info@good.com" not in page.text
