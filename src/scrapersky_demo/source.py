"""Places of the demo world: invented businesses, for trying everything without a key or a network."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from scrapersky.errors import SourceError
from scrapersky.sources import ListedPlace, SourceEntry
from scrapersky_demo.businesses.business import Business
from scrapersky_demo.world import World

DEMO_SOURCES = {"demo": SourceEntry("demo", "Demo world")}


class DemoSource:
    """Answers like a place service: a search brings a short record, details bring the whole one."""

    def __init__(self, world: World) -> None:
        self._businesses = {business.id: business for business in world.businesses}
        self._world = world

    async def search(self, kind: str, location: str, params: dict[str, Any]) -> Sequence[ListedPlace]:
        limit = int(params.get("limit") or 0)
        places = self._world.places(kind, location.partition(",")[0].strip())
        return [_short(business) for business in (places[:limit] if limit else places)]

    async def details(self, place_id: str, raw: dict[str, Any]) -> ListedPlace:
        business = self._businesses.get(place_id)
        if business is None:
            raise SourceError(f"The demo world has no place {place_id!r}")
        return _whole(business)


def _short(business: Business) -> ListedPlace:
    return ListedPlace(
        place_id=business.id,
        name=business.name,
        category=business.kind,
        address=business.address,
        latitude=business.latitude,
        longitude=business.longitude,
        rating=business.rating,
        reviews=business.reviews,
    )


def _whole(business: Business) -> ListedPlace:
    return ListedPlace(
        place_id=business.id,
        name=business.name,
        category=business.kind,
        address=business.address,
        street=business.street_line,
        city=business.city.name,
        state=business.city.region or None,
        postcode=business.postcode,
        country=business.locale.country,
        latitude=business.latitude,
        longitude=business.longitude,
        phone=business.main_line.e164,
        website=business.website or None,
        rating=business.rating,
        reviews=business.reviews,
    )
