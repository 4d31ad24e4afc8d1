"""How many businesses a search has missed: the Chapman estimate from two sources, also by cell."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, func, select

from scrapersky import tables
from scrapersky.errors import NotFound
from scrapersky.queries.read_model import TenantRowsQuery

# Of the normal distribution, for 95 %.
Z = 1.96
# The area is cut into this many rows and columns.
GRID = 4
MAX_PLACES = 200_000
SIDES = ("south", "west", "north", "east")


@dataclass(frozen=True, slots=True)
class Estimate:
    """How many businesses there are, by two sources that list them independently of one another.

    `low` and `high` bound the number with a confidence of 95 %. All three are None while the sources have
    nothing in common.
    """

    first: int
    second: int
    both: int
    listed: int
    estimate: float | None
    low: float | None
    high: float | None

    @property
    def share(self) -> float | None:
        """The share of all businesses that one of the sources lists."""
        return self.listed / self.estimate if self.estimate else None


@dataclass(frozen=True, slots=True)
class CellEstimate:
    """The estimate of one cell of the area, and the cell's bounds."""

    south: float
    west: float
    north: float
    east: float
    estimate: Estimate


@dataclass(frozen=True, slots=True)
class Coverage:
    """The estimate of a search. `other_source` is empty while no second source has searched the area."""

    source: str
    other_source: str
    whole: Estimate
    cells: list[CellEstimate]


def estimate_population(first: int, second: int, both: int) -> Estimate:
    """The estimate by Chapman (1951) with a log-normal interval for what was not found (Chao, 1987)."""
    listed = first + second - both
    if not both or not first or not second:
        return Estimate(first, second, both, listed, None, None, None)
    number = (first + 1) * (second + 1) / (both + 1) - 1
    missed = number - listed
    spread = (first + 1) * (second + 1) * (first - both) * (second - both)
    variance = spread / ((both + 1) ** 2 * (both + 2))
    if missed <= 0 or variance <= 0:
        return Estimate(first, second, both, listed, float(listed), float(listed), float(listed))
    factor = math.exp(Z * math.sqrt(math.log(1 + variance / missed**2)))
    low, high = listed + missed / factor, listed + missed * factor
    return Estimate(first, second, both, listed, round(number, 1), round(low, 1), round(high, 1))


class CoverageQuery(TenantRowsQuery):
    """The coverage of a tenant's searches, by the places that matching has linked."""

    async def of_search(self, search_id: UUID) -> Coverage:
        """Places of the same kind in the area of the search, by its source and by the best other one."""
        searches = tables.place_searches.c
        search = await self.first(
            select(searches.business_type, searches.source, searches.params).where(
                searches.tenant_id == self._tenant_id, searches.id == search_id
            )
        )
        if search is None:
            raise NotFound(f"There is no search {search_id}")
        box = _box(search.params) or await self._extent(search_id)
        places = await self._places(search.business_type, box) if box else []
        sources = Counter(place.source for place in places if place.source != search.source)
        other = max(sources, key=lambda name: (sources[name], name), default="")
        whole = _estimate(places, search.source, other)
        cells = _cells(places, box, search.source, other) if box and other else []
        return Coverage(search.source, other, whole, cells)

    async def _extent(self, search_id: UUID) -> dict[str, float] | None:
        """The area of the places that a search has found, for searches without one."""
        columns = tables.places_staging.c
        row = await self.first(
            select(
                func.min(columns.latitude), func.min(columns.longitude), func.max(columns.latitude),
                func.max(columns.longitude),
            ).where(columns.tenant_id == self._tenant_id, columns.search_id == search_id)
        )  # fmt: skip
        return dict(zip(SIDES, row, strict=True)) if row and None not in row else None

    async def _places(self, kind: str, box: dict[str, float]) -> list[Any]:
        places, identities = tables.places_staging, tables.place_identities
        group = func.coalesce(identities.c.same_as, places.c.id).label("business")
        is_east: ColumnElement[bool] = places.c.longitude.between(box["west"], box["east"])
        if box["west"] > box["east"]:
            is_east = (places.c.longitude >= box["west"]) | (places.c.longitude <= box["east"])
        query = (
            select(places.c.source, places.c.latitude, places.c.longitude, group)
            .join(identities, identities.c.place_row_id == places.c.id, isouter=True)
            .where(
                places.c.tenant_id == self._tenant_id,
                func.lower(places.c.search_query) == kind.lower(),
                places.c.latitude.between(box["south"], box["north"]),
                is_east,
            )
        )
        return await self.rows(query.limit(MAX_PLACES))


def _box(params: dict[str, Any]) -> dict[str, float] | None:
    box = params.get("box")
    if not isinstance(box, dict) or not all(isinstance(box.get(side), int | float) for side in SIDES):
        return None
    return {side: float(box[side]) for side in SIDES}


def _estimate(places: Iterable[Any], source: str, other: str) -> Estimate:
    businesses: dict[str, set[UUID]] = defaultdict(set)
    for place in places:
        businesses[place.source].add(place.business)
    first, second = businesses[source], businesses[other]
    return estimate_population(len(first), len(second), len(first & second))


def _cells(places: list[Any], box: dict[str, float], source: str, other: str) -> list[CellEstimate]:
    """Cells with places of either source; a linked business is in the cell where it was met first."""
    height = (box["north"] - box["south"]) / GRID
    width = ((box["east"] - box["west"]) % 360) / GRID
    if height <= 0 or width <= 0:
        return []
    homes: dict[UUID, tuple[int, int]] = {}
    inside: dict[tuple[int, int], list[Any]] = defaultdict(list)
    for place in places:
        if place.source in (source, other):
            row = min(int((place.latitude - box["south"]) / height), GRID - 1)
            column = min(int(((place.longitude - box["west"]) % 360) / width), GRID - 1)
            inside[homes.setdefault(place.business, (row, column))].append(place)
    return [
        CellEstimate(
            south=round(box["south"] + row * height, 5),
            west=round(box["west"] + column * width, 5),
            north=round(box["south"] + (row + 1) * height, 5),
            east=round(box["west"] + (column + 1) * width, 5),
            estimate=_estimate(inside[row, column], source, other),
        )
        for row, column in sorted(inside)
    ]
