"""What Google lets us keep for 30 days is removed then; ids and what the firm's site confirms stay."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any

from sqlalchemy import insert, select
from sqlalchemy.ext.asyncio import AsyncEngine

from product import TENANT, ago
from scrapersky import tables
from scrapersky.maintenance import Maintenance

PLACE = {
    "tenant_id": TENANT,
    "place_id": "ChIJ1",
    "name": "Bäckerei Muster",
    "business_type": "bakery",
    "search_query": "Bäckerei",
    "formatted_address": "Musterweg 1",
    "latitude": 52.5,
    "longitude": 13.4,
    "phone": "+493023125801",
    "website_url": "https://muster.example/",
    "rating": 4.5,
    "user_ratings_total": 9,
    "raw_data": {"name": "Bäckerei Muster", "website": "https://muster.example/"},
    "notes": "called twice",
}
BUSINESS = {
    "tenant_id": TENANT,
    "place_id": "ChIJ1",
    "business_name": "Bäckerei Muster",
    "full_address": "Musterweg 1, Musterstadt",
    "street_address": "Musterweg 1",
    "city": "Musterstadt",
    "zip": "10115",
    "phone": "+493023125801",
    "website_url": "https://muster.example/?utm=maps",
    "main_category": "bakery",
    "rating": 4.5,
    "reviews_count": 9,
    "latitude": 52.5,
    "longitude": 13.4,
    "additional_json": {"listing": {"attribution": "Google Maps"}, "website": "own"},
}


async def add(db: AsyncEngine, table: Any, values: dict[str, Any], **more: Any) -> uuid.UUID:
    async with db.begin() as connection:
        statement = insert(table).values({**values, **more}).returning(table.c.id)
        return (await connection.execute(statement)).scalar_one()


async def row(db: AsyncEngine, table: Any, row_id: uuid.UUID) -> Any:
    async with db.connect() as connection:
        return (await connection.execute(select(table).where(table.c.id == row_id))).one()


async def test_an_expired_place_keeps_its_id_and_what_people_wrote(
    db: AsyncEngine, maintenance: Callable[..., Maintenance]
) -> None:
    expired = await add(db, tables.places_staging, PLACE, expires_at=ago(days=1))
    fresh = await add(db, tables.places_staging, PLACE, place_id="ChIJ2", expires_at=ago(days=-1))
    own = await add(db, tables.places_staging, PLACE, place_id="row-1", source="csv")

    assert await maintenance().expire_places() == {
        "places_staging": 1,
        "local_businesses": 0,
        "search_cells": 0,
    }
    place = await row(db, tables.places_staging, expired)
    assert (place.place_id, place.name, place.notes) == ("ChIJ1", "ChIJ1", "called twice")
    assert place.business_type == "Bäckerei"
    assert place.raw_data == {}
    for name in ("formatted_address", "latitude", "longitude", "phone", "website_url", "rating"):
        assert getattr(place, name) is None
    for kept in (fresh, own):
        assert (await row(db, tables.places_staging, kept)).phone == "+493023125801"


async def test_a_business_without_a_site_keeps_its_id_only(
    db: AsyncEngine, maintenance: Callable[..., Maintenance]
) -> None:
    expired = await add(db, tables.local_businesses, BUSINESS, expires_at=ago(days=1))
    await maintenance().expire_places()

    business = await row(db, tables.local_businesses, expired)
    assert (business.place_id, business.business_name) == ("ChIJ1", "ChIJ1")
    assert (business.phone, business.website_url, business.full_address) == (None, None, None)
    assert (business.city, business.rating, business.main_category) == (None, None, None)
    assert business.additional_json == {"website": "own"}


async def test_what_the_own_site_confirms_is_kept(
    db: AsyncEngine, maintenance: Callable[..., Maintenance]
) -> None:
    expired = await add(db, tables.local_businesses, BUSINESS, expires_at=ago(days=1))
    site = {
        "tenant_id": TENANT,
        "domain": "muster.example",
        "local_business_id": expired,
        "status": "completed",
        "title": "Bäckerei Muster – Brot aus Musterstadt",
        "phone_numbers": ["+493023125801"],
        "physical_addresses": ["Musterweg 1, 10115 Musterstadt"],
    }
    await add(db, tables.domains, site)
    await maintenance().expire_places()

    business = await row(db, tables.local_businesses, expired)
    assert business.business_name == "Bäckerei Muster"
    assert (business.phone, business.website_url) == ("+493023125801", "https://muster.example/")
    assert business.full_address == "Musterweg 1, 10115 Musterstadt"
    assert (business.rating, business.latitude) == (None, None)


async def test_a_site_that_says_something_else_confirms_nothing(
    db: AsyncEngine, maintenance: Callable[..., Maintenance]
) -> None:
    expired = await add(db, tables.local_businesses, BUSINESS, expires_at=ago(days=1))
    site = {"tenant_id": TENANT, "domain": "muster.example", "local_business_id": expired}
    await add(db, tables.domains, site, status="completed", title="Willkommen")
    await maintenance().expire_places()

    business = await row(db, tables.local_businesses, expired)
    assert (business.business_name, business.phone) == ("muster.example", None)


async def test_pages_of_a_search_that_never_ended_expire(
    db: AsyncEngine, maintenance: Callable[..., Maintenance]
) -> None:
    search = await add(
        db, tables.place_searches, {"tenant_id": TENANT, "business_type": "bakery", "location": "x"}
    )
    cell = {"tenant_id": TENANT, "search_id": search, "south": 1, "west": 1, "north": 2, "east": 2}
    expired = await add(
        db, tables.search_cells, cell, state="listed", places=[{"id": "a"}], expires_at=ago(days=1)
    )
    await maintenance().expire_places()

    kept = await row(db, tables.search_cells, expired)
    assert (kept.places, kept.state) == ([], "counted")
