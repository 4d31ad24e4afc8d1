"""Business → domain: its website's host, if that is one of its own; a page on a platform is a profile."""

from __future__ import annotations

from scrapersky import tables
from scrapersky.engine.outcome import Discard
from scrapersky.engine.stage import Item, Result
from scrapersky.extract.urls import read_host
from scrapersky.stage_context.context import StageContext
from scrapersky.stage_context.page_rows import listed_row
from scrapersky.storage import Upsert


async def run(item: Item, tools: StageContext) -> Result:
    row = item.row
    if not row.website_url:
        return Result(fields={"additional_json": {**row.additional_json, "website": "none listed"}})
    reading = read_host(row.website_url, lab_suffixes=tools.policy.lab_suffixes)
    if reading.platform:
        profile = {"platform": reading.platform, "profile_url": reading.url}
        return Result(fields={"additional_json": {**row.additional_json, **profile}})
    if not reading.ok:
        raise Discard(f"the website {row.website_url[:200]!r} gives no domain: {reading.reason}")
    domain = {
        "domain": reading.host,
        "host": reading.registrable,
        "local_business_id": item.id,
        "lead_source": row.source,
        "country": row.country,
        "created_by": row.created_by,
    }
    listed = row.additional_json.get("listed_contact")
    contacts = [listed_row(listed, reading.host, row, tools.policy)] if listed else []
    return Result(rows=[Upsert(tables.domains, domain), *contacts])
