"""Webhooks that we receive: only what is signed and recent counts, and it counts once (C15, SET-16)."""

from __future__ import annotations

import base64
import json
import random
import time
import uuid
from typing import Any

import httpx
import pytest
from sqlalchemy import func, select, update
from sqlalchemy.ext.asyncio import AsyncEngine

from contacts_lab import add_contact
from people import add_tenant
from privacy_dump import places_of
from product import WHO
from scrapersky import tables
from scrapersky.actions.privacy.suppressions import suppress
from webhook_lab import add_workflow, sign

PATH = "/api/v3/webhooks/n8n/enrichment-complete"
DATA: dict[str, Any] = {
    "phone": "+442079460000",
    "address": {"street": "1 High Street", "city": "Leeds", "country": "GB"},
    "social_profiles": {"linkedin": "https://linkedin.com/in/ada"},
    "confidence_score": 80,
    "sources": ["hunter"],
}


def enrichment(contact: uuid.UUID, name: str = "run-1", **changes: Any) -> bytes:
    body = {
        "contact_id": str(contact),
        "enrichment_id": name,
        "status": "complete",
        "timestamp": "2026-11-18T09:00:00Z",
        "enriched_data": DATA,
    }
    return json.dumps({**body, **changes}).encode()


async def contact_row(db: AsyncEngine, contact: uuid.UUID) -> Any:
    async with db.connect() as connection:
        query = select(tables.contacts).where(tables.contacts.c.id == contact)
        return (await connection.execute(query)).one()


@pytest.fixture
async def contact(db: AsyncEngine) -> uuid.UUID:
    return await add_contact(db, "shop.com", email="ada@shop.com")


async def test_what_a_workflow_found_out_fills_empty_fields(
    api: httpx.AsyncClient, db: AsyncEngine, contact: uuid.UUID
) -> None:
    secret, body = await add_workflow(db), enrichment(contact)
    answer = await api.post(PATH, content=body, headers=sign(secret, body))
    assert answer.status_code == 200, answer.text
    assert answer.json()["updated_fields"] == ["address", "enrichment", "phone_number", "social_urls"]
    row = await contact_row(db, contact)
    assert (row.phone_number, row.address) == ("+442079460000", "1 High Street, Leeds, GB")
    assert row.enrichment["confidence_score"] == 80
    assert row.last_enrichment_id == "run-1"
    audit = (await api.get("/api/v3/audit")).text
    assert "contact.enrich" in audit


async def test_fields_that_we_do_not_know_are_ignored(
    api: httpx.AsyncClient, db: AsyncEngine, contact: uuid.UUID
) -> None:
    data = {**DATA, "score": 7, "address": {**DATA["address"], "floor": 3}}
    secret, body = await add_workflow(db), enrichment(contact, enriched_data=data, workflow={"id": 5})
    answer = await api.post(PATH, content=body, headers=sign(secret, body))
    assert answer.status_code == 200, answer.text
    row = await contact_row(db, contact)
    assert row.address == "1 High Street, Leeds, GB"
    assert "score" not in row.enrichment
    assert "floor" not in row.enrichment["address"]


async def test_a_person_has_the_last_word(
    api: httpx.AsyncClient, db: AsyncEngine, contact: uuid.UUID
) -> None:
    async with db.begin() as connection:
        await connection.execute(
            update(tables.contacts).values(phone_number="+4930123456", edited_fields=["address"])
        )
    secret, body = await add_workflow(db), enrichment(contact)
    assert (await api.post(PATH, content=body, headers=sign(secret, body))).status_code == 200
    row = await contact_row(db, contact)
    assert (row.phone_number, row.address) == ("+4930123456", None)


async def test_a_message_or_an_enrichment_that_comes_again_has_no_second_effect(
    api: httpx.AsyncClient, db: AsyncEngine, contact: uuid.UUID
) -> None:
    secret, body = await add_workflow(db), enrichment(contact)
    headers = sign(secret, body)
    first = await api.post(PATH, content=body, headers=headers)
    replayed = await api.post(PATH, content=body, headers=headers)
    other = enrichment(contact, enriched_data={"phone": "+49301111111"})
    same_run = await api.post(PATH, content=other, headers=sign(secret, other, message="msg_2"))
    assert [answer.status_code for answer in (first, replayed, same_run)] == [200, 200, 200]
    assert replayed.json()["updated_fields"] == same_run.json()["updated_fields"] == []
    assert (await contact_row(db, contact)).phone_number == "+442079460000"
    async with db.connect() as connection:
        entries = select(func.count()).where(tables.audit_log.c.action == "contact.enrich")
        assert await connection.scalar(entries) == 1


async def test_d11_a_workflow_brings_back_nobody_who_is_suppressed(
    api: httpx.AsyncClient, db: AsyncEngine, contact: uuid.UUID
) -> None:
    await suppress(db, WHO, ["anna@firma.de", "+442079460000"], "objected")
    found = {
        "additional_emails": ["Anna+crm@Firma.de", "info@firma.de"],
        "company": {"description": "Write to mailto:anna%40firma.de"},
        "sources": ["tel:+44 20 7946 0000", "hunter"],
    }
    secret, body = await add_workflow(db), enrichment(contact, enriched_data={**DATA, **found})
    answer = await api.post(PATH, content=body, headers=sign(secret, body))
    assert answer.status_code == 200, answer.text
    row = await contact_row(db, contact)
    assert row.phone_number is None
    assert (row.enrichment["additional_emails"], row.enrichment["sources"]) == (["info@firma.de"], ["hunter"])
    for needle in ("anna", "79460000", "7946 0000"):
        assert await places_of(db, needle) == set()
    async with db.connect() as connection:
        attempts = await connection.scalars(select(tables.suppressions.c.attempts))
    assert all(attempts)


