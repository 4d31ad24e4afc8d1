"""Direct submission of domains, sitemaps and pages, by list or CSV file, with a result for every line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal
from uuid import UUID

from fastapi import APIRouter, File, Form, UploadFile
from pydantic import BaseModel, ConfigDict, Field

from scrapersky.actions.submission_input import LineResult, Submission
from scrapersky.actions.submissions import (
    IMPORTED,
    SubmissionOptions,
    import_csv,
    submit_domains,
    submit_pages,
    submit_sitemaps,
)
from scrapersky.api.bodies.uploads import upload_chunks
from scrapersky.api.caller import Caller, Operator
from scrapersky.api.models import Body
from scrapersky.api.problems import invalid_input

MAX_ITEMS = 100
STATUSES: dict[str, Literal["success", "skipped", "error"]] = {
    "new": "success",
    "known": "skipped",
    "invalid": "error",
    "platform": "error",
}

router = APIRouter(tags=["submissions"])

Line = Annotated[str, Field(max_length=4_096)]
Lines = Annotated[list[Line], Field(min_length=1, max_length=MAX_ITEMS)]


class DomainSubmission(Body):
    """Without `auto_queue` the domains wait until a person selects them."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"domains": ["example.com"], "auto_queue": True}]}
    )

    domains: Lines
    auto_queue: bool = False


class SitemapSubmission(Body):
    model_config = ConfigDict(
        json_schema_extra={"examples": [{"sitemap_urls": ["https://example.com/sitemap.xml"]}]},
    )

    sitemap_urls: Lines
    auto_import: bool = False


class PageSubmission(Body):
    """Without a `priority_level` the URL decides it: 1 is read first, 3 last."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"urls": ["https://example.com/contact"], "auto_queue": True}]},
    )

    urls: Lines
    auto_queue: bool = False
    priority_level: Annotated[int | None, Field(ge=1, le=3)] = None


class SubmittedLine(BaseModel):
    """`skipped` lines exist already; `error` says why, or why a line was refused."""

    row_number: int
    value: str
    status: Literal["success", "skipped", "error"]
    id: UUID | None
    queued: bool
    error: str | None


class SubmissionResult(BaseModel):
    """`ids` are the rows of all valid lines, each once, whether new or known."""

    submitted_count: int
    queued_count: int
    ids: list[UUID]
    results: list[SubmittedLine]


class ImportNote(BaseModel):
    """A line of a file that was skipped or read with replacements."""

    row_number: int
    note: str


class ImportResult(BaseModel):
    total_rows: int
    successful: int
    skipped: int
    failed: int
    queued_count: int
    column: str
    encoding: str
    results: list[SubmittedLine]
    notes: list[ImportNote]


@router.post("/domains/direct-submit")
async def submit_domain_list(body: DomainSubmission, caller: Operator) -> SubmissionResult:
    """Submit domains. Known domains are reported, not refused."""
    options = SubmissionOptions(auto_queue=body.auto_queue)
    return _result(await submit_domains(caller.engine, caller.actor, body.domains, options), "domains")


@router.post("/sitemaps/direct-submit")
async def submit_sitemap_list(body: SitemapSubmission, caller: Operator) -> SubmissionResult:
    """Submit sitemaps by URL; `auto_import` queues their import."""
    options = SubmissionOptions(auto_queue=body.auto_import)
    submission = await submit_sitemaps(caller.engine, caller.actor, body.sitemap_urls, options)
    return _result(submission, "sitemap_urls")


@router.post("/pages/direct-submit")
async def submit_page_list(body: PageSubmission, caller: Operator) -> SubmissionResult:
    """Submit pages by URL; a submitted page is read whatever its type."""
    options = SubmissionOptions(auto_queue=body.auto_queue, priority=body.priority_level)
    return _result(await submit_pages(caller.engine, caller.actor, body.urls, options), "urls")


CSVFile = Annotated[UploadFile, File(description="A CSV file, with or without headings; at most 10 MiB.")]
AutoQueue = Annotated[bool, Form(description="Queue the rows, or store them only.")]
Column = Annotated[str, Form(max_length=200, description="The column: its heading, or its number from 1.")]
Encoding = Annotated[str, Form(max_length=40, description="Such as cp1250; detected if it is missing.")]


@router.post("/domains/import-csv")
async def import_domains(
    caller: Operator,
    file: CSVFile,
    auto_queue: AutoQueue = False,
    column: Column = "",
    encoding: Encoding = "",
) -> ImportResult:
    """Submit the domains of a CSV file."""
    return await _import(caller, "domain", file, auto_queue, column, encoding)


@router.post("/sitemaps/import-csv")
async def import_sitemaps(
    caller: Operator,
    file: CSVFile,
    auto_queue: AutoQueue = False,
    column: Column = "",
    encoding: Encoding = "",
) -> ImportResult:
    """Submit the sitemaps of a CSV file."""
    return await _import(caller, "sitemap", file, auto_queue, column, encoding)


@router.post("/pages/import-csv")
async def import_pages(
    caller: Operator,
    file: CSVFile,
    auto_queue: AutoQueue = False,
    column: Column = "",
    encoding: Encoding = "",
) -> ImportResult:
    """Submit the pages of a CSV file."""
    return await _import(caller, "page", file, auto_queue, column, encoding)


async def _import(
    caller: Caller, kind: str, file: UploadFile, auto_queue: bool, column: str, encoding: str
) -> ImportResult:
    options = SubmissionOptions(auto_queue=auto_queue, lead_source=IMPORTED)
    submission = await import_csv(
        caller.engine, caller.actor, kind, upload_chunks(file.file), options, column=column, encoding=encoding
    )
    counts = submission.counts
    return ImportResult(
        total_rows=counts["lines"],
        successful=counts["new"],
        skipped=counts["known"],
        failed=counts["invalid"] + counts["platform"],
        queued_count=counts["queued"],
        column=submission.mapping.get("value", ""),
        encoding=submission.encoding,
        results=_lines(submission.lines),
        notes=[ImportNote(row_number=number, note=note) for number, note in submission.notes],
    )


def _result(submission: Submission, field: str) -> SubmissionResult:
    """The results of all lines; a list without a single valid line is refused as a whole."""
    if not submission.ids:
        raise invalid_input(_errors(submission, field))
    counts = submission.counts
    return SubmissionResult(
        submitted_count=counts["new"],
        queued_count=counts["queued"],
        ids=submission.ids,
        results=_lines(submission.lines),
    )


def _errors(submission: Submission, field: str) -> list[dict[str, str]]:
    return [
        {"pointer": f"/{field}/{line.number - 1}", "detail": line.reason, "code": line.status}
        for line in submission.lines
    ] or [{"pointer": f"/{field}", "detail": "Every line is empty.", "code": "empty"}]


def _lines(lines: Sequence[LineResult]) -> list[SubmittedLine]:
    return [
        SubmittedLine(
            row_number=line.number,
            value=line.value,
            status=STATUSES[line.status],
            id=line.id,
            queued=line.queued,
            error=line.reason or None,
        )
        for line in lines
    ]
