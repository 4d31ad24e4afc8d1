"""The job type that erases a person everywhere in the tenant."""

from __future__ import annotations

from pydantic import BaseModel

from scrapersky.actions.actor import Actor
from scrapersky.engine.outcome import Discard
from scrapersky.engine.stage import Result
from scrapersky.stage_context.jobs import JobRun, JobType


class ErasureInput(BaseModel):
    """The person, encrypted, and why."""

    sealed: str
    reason: str


async def run(params: ErasureInput, job: JobRun) -> Result:
    eraser, item = job.context.eraser, job.item
    if eraser is None:
        raise Discard("this process cannot erase anybody")
    actor = Actor(item.tenant_id, item.row.created_by or job.context.system_user_id)
    report = await eraser.erase_sealed(actor, params.sealed, params.reason, job.report_progress)
    # Unlike other jobs it does not keep its input.
    done = {"progress": 1.0, "progress_percent": 100, "progress_message": "erased"}
    return Result(fields={**done, "result_data": {"reason": params.reason, **report}})


ERASE_PERSON = JobType("erase_person", ErasureInput, run)
