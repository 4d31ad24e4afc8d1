"""Place → business: ask its source for the whole record."""

from __future__ import annotations

from typing import Any, Protocol
from uuid import UUID

from scrapersky import tables
from scrapersky.declarations import DEEP_SCAN, EXTRACT_DOMAIN
from scrapersky.engine.stage import Item, Result
from scrapersky.stage_context import StageContext
from scrapersky.storage import Upsert


class PlaceRow(Protocol):
    source: str
    place_id: str
    raw_data: dict[str, Any]
    created_by: UUID | None


async def run(item: Item, context: StageContext) -> Result:
    row: PlaceRow = item.row
    source = context.source(row.source)
    place = await source.details(row.place_id, row.raw_data)
    business: dict[str, Any] = {
        "place_row_id": item.id,
        "source": row.source,
        "place_id": row.place_id,
        "business_name": place.name,
        "lead_source": row.source,
        "full_address": place.address,
        "street_address": place.street,
        "city": place.city,
        "state": place.state,
        "zip": place.postcode,
        "country": place.country,
        "latitude": place.latitude,
        "longitude": place.longitude,
        "phone": place.phone,
        "website_url": place.website,
        "main_category": place.category,
        "rating": place.rating,
        "reviews_count": place.reviews,
        "expires_at": place.expires_at,
        "created_by": row.created_by,
        **context.handover.fields(DEEP_SCAN, EXTRACT_DOMAIN, context.now()),
    }
    if contact := place.contact():
        business["listed_contact"] = contact
    if listing := place.listing():
        business["additional_json"] = {"listing": listing}
    return Result(rows=[Upsert(tables.local_businesses, business)])
