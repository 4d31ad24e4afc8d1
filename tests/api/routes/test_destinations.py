"""Destinations by HTTP: secrets go in and never out, contacts are sent, counted and left out."""

from __future__ import annotations

import uuid
from typing import Any

import httpx
import pytest
from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncEngine

from contacts_lab import add_contact
from people import add_person, add_session, cookie
from product import TENANT
from scrapersky import tables
from scrapersky.actions.delivery.destination_secrets import decrypt_secrets
from scrapersky.secret_key import SecretKey

PATH = "/api/v3/destinations"
KEY = SecretKey("k3Jq9-Zx7vB2nM5tR8wY1uC4sD6fG0hL")
HOOK = {"name": "Leads", "kind": "webhook", "options": {"url": "https://hook.example/x"}}
CRM = {"name": "CRM", "kind": "hubspot", "secret": "pat-very-secret"}


async def add(api: httpx.AsyncClient, body: dict[str, Any]) -> dict[str, Any]:
    answer = await api.post(PATH, json=body)
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.json()
    return made


async def stored(db: AsyncEngine, identifier: str) -> Any:
    async with db.connect() as connection:
        query = select(tables.destinations).where(tables.destinations.c.id == uuid.UUID(identifier))
        return (await connection.execute(query)).one()


async def secrets_of(db: AsyncEngine, identifier: str) -> tuple[str, ...]:
    return decrypt_secrets(KEY, uuid.UUID(identifier), (await stored(db, identifier)).encrypted_secret)


async def test_a_secret_is_encrypted_and_no_answer_shows_it(api: httpx.AsyncClient, db: AsyncEngine) -> None:
    made = await add(api, CRM)
    row = await stored(db, made["id"])
    assert b"very-secret" not in bytes(row.encrypted_secret)
    assert await secrets_of(db, made["id"]) == ("pat-very-secret",)
    changed = await api.patch(
        f"{PATH}/{made['id']}", json={"secret": "pat-second-secret", "is_automatic": True}
    )
    audit = await api.get("/api/v3/audit")
    texts = [str(made), changed.text, (await api.get(PATH)).text, audit.text]
    assert not [
        text
        for text in texts
        if "secret"
        in text.replace("has_secret", "").replace("generated_secret", "").replace("encrypted_secret", "")
    ]
    assert await secrets_of(db, made["id"]) == ("pat-second-secret",)
    assert changed.json()["is_automatic"]
    assert "destination.update" in audit.text


async def test_a_webhook_gets_a_secret_that_is_shown_once_and_rotated(
    api: httpx.AsyncClient, db: AsyncEngine
) -> None:
    made = await add(api, HOOK)
    first = made["generated_secret"]
    assert first.startswith("whsec_")
    second = (await api.post(f"{PATH}/{made['id']}/rotate-secret", json={})).json()["secret"]
    assert await secrets_of(db, made["id"]) == (second, first)
    assert (await api.post(f"{PATH}/{made['id']}/forget-previous-secret", json={})).status_code == 204
    assert await secrets_of(db, made["id"]) == (second,)
    assert first not in (await api.get(f"{PATH}/{made['id']}")).text


@pytest.mark.parametrize(
    "body",
    [
        {**HOOK, "options": {}},
        {**HOOK, "options": {"url": "ftp://x.example"}},
        {**HOOK, "options": {"url": "https://user:pass@x.example/"}},
        {**HOOK, "options": {"url": "https://["}},
        {**HOOK, "options": {"url": "https://x.example:99999/"}},
        {**HOOK, "options": {"url": "https://x.example/\r\nX-Header: x"}},
        {**HOOK, "options": {"url": "https://x.example /"}},
        {**HOOK, "options": {"url": "https://x.example/", "nonsense": 1}},
        {**HOOK, "secret": "short"},
        {**HOOK, "kind": "n8n", "options": {"url": "https://n8n.example/webhook-test/abc"}},
        {**HOOK, "options": {"url": "https://x.example/", "mapping": {"a": "no_such_column"}}},
        {**HOOK, "options": {"url": "https://x.example/", "mapping": {"a b": "email"}}},
        {**CRM, "secret": "with\r\nX-Header: x"},
        {"name": "F", "kind": "csv", "options": {"file": "../x"}},
        {"name": "F", "kind": "xml"},
        {"name": "B", "kind": "brevo", "options": {"list_id": "seven"}},
    ],
)
async def test_what_can_never_work_is_refused(api: httpx.AsyncClient, body: dict[str, Any]) -> None:
    answer = await api.post(PATH, json=body)
    assert answer.status_code == 422, answer.text
    assert answer.json()["detail"]


async def test_names_are_unique_and_only_admins_change_destinations(
    api: httpx.AsyncClient, db: AsyncEngine
) -> None:
    made = await add(api, CRM)
    assert (await api.post(PATH, json=CRM)).status_code == 409
    await add_person(db, "boss@example.com")
    headers = cookie(await add_session(db, await add_person(db, "op@example.com", "operator")))
    assert (await api.get(f"{PATH}/{made['id']}", headers=headers)).status_code == 200
    assert (await api.delete(f"{PATH}/{made['id']}", headers=headers)).status_code == 403


