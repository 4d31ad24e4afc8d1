"""5,000 clustered places: what is found and paid for, beside a grid of equal cells and a single query."""

from __future__ import annotations

import math
import sys

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from google_lab import FREE, PAID, google_lab
from scrapersky_demo.contracts.google_city import BOX, InventedCity, clustered_city

PLACES = 5_000


def equal_grid(city: InventedCity, recall: float) -> tuple[int, int]:
    """The smallest grid of equal cells that lists this share of the places: cells a side, and paid calls."""
    for side in range(1, 2_000):
        cells: dict[tuple[int, int], int] = {}
        for place in city.places:
            row = int((place.latitude - BOX["south"]) / (BOX["north"] - BOX["south"]) * side)
            column = int((place.longitude - BOX["west"]) / (BOX["east"] - BOX["west"]) * side)
            cells[row, column] = cells.get((row, column), 0) + 1
        listed = sum(min(60, number) for number in cells.values())
        if listed >= recall * len(city.places):
            # A cell without places costs a call too: nobody knows before.
            empty = side * side - len(cells)
            return side, empty + sum(math.ceil(min(60, number) / 20) for number in cells.values())
    raise AssertionError("no grid is fine enough")


@pytest.mark.reliability
@pytest.mark.parametrize(("seed", "spread"), [(1, 0.01), (2, 0.01), (3, 0.002)])
async def test_5000_places_are_found_for_at_most_1_3_times_their_pages(
    db: AsyncEngine, seed: int, spread: float
) -> None:
    city = clustered_city(PLACES, seed=seed, spread=spread, others=1_000)
    async with google_lab(db, city) as lab:
        places = await lab.search(await lab.add_search())
        bill, ledger = dict(lab.server.billed), await lab.calls()
    mine = {place.place_id for place in city.places if place.kind == "bakery"}
    found = {place.place_id for place in places}
    side, grid_calls = equal_grid(InventedCity([p for p in city.places if p.kind == "bakery"]), 0.99)
    sys.stderr.write(
        f"\nseed {seed}: recall {len(found & mine) / PLACES:.4f}, {bill[PAID]} paid calls"
        f" ({bill[PAID] / (PLACES / 20):.3f} x places/20), {bill[FREE]} free calls;"
        f" equal grid {side} x {side}: {grid_calls} paid calls; one query: recall {60 / PLACES:.3f}\n"
    )

    assert len(found & mine) >= 0.99 * PLACES
    assert found <= mine
    assert bill[PAID] <= 1.3 * PLACES / 20
    assert set(bill) == {PAID, FREE}
    assert ledger["text_search_enterprise"] == (bill[PAID], bill[PAID])
    assert ledger["text_search_ids"] == (bill[FREE], bill[FREE])
    assert grid_calls > 2 * bill[PAID]
