"""Page → contacts with evidence: fetched politely, read once, kept for a while to be read again."""

from __future__ import annotations

from datetime import UTC, datetime
from hashlib import sha256

from scrapersky.declarations import statuses
from scrapersky.engine.stage import Item, Result
from scrapersky.extract.report import report_page
from scrapersky.stage_context.context import StageContext
from scrapersky.stage_context.page_class import DUPLICATE, what_instead
from scrapersky.stage_context.page_rows import body_row, contact_row, no_contact_fields, page_fields


async def run(item: Item, tools: StageContext) -> Result:
    row, known = item.row, dict(item.row.additional_json or {})
    for stale in ("class", "damage"):
        known.pop(stale, None)
    # What a person selected is read whatever the budget says.
    wanted = row.priority_level == 1 or row.page_curation_status == statuses.SELECTED
    if not wanted and (reason := await tools.yields.reason_to_stop(row.domain_id)):
        return Result(status=statuses.FILTERED, fields={"additional_json": {**known, "filtered": reason}})
    validators = {name: known.get(name) for name in ("etag", "last_modified")}
    page = await tools.web.get(row.url, **validators, held_host=item.host)
    now = datetime.now(UTC)
    digest = sha256(page.body).digest()
    unchanged = row.scraped_content and known.get("content_hash") == digest.hex()
    if page.not_modified or unchanged:
        return Result(fields={"last_scan_at": now})
    if tools.repeats.is_repeat(row.domain_id, digest, item.id, row.url):
        return Result(fields=no_contact_fields(known, page, digest, now, DUPLICATE))
    kind = page.headers.get("Content-Type", "")
    country = await tools.countries.of(row.domain_id)
    report = await tools.web.read(report_page, page.body, page.url, row.host, kind, country)
    instead = what_instead(report)
    contacts = [contact_row(contact, item, page.url, tools.policy) for contact in report.contacts]
    fields = {**page_fields(report, page, now), **no_contact_fields(known, page, digest, now, instead)}
    if contacts:
        fields["contact_scrape_status"] = statuses.CONTACT_FOUND
    return Result(fields=fields, rows=[*contacts, body_row(item, page, digest, now, tools.policy)])
