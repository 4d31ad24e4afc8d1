"""Keeps suppressed people out of what stages store: contacts, sightings, listed places and page bodies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID

from sqlalchemy import Table
from sqlalchemy.ext.asyncio import AsyncConnection

from scrapersky import tables
from scrapersky.engine.database import Statement
from scrapersky.engine.stage import Item
from scrapersky.extract.geography import country_code
from scrapersky.extract.privacy.identifiers import (
    MAX_EMAIL,
    Identifier,
    covering_domains,
    email_identifiers,
    find_identifiers,
    hidden_forms,
    phone_identifiers,
)
from scrapersky.extract.privacy.subject import PERSON_FIELDS, is_plain
from scrapersky.fetch.http.zstd import zstd
from scrapersky.storage.contacts import ContactUpsert, ListedContact
from scrapersky.storage.suppressions import (
    SHARE_LOCK,
    attempts_of,
    count_attempts,
    find_suppressed,
    tenants_with_suppressions,
)
from scrapersky.storage.upserts import Update, Upsert

REMOVED = "[suppressed]"
# Tables whose rows name people.
FILTERED = frozenset(
    {
        tables.places_staging, tables.osm_elements, tables.local_businesses, tables.page_bodies, tables.pages,
    }
)  # fmt: skip
MAX_BODY_BYTES = 64 * 2**20
# A longer text is not a phone number.
MAX_PHONE = 40
PHONE_COLUMNS = ("phone_number", "phone_type", "phone_extension")
Suppressed = Mapping[Identifier, list[UUID]]
Rows = Sequence[tuple[Item, Any]]

DOMAIN_NAMES = Statement("SELECT id, domain FROM domains WHERE id = ANY (:ids::uuid[])")
# What was read from a page that shows somebody who is suppressed is not kept, only that it was read.
WITHHOLD_PAGES = Statement("""
UPDATE pages SET title = NULL, description = NULL, h1 = NULL, canonical_url = NULL,
  scraped_content = jsonb_build_object('withheld', 'the page shows somebody who is suppressed')
WHERE id = ANY (:ids::uuid[]) AND tenant_id = :tenant""")
DELETE_BODIES = Statement("""
DELETE FROM page_bodies WHERE page_id = ANY (:ids::uuid[]) AND tenant_id = :tenant""")


async def drop_suppressed(connection: AsyncConnection, rows: Rows) -> Rows:
    """The rows without suppressed people; call it in the transaction that stores them."""
    tenants = {item.tenant_id for item, row in rows if _names_people(row)}
    if not tenants:
        return rows
    await SHARE_LOCK.run(connection, {})
    concerned = await tenants_with_suppressions(connection, tenants)
    if not concerned:
        return rows
    kept = [(item, row) for item, row in rows if item.tenant_id not in concerned]
    for tenant in sorted(concerned):
        mine = [(item, row) for item, row in rows if item.tenant_id == tenant]
        kept += await _drop_for_tenant(connection, tenant, mine)
    return kept


def _names_people(row: Any) -> bool:
    if isinstance(row, Upsert | Update):
        return row.table in FILTERED
    return isinstance(row, ContactUpsert | ListedContact)


async def _drop_for_tenant(connection: AsyncConnection, tenant: UUID, rows: Rows) -> Rows:
    sites = await _site_names(connection, rows)
    brought = [list(_identifiers(row, sites)) for _, row in rows]
    everything = {identifier for identifiers in brought for identifier in identifiers}
    suppressed = await find_suppressed(connection, tenant, everything)
    if not suppressed:
        return rows
    attempts: Counter[UUID] = Counter()
    kept: list[tuple[Item, Any]] = []
    pages: set[UUID] = set()
    for (item, row), identifiers in zip(rows, brought, strict=True):
        is_met = _any(suppressed, identifiers)
        if _is_contact(row):
            attempts.update(set(attempts_of(suppressed, _own_identifiers(row, sites))))
        if is_met and (page_id := _page_of(row)):
            pages.add(page_id)
        if (clean := _without(row, suppressed, sites) if is_met else row) is not None:
            kept.append((item, clean))
    if pages:
        values = {"ids": sorted(pages), "tenant": tenant}
        await WITHHOLD_PAGES.run(connection, values)
        await DELETE_BODIES.run(connection, values)
        kept = [pair for pair in kept if not (_is_body(pair[1]) and _page_of(pair[1]) in pages)]
    await count_attempts(connection, attempts)
    return kept


async def _site_names(connection: AsyncConnection, rows: Rows) -> dict[UUID, str]:
    ids = {row.domain_id for _, row in rows if isinstance(row, ContactUpsert)}
    if not ids:
        return {}
    return {row.id: row.domain for row in await DOMAIN_NAMES.run(connection, {"ids": sorted(ids)})}


def _is_contact(row: Any) -> bool:
    return isinstance(row, ContactUpsert | ListedContact) or (
        isinstance(row, Upsert) and row.table is not tables.page_bodies
    )


def _is_body(row: Any) -> bool:
    return isinstance(row, Upsert) and row.table is tables.page_bodies


def _page_of(row: Any) -> UUID | None:
    """The page that a row was read from."""
    if isinstance(row, ContactUpsert):
        return row.page_id
    if isinstance(row, Update) and row.table is tables.pages:
        return UUID(str(row.id))
    return UUID(str(row.values["page_id"])) if _is_body(row) else None


def _identifiers(row: Any, sites: Mapping[UUID, str]) -> Iterator[Identifier]:
    """Everything in a row under which somebody may be suppressed."""
    if isinstance(row, ContactUpsert | ListedContact):
        yield from _own_identifiers(row, sites)
        for seen in row.seen if isinstance(row, ContactUpsert) else ():
            yield from text_identifiers(seen.quote)
    elif _is_body(row):
        body = zstd.ZstdDecompressor().decompress(row.values["body"], MAX_BODY_BYTES)
        yield from text_identifiers(body.decode(errors="replace"))
    elif isinstance(row, Upsert | Update) and row.table in FILTERED:
        yield from all_identifiers(row.values, row_country(row.values))


def _own_identifiers(row: Any, sites: Mapping[UUID, str]) -> Iterator[Identifier]:
    """What the contact itself is suppressed by, or a listed place."""
    if isinstance(row, ContactUpsert | ListedContact):
        yield from email_identifiers(row.email or "")
        yield from phone_identifiers(row.phone or "")
        yield from covering_domains(_site(row, sites))
    else:
        yield from _identifiers(row, sites)


def row_country(values: Mapping[str, Any]) -> str | None:
    """The country in whose way the numbers of a row are read; a place has it in its record."""
    record = values.get("raw_data")
    named = values.get("country") or (record.get("country") if isinstance(record, Mapping) else None)
    return country_code(str(named or ""))


def all_identifiers(value: Any, country: str | None) -> Iterator[Identifier]:
    """Everything in the texts of a value; a number without a prefix is read in the country's way."""
    for text in _texts(value):
        yield from text_identifiers(text)
        yield from _whole_identifiers(text, country)


