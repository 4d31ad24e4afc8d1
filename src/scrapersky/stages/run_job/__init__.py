"""Job → its result: looks up the job's type and runs it on its input."""

from __future__ import annotations

from scrapersky import tables
from scrapersky.declarations import JOB_IDS, RUN_JOB
from scrapersky.engine.stage import Item, Result, Stage
from scrapersky.stage_context.context import StageContext
from scrapersky.stage_context.jobs import JobRun


async def run(item: Item, tools: StageContext) -> Result:
    return await tools.jobs.run(JobRun(item, tools))


run_job = Stage(
    RUN_JOB,
    tables.jobs,
    run,
    reads=("job_id", "job_type", "result_data", "job_metadata", "created_by", "timeout_seconds"),
    job_id=JOB_IDS[RUN_JOB],
)
