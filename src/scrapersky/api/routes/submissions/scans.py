"""Scans of sites for sitemaps, each a job."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Response
from pydantic import BaseModel, ConfigDict, Field

from scrapersky.actions.searches import MAX_PAGES, submit_scan
from scrapersky.api.caller import Context, Operator, Viewer
from scrapersky.api.context import PREFIX
from scrapersky.api.models import Body
from scrapersky.errors import NotFound
from scrapersky.queries import JobQuery

router = APIRouter(prefix="/sitemap", tags=["scans"])


class ScanRequest(Body):
    model_config = ConfigDict(json_schema_extra={"examples": [{"base_url": "example.com", "max_pages": 100}]})

    base_url: Annotated[str, Field(min_length=1, max_length=2_048)]
    max_pages: Annotated[int, Field(ge=1, le=MAX_PAGES)] = 1_000
    tenant_id: Annotated[UUID | None, Field(description="Only one's own tenant is accepted.")] = None


class SubmittedScan(BaseModel):
    """`id` is the number of the job, `job_id` its UUID; the status is found by either."""

    job_id: UUID
    id: int
    status_url: str
    created_at: datetime


class ScanStatus(BaseModel):
    job_id: UUID
    id: int
    status: str
    progress: float
    domain: str | None
    metadata: dict[str, Any]
    error: str | None
    created_at: datetime
    updated_at: datetime


@router.post("/scan", status_code=202)
async def scan_site(
    body: ScanRequest, caller: Operator, context: Context, response: Response
) -> SubmittedScan:
    """Submit a job that finds the sitemaps of a site; the job exists before the answer."""
    if body.tenant_id not in (None, caller.actor.tenant_id):
        raise NotFound(f"There is no tenant {body.tenant_id}")
    number, job_id = await submit_scan(
        caller.engine, caller.actor, body.base_url, body.max_pages, report=context.log.report
    )
    job = await JobQuery(caller.engine, caller.actor.tenant_id).show(str(number))
    status_url = f"{PREFIX}/sitemap/status/{job_id}"
    response.headers["Location"] = status_url
    return SubmittedScan(job_id=job_id, id=number, status_url=status_url, created_at=job["created_at"])


@router.get("/status/{job_id}")
async def get_scan_status(job_id: str, caller: Viewer) -> ScanStatus:
    """The progress of a scan, by the number or UUID of its job, and the sitemaps it has found."""
    job = await JobQuery(caller.engine, caller.actor.tenant_id).show(job_id)
    if job["job_type"] != "sitemap":
        raise NotFound(f"Job {job_id} is not a scan; see {PREFIX}/jobs/{job_id}")
    data = job["result_data"]
    return ScanStatus(**job, domain=data.get("domain"), metadata={"sitemaps": data.get("sitemaps", [])})