def _whole_identifiers(text: str, country: str | None) -> list[Identifier]:
    """What a text is that is one address, also with blanks in it, or one number."""
    addresses = email_identifiers(text) if "@" in text and len(text) <= MAX_EMAIL else []
    return [*addresses, *(phone_identifiers(text, country) if len(text) <= MAX_PHONE else ())]


def text_identifiers(text: str) -> Iterator[Identifier]:
    """Everything in a text, also as links, HTML and JSON write it."""
    for form in (text, *hidden_forms(text)):
        for finding in find_identifiers(form):
            yield from finding.identifiers


def _site(row: ContactUpsert | ListedContact, sites: Mapping[UUID, str]) -> str:
    return row.domain if isinstance(row, ListedContact) else sites.get(row.domain_id, "")


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for part in value.values():
            yield from _texts(part)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from _texts(part)


def _without(row: Any, suppressed: Suppressed, sites: Mapping[UUID, str]) -> Any:
    """The row without what is suppressed, or None if nothing of it may be kept."""
    if isinstance(row, ContactUpsert | ListedContact):
        return _contact_without(row, suppressed, sites)
    if _is_body(row):
        return None
    if isinstance(row, Upsert | Update):
        return replace(row, values=redact_columns(row.table, row.values, suppressed))
    return row


def _contact_without(
    row: ContactUpsert | ListedContact, suppressed: Suppressed, sites: Mapping[UUID, str]
) -> ContactUpsert | ListedContact | None:
    if _any(suppressed, (*email_identifiers(row.email or ""), *covering_domains(_site(row, sites)))):
        return None
    if _any(suppressed, phone_identifiers(row.phone or "")):
        if not row.email:
            return None
        # The address is somebody's who did not object; the number goes.
        values = {name: value for name, value in row.values.items() if not name.startswith("phone_")}
        row = replace(row, phone=None, values=values)
        if isinstance(row, ContactUpsert):
            row = replace(row, seen=tuple(seen for seen in row.seen if seen.field != "phone"))
    if isinstance(row, ContactUpsert):
        clean = tuple(seen for seen in row.seen if not _any(suppressed, text_identifiers(seen.quote)))
        row = replace(row, seen=clean)
    return row


def _any(suppressed: Suppressed, identifiers: Iterable[Identifier]) -> bool:
    return any(identifier in suppressed for identifier in identifiers)


def redact_columns(table: Table, values: Mapping[str, Any], suppressed: Suppressed) -> dict[str, Any]:
    """The values of a row, of its table or computed, without what is suppressed."""
    country = row_country(values)
    clean = {name: redact_value(value, suppressed, country) for name, value in values.items()}
    if values.get("phone_number") and not clean["phone_number"]:
        clean |= {name: None for name in PHONE_COLUMNS if name in clean}
    required = (name for name in clean if name in table.c and not table.c[name].nullable)
    return clean | {name: REMOVED for name in required if clean[name] is None}


def redact_value(value: Any, suppressed: Suppressed, country: str | None = None) -> Any:
    """The value without what is suppressed; a text that is nothing else becomes None."""
    if isinstance(value, str):
        return _redact_text(value, suppressed, country)
    if isinstance(value, Mapping):
        clean = {name: redact_value(part, suppressed, country) for name, part in value.items()}
        if not clean.get("email") and any(
            is_plain(value[name]) and clean[name] != value[name] for name in clean
        ):
            # The person whose address or number it was.
            clean |= dict.fromkeys(PERSON_FIELDS & clean.keys())
        return clean
    if isinstance(value, list | tuple):
        parts = [(part, redact_value(part, suppressed, country)) for part in value]
        return [clean for part, clean in parts if clean is not None or part is None]
    return value


def _redact_text(text: str, suppressed: Suppressed, country: str | None) -> str | None:
    if _any(suppressed, _whole_identifiers(text, country)):
        return None
    if any(_any(suppressed, text_identifiers(form)) for form in hidden_forms(text)):
        return None
    clean = text
    for match in reversed(list(find_identifiers(text))):
        if _any(suppressed, match.identifiers):
            clean = clean[: match.start] + REMOVED + clean[match.end :]
    return None if clean.strip() == REMOVED else clean
