"""Domains, sitemap files and pages as people change them: notes, tags, priority, deletion."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query, Response
from pydantic import BaseModel, Field

from scrapersky.actions.site_edits import delete_domain, delete_page, delete_sitemap_file, edit_row
from scrapersky.actions.submissions import SubmissionOptions, submit_sitemaps
from scrapersky.actions.versions import version_tag
from scrapersky.api.caller import Operator
from scrapersky.api.context import PREFIX
from scrapersky.api.etags import IfMatch
from scrapersky.api.models import Body, left_out
from scrapersky.errors import Conflict, InvalidInput
from scrapersky.queries.rows.details import RowQuery
from scrapersky.queries.rows.entities import ENTITIES

router = APIRouter()

Notes = Annotated[str | None, Field(max_length=10_000)]
TagList = Annotated[list[Annotated[str, Field(min_length=1, max_length=50)]], Field(max_length=50)]
Priority = Annotated[int, Field(ge=1, le=3, description="1 is processed first.")]
ExpectedCount = Annotated[
    int | None, Query(ge=0, description="The number of rows that are deleted with the domain.")
]


class DomainFields(Body):
    """Fields that are left out stay as they are; null empties a field."""

    notes: Notes = None
    tags: TagList | None = None


class SitemapFields(Body):
    """Fields that are left out stay as they are; null empties a field."""

    notes: Notes = None
    tags: TagList | None = None
    priority_level: Priority = left_out()


class NewSitemap(Body):
    """The domain follows from the URL, and is created if it is new."""

    sitemap_url: Annotated[
        str, Field(min_length=1, max_length=2_048, examples=["https://example.com/sitemap.xml"])
    ]
    auto_import: bool = False


class PageFields(Body):
    priority_level: Priority


class EditedDomain(BaseModel):
    id: UUID
    domain: str
    notes: str | None
    tags: list[str]
    updated_at: datetime


class EditedSitemap(BaseModel):
    id: UUID
    domain_id: UUID
    url: str
    notes: str | None
    tags: list[str]
    priority_level: int
    sitemap_import_status: str | None
    sitemap_curation_status: str
    updated_at: datetime


class EditedPage(BaseModel):
    id: UUID
    domain_id: UUID
    url: str
    priority_level: int
    updated_at: datetime


class DeletedDomain(BaseModel):
    """How many rows were deleted with the domain."""

    contacts: int
    pages: int
    sitemap_files: int
    jobs: int


@router.patch("/domains/{row_id:uuid}", tags=["domains"])
async def edit_domain(
    row_id: UUID, body: DomainFields, caller: Operator, if_match: IfMatch, response: Response
) -> EditedDomain:
    """Set the notes and tags of a domain."""
    values = body.model_dump(exclude_unset=True)
    row = await edit_row(
        caller.engine, caller.actor, ENTITIES["domain"], row_id, values, expected_tags=if_match
    )
    response.headers["ETag"] = version_tag(row["updated_at"])
    return EditedDomain(**row)


@router.delete("/domains/{row_id:uuid}", tags=["domains"], name="delete_domain")
async def delete_site(
    row_id: UUID, caller: Operator, if_match: IfMatch, expected_count: ExpectedCount = None
) -> DeletedDomain:
    """Delete a domain with its sitemaps, pages, contacts and jobs.

    The first answer is 409 and says how many rows go with it; repeat the request with that number. A deleted
    domain may be found again. To keep it away, reject it instead.
    """
    counts = await delete_domain(
        caller.engine, caller.actor, row_id, expected_count=expected_count, expected_tags=if_match
    )
    return DeletedDomain(**counts)


@router.post("/sitemap-files", status_code=201, tags=["sitemap-files"], name="add_sitemap_file")
async def add_sitemap(body: NewSitemap, caller: Operator, response: Response) -> EditedSitemap:
    """Add one sitemap file; `auto_import` queues its import."""
    options = SubmissionOptions(auto_queue=body.auto_import)
    submission = await submit_sitemaps(caller.engine, caller.actor, [body.sitemap_url], options)
    line = submission.lines[0] if submission.lines else None
    if line is None or line.id is None:
        raise InvalidInput(f"Invalid sitemap_url: {line.reason if line else 'empty'}")
    if line.status == "known":
        raise Conflict(f"The sitemap exists already: {line.id}", id=str(line.id))
    row = await RowQuery(caller.engine).show(ENTITIES["sitemap"], caller.actor.tenant_id, str(line.id))
    response.headers["Location"] = f"{PREFIX}/sitemap-files/{line.id}"
    response.headers["ETag"] = version_tag(row["updated_at"])
    return EditedSitemap(**row)


@router.patch("/sitemap-files/{row_id:uuid}", tags=["sitemap-files"], name="edit_sitemap_file")
@router.put("/sitemap-files/{row_id:uuid}", tags=["sitemap-files"], name="put_sitemap_file")
async def edit_sitemap(
    row_id: UUID, body: SitemapFields, caller: Operator, if_match: IfMatch, response: Response
) -> EditedSitemap:
    """Set notes, tags and priority of a sitemap file; PUT and PATCH are the same."""
    values = body.model_dump(exclude_unset=True)
    row = await edit_row(
        caller.engine, caller.actor, ENTITIES["sitemap"], row_id, values, expected_tags=if_match
    )
    response.headers["ETag"] = version_tag(row["updated_at"])
    return EditedSitemap(**row)


@router.delete(
    "/sitemap-files/{row_id:uuid}", status_code=204, tags=["sitemap-files"], name="delete_sitemap_file"
)
async def delete_sitemap(row_id: UUID, caller: Operator, if_match: IfMatch) -> None:
    """Delete a sitemap file and the files that it lists; their pages stay."""
    await delete_sitemap_file(caller.engine, caller.actor, row_id, expected_tags=if_match)


@router.patch("/pages/{row_id:uuid}", tags=["pages"])
async def edit_page(
    row_id: UUID, body: PageFields, caller: Operator, if_match: IfMatch, response: Response
) -> EditedPage:
    """Set the priority of a page."""
    values = body.model_dump()
    row = await edit_row(
        caller.engine, caller.actor, ENTITIES["page"], row_id, values, expected_tags=if_match
    )
    response.headers["ETag"] = version_tag(row["updated_at"])
    return EditedPage(**row)


@router.delete("/pages/{row_id:uuid}", status_code=204, tags=["pages"], name="delete_page")
async def delete_one_page(row_id: UUID, caller: Operator, if_match: IfMatch) -> None:
    """Delete a page with its sightings; its contacts stay. A sitemap that lists it brings it back."""
    await delete_page(caller.engine, caller.actor, row_id, expected_tags=if_match)
