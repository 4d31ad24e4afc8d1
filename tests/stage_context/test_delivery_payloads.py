"""What a delivery carries: the contact with its domain and its best evidence."""

from __future__ import annotations

import uuid
from typing import Any

import pytest
from sqlalchemy import insert
from sqlalchemy.ext.asyncio import AsyncEngine

from contacts_lab import add_contact
from product import TENANT, change
from scrapersky import tables
from scrapersky.declarations import statuses
from scrapersky.destinations import DeliveryPayload
from scrapersky.destinations.contact_columns import CONTACT_COLUMNS
from scrapersky.engine.database import Database
from scrapersky.engine.outcome import Discard
from scrapersky.stage_context.delivery_payloads import DeliveryPayloads


async def add_destination(db: AsyncEngine, **given: Any) -> uuid.UUID:
    made = uuid.uuid4()
    values = {
        "id": made,
        "tenant_id": TENANT,
        "name": "List",
        "kind": "csv",
        "options": {"file": "x"},
        **given,
    }
    async with db.begin() as connection:
        await connection.execute(insert(tables.destinations).values(values))
    return made


async def load(
    db: AsyncEngine, contact: uuid.UUID, destination: uuid.UUID, *, tenant: uuid.UUID = TENANT
) -> DeliveryPayload:
    return await DeliveryPayloads(Database(db)).load(tenant, uuid.UUID(int=5), contact, destination)


async def test_a_payload_has_every_documented_column_and_the_surest_evidence(db: AsyncEngine) -> None:
    contact = await add_contact(db, "shop.com", email="info@shop.com", name="Ada")
    destination = await add_destination(db)
    payload = await load(db, contact, destination)
    assert (payload.kind, payload.destination, payload.options) == ("csv", "List", {"file": "x"})
    assert payload.delivery_id == uuid.UUID(int=5)
    assert set(payload.contact) == {*CONTACT_COLUMNS, "domain_id", "page_id"}
    assert (payload.contact["domain"], payload.contact["email"]) == ("shop.com", "info@shop.com")
    assert (payload.contact["evidence"], payload.contact["evidence_method"]) == (
        "mail info@shop.com",
        "mailto",
    )
    assert payload.contact["source_url"] == "https://shop.com/contact"


async def test_what_is_gone_switched_off_or_anothers_is_not_delivered(db: AsyncEngine) -> None:
    contact = await add_contact(db, "shop.com", email="info@shop.com")
    off = await add_destination(db, is_active=False)
    on = await add_destination(db, name="Other")
    with pytest.raises(Discard, match="switched off"):
        await load(db, contact, off)
    stranger = uuid.uuid4()
    for contact_id, destination_id, tenant in (
        (stranger, on, TENANT),
        (contact, stranger, TENANT),
        (contact, on, stranger),
    ):
        with pytest.raises(Discard, match="no longer exists"):
            await load(db, contact_id, destination_id, tenant=tenant)


@pytest.mark.parametrize("word", statuses.EXCLUDED)
async def test_a_contact_that_was_rejected_since_is_not_delivered(db: AsyncEngine, word: str) -> None:
    contact = await add_contact(db, "shop.com", email="info@shop.com", contact_curation_status=word)
    below = await add_contact(db, "rejected.com", email="info@rejected.com")
    await change(db, tables.domains, tables.domains.c.domain == "rejected.com", sitemap_curation_status=word)
    destination = await add_destination(db)
    for one in (contact, below):
        with pytest.raises(Discard, match=f"contact.* is {word}"):
            await load(db, one, destination)
