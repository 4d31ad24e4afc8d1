"""Contact → what is known about its address without any key: syntax, kind of mailbox, mail servers."""

from __future__ import annotations

from typing import Protocol

from scrapersky.engine.stage import Item, Result
from scrapersky.stage_context import StageContext


class ContactRow(Protocol):
    email: str


async def run(item: Item, context: StageContext) -> Result:
    row: ContactRow = item.row
    verdict = await context.mail.check(row.email)
    return Result(
        fields={
            "email_validation_result": verdict.result,
            "email_validation_score": verdict.score,
            "email_validation_reason": verdict.reason[:500],
            "email_validation_suggestion": verdict.suggestion,
            "email_validated_at": context.now(),
        }
    )
