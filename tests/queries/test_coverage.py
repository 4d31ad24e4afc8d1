"""The coverage estimate against known truth: simulated populations, and a city whose places are known."""

from __future__ import annotations

import random
import uuid
from typing import Any

import pytest
from sqlalchemy import insert
from sqlalchemy.ext.asyncio import AsyncEngine

from product import TENANT
from scrapersky import tables
from scrapersky.actions.place_matches import match_places
from scrapersky.errors import NotFound
from scrapersky.queries.places.coverage import CoverageQuery, estimate_population

BOX = {"south": 52.4, "west": 13.2, "north": 52.6, "east": 13.6}


def captured(chance: random.Random, size: int, first: float, second: float) -> tuple[int, int, int]:
    one = {number for number in range(size) if chance.random() < first}
    two = {number for number in range(size) if chance.random() < second}
    return len(one), len(two), len(one & two)


@pytest.mark.parametrize(("size", "first", "second"), [(100, 0.5, 0.4), (400, 0.6, 0.5), (2_000, 0.3, 0.2)])
def test_the_interval_covers_the_truth_at_its_nominal_rate(size: int, first: float, second: float) -> None:
    chance = random.Random(size)
    estimates = [estimate_population(*captured(chance, size, first, second)) for _ in range(1_000)]
    covered = sum((one.low or 0) <= size <= (one.high or 0) for one in estimates) / len(estimates)
    mean = sum(one.estimate or 0 for one in estimates) / len(estimates)
    assert 0.93 <= covered <= 0.98
    assert mean == pytest.approx(size, rel=0.03)


def test_the_ends_of_the_scale() -> None:
    assert estimate_population(10, 0, 0).estimate is None
    assert estimate_population(10, 8, 0).estimate is None, "nothing in common says nothing"
    whole = estimate_population(10, 10, 10)
    assert (whole.estimate, whole.low, whole.high, whole.share) == (10, 10, 10, 1)
    some = estimate_population(60, 50, 30)
    assert (some.listed, some.estimate) == (80, 99.4)
    assert 80 < (some.low or 0) < 99.4 < (some.high or 0)


async def add_city(db: AsyncEngine, size: int = 300) -> uuid.UUID:
    """Businesses of a city, of which one source lists six in ten and the other every second one."""
    chance = random.Random(7)
    searches, rows = {}, []
    async with db.begin() as connection:
        for source in ("overture", "osm"):
            searches[source] = uuid.uuid4()
            values = {
                "id": searches[source],
                "tenant_id": TENANT,
                "business_type": "Dentist",
                "source": source,
            }
            values |= {"location": "Berlin", "params": {"box": BOX}, "status": "complete"}
            await connection.execute(insert(tables.place_searches).values(values))
        for number in range(size):
            where = {"latitude": chance.uniform(52.41, 52.59), "longitude": chance.uniform(13.21, 13.59)}
            common: dict[str, Any] = {"tenant_id": TENANT, "name": f"Praxis {number}", **where}
            common |= {"phone": f"+4930{5000000 + number}", "search_query": "dentist"}
            for source, share in (("overture", 0.6), ("osm", 0.5)):
                if chance.random() < share:
                    rows.append(
                        {**common, "source": source, "place_id": f"{number}", "search_id": searches[source]}
                    )
        # Elsewhere, and of another kind: neither belongs to the search.
        rows.append({**rows[0], "source": "osm", "place_id": "far", "latitude": 48.1, "phone": None})
        rows.append(
            {**rows[0], "source": "osm", "place_id": "baker", "search_query": "bakery", "phone": None}
        )
        await connection.execute(insert(tables.places_staging), rows)
    return searches["overture"]


async def test_a_city_is_estimated_from_two_sources(db: AsyncEngine) -> None:
    search = await add_city(db)
    query = CoverageQuery(db, TENANT)
    assert (await query.of_search(search)).whole.estimate is None, "before anything is linked"
    await match_places(db)
    coverage = await query.of_search(search)
    whole = coverage.whole
    assert coverage.other_source == "osm"
    assert None not in (whole.low, whole.high, whole.estimate)
    assert (whole.low or 0) <= 300 <= (whole.high or 0)
    assert whole.estimate == pytest.approx(300, rel=0.1)
    assert len(coverage.cells) == 16
    assert sum(cell.estimate.listed for cell in coverage.cells) == whole.listed
    covered = [cell for cell in coverage.cells if cell.estimate.estimate]
    assert sum(cell.estimate.estimate or 0 for cell in covered) == pytest.approx(300, rel=0.15)


async def test_one_source_is_not_enough(db: AsyncEngine) -> None:
    search = uuid.uuid4()
    async with db.begin() as connection:
        values = {"id": search, "tenant_id": TENANT, "business_type": "x", "location": "", "source": "csv"}
        await connection.execute(insert(tables.place_searches).values(values))
    coverage = await CoverageQuery(db, TENANT).of_search(search)
    assert (coverage.other_source, coverage.whole.estimate, coverage.cells) == ("", None, [])
    with pytest.raises(NotFound):
        await CoverageQuery(db, TENANT).of_search(uuid.uuid4())
