"""What a search would cost, from free calls: how many places there are, paid calls, and US dollars."""

from __future__ import annotations

import asyncio
import math
from dataclasses import dataclass
from random import Random

from scrapersky.sources.google_places.area import Area
from scrapersky.sources.google_places.client import PlacesClient
from scrapersky.sources.google_places.ledger import added_cost
from scrapersky.sources.google_places.partition import PAGE_SIZE, QUERY_LIMIT, Ids, Probe
from scrapersky.sources.google_places.prices import PAID_SEARCH
from scrapersky.sources.google_places.source import probe_ids

# Ways down into the area; more of them make a better estimate and take longer.
PATHS = 6
# Pages that are not quite full: measured at 1.09 to 1.13 times the fewest possible.
FILLING = 1.1


@dataclass(frozen=True, slots=True)
class SearchPreview:
    """`places` is exact when one query lists them all; `calls_left` is None without a cap."""

    places: int
    is_exact: bool
    paid_calls: int
    usd: float
    calls_left: int | None

    @property
    def fits(self) -> bool:
        """Whether the cap of this month allows all calls."""
        return self.calls_left is None or self.paid_calls <= self.calls_left


async def preview_search(client: PlacesClient, query: str, area: Area, draw: Random) -> SearchPreview:
    async def probe(part: Area) -> Ids:
        return await probe_ids(client, query, part)

    places, is_exact = await estimate_places(probe, area, draw, min_meters=client.options.min_meters)
    calls = math.ceil(places / PAGE_SIZE) if is_exact else math.ceil(places / PAGE_SIZE * FILLING)
    price = client.options.price(PAID_SEARCH)
    month = await client.ledger.this_month()
    left = None if price.cap is None else max(0, price.cap - month[PAID_SEARCH].booked)
    usd = round(added_cost(month, PAID_SEARCH, price, calls), 2)
    return SearchPreview(places, is_exact, calls, usd, left)


async def estimate_places(
    probe: Probe, area: Area, draw: Random, *, min_meters: float, paths: int = PATHS
) -> tuple[int, bool]:
    """The number of places, and whether it is exact.

    Each path halves the area again and again. It counts halves that are not full, and of two full ones it
    enters one by chance, whose places then stand for twice as many.
    """
    counts: dict[Area, asyncio.Task[int]] = {}

    async def count(part: Area) -> int:
        # Paths share their first steps, also while those are still on their way.
        if part not in counts:
            counts[part] = asyncio.create_task(_size(probe, part))
        return await counts[part]

    async def walk() -> float:
        part, weight, total = area, 1, 0.0
        while part.longest_side > min_meters:
            halves = part.cut(0.5)
            sizes = await asyncio.gather(*map(count, halves))
            total += weight * sum(size for size in sizes if size < QUERY_LIMIT)
            full = [half for half, size in zip(halves, sizes, strict=True) if size >= QUERY_LIMIT]
            if not full:
                return total
            part, weight = draw.choice(full), weight * len(full)
        return total + weight * QUERY_LIMIT

    try:
        if (whole := await count(area)) < QUERY_LIMIT:
            return whole, True
        estimates = await asyncio.gather(*(walk() for _ in range(paths)))
        return round(sum(estimates) / paths), False
    finally:
        for task in counts.values():
            task.cancel()


async def _size(probe: Probe, area: Area) -> int:
    return len(await probe(area))
