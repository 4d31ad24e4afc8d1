"""Contact → what is known about its address: syntax, lists, mail servers and, if configured, DeBounce."""

from __future__ import annotations

from typing import Protocol

from scrapersky.declarations import DELIVER, VALIDATE_EMAIL
from scrapersky.engine.outcome import Discard
from scrapersky.engine.stage import Item, Result
from scrapersky.stage_context import StageContext
from scrapersky.storage import AutomaticDelivery


class ContactRow(Protocol):
    email: str
    email_relation: str | None
    is_email_hidden: bool
    contact_objection: str | None
    confidence: float | None


async def run(item: Item, context: StageContext) -> Result:
    row: ContactRow = item.row
    if await context.suppressions.covers(item.tenant_id, row.email):
        raise Discard("the address is suppressed")
    verdict = await context.mail.check(row.email)
    is_delivered = context.handover.status(VALIDATE_EMAIL, DELIVER) and context.auto_delivery.accepts(
        is_hidden=row.is_email_hidden,
        has_objection=bool(row.contact_objection),
        relation=row.email_relation,
        result=verdict.result,
        confidence=row.confidence,
    )
    now = context.now()
    return Result(
        rows=[AutomaticDelivery(item.id)] if is_delivered else [],
        fields={
            **verdict.as_fields(),
            "email_validated_at": now,
            "email_recheck_at": now + verdict.retry_in if verdict.retry_in else None,
        },
    )
