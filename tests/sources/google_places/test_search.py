"""A search of Google finds the places of a clustered city, and pays for hardly a page too many."""

from __future__ import annotations

import asyncio
import math
from dataclasses import replace

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from google_lab import FREE, PAID, google_lab
from product import until
from scrapersky.engine.outcome import Discard
from scrapersky.sources.google_places.errors import CapReached
from scrapersky.sources.google_places.prices import PAID_SEARCH, Price
from scrapersky.sources.google_places.source import search_area
from scrapersky_demo.contracts.google_city import BOX, InventedCity, InventedPlace, clustered_city

CITY = clustered_city(500, others=200)


@pytest.mark.req("R245", "R246")
async def test_a_clustered_city_is_found_at_the_price_of_its_pages(db: AsyncEngine) -> None:
    async with google_lab(db, CITY) as lab:
        places = await lab.search(await lab.add_search())
        bill, ledger = lab.server.billed, await lab.calls()

    mine = {place.place_id for place in CITY.places if place.kind == "bakery"}
    assert len({place.place_id for place in places} & mine) >= 0.99 * len(mine)
    assert {place.place_id for place in places} <= mine
    assert bill[PAID] <= 1.3 * math.ceil(len(mine) / 20)
    assert ledger["text_search_enterprise"] == (bill[PAID], bill[PAID])
    assert ledger["text_search_ids"] == (bill[FREE], bill[FREE])
    assert set(bill) == {PAID, FREE}


async def test_a_place_brings_what_leads_need(db: AsyncEngine) -> None:
    place = InventedPlace(
        "ChIJ1",
        "Bäckerei Muster",
        "bakery",
        52.5,
        13.4,
        website="https://muster.example/",
        phone="+49 30 23125801",
    )
    async with google_lab(db, InventedCity([place])) as lab:
        (listed,) = await lab.search(await lab.add_search())

    assert (listed.place_id, listed.name, listed.category) == ("ChIJ1", "Bäckerei Muster", "bakery")
    assert (listed.phone, listed.website) == ("+493023125801", "https://muster.example/")
    assert (listed.city, listed.postcode, listed.country) == ("Musterstadt", "10115", "DE")
    assert listed.attribution == "Google Maps"
    assert listed.expires_at is not None


async def test_a_business_that_is_closed_for_good_is_no_place(db: AsyncEngine) -> None:
    closed = InventedPlace("ChIJ2", "Alt", "bakery", 52.5, 13.4, status="CLOSED_PERMANENTLY")
    async with google_lab(db, InventedCity([closed])) as lab:
        assert not await lab.search(await lab.add_search())


async def test_a_search_that_ends_early_does_not_pay_twice(db: AsyncEngine) -> None:
    async with google_lab(db, CITY) as lab:
        await lab.search(await lab.add_search())
        whole = lab.server.billed[PAID]

    # With no time at all, each slice does one round of cells and returns to the queue.
    async with google_lab(db, CITY, slice_seconds=0.05) as lab:
        places = await lab.search(await lab.add_search())

        assert len(places) >= 0.99 * 500
        assert lab.server.billed[PAID] <= 1.3 * 25
        assert whole <= 1.3 * 25


async def test_a_search_whose_worker_dies_between_two_pages_pays_for_the_second_only(db: AsyncEngine) -> None:
    city = clustered_city(55)
    async with google_lab(db, city) as lab:
        search = await lab.add_search()
        lab.server.failures.seconds = 0.05
        running = asyncio.create_task(lab.search(search))

        async def has_a_page() -> bool:
            return any(cell.places for cell in await lab.cells())

        await until(has_a_page)
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        before = lab.server.billed[PAID]
        lab.server.failures.seconds = 0

        assert len(await lab.search(search)) == 55
        # Three pages, and at most the one that was on its way.
        assert before <= 2
        assert lab.server.billed[PAID] <= 4


async def test_a_finished_search_that_is_not_stored_costs_nothing_again(db: AsyncEngine) -> None:
    async with google_lab(db, clustered_city(130)) as lab:
        search = await lab.add_search()
        first = await lab.search(search)
        bill = dict(lab.server.billed)

        assert await lab.search(search) == first
        assert dict(lab.server.billed) == bill


async def test_an_expired_page_token_begins_its_cell_again(db: AsyncEngine) -> None:
    async with google_lab(db, clustered_city(45)) as lab:
        search = await lab.add_search()
        lab.server.failures.calls_per_minute = 4
        with pytest.raises(Exception, match="quota"):
            await lab.search(search)
        lab.server.failures.calls_per_minute = None
        lab.server.expire_page_tokens()

        assert len(await lab.search(search)) == 45


async def test_places_on_one_spot_are_reported_as_incomplete(db: AsyncEngine) -> None:
    spot = [
        InventedPlace(f"ChIJ{n}", f"Stand {n}", "bakery", 52.5, 13.4, relevance=n / 100) for n in range(70)
    ]
    async with google_lab(db, InventedCity(spot)) as lab:
        assert len(await lab.search(await lab.add_search())) == 60
        assert any(cell.is_full for cell in await lab.cells())


async def test_the_cap_holds_for_searches_at_the_same_time(db: AsyncEngine) -> None:
    async with google_lab(db, clustered_city(300), search_cap=7) as lab:
        searches = [await lab.add_search() for _ in range(3)]
        results = await asyncio.gather(*map(lab.search, searches), return_exceptions=True)

        assert all(isinstance(result, CapReached) for result in results)
        assert lab.server.billed[PAID] == 7
        assert (await lab.calls())["text_search_enterprise"] == (7, 7)


async def test_a_raised_cap_continues_without_paying_again(db: AsyncEngine) -> None:
    async with google_lab(db, clustered_city(200), search_cap=5) as lab:
        search = await lab.add_search()
        with pytest.raises(CapReached, match="cap of 5"):
            await lab.search(search)
        prices = {PAID_SEARCH: Price(35, 1_000, 100)}
        lab.source.configure(replace(lab.source.client.options, prices=prices))

        assert len(await lab.search(search)) == 200
        assert lab.server.billed[PAID] <= 13


async def test_a_search_across_the_date_line(db: AsyncEngine) -> None:
    places = [
        InventedPlace(
            f"ChIJ{n}", f"Fiji {n}", "bakery", -17.5 + n / 100, (179.95 + n / 1_000 + 180) % 360 - 180
        )
        for n in range(80)
    ]
    box = {"south": -18.0, "west": 179.0, "north": -16.0, "east": -179.0}
    async with google_lab(db, InventedCity(places)) as lab:
        assert len(await lab.search(await lab.add_search(box), box)) == 80


@pytest.mark.parametrize(
    "box",
    [
        None,
        {},
        {"south": 1},
        BOX | {"south": 60.0},
        BOX | {"east": 13.1},
        BOX | {"north": "x"},
        BOX | {"west": 200},
    ],
)
def test_a_search_without_a_valid_box_is_refused(box: object) -> None:
    with pytest.raises(Discard, match="Invalid area of the search"):
        search_area({"box": box})
