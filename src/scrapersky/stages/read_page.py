"""Page → contacts with evidence: fetched politely, read once, kept for a while to be read again."""

from __future__ import annotations

from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

from scrapersky.engine.stage import Done, Item, Stage
from scrapersky.extract.contacts import EXTRACTOR_VERSION
from scrapersky.extract.report import page_report
from scrapersky.tables import Page, PageBody, table_of, works
from scrapersky.tables.saving import ContactSeen, New, Seen
from scrapersky.tools import Tools, packed


async def run(item: Item, tools: Tools) -> Done:
    row, known = item.row, item.row.additional_json or {}
    if row.priority_level > 1 and (reason := await tools.yields.reason_to_stop(row.domain_id)):
        return Done(status="Filtered", fields={"additional_json": {**known, "filtered": reason}})
    page = await tools.web.get(row.url, etag=known.get("etag"), last_modified=known.get("last_modified"))
    now = datetime.now(UTC)
    digest = sha256(page.body).digest()
    if page.not_modified or (row.scraped_content and known.get("content_hash") == digest.hex()):
        return Done(fields={"last_scan_at": now})
    kind = page.headers.get("Content-Type", "")
    told = await tools.web.read(page_report, page.body, page.url, row.host, kind, known.get("country"))
    contacts = [_contact(one, item, page.url, tools) for one in told["contacts"]]
    content = {**told["content"], "extraction_timestamp": now.isoformat(), "credits": page.credits}
    fields = {
        **told["fields"],
        "scraped_content": content,
        "contact_scrape_status": "ContactFound" if contacts else "NoContactFound",
        "final_url": page.url[:2_048],
        "status_code": page.status,
        "credits_used": page.credits,
        "last_scan_at": now,
        "additional_json": {**known, **_fetched(page, digest)},
    }
    return Done(fields=fields, rows=[*contacts, New(PageBody, _body(item, page, digest, now, tools))])


def _fetched(page: Any, digest: bytes) -> dict[str, Any]:
    """What the next visit needs to know, and why this one was allowed."""
    robots = page.robots.reason if page.robots else None
    return {
        "etag": page.etag,
        "last_modified": page.last_modified,
        "content_hash": digest.hex(),
        "robots": robots,
    }


def _contact(one: dict[str, Any], item: Item, url: str, tools: Tools) -> ContactSeen:
    values = {**one["values"], "source_url": url[:2_048], "lead_source": "page"}
    values["created_by"] = tools.policy.system_user_id
    if one["email"] and tools.policy.auto_email_validation:
        values["email_validation_status"] = "Queued"
    seen = tuple(Seen(**each) for each in one["seen"])
    return ContactSeen(
        item.row.domain_id, item.id, one["email"], one["phone"], values, seen, EXTRACTOR_VERSION
    )


def _body(item: Item, page: Any, digest: bytes, now: datetime, tools: Tools) -> dict[str, Any]:
    keep = tools.policy.keep_bodies
    return {
        "page_id": item.id, "body": packed(page.body), "content_hash": digest, "final_url": page.url[:2_048],
        "content_type": page.headers.get("Content-Type", "")[:300], "status_code": page.status,
        "size_bytes": len(page.body), "fetched_at": now, "expires_at": now + keep if keep else None,
    }  # fmt: skip


read_page = Stage(
    works.PAGE_PROCESSING,
    table_of(Page),
    run,
    reads=("url", "domain_id", "priority_level", "scraped_content", "additional_json"),
    job_id="v2_page_curation_processor",
)
