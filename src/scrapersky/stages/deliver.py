"""Delivery → destination: hand one contact to one destination; a second time is harmless."""

from __future__ import annotations

from typing import Protocol
from uuid import UUID

from scrapersky.declarations import statuses
from scrapersky.destinations import SkippedDelivery
from scrapersky.engine.stage import Item, Result
from scrapersky.stage_context import StageContext


class DeliveryRow(Protocol):
    action: str
    contact_id: UUID | None
    destination_id: UUID
    external_id: str | None


async def run(item: Item, context: StageContext) -> Result:
    row: DeliveryRow = item.row
    payload = await context.payloads.load(
        item.tenant_id, item.id, row.contact_id, row.destination_id, external_id=row.external_id
    )
    if isinstance(payload, SkippedDelivery):
        return Result(status=statuses.SKIPPED, fields={"skipped_reason": payload.reason})
    external_id = await context.sender.send(payload)
    return Result(fields={"external_id": external_id, "delivered_at": context.now(), "skipped_reason": None})
