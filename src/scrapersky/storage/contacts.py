"""Contacts and where they were seen: one contact per domain and address or number, merged over pages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any
from uuid import UUID

from sqlalchemy import (
    Text,
    all_,
    and_,
    any_,
    bindparam,
    distinct,
    func,
    literal,
    literal_column,
    select,
    text,
    update,
)
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.ext.asyncio import AsyncConnection

from scrapersky import tables
from scrapersky.engine.database import Statement
from scrapersky.engine.stage import Item
from scrapersky.storage.row_sets import insert_set, values_of

# An address or number on so many unrelated domains belongs to an agency or a theme.
BOILERPLATE_DOMAINS = 5
BOILERPLATE = "boilerplate"
FILLED_IN = tuple(column.name for column in tables.contacts.c if column.info.get("filled_in"))
# What a contact that says nothing of it has in a column that is never empty.
UNKNOWN = {"is_email_hidden": False}


@dataclass(frozen=True, slots=True)
class Seen:
    """One value as it stood on the page."""

    field: str
    value: str
    method: str
    quote: str
    place: str
    start: int
    confidence: float


@dataclass(frozen=True, slots=True)
class ContactSeen:
    """A way to reach somebody, on one page. `values` are columns of contacts."""

    domain_id: UUID
    page_id: UUID | None
    email: str | None
    phone: str | None
    values: dict[str, Any]
    seen: tuple[Seen, ...]
    extractor_version: str

    @property
    def key(self) -> tuple[UUID, str]:
        return (self.domain_id, self.email or self.phone or "")


@dataclass(frozen=True, slots=True)
class ListedContact:
    """A way to reach somebody that a list names beside a domain, which may be new itself."""

    domain: str
    email: str | None
    phone: str | None
    values: dict[str, Any]
    extractor_version: str


async def save_listed(connection: AsyncConnection, rows: Sequence[tuple[Item, ListedContact]]) -> int:
    """Store contacts of lists, once their domains are there."""
    ids: dict[tuple[UUID, str], UUID] = {}
    for tenant in {item.tenant_id for item, _ in rows}:
        names = sorted({one.domain for item, one in rows if item.tenant_id == tenant})
        found = await _domain_ids().run(connection, {"_tenant": tenant, "_names": names})
        ids |= {(tenant, row.domain): row.id for row in found}
    seen = []
    for item, one in rows:
        domain_id = ids[item.tenant_id, one.domain]
        contact = ContactSeen(domain_id, None, one.email, one.phone, one.values, (), one.extractor_version)
        seen.append((item, contact))
    return await save_contacts(connection, seen)


@cache
def _domain_ids() -> Statement:
    domains = tables.domains
    names = any_(bindparam("_names", type_=ARRAY(Text)))
    mine = (domains.c.tenant_id == bindparam("_tenant"), domains.c.domain == names)
    return Statement(select(domains.c.id, domains.c.domain).where(*mine))


async def save_contacts(connection: AsyncConnection, rows: Sequence[tuple[Item, ContactSeen]]) -> int:
    """Store contacts of many pages at once; says how many there are."""
    by_mail = [(item, one) for item, one in rows if one.email]
    by_phone = [(item, one) for item, one in rows if not one.email]
    stored = await _upsert(connection, by_mail, phone_only=False)
    stored |= await _upsert(connection, by_phone, phone_only=True)
    await _save_sightings(connection, rows, {key: row.id for key, row in stored.items()})
    # Only what a domain did not show before can stand on one domain more than before.
    await _mark_boilerplate(connection, [(item, one) for item, one in rows if stored[one.key].is_new])
    return len(stored)


async def _upsert(
    connection: AsyncConnection, rows: Sequence[tuple[Item, ContactSeen]], *, phone_only: bool
) -> dict[tuple[UUID, str], Any]:
    """The stored rows by key. What is known stays; what was missing is filled in."""
    if not rows:
        return {}
    merged: dict[tuple[UUID, str], dict[str, Any]] = {}
    for item, one in rows:
        values = {"tenant_id": item.tenant_id, "domain_id": one.domain_id, "page_id": one.page_id}
        values |= {"email": one.email, "phone_number": one.phone, **one.values}
        known = merged.setdefault(one.key, values)
        known.update({name: value for name, value in values.items() if known.get(name) is None})
    ordered = [{**UNKNOWN, **merged[one]} for one in sorted(merged, key=str)]
    names = tuple(sorted({name for row in ordered for name in row}))
    found = await _contact_statement(names, phone_only=phone_only).run(connection, values_of(names, ordered))
    return {(row.domain_id, row[2]): row for row in found}


@cache
def _contact_statement(names: tuple[str, ...], *, phone_only: bool) -> Statement:
    """Made once: to make it takes longer than to run it."""
    table = tables.contacts
    statement = insert_set(table, names)
    newer: dict[str, Any] = {
        name: func.coalesce(table.c[name], statement.excluded[name]) for name in FILLED_IN
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


async def _save_sightings(
    connection: AsyncConnection, rows: Sequence[tuple[Item, ContactSeen]], ids: dict[tuple[UUID, str], UUID]
) -> None:
    sightings: dict[tuple[Any, ...], dict[str, Any]] = {}
    for item, one in rows:
        for seen in one.seen:
            values = {"tenant_id": item.tenant_id, "contact_id": ids[one.key], "page_id": one.page_id}
            values |= {"field": seen.field, "value": seen.value[:1_000], "method": seen.method[:50]}
            values |= {"quote": seen.quote[:300], "place": seen.place, "start": seen.start}
            values |= {"confidence": seen.confidence, "extractor_version": one.extractor_version}
            sightings[ids[one.key], one.page_id, seen.field, seen.method] = values
    if not sightings:
        return
    ordered = [sightings[key] for key in sorted(sightings, key=str)]
    names = tuple(ordered[0])
    await _sighting_statement(names).run(connection, values_of(names, ordered))


@cache
def _sighting_statement(names: tuple[str, ...]) -> Statement:
    statement = insert_set(tables.sightings, names)
    newer: dict[str, Any] = {
        name: statement.excluded[name]
        for name in ("value", "quote", "start", "confidence", "extractor_version")
    }
    keys = ["tenant_id", "contact_id", "page_id", "field", "method"]
    newer["last_seen_at"] = func.now()
    return Statement(statement.on_conflict_do_update(index_elements=keys, set_=newer))


async def _mark_boilerplate(connection: AsyncConnection, rows: Sequence[tuple[Item, ContactSeen]]) -> None:
    """Tag what now stands on many unrelated domains; a domain's own address never is."""
    for tenant in {item.tenant_id for item, _ in rows}:
        mine = [one for item, one in rows if item.tenant_id == tenant]
        for column, values in (
            ("email", {one.email for one in mine if one.email and one.values.get("email_relation") != "own"}),
            ("phone_number", {one.phone for one in mine if one.phone and not one.email}),
        ):
            if values:
                given = {"_tenant": tenant, "_values": sorted(values)}
                await _boilerplate_statement(column).run(connection, given)


@cache
def _boilerplate_statement(name: str) -> Statement:
    contacts = tables.contacts
    column = contacts.c[name]
    mine = contacts.c.tenant_id == bindparam("_tenant")
    common = (
        select(column)
        .where(mine, column == any_(bindparam("_values", type_=ARRAY(Text))))
        .group_by(column)
        .having(func.count(distinct(contacts.c.domain_id)) >= BOILERPLATE_DOMAINS)
    )
    # As an array it is made once and looked up by the index; joined, the whole table would be read.
    is_common = column == any_(func.array(common.scalar_subquery(), type_=ARRAY(Text)))
    unmarked = literal(BOILERPLATE) != all_(contacts.c.tags)
    # A number of an agency beside somebody's address makes the address nobody else's.
    stranger = (
        contacts.c.email_relation.is_distinct_from("own") if name == "email" else contacts.c.email.is_(None)
    )
    marked = update(contacts).where(mine, is_common, unmarked, stranger)
    return Statement(marked.values(tags=func.array_append(contacts.c.tags, BOILERPLATE)))
