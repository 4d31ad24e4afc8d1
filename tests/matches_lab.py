"""A pair of places that only a person can judge, for tests."""

from __future__ import annotations

import uuid

from sqlalchemy import insert, select
from sqlalchemy.ext.asyncio import AsyncEngine

from product import TENANT
from scrapersky import tables
from scrapersky.actions.place_matches import match_places


async def add_match(engine: AsyncEngine, tenant_id: uuid.UUID = TENANT) -> uuid.UUID:
    """Two places with the same name, 60 m apart; gives the id of their match."""
    name = f"Linde {uuid.uuid4().hex[:12]}"
    common = {"tenant_id": tenant_id, "name": name, "longitude": 13.4, "business_type": "dentist"}
    rows = [
        {**common, "source": source, "place_id": name, "latitude": latitude, "id": uuid.uuid4()}
        for source, latitude in (("overture", 52.5), ("osm", 52.50054))
    ]
    async with engine.begin() as connection:
        await connection.execute(insert(tables.places_staging), rows)
    await match_places(engine)
    matches = tables.place_matches.c
    async with engine.connect() as connection:
        found = select(matches.id).where(matches.place_a == min(row["id"] for row in rows))  # type: ignore[type-var]
        return uuid.UUID(str((await connection.execute(found)).scalar_one()))
