"""The preview tells the price of a search from free calls, near enough to decide by it."""

from __future__ import annotations

from random import Random

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from google_lab import FREE, PAID, google_lab
from scrapersky.sources.google_places.area import Area
from scrapersky.sources.google_places.preview import preview_search
from scrapersky.sources.google_places.prices import Price
from scrapersky_demo.contracts.google_city import BOX, clustered_city

AREA = Area.from_params(BOX)


async def test_a_small_search_is_counted_exactly(db: AsyncEngine) -> None:
    async with google_lab(db, clustered_city(45), search_cap=10) as lab:
        preview = await preview_search(lab.source.client, "bakery", AREA, Random(1))
        assert (preview.places, preview.is_exact, preview.paid_calls) == (45, True, 3)
        assert (preview.usd, preview.calls_left, preview.fits) == (0, 10, True)
        assert set(lab.server.billed) == {FREE}
        await lab.search(await lab.add_search())
        assert lab.server.billed[PAID] == preview.paid_calls
        again = await preview_search(lab.source.client, "bakery", AREA, Random(1))
        assert again.calls_left == 7


@pytest.mark.parametrize("seed", [1, 2])
async def test_a_large_search_is_estimated(db: AsyncEngine, seed: int) -> None:
    async with google_lab(db, clustered_city(800, seed=seed), search_cap=10) as lab:
        preview = await preview_search(lab.source.client, "bakery", AREA, Random(seed))
        assert 400 <= preview.places <= 1_600
        assert preview.paid_calls == pytest.approx(preview.places / 20 * 1.1, abs=1)
        assert not preview.is_exact
        assert not preview.fits
        assert set(lab.server.billed) == {FREE}


def test_the_first_calls_of_a_month_are_free() -> None:
    price = Price(usd_per_1000=35, free_calls=1_000)
    assert price.added_cost(0, 1_000) == 0
    assert price.added_cost(900, 200) == pytest.approx(3.5)
    assert price.added_cost(5_000, 100) == pytest.approx(3.5)
