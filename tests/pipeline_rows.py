"""Rows of every step of the way from a place to a contact, to count."""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import Any

from sqlalchemy import Table, insert
from sqlalchemy.ext.asyncio import AsyncEngine

from product import TENANT
from scrapersky import tables
from scrapersky.tables.ids import first_id, new_id


async def add(engine: AsyncEngine, table: Table, **values: Any) -> uuid.UUID:
    """One row of the tenant; gives its id."""
    made = values.pop("id", None) or new_id()
    async with engine.begin() as connection:
        await connection.execute(insert(table).values(id=made, tenant_id=TENANT, **values))
    return made


async def add_place(engine: AsyncEngine, **values: Any) -> uuid.UUID:
    name = uuid.uuid4().hex
    return await add(engine, tables.places_staging, **{"place_id": name, "name": name, **values})


async def add_business(engine: AsyncEngine, **values: Any) -> uuid.UUID:
    name = uuid.uuid4().hex
    given = {"place_id": name, "business_name": name, **values}
    return await add(engine, tables.local_businesses, **given)


async def add_site(engine: AsyncEngine, **values: Any) -> uuid.UUID:
    name = f"{uuid.uuid4().hex[:12]}.example"
    return await add(
        engine, tables.domains, **{"domain": name, "host": name, "status": "completed", **values}
    )


async def add_page(engine: AsyncEngine, domain_id: uuid.UUID, **values: Any) -> uuid.UUID:
    url = f"https://shop.example/{uuid.uuid4()}"
    given = {"domain_id": domain_id, "host": "shop.example", "url": url, **values}
    return await add(engine, tables.pages, **given)


async def add_contact(engine: AsyncEngine, domain_id: uuid.UUID, **values: Any) -> uuid.UUID:
    given = {"domain_id": domain_id, "source_url": "https://shop.example/", **values}
    if "email" not in given and "phone_number" not in given:
        given["email"] = f"{uuid.uuid4().hex[:10]}@shop.example"
    return await add(engine, tables.contacts, **given)


def id_of(moment: datetime) -> uuid.UUID:
    """An identifier as a row of this moment would have got it."""
    return uuid.UUID(int=first_id(moment).int + (new_id().int & (1 << 60) - 1))
