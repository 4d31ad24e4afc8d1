"""The job type that writes the rows of a list to a file."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from scrapersky.engine.outcome import Discard
from scrapersky.stage_context.jobs import JobRun, JobType


class ExportInput(BaseModel):
    """The list, its filters, and the file; the name was checked when the job was submitted."""

    entity: str
    filters: dict[str, list[str]]
    file: str


async def run(params: ExportInput, job: JobRun) -> dict[str, Any]:
    exporter = job.context.exporter
    if exporter is None:
        raise Discard("this process cannot write exports")
    rows = await exporter.write(job.item.tenant_id, params.entity, params.filters, params.file)
    return {"rows": rows}


EXPORT_ROWS = JobType("export_rows", ExportInput, run)
