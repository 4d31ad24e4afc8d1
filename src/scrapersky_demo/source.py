"""Places of the demo world: invented businesses, for trying everything without a key or a network."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from scrapersky.errors import SourceError
from scrapersky.sources import ListedPlace
from scrapersky_demo.businesses.business import Business
from scrapersky_demo.world import World


class DemoSource:
    """Answers like a place service: a search brings a short record, details bring the whole one."""

    def __init__(self, world: World) -> None:
        self._businesses = {one.id: one for one in world.businesses}
        self._world = world

    async def search(self, kind: str, location: str, params: dict[str, Any]) -> Sequence[ListedPlace]:
        limit = int(params.get("limit") or 0)
        found = self._world.places(kind, location.partition(",")[0].strip())
        return [_short(one) for one in (found[:limit] if limit else found)]

    async def details(self, place_id: str, raw: dict[str, Any]) -> ListedPlace:
        business = self._businesses.get(place_id)
        if business is None:
            raise SourceError(f"The demo world has no place {place_id!r}")
        return _whole(business)


def _short(one: Business) -> ListedPlace:
    return ListedPlace(
        place_id=one.id,
        name=one.name,
        category=one.kind,
        address=one.address,
        latitude=one.latitude,
        longitude=one.longitude,
        rating=one.rating,
        reviews=one.reviews,
    )


def _whole(one: Business) -> ListedPlace:
    return ListedPlace(
        place_id=one.id,
        name=one.name,
        category=one.kind,
        address=one.address,
        street=one.street_line,
        city=one.city.name,
        state=one.city.region or None,
        postcode=one.postcode,
        country=one.locale.country,
        latitude=one.latitude,
        longitude=one.longitude,
        phone=one.main_line.e164,
        website=one.website or None,
        rating=one.rating,
        reviews=one.reviews,
    )
