"""Job → its result: looks up the job's type and runs it on its input."""

from __future__ import annotations

from typing import Any, Protocol
from uuid import UUID

from scrapersky.engine.stage import Item, Result
from scrapersky.stage_context import StageContext
from scrapersky.stage_context.jobs import JobRun, run_job_type
from scrapersky.stages.run_job.erase_person import ERASE_PERSON
from scrapersky.stages.run_job.export_rows import EXPORT_ROWS
from scrapersky.stages.run_job.import_legacy import IMPORT_LEGACY
from scrapersky.stages.run_job.reextract_pages import REEXTRACT_PAGES

JOB_TYPES = {
    job_type.name: job_type
    for job_type in (
        ERASE_PERSON,
        EXPORT_ROWS,
        REEXTRACT_PAGES,
        IMPORT_LEGACY,
    )
}


class JobRow(Protocol):
    job_id: UUID
    job_type: str
    result_data: dict[str, Any]
    job_metadata: dict[str, Any]
    created_by: UUID | None
    timeout_seconds: int | None


async def run(item: Item, context: StageContext) -> Result:
    return await run_job_type(JobRun(item, context))
