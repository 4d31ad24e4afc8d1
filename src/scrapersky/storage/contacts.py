"""Contacts and where they were seen: one contact per domain and address or number, merged over pages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any
from uuid import UUID

from sqlalchemy import and_, case, func, literal_column, null, text
from sqlalchemy.ext.asyncio import AsyncConnection

from scrapersky import tables
from scrapersky.engine.database import Statement
from scrapersky.engine.stage import Item
from scrapersky.storage.bulk_insert import bulk_insert, column_arrays
from scrapersky.storage.tombstones import drop_deleted_contacts

# An address or number on so many unrelated domains belongs to an agency or a theme.
BOILERPLATE_DOMAINS = 5
BOILERPLATE = "boilerplate"
FILLED_COLUMNS = tuple(column.name for column in tables.contacts.c if column.info.get("filled_in"))
# What a contact that says nothing of it has in a column that is never empty.
UNKNOWN = {"is_email_hidden": False}


DOMAIN_IDS = Statement("""
SELECT id, domain FROM domains WHERE tenant_id = :tenant AND domain = ANY (:names::text[])""")

# As an array the common values are looked up by the index; joined, the whole table would be read.
MARK_COMMON_EMAILS = Statement("""
UPDATE contacts SET tags = array_append(tags, 'boilerplate')
WHERE tenant_id = :tenant AND 'boilerplate' <> ALL (tags) AND 'tags' <> ALL (edited_fields)
  AND email_relation IS DISTINCT FROM 'own'
  AND email = ANY (ARRAY(
    SELECT email FROM contacts WHERE tenant_id = :tenant AND email = ANY (:values::text[])
    GROUP BY email HAVING count(DISTINCT domain_id) >= :min_domains))""")

# A number of an agency beside somebody's address does not make the address common.
MARK_COMMON_PHONES = Statement("""
UPDATE contacts SET tags = array_append(tags, 'boilerplate')
WHERE tenant_id = :tenant AND 'boilerplate' <> ALL (tags) AND 'tags' <> ALL (edited_fields)
  AND email IS NULL
  AND phone_number = ANY (ARRAY(
    SELECT phone_number FROM contacts WHERE tenant_id = :tenant AND phone_number = ANY (:values::text[])
    GROUP BY phone_number HAVING count(DISTINCT domain_id) >= :min_domains))""")


@dataclass(frozen=True, slots=True)
class SightingRow:
    """One value as it stood on the page: a row of `sightings`."""

    field: str
    value: str
    method: str
    quote: str
    place: str
    start: int
    confidence: float


@dataclass(frozen=True, slots=True)
class ContactUpsert:
    """A contact on one page with its sightings. `values` are columns of contacts."""

    domain_id: UUID
    page_id: UUID | None
    email: str | None
    phone: str | None
    values: dict[str, Any]
    seen: tuple[SightingRow, ...]
    extractor_version: str

    @property
    def key(self) -> tuple[UUID, str]:
        return (self.domain_id, self.email or self.phone or "")


@dataclass(frozen=True, slots=True)
class ListedContact:
    """A contact that a list names beside a domain, which may be new itself."""

    domain: str
    email: str | None
    phone: str | None
    values: dict[str, Any]
    extractor_version: str


async def save_listed_contacts(
    connection: AsyncConnection, rows: Sequence[tuple[Item, ListedContact]]
) -> int:
    """Store contacts of lists, once their domains are there."""
    ids: dict[tuple[UUID, str], UUID] = {}
    for tenant in {item.tenant_id for item, _ in rows}:
        names = sorted({listed.domain for item, listed in rows if item.tenant_id == tenant})
        domains = await DOMAIN_IDS.run(connection, {"tenant": tenant, "names": names})
        ids |= {(tenant, row.domain): row.id for row in domains}
    seen = []
    for item, listed in rows:
        domain_id = ids[item.tenant_id, listed.domain]
        contact = ContactUpsert(
            domain_id, None, listed.email, listed.phone, listed.values, (), listed.extractor_version
        )
        seen.append((item, contact))
    return await save_contacts(connection, seen)


async def save_contacts(connection: AsyncConnection, rows: Sequence[tuple[Item, ContactUpsert]]) -> int:
    """Store contacts of many pages at once; returns how many there are."""
    by_mail = [(item, contact) for item, contact in rows if contact.email]
    by_phone = [(item, contact) for item, contact in rows if not contact.email]
    stored = await _upsert(connection, by_mail, phone_only=False)
    stored |= await _upsert(connection, by_phone, phone_only=True)
    deleted = await drop_deleted_contacts(connection, [row.id for row in stored.values() if row.is_new])
    stored = {key: row for key, row in stored.items() if row.id not in deleted}
    rows = [(item, contact) for item, contact in rows if contact.key in stored]
    await _save_sightings(connection, rows, {key: row.id for key, row in stored.items()})
    # Only what a domain did not show before can stand on one domain more than before.
    await _mark_boilerplate(
        connection, [(item, contact) for item, contact in rows if stored[contact.key].is_new]
    )
    return len(stored)


async def _upsert(
    connection: AsyncConnection, rows: Sequence[tuple[Item, ContactUpsert]], *, phone_only: bool
) -> dict[tuple[UUID, str], Any]:
    """The stored rows by key. What is known or was set by a person stays; what was missing is filled in."""
    if not rows:
        return {}
    merged: dict[tuple[UUID, str], dict[str, Any]] = {}
    for item, contact in rows:
        values = {"tenant_id": item.tenant_id, "domain_id": contact.domain_id, "page_id": contact.page_id}
        values |= {"email": contact.email, "phone_number": contact.phone, **contact.values}
        known = merged.setdefault(contact.key, values)
        known.update({name: value for name, value in values.items() if known.get(name) is None})
    ordered = [{**UNKNOWN, **merged[key]} for key in sorted(merged, key=str)]
    names = tuple(sorted({name for row in ordered for name in row}))
    stored = await _contact_statement(names, phone_only=phone_only).run(
        connection, column_arrays(names, ordered)
    )
    return {(row.domain_id, row[2]): row for row in stored}


@cache
def _contact_statement(names: tuple[str, ...], *, phone_only: bool) -> Statement:
    """Built once: building it takes longer than running it."""
    table = tables.contacts
    statement = bulk_insert(table, names)
    newer: dict[str, Any] = {
        name: func.coalesce(table.c[name], _unless_edited(name, statement.excluded[name]))
        for name in FILLED_COLUMNS
    }
    newer |= {
        "last_seen_at": func.now(),
        "confidence": func.greatest(table.c.confidence, statement.excluded.confidence),
        "is_email_hidden": and_(table.c.is_email_hidden, statement.excluded.is_email_hidden),
    }
    where: dict[str, Any] = {"index_elements": ["tenant_id", "domain_id", "email"]}
    if phone_only:
        where = {
            "index_elements": ["tenant_id", "domain_id", "phone_number"],
            "index_where": text("email IS NULL"),
        }
    key = table.c.phone_number if phone_only else table.c.email
    merged = statement.on_conflict_do_update(**where, set_=newer)
    # A row that was there before this statement has been locked by it.
    is_new = (literal_column("contacts.xmax") == literal_column("0")).label("is_new")
    return Statement(merged.returning(table.c.id, table.c.domain_id, key, is_new))


def _unless_edited(name: str, value: Any) -> Any:
    """The value, or nothing where a person has emptied the field."""
    return case((literal_column(f"'{name}' = ANY (contacts.edited_fields)"), null()), else_=value)


async def _save_sightings(
    connection: AsyncConnection, rows: Sequence[tuple[Item, ContactUpsert]], ids: dict[tuple[UUID, str], UUID]
) -> None:
    sightings: dict[tuple[Any, ...], dict[str, Any]] = {}
    for item, contact in rows:
        for seen in contact.seen:
            values = {"tenant_id": item.tenant_id, "contact_id": ids[contact.key], "page_id": contact.page_id}
            values |= {"field": seen.field, "value": seen.value[:1_000], "method": seen.method[:50]}
            values |= {"quote": seen.quote[:300], "place": seen.place, "start": seen.start}
            values |= {"confidence": seen.confidence, "extractor_version": contact.extractor_version}
            sightings[ids[contact.key], contact.page_id, seen.field, seen.method] = values
    if not sightings:
        return
    ordered = [sightings[key] for key in sorted(sightings, key=str)]
    names = tuple(ordered[0])
    await _sighting_statement(names).run(connection, column_arrays(names, ordered))


@cache
def _sighting_statement(names: tuple[str, ...]) -> Statement:
    statement = bulk_insert(tables.sightings, names)
    newer: dict[str, Any] = {
        name: statement.excluded[name]
        for name in ("value", "quote", "start", "confidence", "extractor_version")
    }
    keys = ["tenant_id", "contact_id", "page_id", "field", "method"]
    newer["last_seen_at"] = func.now()
    return Statement(statement.on_conflict_do_update(index_elements=keys, set_=newer))


async def _mark_boilerplate(connection: AsyncConnection, rows: Sequence[tuple[Item, ContactUpsert]]) -> None:
    """Tag what many unrelated domains show; the own address of a domain never is."""
    for tenant in {item.tenant_id for item, _ in rows}:
        mine = [contact for item, contact in rows if item.tenant_id == tenant]
        emails = {
            contact.email
            for contact in mine
            if contact.email and contact.values.get("email_relation") != "own"
        }
        phones = {contact.phone for contact in mine if contact.phone and not contact.email}
        for statement, values in ((MARK_COMMON_EMAILS, emails), (MARK_COMMON_PHONES, phones)):
            if values:
                params = {"tenant": tenant, "values": sorted(values), "min_domains": BOILERPLATE_DOMAINS}
                await statement.run(connection, params)
