"""The job type that reads stored pages again with today's extractors, without a request to any site.

A run takes one slice of the pages and returns their contacts, its figures and its position. The engine
writes all of it in one transaction and queues the job again, so a killed worker costs one slice at most.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from pydantic import BaseModel

from scrapersky import tables
from scrapersky.declarations import RUN_JOB, statuses
from scrapersky.engine.outcome import Discard
from scrapersky.engine.stage import Item, Result
from scrapersky.extract.report import report_page
from scrapersky.log import pluralize
from scrapersky.sandbox import ParseError
from scrapersky.stage_context.jobs import JobRun, JobType
from scrapersky.stage_context.page_class import usable_class
from scrapersky.stage_context.page_rows import contact_row, report_fields
from scrapersky.storage import Update

PAGES_PER_SLICE = 100
# Well below the time limit of a job, which holds for one slice.
SECONDS_PER_SLICE = 20.0
MAX_PROBLEMS = 20


class ReextractionInput(BaseModel):
    """All stored pages of the tenant, or those of one domain."""

    domain_id: UUID | None = None


class ReextractionState(BaseModel):
    """The progress of the job; kept in `job_metadata` between slices."""

    total: int
    after: UUID | None = None
    pages: int = 0
    contacts: int = 0
    failed: int = 0
    problems: list[str] = []


@dataclass(slots=True)
class Slice:
    """What one run of the job brings."""

    state: ReextractionState
    rows: list[Any] = field(default_factory=list)


async def run(params: ReextractionInput, job: JobRun) -> Result:
    tenant_id, store = job.item.tenant_id, job.context.page_bodies
    if saved := job.item.row.job_metadata:
        state = ReextractionState.model_validate(saved)
    else:
        state = ReextractionState(total=await store.count(tenant_id, domain_id=params.domain_id))
    ends_at = asyncio.get_running_loop().time() + SECONDS_PER_SLICE
    part = Slice(state)
    pages = await store.next_pages(
        state.after, PAGES_PER_SLICE, tenant_id=tenant_id, domain_id=params.domain_id
    )
    for row in pages:
        done = state.pages + state.failed
        message = f"read {done} of {state.total} stored pages again"
        await job.report_progress(100 * done / max(state.total, 1), message)
        await _read(row, job, part)
        state.after = row.id
        if asyncio.get_running_loop().time() > ends_at:
            break
    is_last = len(pages) < PAGES_PER_SLICE and (not pages or state.after == pages[-1].id)
    return _finished(job, part) if is_last else _continued(part, pages[-1].selected_at)


async def _read(row: Any, job: JobRun, part: Slice) -> None:
    """Read one page; one that cannot be read is noted and does not stop the others."""
    context, state = job.context, part.state
    page = await context.page_bodies.load(row.id)
    if page is None:  # Its retention ended meanwhile.
        return
    content_type = page.headers.get("Content-Type", "")
    country = await context.countries.country_of(row.domain_id)
    try:
        report = await context.read(report_page, page.body, page.url, row.host, content_type, country)
        page_class = usable_class(report)
    except (ParseError, Discard) as error:
        state.failed += 1
        state.problems = [*state.problems, f"{row.url}: {error}"[:300]][:MAX_PROBLEMS]
        return
    item = Item(row.id, job.item.tenant_id, row, 0, 0, 0, 0, row.host)
    contacts = [contact_row(contact, item, page.url, context) for contact in report.contacts]
    fields = report_fields(report, context.now())
    fields["contact_scrape_status"] = statuses.CONTACT_FOUND if contacts else statuses.NO_CONTACT_FOUND
    fields["page_class"] = page_class._asdict() if page_class else None
    # A page that was fetched again meanwhile keeps what was read then.
    expected = {"last_scan_at": row.last_scan_at}
    part.rows += [*contacts, Update(tables.pages, row.id, fields, expected)]
    state.pages += 1
    state.contacts += len(contacts)


def _continued(part: Slice, now: datetime) -> Result:
    """Back to the queue. The slice was a success: earlier failures and crashes no longer count."""
    counters = {RUN_JOB.column(role): 0 for role in ("retries", "rescues", "crashes")}
    fields = {"job_metadata": part.state.model_dump(mode="json"), **counters, RUN_JOB.column("due_at"): now}
    return Result(status=RUN_JOB.statuses.queued, fields=fields, rows=part.rows)


def _finished(job: JobRun, part: Slice) -> Result:
    state = part.state
    output = state.model_dump(mode="json", include={"pages", "contacts", "failed", "problems"})
    pages, contacts = pluralize(state.pages, "stored page"), pluralize(state.contacts, "contact")
    message = f"read {pages} again, found {contacts}"
    fields = {"job_metadata": {}, "progress": 1.0, "progress_percent": 100, "progress_message": message}
    return Result(fields={**fields, "result_data": {**job.item.row.result_data, **output}}, rows=part.rows)


REEXTRACT_PAGES = JobType("reextract_pages", ReextractionInput, run)
