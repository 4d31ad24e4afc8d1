"""What a delivery carries: the contact with its domain and its best evidence."""

from __future__ import annotations

import uuid
from types import SimpleNamespace
from typing import Any

import pytest
from sqlalchemy import insert
from sqlalchemy.ext.asyncio import AsyncEngine

from contacts_lab import add_contact
from product import TENANT, change
from scrapersky import tables
from scrapersky.declarations import statuses
from scrapersky.destinations.writing import COLUMNS
from scrapersky.engine.database import Database
from scrapersky.engine.outcome import Discard
from scrapersky.engine.stage import Item
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


def item(contact: uuid.UUID, destination: uuid.UUID, *, tenant: uuid.UUID = TENANT) -> Item:
    row = SimpleNamespace(contact_id=contact, destination_id=destination)
    return Item(uuid.UUID(int=5), tenant, row, seq=1, retries=0, crashes=0, max_retries=3)


async def test_a_parcel_has_every_documented_column_and_the_surest_evidence(db: AsyncEngine) -> None:
    contact = await add_contact(db, "shop.com", email="info@shop.com", name="Ada")
    destination = await add_destination(db)
    parcel = await DeliveryPayloads(Database(db)).parcel(item(contact, destination))
    assert (parcel.kind, parcel.destination, parcel.options) == ("csv", "List", {"file": "x"})
    assert parcel.delivery_id == uuid.UUID(int=5)
    assert set(parcel.contact) == set(COLUMNS)
    assert (parcel.contact["domain"], parcel.contact["email"]) == ("shop.com", "info@shop.com")
    assert (parcel.contact["evidence"], parcel.contact["evidence_method"]) == ("mail info@shop.com", "mailto")
    assert parcel.contact["source_url"] == "https://shop.com/contact"


async def test_what_is_gone_switched_off_or_anothers_is_not_delivered(db: AsyncEngine) -> None:
    contact = await add_contact(db, "shop.com", email="info@shop.com")
    off = await add_destination(db, is_active=False)
    on = await add_destination(db, name="Other")
    parcels = DeliveryPayloads(Database(db))
    with pytest.raises(Discard, match="switched off"):
        await parcels.parcel(item(contact, off))
    for missing in (
        item(uuid.uuid4(), on),
        item(contact, uuid.uuid4()),
        item(contact, on, tenant=uuid.uuid4()),
    ):
        with pytest.raises(Discard, match="not there"):
            await parcels.parcel(missing)


@pytest.mark.parametrize("word", statuses.EXCLUDED)
async def test_a_contact_that_was_rejected_since_is_not_delivered(db: AsyncEngine, word: str) -> None:
    contact = await add_contact(db, "shop.com", email="info@shop.com", contact_curation_status=word)
    below = await add_contact(db, "rejected.com", email="info@rejected.com")
    await change(db, tables.domains, tables.domains.c.domain == "rejected.com", sitemap_curation_status=word)
    destination = await add_destination(db)
    for one in (contact, below):
        with pytest.raises(Discard, match=f"contact.* is {word}"):
            await DeliveryPayloads(Database(db)).parcel(item(one, destination))
