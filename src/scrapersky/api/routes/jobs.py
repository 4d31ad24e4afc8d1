"""Jobs: what was asked for, and how far it is; cancel, requeue, prune."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Path
from pydantic import BaseModel, Field

from scrapersky.actions.jobs import cancel_job, prune_jobs, retry_job
from scrapersky.api.caller import Admin, Operator, Viewer
from scrapersky.api.lists import add_list_routes
from scrapersky.api.models import Body
from scrapersky.queries import JobQuery
from scrapersky.queries.rows.entities import JOB

router = APIRouter(prefix="/jobs", tags=["jobs"])
add_list_routes(router, JOB)
JobId = Annotated[str, Path(max_length=36, description="The number or the UUID of the job, or `latest`.")]


class Job(BaseModel):
    """`result_data` is the input before the run, and the result after it."""

    id: int
    job_id: UUID
    job_type: str
    status: str
    error: str | None
    progress: float
    progress_percent: int
    progress_message: str | None
    retry_count: int
    max_retries: int
    next_retry_at: datetime | None
    result_data: dict[str, Any]
    created_by: UUID | None
    created_at: datetime
    updated_at: datetime


class Pruning(Body):
    older_than_days: Annotated[int, Field(ge=0, le=36_500, examples=[30])] = 30


class DeletedJobs(BaseModel):
    deleted_count: int


@router.post("/prune", name="prune_jobs")
async def prune(body: Pruning, caller: Admin) -> DeletedJobs:
    """Delete finished, failed and cancelled jobs that are older; their sitemaps and pages stay."""
    keep = timedelta(days=body.older_than_days)
    return DeletedJobs(deleted_count=await prune_jobs(caller.engine, caller.actor, keep))


@router.get("/{job_id}")
async def get_job(job_id: JobId, caller: Viewer) -> Job:
    """One job with its progress, by number or UUID."""
    return Job(**await JobQuery(caller.engine, caller.actor.tenant_id).show(job_id))


@router.post("/{job_id}/cancel", name="cancel_job")
async def cancel(job_id: JobId, caller: Operator) -> Job:
    """Cancel a waiting job at once; a running one stops when it next reports progress."""
    return Job(**await cancel_job(caller.engine, caller.actor, job_id))


@router.post("/{job_id}/requeue", name="requeue_job")
async def requeue(job_id: JobId, caller: Operator) -> Job:
    """Queue a failed, cancelled or finished job again."""
    return Job(**await retry_job(caller.engine, caller.actor, job_id))
