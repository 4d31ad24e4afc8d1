"""The columns of an original row in ours: values checked, NULLs filled, statuses in our words."""

from __future__ import annotations

import re
from typing import Any

from email_validator import EmailNotValidError, validate_email

from scrapersky.declarations import (
    DEEP_SCAN,
    EXTRACT_DOMAIN,
    IMPORT_SITEMAP,
    READ_METADATA,
    READ_PAGE,
    RUN_JOB,
    SEARCH_PLACES,
    SUBMIT_DOMAIN,
    VALIDATE_EMAIL,
    StageDeclaration,
    statuses,
)
from scrapersky.extract.emails.classification import classify_mailbox, classify_relation
from scrapersky.extract.emails.vocabulary import FILE_END, is_pattern, is_placeholder_email
from scrapersky.extract.pagetypes.classifier import classify_url
from scrapersky.extract.phones.numbers import read_number
from scrapersky.stages.run_job.import_legacy.legacy_row import LegacyRow
from scrapersky.stages.run_job.import_legacy.words import curation, translated, words

MAX_URL = 2_048
GOOGLE, LEGACY = "google_places", "legacy"
DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
NO_REASON = "failed in the original database, which kept no reason"
SCRAPED = {
    "new": statuses.NEW,
    "contactfound": statuses.CONTACT_FOUND,
    "nocontactfound": statuses.NO_CONTACT_FOUND,
    "notafit": statuses.NO_CONTACT_FOUND,
    "error": statuses.CONTACT_ERROR,
}
# What the original writes where it value nothing.
PLACEHOLDER_NAME = re.compile(r"contact at .*|unknown|n/?a|not value", re.IGNORECASE)
COPIED_DOMAIN_TEXTS = (
    "title", "description", "favicon_url", "logo_url", "wordpress_version", "wordpress_theme", "lead_source",
    "google_analytics_id", "google_tag_manager_id", "facebook_url", "twitter_url", "linkedin_url",
    "instagram_url", "youtube_url",
)  # fmt: skip
COPIED_DOMAIN_FLAGS = (
    "is_wordpress", "has_elementor", "has_divi", "has_woocommerce", "has_yoast_seo", "has_contact_form7",
    "has_wpforms",
)  # fmt: skip


def _queue(
    record: LegacyRow, stage: StageDeclaration, *columns: str, default: str | None = None
) -> dict[str, Any]:
    """The status of a stage and its error; a failed row says why."""
    known = stage.statuses
    meanings = words(known.queued, known.done, known.failed)
    if "pending" in known.other:
        meanings["pending"] = "pending"
    status = translated(record, meanings, default, *(columns or (stage.status,)))
    error = record.string(stage.error, limit=1_024)
    if status != known.failed:
        return {stage.status: status}
    return {stage.status: status, stage.error: error or NO_REASON}


def _times(record: LegacyRow) -> dict[str, Any]:
    created, updated = record.moment("created_at"), record.moment("updated_at")
    return {"created_at": created or updated or record.now, "updated_at": updated or created or record.now}


def search(record: LegacyRow) -> dict[str, Any]:
    meanings = words("pending", "complete", "failed")
    status = translated(record, meanings, SEARCH_PLACES.statuses.done, "status")
    is_failed = status == SEARCH_PLACES.statuses.failed
    return {
        "business_type": record.string("business_type", limit=100) or "unknown",
        "location": record.string("location", limit=255) or "unknown",
        "source": GOOGLE,
        "params": record.json("params") | record.left_over(),
        # A search that never ended is not paid for again without being asked.
        "status": SEARCH_PLACES.statuses.done if status == SEARCH_PLACES.statuses.queued else status,
        **({"error": NO_REASON} if is_failed else {}),
        **_times(record),
    }


def place(record: LegacyRow) -> dict[str, Any]:
    values = {
        "source": GOOGLE,
        "place_id": record.string("place_id", limit=300),
        "name": record.string("name", limit=500) or "(no name)",
        "status": curation(record, "status"),
        "business_type": record.string("business_type"),
        "formatted_address": record.string("formatted_address", limit=1_000),
        "vicinity": record.string("vicinity"),
        "latitude": record.number("latitude", -90, 90),
        "longitude": record.number("longitude", -180, 180),
        "rating": record.number("rating", 0, 5),
        "user_ratings_total": record.whole("user_ratings_total"),
        "price_level": record.whole("price_level", 0, 9),
        "search_query": record.string("search_query"),
        "search_location": record.string("search_location"),
        "notes": record.string("notes", limit=10_000),
        "tags": record.texts("tags"),
        "priority": record.whole("priority", -32_768, 32_767) or 0,
        "revisit_at": record.moment("revisit_date"),
        **_queue(record, DEEP_SCAN),
        **_times(record),
    }
    record.value("search_job_id")
    return {**values, "raw_data": record.json("raw_data") | record.left_over()}


