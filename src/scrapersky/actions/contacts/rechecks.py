"""Checks old verdicts on addresses again before their contacts leave, by delivery or in a file."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Protocol
from uuid import UUID

from sqlalchemy import bindparam, update
from sqlalchemy.ext.asyncio import AsyncEngine

from scrapersky import tables
from scrapersky.engine.outcome import RetryAfter
from scrapersky.queries.exports import Export, ExportQuery

if TYPE_CHECKING:
    from scrapersky.stage_context.email_checker import EmailVerdict

CONCURRENT_CHECKS = 20
RETRY_AFTER = timedelta(minutes=15)
# What a check without the mailbox can still find out about an address whose mailbox was asked once.
REFUSALS = ("invalid", "disposable")
Contact = dict[str, Any]


class AddressNotChecked(RetryAfter):
    """An old verdict could not be checked again, because DNS gave no usable answer."""

    is_asked = False

    def __init__(self) -> None:
        super().__init__(
            "the address could not be checked again: DNS gives no usable answer", wait=RETRY_AFTER
        )


class Checker(Protocol):
    async def check(self, email: str) -> EmailVerdict: ...


@dataclass(frozen=True, slots=True)
class EmailRechecks:
    """A verdict that is older than `max_age` is checked again; the new one is stored and shown."""

    checker: Checker
    max_age: timedelta

    async def refresh(
        self, engine: AsyncEngine, tenant_id: UUID, contacts: Sequence[Contact], *, required: bool = False
    ) -> list[Contact]:
        """The contacts with verdicts that are young enough.

        One that cannot be checked now keeps its verdict and its low score, or stops the caller if checks are
        `required`.
        """
        oldest = datetime.now(UTC) - self.max_age
        stale = [contact for contact in contacts if _is_older(contact, oldest)]
        if not stale:
            return list(contacts)
        slots = asyncio.Semaphore(CONCURRENT_CHECKS)

        async def check(contact: Contact) -> EmailVerdict:
            async with slots:
                return await self.checker.check(contact["email"])

        verdicts = await asyncio.gather(*map(check, stale))
        if required and not all(verdict.is_conclusive for verdict in verdicts):
            raise AddressNotChecked
        changed = {
            contact["id"]: _fields(verdict)
            for contact, verdict in zip(stale, verdicts, strict=True)
            if _replaces(verdict, contact)
        }
        await _store(engine, tenant_id, [contact for contact in stale if contact["id"] in changed], changed)
        return [{**contact, **changed.get(contact["id"], {})} for contact in contacts]


async def checked_chunks(
    engine: AsyncEngine, export: Export, rechecks: EmailRechecks, *, limit: int | None = None
) -> AsyncIterator[list[Contact]]:
    """The rows of an export in chunks; old verdicts on the addresses of contacts are checked again."""
    async for rows in ExportQuery(engine).chunks(export, limit=limit):
        if export.table is tables.contacts:
            yield await rechecks.refresh(engine, export.tenant_id, rows)
        else:
            yield rows


def _is_older(contact: Contact, oldest: datetime) -> bool:
    validated_at = contact["email_validated_at"]
    return bool(contact["email"]) and validated_at is not None and validated_at < oldest


def _replaces(verdict: EmailVerdict, contact: Contact) -> bool:
    """What a mailbox answered is known better than what DNS says, unless the address cannot work at all."""
    if not verdict.is_conclusive:
        return False
    was_asked, is_asked = (
        method == "debounce" for method in (contact["email_validation_method"], verdict.method)
    )
    return is_asked or not was_asked or verdict.result in REFUSALS


def _fields(verdict: EmailVerdict) -> Contact:
    return {**verdict.as_fields(), "email_validated_at": datetime.now(UTC)}


async def _store(
    engine: AsyncEngine, tenant_id: UUID, contacts: Sequence[Contact], changed: dict[UUID, Contact]
) -> None:
    """Only where nobody has changed or validated the address meanwhile."""
    if not contacts:
        return
    columns = tables.contacts.c
    statement = update(tables.contacts).where(
        columns.tenant_id == tenant_id,
        columns.id == bindparam("_id"),
        columns.email == bindparam("_email"),
        columns.email_validated_at == bindparam("_validated_at"),
    )
    rows = [
        {
            **changed[contact["id"]],
            "_id": contact["id"],
            "_email": contact["email"],
            "_validated_at": contact["email_validated_at"],
        }
        for contact in sorted(contacts, key=lambda contact: contact["id"])
    ]
    async with engine.begin() as connection:
        await connection.execute(statement, rows)
