"""Matches in the console, and the page of a search with its coverage."""

from __future__ import annotations

import uuid
from typing import Any

import httpx
from sqlalchemy import insert
from sqlalchemy.ext.asyncio import AsyncEngine

from matches_lab import add_match
from product import TENANT
from scrapersky import tables


async def test_a_person_decides_a_pair_and_takes_it_back(console: httpx.AsyncClient, db: AsyncEngine) -> None:
    match = await add_match(db)
    page = (await console.get("/matches")).text
    assert "Distance: 60 m" in page
    assert f'action="/matches/{match}"' in page
    answer = await console.post(
        f"/matches/{match}", data={"verdict": "same", "back": "/matches?verdict=unsure"}
    )
    assert (answer.status_code, answer.headers["location"]) == (303, "/matches?verdict=unsure")
    assert "No pair is here" in (await console.get("/matches")).text
    assert "decided by a person" in (await console.get("/matches?verdict=same")).text
    await console.post(f"/matches/{match}", data={"verdict": ""})
    assert f'action="/matches/{match}"' in (await console.get("/matches?verdict=nonsense")).text
    assert (await console.post(f"/matches/{match}", data={"verdict": "perhaps"})).status_code == 422


async def test_viewers_have_no_buttons(open_console: Any, db: AsyncEngine) -> None:
    match = await add_match(db)
    async with open_console("viewer") as client:
        page = (await client.get("/matches")).text
        assert "Linde" in page
        assert f'action="/matches/{match}"' not in page
        assert (await client.post(f"/matches/{match}", data={"verdict": "same"})).status_code == 403


async def test_the_page_of_a_search_shows_its_coverage(console: httpx.AsyncClient, db: AsyncEngine) -> None:
    search = uuid.uuid4()
    async with db.begin() as connection:
        values = {"id": search, "tenant_id": TENANT, "business_type": "dentist", "location": "Berlin"}
        await connection.execute(insert(tables.place_searches).values({**values, "source": "osm"}))
    assert "second source" in (await console.get(f"/searches/{search}")).text
    assert f'href="/searches/{search}"' in (await console.get("/searches")).text
    async with db.begin() as connection:
        for source, numbers in (("osm", range(6)), ("overture", range(2, 9))):
            common = {"tenant_id": TENANT, "source": source, "search_query": "dentist", "search_id": search}
            rows = [
                {
                    **common,
                    "place_id": str(number),
                    "name": f"Praxis {number}",
                    "latitude": 52.5 + number / 1_000,
                    "longitude": 13.4 + number / 1_000,
                    "phone": f"+493012345{number}0",
                }
                for number in numbers
            ]
            await connection.execute(insert(tables.places_staging), rows)
    await add_match(db)
    page = (await console.get(f"/searches/{search}")).text
    assert "About <strong>10</strong> businesses" in page
    assert "Coverage by cell" in page
    assert (await console.get(f"/searches/{uuid.uuid4()}")).status_code == 404