def business(record: LegacyRow) -> dict[str, Any]:
    place_id = record.string("place_id", limit=300)
    hours = {day: value for day in DAYS if (value := record.string(f"{day}_hours"))}
    values = {
        "source": GOOGLE if place_id else LEGACY,
        "place_id": place_id or record.legacy_id,
        "business_name": record.string("business_name", limit=500) or "(no name)",
        "status": curation(record, "status"),
        "lead_source": record.string("lead_source"),
        "full_address": record.string("full_address", limit=1_000),
        **{name: record.string(name) for name in ("street_address", "city", "state", "zip", "country")},
        "latitude": record.number("latitude", -90, 90),
        "longitude": record.number("longitude", -180, 180),
        "phone": record.string("phone", limit=50),
        "website_url": record.string("website_url", limit=MAX_URL),
        "main_category": record.string("main_category"),
        "extra_categories": record.texts("extra_categories"),
        "rating": record.number("rating", 0, 5),
        "reviews_count": record.whole("reviews_count"),
        "price_text": record.string("price_text"),
        "is_verified": record.boolean("business_verified"),
        "opening_hours": hours,
        "timezone": record.string("timezone"),
        "image_url": record.string("image_url"),
        **_queue(record, EXTRACT_DOMAIN),
        **_times(record),
    }
    return {**values, "additional_json": record.json("additional_json") | record.left_over()}


def business_key(record: LegacyRow) -> tuple[str, str] | None:
    """The key of the business of a domain, as `business` makes it."""
    if place_id := record.string("_place_id", limit=300):
        return (place_id, GOOGLE)
    value = record.string("_business")
    return (value, LEGACY) if value else None


def domain(record: LegacyRow) -> dict[str, Any]:
    values: dict[str, Any] = {name: record.string(name, limit=1_000) for name in COPIED_DOMAIN_TEXTS}
    values |= {name: record.boolean(name) for name in COPIED_DOMAIN_FLAGS}
    values |= {
        "sitemap_curation_status": curation(record, "sitemap_curation_status"),
        "language": record.string("language", limit=35),
        "copyright_year": record.whole("copyright_year", 1_900, 2_200),
        "tech_stack": record.json("tech_stack"),
        **{name: record.texts(name) for name in ("email_addresses", "phone_numbers", "physical_addresses")},
        "total_sitemaps": record.whole("total_sitemaps"),
        "sitemap_urls": record.whole("sitemap_urls"),
        "last_scan_at": record.moment("last_scan"),
        "notes": record.string("notes", limit=10_000),
        **_metadata_status(record),
        **_queue(record, SUBMIT_DOMAIN),
        **_times(record),
    }
    record.value("local_business_id")
    return {**values, "domain_metadata": record.json("domain_metadata", "meta_json") | record.left_over()}


def _metadata_status(record: LegacyRow) -> dict[str, Any]:
    """`active` there is a domain that nobody has read, unless it has a title; no NULL remains (R010)."""
    known = READ_METADATA.statuses
    has_been_read = record.value("title") is not None or record.value("last_scan") is not None
    unread = known.done if has_been_read else known.queued
    meanings = words(known.queued, known.done, known.failed, active=unread, inactive=unread)
    status = translated(record, meanings, unread, "status")
    error = record.string("last_error", "error", limit=1_024)
    return {"status": status, **({"error": error or NO_REASON} if status == known.failed else {})}


