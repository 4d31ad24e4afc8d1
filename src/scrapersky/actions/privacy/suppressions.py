"""Adds and withdraws suppressions: who is on the list is neither kept nor contacted.

Only keyed hashes are stored, in the database and in the log beside it.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal
from uuid import UUID

from sqlalchemy import delete, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from scrapersky import tables
from scrapersky.actions.actor import Actor
from scrapersky.actions.audit import record
from scrapersky.actions.privacy.suppressed_contacts import (
    Counts,
    delete_suppressed,
    delete_written,
    sweep_contacts,
)
from scrapersky.actions.submission_input import InputLine, parse_csv
from scrapersky.errors import InvalidInput, NotFound
from scrapersky.extract.geography import country_code
from scrapersky.extract.privacy.identifiers import Identifier, find_identifiers, read_identifier
from scrapersky.queries.read_model import in_array
from scrapersky.storage.suppressions import TAKE_LOCK
from scrapersky.suppression_key import WITHDRAW, LoggedSuppression, suppression_key
from scrapersky.tables.ids import new_id

MAX_REASON = 500
MAX_ENTRIES = 10_000
BATCH = 1_000
HEADINGS = {
    "value": "email e_mail email_address e_mail_address mail phone phone_number telefon domain address value"
}
Entry = Identifier | str


@dataclass(slots=True)
class SuppressedLine:
    """What became of one entry. The entry itself is not repeated."""

    number: int
    status: Literal["new", "known", "invalid"]
    kind: str = ""
    id: UUID | None = None
    reason: str = ""


@dataclass(slots=True)
class SuppressionResult:
    lines: list[SuppressedLine] = field(default_factory=list)
    deleted_contacts: int = 0
    changed_contacts: int = 0

    @property
    def counts(self) -> dict[str, int]:
        numbers = Counter(line.status for line in self.lines)
        return {status: numbers[status] for status in ("new", "known", "invalid")}


async def add_suppressions(
    connection: AsyncConnection,
    actor: Actor,
    entries: Sequence[Entry],
    reason: str,
    *,
    all_tenants: bool = False,
    country: str | None = None,
) -> SuppressionResult:
    """Suppress addresses, numbers and domains, and delete the contacts that they stop from now on.

    `all_tenants` needs a connection that sees every tenant. `country` is where a number without a prefix is
    read. An invalid entry does not stop the others.
    """
    if len(entries) > MAX_ENTRIES:
        raise InvalidInput(f"More than {MAX_ENTRIES:,} entries; import a file")
    result, added = SuppressionResult(), list[Identifier]()
    code, text = _country(country), check_reason(reason)
    for number, entry in enumerate(entries, 1):
        identifier = entry if isinstance(entry, Identifier) else read_identifier(entry, country=code)
        result.lines.append(_line(number, identifier))
        if isinstance(identifier, Identifier):
            added.append(identifier)
    await TAKE_LOCK.run(connection, {})
    tenant_id = None if all_tenants else actor.tenant_id
    await _store(connection, actor, tenant_id, result.lines, added, text, is_applied=True)
    outcome = await delete_suppressed(connection, tenant_id, set(added))
    result.deleted_contacts, result.changed_contacts = outcome
    await _record(connection, actor, result, text, all_tenants=all_tenants)
    return result


async def suppress(
    engine: AsyncEngine,
    actor: Actor,
    entries: Sequence[Entry],
    reason: str,
    *,
    all_tenants: bool = False,
    country: str | None = None,
) -> SuppressionResult:
    """Add suppressions in a transaction of their own."""
    async with engine.begin() as connection:
        return await add_suppressions(
            connection, actor, entries, reason, all_tenants=all_tenants, country=country
        )


async def import_suppressions(
    engine: AsyncEngine,
    actor: Actor,
    chunks: Iterable[bytes],
    reason: str,
    *,
    kind: str = "",
    column: str = "",
    encoding: str = "",
    country: str | None = None,
    all_tenants: bool = False,
) -> SuppressionResult:
    """Suppress what an opt-out list names, one transaction per batch, and delete the contacts.

    Those that are written as in the list are deleted with their batch, other writings of them at the end.
    """
    code, text = _country(country), check_reason(reason)
    if kind and kind not in ("email", "phone", "domain"):
        raise InvalidInput(f"Invalid kind {kind[:20]!r}; expected email, phone or domain")
    parsed = await asyncio.to_thread(parse_csv, chunks, HEADINGS, column, encoding)
    tenant_id = None if all_tenants else actor.tenant_id
    result, outcomes = SuppressionResult(), list[Counts]()
    for batch in _batches(parsed.lines):
        lines, added = await asyncio.to_thread(_read_batch, batch, kind, code)
        async with engine.begin() as connection:
            await TAKE_LOCK.run(connection, {})
            await _store(connection, actor, tenant_id, lines, added, text, is_applied=False)
            outcomes.append(await delete_written(connection, tenant_id, set(added)))
        result.lines += lines
    outcomes.append(await apply_open_suppressions(engine, tenant_id))
    result.deleted_contacts, result.changed_contacts = (sum(column) for column in zip(*outcomes, strict=True))
    async with engine.begin() as connection:
        await _record(connection, actor, result, text, all_tenants=all_tenants)
    return result


async def delete_suppression(engine: AsyncEngine, actor: Actor, suppression_id: UUID) -> None:
    """Withdraw a suppression; a later crawl may bring the contact again.

    Those of all tenants are withdrawn on a connection that sees every tenant.
    """
    suppressions = tables.suppressions
    columns = suppressions.c
    is_own = (columns.tenant_id == actor.tenant_id) | columns.tenant_id.is_(None)
    statement = delete(suppressions).where(columns.id == suppression_id, is_own).returning(suppressions)
    async with engine.begin() as connection:
        await TAKE_LOCK.run(connection, {})
        row = (await connection.execute(statement)).one_or_none()
        if row is None:
            raise NotFound(f"There is no suppression {suppression_id}")
        line = LoggedSuppression(row.tenant_id, row.kind, row.keyed_hash, row.reason, WITHDRAW)
        await asyncio.to_thread(suppression_key(connection).append_log, [line])
        before = {"kind": row.kind, "keyed_hash": row.keyed_hash.hex(), "reason": row.reason}
        await record(
            connection, actor, "suppression.delete", table="suppressions", row_id=row.id, before=before
        )


def _batches(lines: Sequence[InputLine]) -> Iterator[Sequence[InputLine]]:
    for start in range(0, len(lines), BATCH):
        yield lines[start : start + BATCH]


def _read_batch(
    batch: Sequence[InputLine], kind: str, country: str | None
) -> tuple[list[SuppressedLine], list[Identifier]]:
    lines, added = [], []
    for line in batch:
        identifier = line.problem or read_identifier(line.text, kind=kind, country=country)
        lines.append(_line(line.number, identifier))
        if isinstance(identifier, Identifier):
            added.append(identifier)
    return lines, added


def _line(number: int, identifier: Identifier | str) -> SuppressedLine:
    if isinstance(identifier, Identifier):
        return SuppressedLine(number, "known", identifier.kind)
    return SuppressedLine(number, "invalid", reason=identifier)


def _country(country: str | None) -> str | None:
    code = country_code(country) if country else None
    if country and code is None:
        raise InvalidInput(f"Invalid country {country[:50]!r}; expected a code such as DE")
    return code


def check_reason(reason: str) -> str:
    """The reason without addresses and numbers: it is stored and shown."""
    text = " ".join(reason.split())
    if not text:
        raise InvalidInput("Give a reason, such as: objected by e-mail on 3 May")
    for match in reversed(list(find_identifiers(text))):
        text = f"{text[: match.start]}…{text[match.end :]}"
    return text[:MAX_REASON]


async def _store(
    connection: AsyncConnection,
    actor: Actor,
    tenant_id: UUID | None,
    lines: Sequence[SuppressedLine],
    added: Sequence[Identifier],
    reason: str,
    *,
    is_applied: bool,
) -> None:
    """Insert what is new, and give each valid line its id."""
    valid = [line for line in lines if line.status != "invalid"]
    if not valid:
        return
    key = suppression_key(connection)
    hashes = {identifier: key.hashes(identifier) for identifier in added}
    known = await _known(connection, tenant_id, [digest for many in hashes.values() for digest in many])
    rows, log = [], []
    for line, identifier in zip(valid, added, strict=True):
        known_id = next((known[digest] for digest in hashes[identifier] if digest in known), None)
        if known_id is None:
            known_id, line.status = new_id(), "new"
            digest = hashes[identifier][0]
            known[digest] = known_id
            rows.append(
                {
                    "id": known_id,
                    "tenant_id": tenant_id,
                    "kind": identifier.kind,
                    "keyed_hash": digest,
                    "reason": reason,
                    "created_by": actor.user_id,
                    "is_applied": is_applied,
                }
            )
            log.append(LoggedSuppression(tenant_id, identifier.kind, digest, reason))
        line.id = known_id
    if rows:
        await connection.execute(insert(tables.suppressions), rows)
        await asyncio.to_thread(key.append_log, log)


async def _known(
    connection: AsyncConnection, tenant_id: UUID | None, hashes: Sequence[bytes]
) -> dict[bytes, UUID]:
    suppressions = tables.suppressions.c
    scope = suppressions.tenant_id.is_(None) if tenant_id is None else suppressions.tenant_id == tenant_id
    query = select(suppressions.keyed_hash, suppressions.id).where(
        scope, in_array(suppressions.keyed_hash, hashes)
    )
    return {row.keyed_hash: row.id for row in await connection.execute(query)}


async def _record(
    connection: AsyncConnection, actor: Actor, result: SuppressionResult, reason: str, *, all_tenants: bool
) -> None:
    after = {
        **result.counts,
        "reason": reason,
        "all_tenants": all_tenants,
        "deleted_contacts": result.deleted_contacts,
    }
    only = [line.id for line in result.lines if line.id]
    row_id = only[0] if len(only) == 1 else None
    await record(connection, actor, "suppression.add", table="suppressions", row_id=row_id, after=after)


async def apply_open_suppressions(engine: AsyncEngine, tenant_id: UUID | None = None) -> Counts:
    """Delete the contacts of suppressions that were stored without that; without a tenant, of all tenants.

    An import that was interrupted, and a log that was read again, leave such suppressions.
    """
    suppressions = tables.suppressions
    is_open = ~suppressions.c.is_applied
    if tenant_id is not None:
        is_open &= suppressions.c.tenant_id == tenant_id
    async with engine.connect() as connection:
        ids = (await connection.scalars(select(suppressions.c.id).where(is_open))).all()
    if not ids:
        return 0, 0
    counts = await sweep_contacts(engine, tenant_id)
    async with engine.begin() as connection:
        applied = update(suppressions).where(in_array(suppressions.c.id, ids)).values(is_applied=True)
        await connection.execute(applied)
    return counts