async def test_the_mapping_is_shown_and_edited(api: httpx.AsyncClient) -> None:
    made = await add(api, CRM)
    assert made["mapping"]["firstname"] == "first_name"
    options = {"mapping": {"email": "email", "my_score": "email_validation_score"}}
    changed = await api.patch(f"{PATH}/{made['id']}", json={"options": options})
    assert changed.json()["mapping"] == options["mapping"]


async def add_contacts(db: AsyncEngine) -> dict[str, uuid.UUID]:
    valid = {"email_validation_result": "valid", "email_relation": "own"}
    rows: dict[str, dict[str, Any]] = {
        "good": valid,
        "hidden": {**valid, "is_email_hidden": True},
        "webmail": {**valid, "email_relation": "free"},
        "unverified": {"email_relation": "own"},
        "excluded": {**valid, "contact_curation_status": "Rejected"},
    }
    made = {
        name: await add_contact(db, f"{name}.com", email=f"info@{name}.com", **row)
        for name, row in rows.items()
    }
    made["no_email"] = await add_contact(db, "phone.com", email=None, phone_number="+4930123456")
    return made


async def deliveries(db: AsyncEngine) -> set[uuid.UUID]:
    async with db.connect() as connection:
        return set(await connection.scalars(select(tables.deliveries.c.contact_id)))


@pytest.mark.req("R270")
async def test_contacts_are_sent_and_the_doubtful_ones_are_left_out_and_counted(
    api: httpx.AsyncClient, db: AsyncEngine
) -> None:
    contacts, path = await add_contacts(db), f"{PATH}/{(await add(api, CRM))['id']}/send"
    left_out = dict.fromkeys(("hidden", "webmail", "unverified", "excluded", "no_email"), 1)
    dry = (await api.post(path, json={"filter": {}, "dry_run": True})).json()
    assert (dry["matched_count"], dry["queued_count"], dry["left_out"]) == (6, 1, left_out)
    assert await deliveries(db) == set()
    assert (await api.post(path, json={"filter": {}, "expected": 99})).status_code == 409
    sent = (await api.post(path, json={"filter": {}, "expected": 6})).json()
    assert (sent["queued_count"], sent["left_out"]) == (1, left_out)
    assert await deliveries(db) == {contacts["good"]}
    chosen = {"ids": [str(identifier) for identifier in contacts.values()]}
    again = (await api.post(path, json={**chosen, "include": ["hidden", "webmail", "unverified"]})).json()
    assert (again["queued_count"], again["left_out"]) == (4, {"excluded": 1, "no_email": 1})
    assert await deliveries(db) == {contacts[name] for name in ("good", "hidden", "webmail", "unverified")}


async def test_a_send_is_an_operation_that_is_taken_back_while_it_waits(
    api: httpx.AsyncClient, db: AsyncEngine
) -> None:
    await add_contacts(db)
    path = f"{PATH}/{(await add(api, CRM))['id']}/send"
    operation = (await api.post(path, json={"filter": {}})).json()["operation_id"]
    assert (await api.get(f"/api/v3/operations/{operation}")).json()["action"] == "deliver"
    undone = await api.post(f"/api/v3/operations/{operation}/undo", json={})
    assert undone.status_code == 200, undone.text
    assert await deliveries(db) == set()


async def test_nothing_is_sent_to_a_destination_that_is_switched_off(
    api: httpx.AsyncClient, db: AsyncEngine
) -> None:
    made = await add(api, CRM)
    await api.patch(f"{PATH}/{made['id']}", json={"is_active": False})
    answer = await api.post(f"{PATH}/{made['id']}/send", json={"filter": {}})
    assert answer.status_code == 409
    assert (await api.delete(f"{PATH}/{made['id']}")).status_code == 204
    async with db.connect() as connection:
        assert await connection.scalar(select(func.count()).select_from(tables.destinations)) == 0


async def test_a_test_says_whether_the_destination_accepts_us(open_api: Any) -> None:
    from scrapersky_demo.contracts.hubspot import HubSpotServer
    from scrapersky_demo.contracts.server import running

    async with running(HubSpotServer(token="pat-very-secret").application()) as port:
        settings = {
            "hubspot_url": "http://crm.example",
            "egress_allow": f"127.0.0.1:{port}",
            "connect_to": f"::127.0.0.1:{port}",
        }
        async with open_api(**settings) as client:
            good, bad = (
                await add(client, CRM),
                await add(client, {**CRM, "name": "Bad", "secret": "pat-wrong"}),
            )
            answers = [
                (await client.post(f"{PATH}/{made['id']}/test", json={})).json() for made in (good, bad)
            ]
    assert answers[0] == {"status": "ok", "message": "HubSpot accepts the token"}
    assert answers[1]["status"] == "failed"
    assert TENANT is not None
