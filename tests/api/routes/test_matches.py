"""Matches and coverage by HTTP."""

from __future__ import annotations

import uuid

import httpx
from sqlalchemy import insert
from sqlalchemy.ext.asyncio import AsyncEngine

from matches_lab import add_match
from people import add_tenant
from product import TENANT
from scrapersky import tables

MATCHES = "/api/v3/matches"


async def test_a_pair_is_listed_decided_and_taken_back(api: httpx.AsyncClient, db: AsyncEngine) -> None:
    match = await add_match(db)
    listed = (await api.get(MATCHES, params={"verdict": "unsure"})).json()
    assert [row["id"] for row in listed["items"]] == [str(match)]
    assert listed["items"][0]["evidence"]["distance"]["why"] == "60 m"
    assert {listed["items"][0][side]["source"] for side in ("place_a", "place_b")} == {"osm", "overture"}
    answer = await api.put(f"{MATCHES}/{match}", json={"verdict": "same"})
    assert (answer.status_code, answer.json()["verdict"]) == (200, "same")
    assert answer.json()["decided_at"]
    assert (await api.get(MATCHES, params={"verdict": "unsure"})).json()["items"] == []
    answer = await api.delete(f"{MATCHES}/{match}")
    assert (answer.json()["verdict"], answer.json()["decided_at"]) == ("unsure", None)
    assert (await api.put(f"{MATCHES}/{match}", json={"verdict": "unsure"})).status_code == 422


async def test_pages_follow_one_another(api: httpx.AsyncClient, db: AsyncEngine) -> None:
    ids = {str(await add_match(db)) for _ in range(3)}
    first = (await api.get(MATCHES, params={"limit": 2})).json()
    second = (await api.get(MATCHES, params={"limit": 2, "after": first["next"]})).json()
    assert {row["id"] for row in first["items"] + second["items"]} >= ids
    assert second["next"] is None or len(second["items"]) == 2


async def test_other_tenants_see_and_decide_nothing(api: httpx.AsyncClient, db: AsyncEngine) -> None:
    match = await add_match(db, await add_tenant(db))
    assert (await api.get(MATCHES)).json()["items"] == []
    assert (await api.get(f"{MATCHES}/{match}")).status_code == 404
    assert (await api.put(f"{MATCHES}/{match}", json={"verdict": "same"})).status_code == 404


async def test_coverage_needs_a_search_and_a_second_source(api: httpx.AsyncClient, db: AsyncEngine) -> None:
    search = uuid.uuid4()
    box = {"south": 52.4, "west": 13.3, "north": 52.6, "east": 13.5}
    async with db.begin() as connection:
        values = {"id": search, "tenant_id": TENANT, "business_type": "dentist", "location": "Berlin"}
        values |= {"source": "osm", "params": {"box": box}}
        await connection.execute(insert(tables.place_searches).values(values))
        for source, numbers in (("osm", range(6)), ("overture", range(2, 9))):
            rows = [
                {
                    "tenant_id": TENANT,
                    "source": source,
                    "place_id": str(number),
                    "name": f"Praxis {number}",
                    "latitude": 52.5,
                    "longitude": 13.4,
                    "search_query": "dentist",
                    "phone": f"+493012345{number}0",
                }
                for number in numbers
            ]
            await connection.execute(insert(tables.places_staging), rows)
    await add_match(db)
    coverage = (await api.get(f"/api/v3/searches/{search}/coverage")).json()
    assert (coverage["source"], coverage["other_source"]) == ("osm", "overture")
    whole = coverage["whole"]
    assert (whole["first"], whole["second"], whole["both"], whole["listed"]) == (6, 7, 4, 9)
    assert whole["estimate"] == 10.2
    assert 9 <= whole["low"] <= 10.2 <= whole["high"]
    assert sum(cell["estimate"]["listed"] for cell in coverage["cells"]) == 9
    assert (await api.get(f"/api/v3/searches/{uuid.uuid4()}/coverage")).status_code == 404
