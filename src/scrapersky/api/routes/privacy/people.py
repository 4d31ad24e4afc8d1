"""The rights of one person: everything known about them, and their erasure."""

from __future__ import annotations

from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Response
from pydantic import BaseModel, ConfigDict, Field

from scrapersky.actions.privacy.erasure import read_person
from scrapersky.actions.privacy.erasure_jobs import submit_erasure
from scrapersky.actions.privacy.suppressions import MAX_REASON
from scrapersky.api.caller import Admin, Context
from scrapersky.api.context import PREFIX
from scrapersky.api.models import Body
from scrapersky.queries.privacy.subject_export import SubjectQuery
from scrapersky.stage_context.eraser import seal_person

router = APIRouter(tags=["people"])
Entries = Annotated[
    list[Annotated[str, Field(min_length=1, max_length=320)]],
    Field(min_length=1, max_length=20, description="E-mail addresses and phone numbers of one person."),
]
Country = Annotated[str | None, Field(max_length=100, description="Where numbers without a prefix are read.")]


class PersonBody(Body):
    model_config = ConfigDict(json_schema_extra={"examples": [{"entries": ["ada@example.com"]}]})

    entries: Entries
    country: Country = None


class Erasure(PersonBody):
    model_config = ConfigDict(
        json_schema_extra={"examples": [{"entries": ["ada@example.com"], "reason": "request of 3 May"}]}
    )

    reason: Annotated[str, Field(min_length=1, max_length=MAX_REASON)]


class SubjectExport(BaseModel):
    """`places` lists by table the rows that name the person; `sources` where they were read."""

    person: list[dict[str, str]]
    is_suppressed: bool
    sources: list[dict[str, Any]]
    deliveries: list[dict[str, Any]]
    places: dict[str, list[dict[str, Any]]]


class ErasureJob(BaseModel):
    """The job that erases; `GET /jobs/{id}` shows its progress and what was found where."""

    id: int
    job_id: UUID
    status: str


@router.post("/subject-exports", name="export_person")
async def export_person(body: PersonBody, caller: Admin) -> SubjectExport:
    """Everything known about a person, with its sources. A POST, so that no log has the address."""
    identifiers = read_person(body.entries, country=body.country)
    return SubjectExport(**await SubjectQuery(caller.engine).export(caller.actor.tenant_id, identifiers))


@router.post("/erasures", status_code=202, name="erase_person")
async def erase(body: Erasure, caller: Admin, context: Context, response: Response) -> ErasureJob:
    """Suppress a person and erase them from every table and export file of the tenant, as a job."""
    job = await submit_erasure(
        caller.engine,
        caller.actor,
        body.entries,
        body.reason,
        seal=lambda identifiers: seal_person(context.secret_key, identifiers),
        country=body.country,
    )
    response.headers["Location"] = f"{PREFIX}/jobs/{job['id']}"
    return ErasureJob(id=job["id"], job_id=job["job_id"], status=job["status"])
