"""Page → contacts with evidence: fetched politely, read once, and stored so that it can be read again."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from hashlib import sha256
from typing import Any, Protocol
from uuid import UUID

from scrapersky import tables
from scrapersky.declarations import statuses
from scrapersky.engine.stage import Item, Result
from scrapersky.extract.model_answers import INSTRUCTION
from scrapersky.extract.page_class import PageClass
from scrapersky.extract.report import PageReport, question_about_page, report_page, report_with_answer
from scrapersky.fetch.page import Page
from scrapersky.fetch.paid.language_model import LanguageModel
from scrapersky.fetch.tiers import is_nearly_empty
from scrapersky.stage_context import StageContext
from scrapersky.stage_context.page_body_store import compress_body
from scrapersky.stage_context.page_class import DUPLICATE, usable_class
from scrapersky.stage_context.page_rows import MAX_URL_CHARS, contact_row, report_fields
from scrapersky.storage import Upsert

# Body, URL, domain, content type and country, as the extractors take them.
KnownPage = tuple[bytes, str, str, str, str | None]


class PageRow(Protocol):
    url: str
    host: str
    domain_id: UUID
    priority_level: int
    scraped_content: dict[str, Any] | None
    etag: str | None
    last_modified_header: str | None
    content_hash: bytes | None
    additional_json: dict[str, Any] | None
    page_curation_status: str


async def run(item: Item, context: StageContext) -> Result:
    row: PageRow = item.row
    # Pages that a person selected are read whatever the budget says.
    is_wanted = row.priority_level == 1 or row.page_curation_status == statuses.SELECTED
    ignore_empty = context.handover.reads_all_pages
    if not is_wanted and (
        reason := await context.budget.exhausted(row.domain_id, ignore_empty_pages=ignore_empty)
    ):
        return Result(status=statuses.FILTERED, fields={"filtered_reason": reason})
    page = await context.fetch(
        row.url, etag=row.etag, last_modified=row.last_modified_header, held_host=item.host
    )
    now = context.now()
    digest = sha256(page.body).digest()
    if page.not_modified or (row.scraped_content and row.content_hash == digest):
        return Result(fields={"last_scan_at": now})
    if context.duplicates.is_duplicate(row.domain_id, digest, item.id, row.url):
        return Result(fields=_visit_fields(row, page, digest, now, DUPLICATE))
    report = context.home_page_reports.take(row.domain_id, page.url, digest)
    report = report or await _read(row, page, context)
    page_class = usable_class(report)
    identities = [contact.email or contact.phone for contact in report.contacts]
    context.budget.record(row.domain_id, item.id, identities, is_ordinary=row.priority_level != 1)
    contacts = [contact_row(contact, item, page.url, context) for contact in report.contacts]
    fields = {
        **report_fields(report, now, credits=page.credits),
        "final_url": page.url[:MAX_URL_CHARS],
        "status_code": page.status,
        "credits_used": page.credits,
        **_visit_fields(row, page, digest, now, page_class),
    }
    if contacts:
        fields["contact_scrape_status"] = statuses.CONTACT_FOUND
    return Result(fields=fields, rows=[*contacts, _body_row(item, page, digest, now, context)])


async def _read(row: PageRow, page: Page, context: StageContext) -> PageReport:
    country = await context.countries.country_of(row.domain_id)
    content_type = page.headers.get("Content-Type", "")
    known = (page.body, page.url, row.host, content_type, country)
    report = await context.read(report_page, *known)
    if context.language_model is None or report.page_class is not None:
        return report
    return await _with_model_answer(report, known, context.language_model, context)


async def _with_model_answer(
    report: PageReport, known: KnownPage, model: LanguageModel, context: StageContext
) -> PageReport:
    """The report with what a language model can quote, where the rules are unsure."""
    question = await context.read(question_about_page, *known)
    if question is None:
        return report
    answer = await model.ask(INSTRUCTION, question)
    if answer.text is None:
        return replace(report, content={**report.content, "language_model": {"reason": answer.reason}})
    return await context.read(report_with_answer, *known, answer.text)


def _visit_fields(
    row: PageRow, page: Page, digest: bytes, now: datetime, page_class: PageClass | None
) -> dict[str, Any]:
    """The fields of a page without contacts, with what the next visit needs."""
    # An empty shell that did not change may still show more to a browser.
    is_empty = is_nearly_empty(page)
    return {
        "last_scan_at": now,
        "contact_scrape_status": statuses.NO_CONTACT_FOUND,
        "etag": None if is_empty else page.etag,
        "last_modified_header": None if is_empty else page.last_modified,
        "content_hash": digest,
        "page_class": page_class._asdict() if page_class else None,
        "filtered_reason": None,
        "damage": page.damage or None,
        "additional_json": {
            **(row.additional_json or {}),
            "robots": page.robots.reason if page.robots else None,
        },
    }


def _body_row(item: Item, page: Page, digest: bytes, now: datetime, context: StageContext) -> Upsert:
    """The page itself, so that a better extractor can read it again without a request."""
    retention = context.limits.body_retention
    body = {
        "page_id": item.id,
        "body": compress_body(page.body),
        "content_hash": digest,
        "final_url": page.url[:MAX_URL_CHARS],
        "content_type": page.headers.get("Content-Type", "")[:300],
        "status_code": page.status,
        "size_bytes": len(page.body),
        "fetched_at": now,
        "expires_at": now + retention if retention else None,
    }
    return Upsert(tables.page_bodies, body)
