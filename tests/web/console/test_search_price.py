"""A search of Google in the console: first its price, by free calls, then the search if it is accepted."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncEngine

from scrapersky import tables
from scrapersky_demo.contracts.google_city import BOX, clustered_city
from scrapersky_demo.contracts.google_places import GooglePlacesServer, serve_google_places

FORM = {
    "what": "bakery",
    "source": "google_places",
    "box": ",".join(str(BOX[side]) for side in ("south", "west", "north", "east")),
}


@pytest.fixture
async def google() -> AsyncIterator[tuple[GooglePlacesServer, dict[str, Any]]]:
    async with serve_google_places(GooglePlacesServer(clustered_city(45))) as server:
        yield (
            server,
            {
                "google_maps_api_key": "test-key",
                "google_places_url": "http://google.example/",
                "google_places_search_cap": 2,
                "egress_allow": f"127.0.0.1:{server.port}",
                "connect_to": f"::127.0.0.1:{server.port}",
            },
        )


async def searches(db: AsyncEngine) -> list[Any]:
    async with db.connect() as connection:
        return list(await connection.execute(select(tables.place_searches)))


async def test_the_price_is_shown_before_anything_is_queued(
    open_console: Any, google: Any, db: AsyncEngine
) -> None:
    server, settings = google
    async with open_console("operator", **settings) as client:
        page = (await client.post("/add/search", data=FORM)).text
        for text in (
            "3 paid calls, 0.00 USD",
            "45 places",
            "The cap leaves 2 calls",
            "more calls than the cap",
        ):
            assert text in page
        assert not await searches(db)
        assert set(server.billed) == {"text_search_ids"}

        done = await client.post("/add/search", data={**FORM, "accepted": "1"})
        assert "The search is queued" in done.text
    [search] = await searches(db)
    assert (search.source, search.params["box"]) == ("google_places", BOX)


async def test_what_google_refuses_is_shown_in_the_form(
    open_console: Any, google: Any, db: AsyncEngine
) -> None:
    _, settings = google
    async with open_console("operator", **{**settings, "google_maps_api_key": "wrong"}) as client:
        answer = await client.post("/add/search", data=FORM)
    assert answer.status_code == 422
    assert "Google rejected the key" in answer.text
    assert not await searches(db)
