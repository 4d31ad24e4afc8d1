"""Automatic deliveries: to each automatic destination of the contact's own tenant, once."""

from __future__ import annotations

import uuid
from typing import Any

import pytest
from sqlalchemy import insert, select
from sqlalchemy.ext.asyncio import AsyncEngine

from contacts_lab import add_contact
from fakes import item
from people import add_tenant
from product import TENANT
from scrapersky import tables
from scrapersky.actions.delivery.deletions import queue_deletions
from scrapersky.storage import AutomaticDelivery, save


async def add_destination(db: AsyncEngine, name: str, tenant: uuid.UUID = TENANT, **values: Any) -> uuid.UUID:
    made = uuid.uuid4()
    row = {"id": made, "tenant_id": tenant, "name": name, "kind": "hubspot", "is_automatic": True, **values}
    async with db.begin() as connection:
        await connection.execute(insert(tables.destinations).values(row))
    return made


async def deliveries(db: AsyncEngine) -> list[Any]:
    async with db.connect() as connection:
        return list((await connection.execute(select(tables.deliveries))).all())


async def test_a_contact_goes_to_every_automatic_destination_of_its_tenant_once(db: AsyncEngine) -> None:
    contact = await add_contact(db, "shop.com", email="info@shop.com")
    second = await add_contact(db, "shop.com", email="second@shop.com")
    rejected = await add_contact(db, "x.com", email="info@x.com", contact_curation_status="Rejected")
    wanted = {await add_destination(db, "A"), await add_destination(db, "B")}
    await add_destination(db, "Manual", is_automatic=False)
    await add_destination(db, "Off", is_active=False)
    await add_destination(db, "Foreign", await add_tenant(db))
    for _ in range(2):
        async with db.begin() as connection:
            saved = [AutomaticDelivery(each) for each in (contact, rejected, second)]
            await save(connection, [(item(), each) for each in saved])
        rows = await deliveries(db)
        pairs = {(row.contact_id, row.destination_id) for row in rows}
        assert pairs == {(each, destination) for each in (contact, second) for destination in wanted}
        assert {row.status for row in rows} == {"Queued"}


async def test_contacts_are_deleted_at_every_destination_that_has_them(db: AsyncEngine) -> None:
    contacts = [await add_contact(db, "shop.com", email=f"{name}@shop.com") for name in "ab"]
    destinations = [await add_destination(db, name) for name in ("A", "B")]
    rows = [
        {
            "tenant_id": TENANT,
            "contact_id": contact,
            "destination_id": destination,
            "external_id": f"{contact} {destination}",
        }
        for contact in contacts
        for destination in destinations
    ]
    async with db.begin() as connection:
        await connection.execute(insert(tables.deliveries), rows)
        assert await queue_deletions(connection, contacts) == len(rows)
        await connection.execute(tables.contacts.delete())
    left = {(row.action, row.external_id) for row in await deliveries(db)}
    assert left == {("delete", row["external_id"]) for row in rows}


@pytest.mark.parametrize(
    ("kind", "lease_seq", "is_deleted"),
    [("brevo", 1, True), ("n8n", 1, True), ("webhook", 2, True), ("brevo", 0, False), ("csv", 1, False)],
)
async def test_a_delivery_that_was_sent_and_not_confirmed_is_deleted_by_our_own_id(
    db: AsyncEngine, kind: str, lease_seq: int, is_deleted: bool
) -> None:
    contact = await add_contact(db, "shop.com", email="info@shop.com")
    row = {"tenant_id": TENANT, "contact_id": contact, "lease_seq": lease_seq}
    row["destination_id"] = await add_destination(db, "A", kind=kind)
    async with db.begin() as connection:
        await connection.execute(insert(tables.deliveries).values(row))
        await queue_deletions(connection, [contact])
        await connection.execute(tables.contacts.delete())
    assert [row.external_id for row in await deliveries(db)] == ([str(contact)] if is_deleted else [])


async def test_a_deletion_outlives_its_contact_and_knows_only_its_name_there(db: AsyncEngine) -> None:
    contact = await add_contact(db, "shop.com", email="info@shop.com")
    there, other = await add_destination(db, "A"), await add_destination(db, "B")
    async with db.begin() as connection:
        for destination, external_id in ((there, "901"), (other, None)):
            row = {"tenant_id": TENANT, "contact_id": contact, "destination_id": destination}
            await connection.execute(insert(tables.deliveries).values(external_id=external_id, **row))
    async with db.begin() as connection:
        assert await queue_deletions(connection, [contact]) == 1
        await connection.execute(tables.contacts.delete())
    [left] = await deliveries(db)
    assert (left.action, left.contact_id, left.external_id, left.destination_id) == (
        "delete",
        None,
        "901",
        there,
    )
