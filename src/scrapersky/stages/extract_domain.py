"""Business → domain: the host of its website if it is its own; a page on a platform is only a profile."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol
from urllib.parse import quote
from uuid import UUID

from scrapersky import tables
from scrapersky.declarations import EXTRACT_DOMAIN, READ_METADATA, VALIDATE_EMAIL
from scrapersky.engine.outcome import Discard
from scrapersky.engine.stage import Item, Result
from scrapersky.extract.contacts import EXTRACTOR_VERSION
from scrapersky.extract.emails.classification import classify_mailbox, classify_relation
from scrapersky.extract.geography import country_code
from scrapersky.extract.socials.profiles import read_profile
from scrapersky.extract.urls import read_host
from scrapersky.stage_context import StageContext
from scrapersky.storage import ListedContact, Upsert

# A list is as right as whoever made it; a page that shows the same address is better evidence.
LISTED_CONFIDENCE = 0.7
EVIDENCE = ("confidence", "file", "line", "record_url")


class BusinessRow(Protocol):
    website_url: str | None
    listed_contact: dict[str, Any] | None
    additional_json: dict[str, Any]
    country: str | None
    source: str
    created_by: UUID | None


async def run(item: Item, context: StageContext) -> Result:
    row: BusinessRow = item.row
    if not row.website_url:
        return Result(fields={"additional_json": {**row.additional_json, "website": "none listed"}})
    website = read_host(row.website_url)
    if website.platform:
        profile = {"platform": website.platform, "profile_url": website.url}
        return Result(fields={"additional_json": {**row.additional_json, **profile}})
    if not website.ok:
        raise Discard(f"the website {row.website_url[:200]!r} gives no domain: {website.reason}")
    domain = {
        "domain": website.host,
        "host": website.registrable,
        "local_business_id": item.id,
        "lead_source": row.source,
        "country": row.country,
        "created_by": row.created_by,
        **context.handover.fields(EXTRACT_DOMAIN, READ_METADATA, context.now()),
    }
    contacts = [_contact_row(listed, website.host, row, context) for listed in _contacts(row.listed_contact)]
    return Result(rows=[Upsert(tables.domains, domain), *contacts])


def _contacts(listed: dict[str, Any] | None) -> Iterator[dict[str, Any]]:
    """The contact that a source lists, then one for each further address."""
    if not listed:
        return
    # Whose address was erased or is suppressed has left nothing to be reached by.
    if listed.get("email") or (listed.get("phone") and (listed.get("person") or listed.get("emails"))):
        yield listed
    for email in listed.get("emails", ()):
        yield {name: listed[name] for name in EVIDENCE if name in listed} | {"email": email}


def _contact_row(
    listed: dict[str, Any], domain: str, row: BusinessRow, context: StageContext
) -> ListedContact:
    """The contact that a source lists beside a business; its evidence is the file and line, or the record."""
    email = listed.get("email")
    line = f"file:{quote(str(listed.get('file') or row.source))}#line={listed.get('line', 0)}"
    profiles = filter(None, map(read_profile, listed.get("socials", ())))
    values: dict[str, Any] = {
        "source_url": listed.get("record_url") or line,
        "lead_source": row.source,
        "name": listed.get("person"),
        "job_title": listed.get("job_title"),
        "country": country_code(row.country or ""),
        "social_urls": {profile.network: profile.url for profile in profiles if not profile.is_personal},
        "confidence": round(LISTED_CONFIDENCE * listed.get("confidence", 1), 2),
        "created_by": row.created_by,
    }
    if email:
        local, _, host = email.partition("@")
        values |= {
            "email_type": classify_mailbox(local, host),
            "email_relation": classify_relation(host, domain),
        }
        if status := context.handover.status(EXTRACT_DOMAIN, VALIDATE_EMAIL):
            values[VALIDATE_EMAIL.status] = status
    return ListedContact(domain, email, listed.get("phone"), values, EXTRACTOR_VERSION)
