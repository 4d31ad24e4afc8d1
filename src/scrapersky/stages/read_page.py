"""Page → contacts with evidence: fetched politely, read once, kept for a while to be read again."""

from __future__ import annotations

from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

from scrapersky.engine.signals import GiveUp
from scrapersky.engine.stage import Done, Item, Stage
from scrapersky.extract.page_class import BLOCKED
from scrapersky.extract.report import page_report
from scrapersky.tables import Page, table_of, works
from scrapersky.tools import Tools
from scrapersky.tools.keeping import body_row, contact_row, for_next_time, page_fields


async def run(item: Item, tools: Tools) -> Done:
    row, known = item.row, dict(item.row.additional_json or {})
    again = known.pop("reread", False)
    known.pop("class", None)
    # What a person selected is read whatever the budget says.
    wanted = again or row.priority_level == 1 or row.page_curation_status == "Selected"
    if not wanted and (reason := await tools.yields.reason_to_stop(row.domain_id)):
        return Done(status="Filtered", fields={"additional_json": {**known, "filtered": reason}})
    page = await tools.bodies.kept(item) if again else None
    if page is None:
        seen = {} if again else {name: known.get(name) for name in ("etag", "last_modified")}
        page = await tools.web.get(row.url, **seen)
    now = datetime.now(UTC)
    digest = sha256(page.body).digest()
    unchanged = row.scraped_content and known.get("content_hash") == digest.hex()
    if page.not_modified or (unchanged and not again):
        return Done(fields={"last_scan_at": now})
    if not again and tools.repeats.is_repeat(row.domain_id, digest, item.id):
        return Done(fields=_fruitless(known, page, digest, now, {"name": "duplicate", "sign": ""}))
    kind = page.headers.get("Content-Type", "")
    country = await tools.countries.of(row.domain_id)
    told = await tools.web.read(page_report, page.body, page.url, row.host, kind, country)
    if told["class"] and told["class"]["name"] == BLOCKED:
        raise GiveUp(f"blocked: the site shows a barrier instead of the page ({told['class']['sign']})")
    contacts = [contact_row(one, item, page.url, tools.policy) for one in told["contacts"]]
    fields = {**page_fields(told, page, now), **_fruitless(known, page, digest, now, told["class"])}
    if contacts:
        fields["contact_scrape_status"] = "ContactFound"
    return Done(fields=fields, rows=[*contacts, body_row(item, page, digest, now, tools.policy)])


def _fruitless(
    known: dict[str, Any], page: Any, digest: bytes, now: datetime, instead: dict[str, str] | None
) -> dict[str, Any]:
    """The fields of a page without contacts; `instead` says what it is when it is not what it should be."""
    known = {**known, **for_next_time(page, digest)} | ({"class": instead} if instead else {})
    return {"last_scan_at": now, "contact_scrape_status": "NoContactFound", "additional_json": known}


read_page = Stage(
    works.PAGE_PROCESSING,
    table_of(Page),
    run,
    reads=(
        "url",
        "domain_id",
        "priority_level",
        "scraped_content",
        "additional_json",
        "page_curation_status",
    ),
    job_id=works.JOB_IDS[works.PAGE_PROCESSING],
)
