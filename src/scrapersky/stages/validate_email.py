"""Contact → what is known about its address without any key: form, kind of mailbox, who takes its mail."""

from __future__ import annotations

from datetime import UTC, datetime

from scrapersky.engine.stage import Item, Result
from scrapersky.stage_context.context import StageContext


async def run(item: Item, tools: StageContext) -> Result:
    verdict = await tools.mail.check(item.row.email)
    return Result(
        fields={
            "email_validation_result": verdict.result,
            "email_validation_score": verdict.score,
            "email_validation_reason": verdict.reason[:500],
            "email_validation_suggestion": verdict.suggestion,
            "email_validated_at": datetime.now(UTC),
        }
    )