@pytest.mark.parametrize("moment", [-301, -3_600, 301, 3_600])
async def test_a_stale_or_future_message_is_refused(
    api: httpx.AsyncClient, db: AsyncEngine, contact: uuid.UUID, moment: int
) -> None:
    secret, body = await add_workflow(db), enrichment(contact)
    answer = await api.post(PATH, content=body, headers=sign(secret, body, moment=time.time() + moment))
    assert answer.status_code == 401


async def test_a_foreign_contact_does_not_exist_and_bad_bodies_are_explained(
    api: httpx.AsyncClient, db: AsyncEngine, contact: uuid.UUID
) -> None:
    foreign, own = await add_workflow(db, await add_tenant(db)), await add_workflow(db)
    body = enrichment(contact)
    assert (await api.post(PATH, content=body, headers=sign(foreign, body))).status_code == 404
    for name, changes in enumerate(({"status": "odd"}, {"contact_id": "x"}, {"enrichment_id": ""})):
        bad = enrichment(contact, **changes)
        answer = await api.post(PATH, content=bad, headers=sign(own, bad, message=f"msg_bad{name}"))
        assert answer.status_code == 422
        assert next(iter(changes)) in answer.json()["detail"]
    large = enrichment(contact, filler="x" * 1_100_000)
    assert (await api.post(PATH, content=large, headers=sign(own, large))).status_code == 413
    # Bodies are refused by their size before anybody looks for a signature in them.
    huge = b"{" + b" " * (50 * 1024 * 1024)
    assert (await api.post(PATH, content=huge, headers=sign(own, b"{}"))).status_code == 413
    many = enrichment(contact, enriched_data={"additional_emails": [f"a{n}@x.com" for n in range(10_000)]})
    assert (
        await api.post(PATH, content=many, headers=sign(own, many, message="msg_many"))
    ).status_code == 200
    assert len((await contact_row(db, contact)).enrichment["additional_emails"]) == 20


async def test_without_a_workflow_nobody_can_sign(api: httpx.AsyncClient, contact: uuid.UUID) -> None:
    body = enrichment(contact)
    secret = "whsec_" + base64.b64encode(b"x" * 32).decode()
    assert (await api.post(PATH, content=body, headers=sign(secret, body))).status_code == 401


async def test_bounces_and_unsubscribes_become_suppressions_once(
    api: httpx.AsyncClient, db: AsyncEngine, contact: uuid.UUID
) -> None:
    secret, path = await add_workflow(db), "/api/v3/webhooks/n8n/opt-outs"
    body = json.dumps({"emails": ["ada@shop.com", "other@x.com"], "reason": "unsubscribe"}).encode()
    answers = [(await api.post(path, content=body, headers=sign(secret, body))) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [200, 200]
    assert [answer.json()["suppressed"] for answer in answers] == [2, 0]
    assert (await api.post(path, content=body + b" ", headers=sign(secret, body))).status_code == 401
    async with db.connect() as connection:
        assert await connection.scalar(select(func.count()).select_from(tables.suppressions)) == 2
        kept = select(func.count()).where(tables.contacts.c.id == contact)
        assert await connection.scalar(kept) == 0


def mutate(chance: random.Random, headers: dict[str, str], body: bytes) -> tuple[dict[str, str], bytes]:
    """The request with something changed that its signature covers, or with another signature."""
    name = chance.choice(
        ["webhook-id", "webhook-timestamp", "webhook-signature", "body", "body", "missing", "json"]
    )
    if name == "missing":
        gone = chance.choice(["webhook-id", "webhook-timestamp", "webhook-signature"])
        return {key: value for key, value in headers.items() if key != gone}, body
    if name == "json":
        return headers, json.dumps(json.loads(body), indent=chance.choice([1, 2, 4])).encode()
    if name == "body":
        at = chance.randrange(len(body))
        changed = bytes([body[at] ^ (1 << chance.randrange(7))])
        return headers, body[:at] + changed + body[at + 1 :]
    value = headers[name]
    at = chance.randrange(len(value))
    # The last sign of base64 before the padding has bits that mean nothing, so it is left alone.
    at = min(at, len(value) - 3) if name == "webhook-signature" else at
    other = chance.choice([sign for sign in "AbC019xyz" if sign != value[at]])
    return {**headers, name: value[:at] + other + value[at + 1 :]}, body


async def mutated_requests(api: httpx.AsyncClient, db: AsyncEngine, contact: uuid.UUID, number: int) -> None:
    secret, body = await add_workflow(db), enrichment(contact)
    before, chance = await contact_row(db, contact), random.Random(1_118)
    for _ in range(number):
        headers, changed = mutate(chance, sign(secret, body), body)
        answer = await api.post(PATH, content=changed, headers=headers)
        assert answer.status_code in (400, 401, 422), (headers, changed)
    assert await contact_row(db, contact) == before
    assert (await api.post(PATH, content=body, headers=sign(secret, body))).status_code == 200


async def test_hundreds_of_mutated_requests_change_nothing(
    api: httpx.AsyncClient, db: AsyncEngine, contact: uuid.UUID
) -> None:
    await mutated_requests(api, db, contact, 300)


@pytest.mark.reliability
async def test_ten_thousand_mutated_requests_change_nothing(
    api: httpx.AsyncClient, db: AsyncEngine, contact: uuid.UUID
) -> None:
    await mutated_requests(api, db, contact, 10_000)
