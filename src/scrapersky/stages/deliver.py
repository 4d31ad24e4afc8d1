"""Delivery → the world: hand one contact to one destination; a second time is harmless."""

from __future__ import annotations

from datetime import UTC, datetime

from scrapersky.engine.outcome import Discard
from scrapersky.engine.stage import Item, Result
from scrapersky.stage_context.context import StageContext


async def run(item: Item, tools: StageContext) -> Result:
    parcel = await tools.parcels.parcel(item)
    destination = tools.destinations.get(parcel.kind)
    if destination is None:
        raise Discard(f"there is no destination of kind {parcel.kind!r}")
    external_id = await destination.deliver(parcel)
    return Result(fields={"external_id": external_id, "delivered_at": datetime.now(UTC)})
