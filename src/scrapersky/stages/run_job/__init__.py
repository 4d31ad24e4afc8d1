"""Job → its result: looks up the job's type and runs it on its input."""

from __future__ import annotations

from scrapersky.engine.stage import Item, Result
from scrapersky.stage_context.context import StageContext
from scrapersky.stage_context.jobs import JobRun


async def run(item: Item, tools: StageContext) -> Result:
    return await tools.jobs.run(JobRun(item, tools))
