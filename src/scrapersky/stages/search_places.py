"""Place search → places: ask the source that the search names."""

from __future__ import annotations

from typing import Any, Protocol
from uuid import UUID

from scrapersky import tables
from scrapersky.declarations import DEEP_SCAN, SEARCH_PLACES
from scrapersky.engine.stage import Item, Result
from scrapersky.sources import ListedPlace
from scrapersky.stage_context import StageContext
from scrapersky.storage import MarkSearchStored, Upsert


class SearchRow(Protocol):
    business_type: str
    location: str
    source: str
    params: dict[str, Any]
    created_by: UUID | None


async def run(item: Item, context: StageContext) -> Result:
    row: SearchRow = item.row
    source = context.source(row.source)
    places = await source.search(row.business_type, row.location, row.params)
    queued = context.handover.fields(SEARCH_PLACES, DEEP_SCAN, context.now())
    rows = [Upsert(tables.places_staging, {**_place(place, item), **queued}) for place in places]
    if getattr(source, "keeps_records", False):
        rows += [Upsert(tables.osm_elements, _record(place)) for place in places]
    stored = [MarkSearchStored()] if getattr(source, "keeps_cells", False) else []
    return Result(fields={"places_found": len(places)}, rows=[*rows, *stored])


def _record(place: ListedPlace) -> dict[str, Any]:
    """The record as its source published it, which is kept apart."""
    return {
        "place_id": place.place_id,
        "latitude": place.latitude,
        "longitude": place.longitude,
        "country": place.country,
        "tags": place.raw,
    }


def _place(place: ListedPlace, item: Item) -> dict[str, Any]:
    row: SearchRow = item.row
    return {
        "source": row.source,
        "place_id": place.place_id,
        "name": place.name,
        "business_type": place.category or row.business_type,
        "formatted_address": place.address,
        "latitude": place.latitude,
        "longitude": place.longitude,
        "phone": place.phone,
        "website_url": place.website,
        "rating": place.rating,
        "user_ratings_total": place.reviews,
        "search_id": item.id,
        "search_query": row.business_type,
        "search_location": row.location,
        # A record that is kept apart is not kept twice.
        "raw_data": place.origin() if place.raw else place.to_json(),
        "expires_at": place.expires_at,
        "created_by": row.created_by,
    }
