"""The ledger of Google, the preview of a search and its cost, over the API."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from sqlalchemy import insert
from sqlalchemy.ext.asyncio import AsyncEngine

from people import add_person, add_session, add_tenant, cookie
from product import TENANT
from scrapersky import tables
from scrapersky_demo.contracts.google_city import BOX, clustered_city
from scrapersky_demo.contracts.google_places import GooglePlacesServer, serve_google_places

PATH = "/api/v3/google-places"
REQUEST = {"business_type": "bakery", "box": BOX}


@pytest.fixture
async def google() -> AsyncIterator[tuple[GooglePlacesServer, dict[str, Any]]]:
    async with serve_google_places(GooglePlacesServer(clustered_city(45))) as server:
        yield (
            server,
            {
                "google_maps_api_key": "test-key",
                "google_places_url": "http://google.example/",
                "egress_allow": f"127.0.0.1:{server.port}",
                "connect_to": f"::127.0.0.1:{server.port}",
            },
        )


async def test_a_preview_counts_by_free_calls_that_the_ledger_shows(open_api: Any, google: Any) -> None:
    server, settings = google
    async with open_api(**settings) as client:
        answer = (await client.post(f"{PATH}/preview", json=REQUEST)).json()
        assert answer == {
            "places": 45, "is_exact": True, "paid_calls": 3, "usd": 0.0, "calls_left": 1000, "fits": True,
        }  # fmt: skip
        calls = {row["sku"]: row for row in (await client.get(f"{PATH}/calls")).json()["items"]}
    assert calls["text_search_ids"]["booked"] == server.billed["text_search_ids"] == 3
    assert (calls["text_search_enterprise"]["booked"], calls["text_search_enterprise"]["cap"]) == (0, 1000)


async def test_what_cannot_be_previewed_is_refused_with_a_reason(api: httpx.AsyncClient) -> None:
    answer = await api.post(f"{PATH}/preview", json={**REQUEST, "box": {**BOX, "south": 60}})
    assert answer.status_code == 422
    assert "south" in answer.text
    answer = await api.post(f"{PATH}/preview", json=REQUEST)
    assert answer.status_code == 409
    assert "GOOGLE_MAPS_API_KEY is not set" in answer.json()["detail"]


async def test_a_wrong_key_is_a_reason_and_not_an_error_of_ours(open_api: Any, google: Any) -> None:
    _, settings = google
    async with open_api(**{**settings, "google_maps_api_key": "wrong"}) as client:
        answer = await client.post(f"{PATH}/preview", json=REQUEST)
    assert answer.status_code == 409
    assert "rejected the key" in answer.json()["detail"]


async def test_other_tenants_see_no_ledger_and_no_cost_of_ours(
    api: httpx.AsyncClient, db: AsyncEngine
) -> None:
    values = {"tenant_id": TENANT, "business_type": "bakery", "location": "x", "source": "google_places"}
    async with db.begin() as connection:
        table = tables.place_searches
        search = (await connection.execute(insert(table).values(values).returning(table.c.id))).scalar_one()
    cost = f"/api/v3/searches/{search}/cost"
    assert (await api.get(cost)).json() == {"cells": 0, "places": 0, "paid_calls": 0, "full_cells": 0}
    assert (await api.get(f"/api/v3/searches/{TENANT}/cost")).status_code == 404
    other = await add_person(db, "boss@other.example", "admin", tenant_id=await add_tenant(db))
    headers = cookie(await add_session(db, other))
    assert (await api.get(f"{PATH}/calls", headers=headers)).status_code == 403
    assert (await api.get(cost, headers=headers)).status_code == 404
