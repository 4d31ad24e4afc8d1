"""Place search → places: ask the source that the search names."""

from __future__ import annotations

from scrapersky import tables
from scrapersky.declarations import DEEP_SCAN
from scrapersky.engine.outcome import Discard
from scrapersky.engine.stage import Item, Result
from scrapersky.sources.listed import Found, plain
from scrapersky.stage_context.context import StageContext
from scrapersky.storage import Upsert


async def run(item: Item, tools: StageContext) -> Result:
    row = item.row
    source = tools.sources.get(row.source)
    if source is None:
        raise Discard(f"there is no source {row.source!r}; known are {', '.join(tools.sources) or 'none'}")
    found = await source.search(row.business_type, row.location, row.params)
    places = [Upsert(tables.places_staging, _place(one, item, tools)) for one in found]
    return Result(fields={"places_found": len(places)}, rows=places)


def _place(found: Found, item: Item, tools: StageContext) -> dict[str, object]:
    return {
        "source": item.row.source,
        "place_id": found.place_id,
        "name": found.name,
        "business_type": found.category or item.row.business_type,
        "formatted_address": found.address,
        "latitude": found.latitude,
        "longitude": found.longitude,
        "phone": found.phone,
        "website_url": found.website,
        "rating": found.rating,
        "user_ratings_total": found.reviews,
        "search_id": item.id,
        "search_query": item.row.business_type,
        "search_location": item.row.location,
        "raw_data": plain(found),
        "expires_at": found.expires_at,
        "created_by": item.row.created_by,
        "deep_scan_status": DEEP_SCAN.statuses.queued if tools.policy.auto_deep_scan else None,
    }
