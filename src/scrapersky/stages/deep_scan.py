"""Place → business: ask its source for the whole record."""

from __future__ import annotations

from typing import Any

from scrapersky import tables
from scrapersky.declarations import EXTRACT_DOMAIN
from scrapersky.engine.outcome import Discard
from scrapersky.engine.stage import Item, Result
from scrapersky.sources.listed import listed_contact
from scrapersky.stage_context.context import StageContext
from scrapersky.storage import Upsert


async def run(item: Item, tools: StageContext) -> Result:
    row = item.row
    source = tools.sources.get(row.source)
    if source is None:
        raise Discard(f"there is no source {row.source!r}; known are {', '.join(tools.sources) or 'none'}")
    found = await source.details(row.place_id, row.raw_data)
    business: dict[str, Any] = {
        "place_row_id": item.id,
        "source": row.source,
        "place_id": row.place_id,
        "business_name": found.name,
        "lead_source": row.source,
        "full_address": found.address,
        "street_address": found.street,
        "city": found.city,
        "state": found.state,
        "zip": found.postcode,
        "country": found.country,
        "latitude": found.latitude,
        "longitude": found.longitude,
        "phone": found.phone,
        "website_url": found.website,
        "main_category": found.category,
        "rating": found.rating,
        "reviews_count": found.reviews,
        "expires_at": found.expires_at,
        "created_by": row.created_by,
        "domain_extraction_status": EXTRACT_DOMAIN.statuses.queued
        if tools.policy.auto_domain_extraction
        else None,
    }
    if listed := listed_contact(found):
        business["additional_json"] = {"listed_contact": listed}
    return Result(rows=[Upsert(tables.local_businesses, business)])