def job(record: LegacyRow, *, host: str) -> dict[str, Any]:
    """A sitemap job that waits is continued here; other work that was not finished is not started again."""
    job_type, known = record.string("job_type", limit=100) or "unknown", RUN_JOB.statuses
    meanings = words(known.queued, known.done, known.failed, cancelled=statuses.CANCELLED)
    status = translated(record, meanings, statuses.CANCELLED, "status")
    if status == known.queued and not (job_type == "sitemap" and host):
        status = statuses.CANCELLED
        record.changes.append("it was not finished and is cancelled")
    error = record.string("error", limit=1_024)
    progress = record.number("progress", 0, 1) or 0.0
    values = {
        "job_type": job_type,
        "status": status,
        "host": host if job_type == "sitemap" else "",
        "progress": progress,
        "progress_percent": round(100 * progress),
        "result_data": record.json("result_data"),
        **_times(record),
    }
    if status == known.failed or error:
        values["error"] = error or NO_REASON
    for name in ("job_id", "domain_id"):
        record.value(name)
    return {**values, "job_metadata": record.json("job_metadata") | record.left_over()}


def batch(record: LegacyRow) -> dict[str, Any]:
    """A batch of scans; what it was is kept as a job that has ended."""
    known = RUN_JOB.statuses
    meanings = words(
        statuses.CANCELLED, known.done, known.failed, cancelled=statuses.CANCELLED, partial=known.done
    )
    status = translated(record, meanings, statuses.CANCELLED, "status")
    error = record.string("error", limit=1_024)
    record.value("batch_id")
    values = {
        "job_type": "batch",
        "status": status,
        "progress": record.number("progress", 0, 1) or 0.0,
        "result_data": record.json("options"),
        **_times(record),
    }
    if status == known.failed or error:
        values["error"] = error or NO_REASON
    return {**values, "job_metadata": record.left_over()}


def sitemap(record: LegacyRow) -> dict[str, Any]:
    values = {
        "sitemap_type": (record.string("sitemap_type", limit=50) or "standard").lower(),
        "discovery_method": (record.string("discovery_method", limit=50) or "manual").lower(),
        "sitemap_curation_status": curation(record, "sitemap_curation_status", "deep_scrape_curation_status"),
        "url_count": record.whole("url_count") or 0,
        "page_count": record.whole("page_count") or 0,
        "size_bytes": record.whole("size_bytes"),
        "status_code": record.whole("status_code", 0, 999),
        "response_time_ms": record.whole("response_time_ms"),
        **{
            name: record.boolean(name)
            for name in ("is_gzipped", "has_lastmod", "has_priority", "has_changefreq")
        },
        "last_modified_at": record.moment("last_modified"),
        "generator": record.string("generator", limit=500),
        "lead_source": record.string("lead_source"),
        "job_id": record.uuid("job_id"),
        "notes": record.string("notes", limit=10_000),
        # A file without a status is queued, as everywhere (R002, R010).
        **_queue(record, IMPORT_SITEMAP, default=IMPORT_SITEMAP.statuses.queued),
        **_times(record),
    }
    tags = record.value("tags")
    values["tags"] = [str(tag) for tag in tags] if isinstance(tags, list | dict) else []
    record.value("domain_id")
    return {**values, "additional_json": record.left_over()}


def page(record: LegacyRow, url: str) -> dict[str, Any]:
    honeybee = record.json("honeybee_json")
    decision = honeybee.get("decision")
    confidence = decision.get("confidence") if isinstance(decision, dict) else None
    values = {
        "page_curation_status": curation(record, "page_curation_status"),
        "priority_level": min(max(record.whole("priority_level", 0, 100) or 3, 1), 3),
        "page_type": (record.string("page_type", limit=50) or classify_url(url).page_type).lower(),
        "page_type_confidence": confidence if isinstance(confidence, int | float) else None,
        "path_depth": record.whole("path_depth", 0, 1_000),
        "title": record.string("title", limit=1_000),
        "description": record.string("description", limit=5_000),
        "h1": record.string("h1", limit=1_000),
        "canonical_url": record.string("canonical_url"),
        "meta_robots": record.string("meta_robots"),
        "schema_types": record.texts("schema_types") or None,
        "has_contact_form": record.boolean("has_contact_form"),
        "word_count": record.whole("word_count"),
        "last_modified_at": record.moment("last_modified"),
        "last_scan_at": record.moment("last_scan"),
        "scraped_content": record.json("scraped_content") or None,
        "lead_source": record.string("lead_source", limit=50) or "sitemap_import",
        **_reading(record),
        **_times(record),
    }
    for name in ("domain_id", "sitemap_file_id"):
        record.value(name)
    return {**values, "additional_json": record.json("additional_json") | record.left_over() or None}


