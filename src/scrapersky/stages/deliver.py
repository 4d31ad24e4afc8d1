"""Delivery → the world: hand one contact to one destination; a second time is harmless."""

from __future__ import annotations

from datetime import UTC, datetime

from scrapersky.engine.signals import GiveUp
from scrapersky.engine.stage import Done, Item, Stage
from scrapersky.tables import Delivery, table_of, works
from scrapersky.tools import Tools


async def run(item: Item, tools: Tools) -> Done:
    parcel = await tools.parcels.parcel(item)
    destination = tools.destinations.get(parcel.kind)
    if destination is None:
        raise GiveUp(f"there is no destination of kind {parcel.kind!r}")
    external_id = await destination.deliver(parcel)
    return Done(fields={"external_id": external_id, "delivered_at": datetime.now(UTC)})


deliver = Stage(
    works.DELIVERY,
    table_of(Delivery),
    run,
    reads=("contact_id", "destination_id"),
    job_id=works.JOB_IDS[works.DELIVERY],
)
