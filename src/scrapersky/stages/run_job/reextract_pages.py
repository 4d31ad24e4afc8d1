"""The job type that reads stored pages again with today's extractors; no site is asked for anything.

A run takes one slice of the pages and returns their contacts, its figures and how far it came. The engine
writes all of it in one transaction and queues the job again, so a killed worker costs one slice at most.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from pydantic import BaseModel

from scrapersky import tables
from scrapersky.declarations import RUN_JOB, statuses
from scrapersky.engine.outcome import Discard
from scrapersky.engine.stage import Item, Result
from scrapersky.extract.report import PageReport, column_values, report_page
from scrapersky.sandbox.failures import ReadingError
from scrapersky.stage_context.jobs import JobRun, JobType
from scrapersky.stage_context.page_class import what_instead
from scrapersky.stage_context.page_rows import contact_row
from scrapersky.storage import Update
from scrapersky.wording import counted

PAGES_PER_SLICE = 100
# Well below the time limit of a job, which holds for one slice.
SECONDS_PER_SLICE = 20.0
PROBLEMS_SHOWN = 20


class ReextractionInput(BaseModel):
    """All stored pages of the tenant, or those of one domain."""

    domain_id: UUID | None = None


class Reextraction(BaseModel):
    """How far the job is; kept in `job_metadata` between slices."""

    total: int
    after: UUID | None = None
    pages: int = 0
    contacts: int = 0
    failed: int = 0
    problems: list[str] = []


@dataclass(slots=True)
class Slice:
    """What one run of the job brings."""

    state: Reextraction
    rows: list[Any] = field(default_factory=list)


async def run(given: ReextractionInput, job: JobRun) -> Result:
    tenant_id, tools = job.item.tenant_id, job.tools
    known = job.item.row.job_metadata
    if known:
        state = Reextraction.model_validate(known)
    else:
        state = Reextraction(total=await tools.bodies.count(tenant_id, domain_id=given.domain_id))
    ends_at = asyncio.get_running_loop().time() + SECONDS_PER_SLICE
    part = Slice(state)
    pages = await tools.bodies.after(
        state.after, PAGES_PER_SLICE, tenant_id=tenant_id, domain_id=given.domain_id
    )
    for row in pages:
        done = state.pages + state.failed
        await job.tell(100 * done / max(state.total, 1), f"read {done} of {state.total} stored pages again")
        await _read(row, job, part)
        state.after = row.id
        if asyncio.get_running_loop().time() > ends_at:
            break
    is_last = len(pages) < PAGES_PER_SLICE and (not pages or state.after == pages[-1].id)
    return _finished(job, part) if is_last else _to_be_continued(part, pages[-1].asked_at)


async def _read(row: Any, job: JobRun, part: Slice) -> None:
    """Read one page; one that cannot be read is noted, and stops no other."""
    item = Item(row.id, job.item.tenant_id, row, 0, 0, 0, 0, row.host)
    tools, state = job.tools, part.state
    page = await tools.bodies.kept(item)
    if page is None:  # Its time was over meanwhile.
        return
    kind = page.headers.get("Content-Type", "")
    country = await tools.countries.of(row.domain_id)
    try:
        report = await tools.web.read(report_page, page.body, page.url, row.host, kind, country)
        instead = what_instead(report)
    except (ReadingError, Discard) as error:
        state.failed += 1
        state.problems = [*state.problems, f"{row.url}: {error}"[:300]][:PROBLEMS_SHOWN]
        return
    contacts = [contact_row(contact, item, page.url, tools.policy) for contact in report.contacts]
    part.rows += [
        *contacts,
        Update(tables.pages, row.id, _fields(report, row, instead, bool(contacts)), _as_read(row)),
    ]
    state.pages += 1
    state.contacts += len(contacts)


def _fields(
    report: PageReport, row: Any, instead: dict[str, str] | None, has_contacts: bool
) -> dict[str, Any]:
    known = {name: value for name, value in (row.additional_json or {}).items() if name != "class"}
    stamp = {"extraction_timestamp": datetime.now(UTC).isoformat()}
    return {
        **column_values(report.fields),
        "scraped_content": {**report.content, **stamp},
        "additional_json": {**known, "class": instead} if instead else known,
        "contact_scrape_status": statuses.CONTACT_FOUND if has_contacts else statuses.NO_CONTACT_FOUND,
    }


def _as_read(row: Any) -> dict[str, Any]:
    """A page that was fetched again meanwhile keeps what was read then."""
    return {"last_scan_at": row.last_scan_at}


def _to_be_continued(part: Slice, now: datetime) -> Result:
    """Back to the queue. What was done counts: earlier failures and crashes are forgiven."""
    state, queue = part.state, RUN_JOB
    fresh = {queue.column(role): 0 for role in ("retries", "rescues", "crashes")}
    fields = {"job_metadata": state.model_dump(mode="json"), **fresh, queue.column("due_at"): now}
    return Result(status=queue.statuses.queued, fields=fields, rows=part.rows)


def _finished(job: JobRun, part: Slice) -> Result:
    state = part.state
    found = state.model_dump(mode="json", include={"pages", "contacts", "failed", "problems"})
    message = f"read {counted(state.pages, 'stored page')} again, found {counted(state.contacts, 'contact')}"
    fields = {"job_metadata": {}, "progress": 1.0, "progress_percent": 100, "progress_message": message}
    return Result(fields={**fields, "result_data": {**job.item.row.result_data, **found}}, rows=part.rows)


REEXTRACTION = JobType("reextract_pages", ReextractionInput, run)
