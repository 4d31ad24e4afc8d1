"""Contact → what is known about its address without any key: form, kind of mailbox, who takes its mail."""

from __future__ import annotations

from datetime import UTC, datetime

from scrapersky import tables
from scrapersky.declarations import JOB_IDS, VALIDATE_EMAIL
from scrapersky.engine.stage import Item, Result, Stage
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


validate_email = Stage(
    VALIDATE_EMAIL,
    tables.contacts,
    run,
    reads=("email",),
    job_id=JOB_IDS[VALIDATE_EMAIL],
)
