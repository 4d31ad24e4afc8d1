"""The rows that keep what was fetched and read: contacts with sightings, the body, what to ask next time."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime
from typing import Any
from urllib.parse import quote

from scrapersky import tables
from scrapersky.declarations import VALIDATE_EMAIL, statuses
from scrapersky.engine.stage import Item
from scrapersky.extract.contacts import EXTRACTOR_VERSION, PageContact
from scrapersky.extract.emails.classification import mailbox_kind, relation_of
from scrapersky.extract.geography import country_code
from scrapersky.extract.report import PageReport, column_values
from scrapersky.fetch.page import Page
from scrapersky.fetch.tiers import is_nearly_empty
from scrapersky.stage_context.limits import StageLimits
from scrapersky.stage_context.page_body_store import packed
from scrapersky.storage import ContactSeen, ListedContact, Seen, Upsert

LONGEST_URL = 2_048
# A list is as right as whoever made it; a page that shows the same address says more.
LISTED_CONFIDENCE = 0.7
_EMAIL_COLUMNS = ("email_type", "email_relation", "is_email_hidden")
_PHONE_COLUMNS = ("phone_type", "phone_extension")
_CONTACT_COLUMNS = ("confidence", "name", "job_title", "address", "country")


def contact_row(contact: PageContact, item: Item, url: str, policy: StageLimits) -> ContactSeen:
    """One contact of a page's report; a new address is queued for validation when that is automatic."""
    columns = (*(_EMAIL_COLUMNS if contact.email else _PHONE_COLUMNS), *_CONTACT_COLUMNS)
    values = {name: getattr(contact, name) for name in columns}
    values |= {"source_url": url[:LONGEST_URL], "lead_source": "page", "created_by": policy.system_user_id}
    if contact.email and policy.auto_email_validation:
        values["email_validation_status"] = VALIDATE_EMAIL.statuses.queued
    seen = tuple(Seen(**asdict(sighting)) for sighting in contact.sightings)
    return ContactSeen(
        item.row.domain_id, item.id, contact.email, contact.phone, values, seen, EXTRACTOR_VERSION
    )


def listed_row(listed: dict[str, Any], domain: str, row: Any, policy: StageLimits) -> ListedContact:
    """The contact that a list named beside a business; the file and line are its evidence."""
    email = listed.get("email")
    values: dict[str, Any] = {
        "source_url": f"file:{quote(str(listed.get('file') or row.source))}#line={listed.get('line', 0)}",
        "lead_source": row.source,
        "name": listed.get("person"),
        "job_title": listed.get("job_title"),
        "country": country_code(row.country or ""),
        "confidence": LISTED_CONFIDENCE,
        "created_by": row.created_by,
    }
    if email:
        local, _, host = email.partition("@")
        values |= {"email_type": mailbox_kind(local, host), "email_relation": relation_of(host, domain)}
        if policy.auto_email_validation:
            values["email_validation_status"] = VALIDATE_EMAIL.statuses.queued
    return ListedContact(domain, email, listed.get("phone"), values, EXTRACTOR_VERSION)


def page_fields(report: PageReport, page: Page, now: datetime) -> dict[str, Any]:
    """What the page says of itself, and the evidence of this reading (R082)."""
    stamp = {"extraction_timestamp": now.isoformat(), "credits": page.credits}
    return {
        **column_values(report.fields),
        "scraped_content": {**report.content, **stamp},
        "final_url": page.url[:LONGEST_URL],
        "status_code": page.status,
        "credits_used": page.credits,
    }


def body_row(item: Item, page: Page, digest: bytes, now: datetime, policy: StageLimits) -> Upsert:
    """The page itself, so that a better extractor can read it again without a request."""
    keep = policy.keep_bodies
    return Upsert(
        tables.page_bodies,
        {
            "page_id": item.id,
            "body": packed(page.body),
            "content_hash": digest,
            "final_url": page.url[:LONGEST_URL],
            "content_type": page.headers.get("Content-Type", "")[:300],
            "status_code": page.status,
            "size_bytes": len(page.body),
            "fetched_at": now,
            "expires_at": now + keep if keep else None,
        },
    )


def no_contact_fields(
    known: dict[str, Any], page: Page, digest: bytes, now: datetime, instead: dict[str, str] | None
) -> dict[str, Any]:
    """The fields of a page without contacts; `instead` says what it is when it is not what it should be."""
    known = {**known, **_for_next_time(page, digest)} | ({"class": instead} if instead else {})
    return {"last_scan_at": now, "contact_scrape_status": statuses.NO_CONTACT_FOUND, "additional_json": known}


def _for_next_time(page: Page, digest: bytes) -> dict[str, Any]:
    """What the next visit needs to know, and why this one was allowed."""
    robots = page.robots.reason if page.robots else None
    # An empty shell that did not change may still show more to a browser.
    is_empty = is_nearly_empty(page)
    known = {"etag": page.etag, "last_modified": page.last_modified}
    known = dict.fromkeys(known) if is_empty else known
    damage = {"damage": page.damage} if page.damage else {}
    return {**known, "content_hash": digest.hex(), "robots": robots, **damage}
