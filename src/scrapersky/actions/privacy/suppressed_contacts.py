"""Deletes contacts that are suppressed: those of new suppressions at once, and all by a sweep."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import Select, delete, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from scrapersky import tables
from scrapersky.actions.delivery.deletions import queue_deletions
from scrapersky.extract.privacy.identifiers import (
    DOMAIN,
    EMAIL,
    GOOGLE_MAIL,
    PHONE,
    Identifier,
    covering_domains,
    email_identifiers,
    phone_identifiers,
)
from scrapersky.extract.urls.hosts import unicode_host
from scrapersky.queries.read_model import in_array
from scrapersky.storage.suppressions import SHARE_LOCK, find_suppressed, tenants_with_suppressions

SWEEP_BATCH = 2_000
# More would make one statement slow.
PATTERNS = 20
Counts = tuple[int, int]


async def delete_suppressed(
    connection: AsyncConnection, tenant_id: UUID | None, identifiers: set[Identifier]
) -> Counts:
    """Delete the contacts of these identifiers, and empty numbers of contacts that have an address of
    somebody else; returns how many of each. Without a tenant, in every tenant.
    """
    return await _delete(connection, await _find(connection, tenant_id, identifiers), identifiers)


async def delete_written(
    connection: AsyncConnection, tenant_id: UUID | None, identifiers: set[Identifier]
) -> Counts:
    """The same for contacts that are written just as the identifiers: fast for any number of them."""
    rows = await _read(connection, tenant_id, _written(identifiers))
    return await _delete(connection, rows, identifiers)


async def find_contacts(
    connection: AsyncConnection, tenant_id: UUID, identifiers: set[Identifier]
) -> list[UUID]:
    """The ids of the contacts that `delete_suppressed` would delete."""
    rows = await _find(connection, tenant_id, identifiers)
    return _split(rows, identifiers)[0]


async def _find(
    connection: AsyncConnection, tenant_id: UUID | None, identifiers: set[Identifier]
) -> list[Any]:
    """Contacts that may be meant."""
    ordered = sorted(identifiers)
    starts = range(0, len(ordered), PATTERNS)
    queries = (query for start in starts for query in _candidates(ordered[start : start + PATTERNS]))
    return await _read(connection, tenant_id, queries)


async def _read(
    connection: AsyncConnection, tenant_id: UUID | None, queries: Iterable[Select[Any]]
) -> list[Any]:
    rows: dict[UUID, Any] = {}
    for query in queries:
        own = query if tenant_id is None else query.where(tables.contacts.c.tenant_id == tenant_id)
        rows |= {row.id: row for row in await connection.execute(own)}
    return list(rows.values())


async def sweep_contacts(engine: AsyncEngine, tenant_id: UUID | None) -> Counts:
    """Compare every contact with the suppressions, one transaction per batch."""
    deleted = changed = 0
    contacts = tables.contacts.c
    last: UUID | None = None
    while True:
        query = _contacts().order_by(contacts.id).limit(SWEEP_BATCH)
        if tenant_id is not None:
            query = query.where(contacts.tenant_id == tenant_id)
        if last is not None:
            query = query.where(contacts.id > last)
        async with engine.begin() as connection:
            await SHARE_LOCK.run(connection, {})
            rows = (await connection.execute(query)).all()
            for tenant in await tenants_with_suppressions(connection, {row.tenant_id for row in rows}):
                mine = [row for row in rows if row.tenant_id == tenant]
                suppressed = await find_suppressed(connection, tenant, _all_identifiers(mine))
                counts = await _delete(connection, mine, set(suppressed))
                deleted, changed = deleted + counts[0], changed + counts[1]
        if len(rows) < SWEEP_BATCH:
            return deleted, changed
        last = rows[-1].id


def _contacts() -> Select[Any]:
    contacts, domains = tables.contacts, tables.domains
    columns = (contacts.c.id, contacts.c.tenant_id, contacts.c.email, contacts.c.phone_number)
    return select(*columns, domains.c.domain).join(
        domains, (domains.c.id == contacts.c.domain_id) & (domains.c.tenant_id == contacts.c.tenant_id)
    )


def _candidates(identifiers: Sequence[Identifier]) -> Iterator[Select[Any]]:
    """Contacts that may be meant; each condition alone finds its index."""
    contacts, domains = tables.contacts.c, tables.domains.c
    emails = [pattern for identifier in identifiers for pattern in _email_patterns(identifier)]
    phones = [identifier.value for identifier in identifiers if identifier.kind == PHONE]
    hosts = [identifier.value for identifier in identifiers if identifier.kind == DOMAIN]
    if emails:
        yield _contacts().where(or_(*(contacts.email.ilike(pattern) for pattern in emails)))
    if phones:
        yield _contacts().where(in_array(contacts.phone_number, phones))
    if hosts:
        below = (domains.domain.like(f"%.{_escape(host)}") for host in hosts)
        yield _contacts().where(or_(in_array(domains.domain, hosts), *below))


def _written(identifiers: Iterable[Identifier]) -> Iterator[Select[Any]]:
    """Contacts with these very addresses, numbers or domains, each by an index."""
    contacts, domains = tables.contacts.c, tables.domains.c
    columns = {EMAIL: contacts.email, PHONE: contacts.phone_number, DOMAIN: domains.domain}
    values: dict[str, list[str]] = {kind: [] for kind in columns}
    for identifier in identifiers:
        values[identifier.kind].append(identifier.value)
    for kind, column in columns.items():
        if values[kind]:
            yield _contacts().where(in_array(column, sorted(values[kind])))


def _email_patterns(identifier: Identifier) -> Iterator[str]:
    if identifier.kind == PHONE:
        return
    local, _, host = identifier.value.rpartition("@")
    if identifier.kind == DOMAIN:
        for name in _names(host):
            yield from (f"%@{_escape(name)}", f"%.{_escape(name)}")
    elif identifier.kind == EMAIL and host in GOOGLE_MAIL:
        # Dots may stand anywhere in it.
        yield from (f"{_escape(local[:1])}%@{name}" for name in GOOGLE_MAIL)
    else:
        yield from (f"{_escape(local)}%@{_escape(name)}" for name in _names(host))


def _names(host: str) -> set[str]:
    return {host, unicode_host(host)}


def _escape(text: str) -> str:
    return text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")


def _address_identifiers(row: Any) -> list[Identifier]:
    return [*email_identifiers(row.email or ""), *covering_domains(row.domain)]


def _all_identifiers(rows: Iterable[Any]) -> set[Identifier]:
    return {
        identifier
        for row in rows
        for identifier in (*_address_identifiers(row), *phone_identifiers(row.phone_number or ""))
    }


def _split(rows: Iterable[Any], suppressed: set[Identifier]) -> tuple[list[UUID], list[UUID]]:
    """Contacts that are deleted, and those that only lose their number."""
    gone, without_number = [], []
    for row in rows:
        has_number = not suppressed.isdisjoint(phone_identifiers(row.phone_number or ""))
        if not suppressed.isdisjoint(_address_identifiers(row)) or (has_number and not row.email):
            gone.append(row.id)
        elif has_number:
            without_number.append(row.id)
    return gone, without_number


async def _delete(connection: AsyncConnection, rows: Iterable[Any], suppressed: set[Identifier]) -> Counts:
    gone, without_number = _split(rows, suppressed)
    contacts, sightings = tables.contacts, tables.sightings
    if gone:
        await queue_deletions(connection, gone)
        await connection.execute(delete(contacts).where(in_array(contacts.c.id, sorted(gone))))
    if without_number:
        ids = sorted(without_number)
        values = {"phone_number": None, "phone_type": None, "phone_extension": None}
        await connection.execute(update(contacts).where(in_array(contacts.c.id, ids)).values(values))
        numbers = in_array(sightings.c.contact_id, ids) & (sightings.c.field == "phone")
        await connection.execute(delete(sightings).where(numbers))
    return len(gone), len(without_number)
