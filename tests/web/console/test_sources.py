"""The page of sources: the ledger of Google, its caps, and Google's name below what comes from it."""

from __future__ import annotations

from typing import Any

from sqlalchemy import insert
from sqlalchemy.ext.asyncio import AsyncEngine

from product import TENANT
from scrapersky import tables
from scrapersky.sources.google_places.ledger import THIS_MONTH
from scrapersky.web.html import show_number

PATH = "/settings/sources"


async def test_the_ledger_shows_calls_caps_and_cost(open_console: Any, db: AsyncEngine) -> None:
    async with db.begin() as connection:
        values = {"month": THIS_MONTH, "sku": "text_search_enterprise", "booked": 1_200, "answered": 1_199}
        await connection.execute(insert(tables.service_calls).values(values))
    async with open_console("admin") as client:
        page = (await client.get(PATH)).text
        for text in ("no key", "Text Search Enterprise", show_number(1_200), show_number(1_199), "7.00"):
            assert text in page
        saved = await client.post(
            "/settings/values",
            data={"section": "sources", "anchor": "caps", "GOOGLE_PLACES_SEARCH_CAP": "5000"},
        )
        assert saved.status_code in (200, 303)
        assert show_number(5_000) in (await client.get(PATH)).text


async def test_a_key_is_reported_and_not_shown(open_console: Any) -> None:
    async with open_console("admin", google_maps_api_key="a-secret-key") as client:
        page = (await client.get(PATH)).text
        assert "key set" in page
        assert "a-secret-key" not in page


async def test_places_of_google_stand_above_its_name(open_console: Any, db: AsyncEngine) -> None:
    place = {"tenant_id": TENANT, "place_id": "p", "name": "Muster"}
    async with open_console("operator") as client:
        async with db.begin() as connection:
            await connection.execute(insert(tables.places_staging).values({**place, "source": "csv"}))
        assert "Google Maps" not in (await client.get("/places")).text
        async with db.begin() as connection:
            await connection.execute(insert(tables.places_staging).values(place))
        assert '<p class="small" translate="no">Google Maps</p>' in (await client.get("/places")).text
        assert "Google Maps" in (await client.get("/places?view=triage")).text
        file = (await client.get("/api/v3/places/staging/export?format=csv")).text.splitlines()
    assert file[0].endswith("attribution")
    assert sorted(line.endswith(",Google Maps") for line in file[1:]) == [False, True]
