"""Erases a person everywhere in a tenant: suppressed first, then removed from every row and file."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from sqlalchemy import Table, delete, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from scrapersky import tables
from scrapersky.actions.actor import Actor
from scrapersky.actions.audit import record
from scrapersky.actions.privacy.person_files import PersonFiles, erase_from_files
from scrapersky.actions.privacy.suppressed_contacts import find_contacts
from scrapersky.actions.privacy.suppressions import add_suppressions
from scrapersky.errors import InvalidInput
from scrapersky.extract.geography import country_code
from scrapersky.extract.privacy.identifiers import (
    DOMAIN,
    PHONE,
    Identifier,
    national_identifier,
    read_identifier,
    written_forms,
)
from scrapersky.extract.privacy.subject import ERASED, Subject, make_subject
from scrapersky.queries.privacy.subject_rows import (
    SHARED,
    Row,
    find_bodies,
    find_rows,
    searched_tables,
    text_columns,
)
from scrapersky.queries.read_model import in_array
from scrapersky.storage.tombstones import forget_tombstones
from scrapersky.suppression_key import ERASE, LoggedSuppression, suppression_key

# Rows that are nothing without what they say about the person.
DELETED = frozenset({"sightings", "audit_values"})
WITHHELD = {"withheld": "a person on the page was erased"}
Progress = Callable[[float, str], Awaitable[None]]
Decrypt = Callable[[bytes], str]


@dataclass(slots=True)
class ErasureReport:
    """What was found where; nothing in it names the person."""

    contacts: int = 0
    deleted: Counter[str] = field(default_factory=Counter)
    redacted: Counter[str] = field(default_factory=Counter)
    files: dict[str, str] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        return {
            "contacts": self.contacts,
            "deleted": dict(self.deleted),
            "redacted": dict(self.redacted),
            "files": self.files,
        }


def read_person(entries: Sequence[str], *, country: str | None = None) -> list[Identifier]:
    """The addresses and numbers of one person; raises `InvalidInput` for anything else."""
    code = country_code(country) if country else None
    if country and code is None:
        raise InvalidInput(f"Invalid country {country[:50]!r}; expected a code such as DE")
    identifiers = []
    for number, entry in enumerate(entries, 1):
        identifier = read_identifier(entry, country=code)
        if isinstance(identifier, str):
            raise InvalidInput(f"Entry {number}: {identifier}")
        if identifier.kind == DOMAIN:
            raise InvalidInput(f"Entry {number} is a domain; expected an e-mail address or a phone number")
        identifiers.append(identifier)
    if not identifiers:
        raise InvalidInput("Name an e-mail address or a phone number")
    return identifiers


async def _no_progress(_percent: float, _message: str) -> None:
    return None


async def erase_person(
    engine: AsyncEngine,
    actor: Actor,
    identifiers: Sequence[Identifier],
    reason: str,
    *,
    files: PersonFiles,
    decrypt: Decrypt,
    progress: Progress = _no_progress,
) -> ErasureReport:
    """Erase the person in the actor's tenant; `engine` must see every row. Safe to repeat.

    `files` are the tenant's; `decrypt` reads answers stored for idempotency keys.
    """
    subject, report = make_subject(identifiers), ErasureReport()
    pages, suppressed = await _suppress(engine, actor, identifiers, reason, report)
    await progress(5, "searching stored pages")
    stored = [row["page_id"] for row in await find_bodies(engine, actor.tenant_id, subject)]
    await _withhold_pages(engine, actor.tenant_id, sorted({*pages, *stored}), report)
    searched = [*searched_tables(), *SHARED]
    for number, table in enumerate(searched):
        await progress(10 + 80 * number / len(searched), f"searching {table.name}")
        async for rows in find_rows(engine, actor.tenant_id, table, subject):
            for row in rows:
                await _erase_row(engine, table, row, subject, report)
    await _erase_answers(engine, actor.tenant_id, subject, decrypt, report)
    await progress(95, "searching files")
    report.files = await asyncio.to_thread(erase_from_files, files, subject)
    async with engine.begin() as connection:
        key = suppression_key(connection)
        hashes = [key.hashes(identifier)[0].hex() for identifier in identifiers]
        await record(connection, actor, "person.erase", after={**report.as_dict(), "hashes": hashes})
        columns = tables.suppressions.c
        erased = update(tables.suppressions).where(in_array(columns.id, suppressed))
        await connection.execute(erased.values(is_erased=True))
    return report


async def _suppress(
    engine: AsyncEngine,
    actor: Actor,
    identifiers: Sequence[Identifier],
    reason: str,
    report: ErasureReport,
) -> tuple[list[UUID], list[UUID]]:
    """Suppress the person, which deletes the contacts; returns the pages where they were seen, and the ids
    of the suppressions. The log learns of the erasure, so that it is repeated in an older backup.
    """
    sightings, suppressions = tables.sightings.c, tables.suppressions.c
    async with engine.begin() as connection:
        ids = await find_contacts(connection, actor.tenant_id, set(identifiers))
        pages = await connection.scalars(
            select(sightings.page_id).where(in_array(sightings.contact_id, ids)).distinct()
        )
        result = await add_suppressions(connection, actor, identifiers, reason)
        report.contacts = result.deleted_contacts
        report.deleted["audit_values"] += await _erase_changes(connection, actor.tenant_id, ids)
        # The suppression keeps them away from now on.
        keys = [form for identifier in identifiers for form in written_forms(identifier)]
        report.deleted["contact_tombstones"] += await forget_tombstones(connection, actor.tenant_id, keys)
        suppressed = [line.id for line in result.lines if line.id]
        key = suppression_key(connection)
        logged = suppressions.id, suppressions.kind, suppressions.keyed_hash, suppressions.reason
        rows = await connection.execute(select(*logged).where(in_array(suppressions.id, suppressed)))
        national = {
            line.id: key.hashes(national_identifier(identifier.value))[0]
            for line, identifier in zip(result.lines, identifiers, strict=True)
            if identifier.kind == PHONE
        }
        lines = [
            LoggedSuppression(
                actor.tenant_id, row.kind, row.keyed_hash, row.reason, ERASE, national.get(row.id, b"")
            )
            for row in rows
        ]
        await asyncio.to_thread(key.append_log, lines)
        return list(pages), suppressed


async def _erase_changes(connection: AsyncConnection, tenant_id: UUID, contact_ids: Sequence[UUID]) -> int:
    """Delete what the audit log says of changes to these contacts, such as a name without an address."""
    log, values = tables.audit_log, tables.audit_values
    changed = (
        select(log.c.number)
        .where(log.c.tenant_id == tenant_id, log.c.table_name == tables.contacts.name)
        .where(in_array(log.c.row_id, [str(contact_id) for contact_id in contact_ids]))
    )
    gone = await connection.execute(
        delete(values).where(values.c.tenant_id == tenant_id, values.c.number.in_(changed))
    )
    return gone.rowcount


async def _withhold_pages(
    engine: AsyncEngine, tenant_id: UUID, page_ids: Sequence[UUID], report: ErasureReport
) -> None:
    """Delete the stored pages that show the person, and what was read from them."""
    bodies, pages = tables.page_bodies, tables.pages
    async with engine.begin() as connection:
        gone = await connection.execute(
            delete(bodies).where(bodies.c.tenant_id == tenant_id, in_array(bodies.c.page_id, page_ids))
        )
        report.deleted["page_bodies"] += gone.rowcount
        await connection.execute(
            update(pages)
            .where(pages.c.tenant_id == tenant_id, in_array(pages.c.id, page_ids))
            .values(scraped_content=WITHHELD)
        )


async def _erase_row(
    engine: AsyncEngine, table: Table, row: Row, subject: Subject, report: ErasureReport
) -> None:
    """Redact the row; delete it where the person cannot be cut out of it."""
    key = [column == row[column.name] for column in table.primary_key]
    clean = {column.name: subject.redact(row[column.name]) for column in text_columns(table)}
    changed = {
        name: None if value == ERASED and table.c[name].nullable else value
        for name, value in clean.items()
        if value != row[name]
    }
    is_key = "url" in changed or any(column.name in changed for column in table.primary_key)
    if table.name not in DELETED and not is_key:
        try:
            async with engine.begin() as connection:
                await connection.execute(update(table).where(*key).values(changed))
        except IntegrityError:
            # Without the person the row is not valid, such as a contact without an address.
            pass
        else:
            report.redacted[table.name] += 1
            return
    async with engine.begin() as connection:
        await connection.execute(delete(table).where(*key))
    report.deleted[table.name] += 1


async def _erase_answers(
    engine: AsyncEngine, tenant_id: UUID, subject: Subject, decrypt: Decrypt, report: ErasureReport
) -> None:
    """Delete encrypted answers, kept for a day under the keys of clients, that name the person."""
    keys = tables.idempotency_keys
    query = select(keys.c.id, keys.c.body).where(keys.c.tenant_id == tenant_id, keys.c.body.is_not(None))
    async with engine.begin() as connection:
        rows = (await connection.execute(query)).all()
        named = [row.id for row in rows if subject.contains(decrypt(row.body))]
        await connection.execute(delete(keys).where(in_array(keys.c.id, named)))
        report.deleted["idempotency_keys"] += len(named)