def _reading(record: LegacyRow) -> dict[str, Any]:
    """`Complete` there also means "imported, never read"; such a page is not queued here either."""
    known = READ_PAGE.statuses
    scraped = translated(record, SCRAPED, statuses.NEW, "contact_scrape_status") or statuses.NEW
    unread = None if scraped == statuses.NEW else known.done
    meanings = words(known.queued, known.done, known.failed, filtered=statuses.FILTERED)
    meanings |= {"complete": unread, "completed": unread}
    status = translated(record, meanings, None, READ_PAGE.status)
    error = record.string(READ_PAGE.error, limit=1_024)
    reason = {READ_PAGE.error: error or NO_REASON} if status == known.failed else {}
    return {"contact_scrape_status": scraped, READ_PAGE.status: status, **reason}


def listed_page(record: LegacyRow, url: str) -> dict[str, Any]:
    """A URL that a sitemap lists, as a page that nobody has chosen."""
    kind = classify_url(url)
    return {
        "page_type": kind.page_type,
        "page_type_confidence": kind.confidence,
        "priority_level": kind.priority,
        "path_depth": kind.depth,
        "last_modified_at": record.moment("lastmod"),
        "lead_source": record.string("lead_source", limit=50) or "sitemap_import",
        **_times(record),
    }


def email(record: LegacyRow, domain: str) -> tuple[str, str]:
    """The address, or why it is none: the original took file names and placeholders for addresses.

    Reasons quote no address, because what is stored about people must be found when they are erased.
    """
    text = record.string("email", limit=400) or ""
    try:
        parsed = validate_email(text, check_deliverability=False)
    except EmailNotValidError:
        return "", "its address is not a mail address"
    address = f"{parsed.local_part}@{parsed.domain}".lower()
    local, _, host = address.partition("@")
    if FILE_END.search(host) or FILE_END.search(local):
        return "", "its address is the name of a file"
    if is_pattern(local) or (classify_relation(host, domain) != "own" and is_placeholder_email(local, host)):
        return "", "its address is a placeholder"
    return address, ""


def contact(record: LegacyRow, address: str, domain: str, page_url: str) -> dict[str, Any]:
    local, _, host = address.partition("@")
    name = record.string("name", limit=300)
    source = record.string("source_url", limit=MAX_URL) or page_url or f"https://{domain}/"
    values = {
        "email_type": classify_mailbox(local, host),
        "email_relation": classify_relation(host, domain),
        "phone_number": _phone(record),
        "name": None if name and PLACEHOLDER_NAME.fullmatch(name) else name,
        "source_url": source[:MAX_URL],
        "lead_source": "page",
        "contact_curation_status": curation(record, "contact_curation_status"),
        **_validation(record),
        "last_enrichment_id": record.string("last_enrichment_id", limit=255),
        **_times(record),
    }
    values["last_seen_at"] = values["updated_at"]
    for column in ("domain_id", "page_id", "email_type", "has_gmail", "source_job_id"):
        record.value(column)
    return {**values, "enrichment": record.left_over()}


def _phone(record: LegacyRow) -> str | None:
    text = record.string("phone_number", limit=100)
    number = read_number(text, "US") if text else None
    if text and not number:
        record.changes.append("phone_number is not a phone number and left empty")
    return number.e164 if number else None


def _validation(record: LegacyRow) -> dict[str, Any]:
    """A verdict of DeBounce, or a place in the queue if the address waited for one."""
    known = VALIDATE_EMAIL.statuses
    result = (record.string("debounce_result", limit=50) or "").lower()
    status = translated(
        record, words(known.queued, known.done, known.failed, new=None, selected=known.queued, skipped=None),
        None, "debounce_processing_status",
    )  # fmt: skip
    record.value("debounce_validation_status")
    error = record.string("debounce_processing_error", limit=500)
    values = {
        "email_validation_score": record.whole("debounce_score", 0, 100),
        "email_validation_reason": record.string("debounce_reason", limit=500),
        "email_validation_suggestion": record.string("debounce_suggestion"),
        "email_validated_at": record.moment("debounce_validated_at"),
    }
    if result in statuses.EMAIL_RESULT:
        verdict = {"email_validation_result": result, "email_validation_method": "debounce"}
        return {VALIDATE_EMAIL.status: known.done, **verdict, **values}
    if status == known.failed:
        return {VALIDATE_EMAIL.status: status, VALIDATE_EMAIL.error: error or NO_REASON}
    return {VALIDATE_EMAIL.status: known.queued if status == known.queued else None}
