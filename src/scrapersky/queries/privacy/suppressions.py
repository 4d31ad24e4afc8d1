"""The suppression list, and rows that leave the product without those who are on it."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any
from uuid import UUID

from sqlalchemy import Table, func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from scrapersky import tables
from scrapersky.extract.privacy.identifiers import (
    Identifier,
    covering_domains,
    email_identifiers,
    phone_identifiers,
)
from scrapersky.queries.read_model import Query
from scrapersky.storage.suppression_filter import all_identifiers, redact_columns, row_country
from scrapersky.storage.suppressions import find_suppressed, tenants_with_suppressions

Rows = list[dict[str, Any]]
MAX_ROWS = 1_000


class SuppressionQuery(Query):
    async def list_suppressions(
        self, tenant_id: UUID, *, kind: str = "", before: UUID | None = None, limit: int = MAX_ROWS
    ) -> Rows:
        """Those of the tenant and those of all tenants, the newest first. Nobody's address is among it."""
        suppressions = tables.suppressions.c
        columns = ("id", "kind", "reason", "attempts", "last_attempt_at", "created_by", "created_at")
        query = (
            select(
                *(suppressions[name] for name in columns),
                suppressions.tenant_id.is_(None).label("all_tenants"),
            )
            .where((suppressions.tenant_id == tenant_id) | suppressions.tenant_id.is_(None))
            .order_by(suppressions.id.desc())
            .limit(min(limit, MAX_ROWS))
        )
        if kind:
            query = query.where(suppressions.kind == kind)
        if before is not None:
            query = query.where(suppressions.id < before)
        return await self.dicts(query)

    async def counts(self, tenant_id: UUID) -> dict[str, int]:
        """How many there are of each kind, and how often they were met."""
        suppressions = tables.suppressions.c
        query = (
            select(
                suppressions.kind,
                func.count().label("number"),
                func.sum(suppressions.attempts).label("attempts"),
            )
            .where((suppressions.tenant_id == tenant_id) | suppressions.tenant_id.is_(None))
            .group_by(suppressions.kind)
        )
        rows = await self.dicts(query)
        counts = {"email": 0, "phone": 0, "domain": 0} | {row["kind"]: row["number"] for row in rows}
        return counts | {"attempts": sum(int(row["attempts"]) for row in rows)}


async def withhold_suppressed(connection: AsyncConnection, tenant_id: UUID, table: Table, rows: Rows) -> Rows:
    """Rows of a list as they may leave: no suppressed contact, and no suppressed address or number in others.

    Contacts have their `domain`.
    """
    if not rows or not await tenants_with_suppressions(connection, [tenant_id]):
        return rows
    is_contact = table is tables.contacts
    brought = [_row_identifiers(row, is_contact=is_contact) for row in rows]
    everything = {identifier for identifiers in brought for identifier in identifiers}
    suppressed = await find_suppressed(connection, tenant_id, everything)
    kept = []
    for row, identifiers in zip(rows, brought, strict=True):
        if suppressed.keys().isdisjoint(identifiers):
            kept.append(row)
        elif not (is_contact and _is_suppressed(row, suppressed)):
            kept.append(redact_columns(table, row, suppressed))
    return kept


def _row_identifiers(row: dict[str, Any], *, is_contact: bool) -> set[Identifier]:
    named = set(all_identifiers(row, row_country(row)))
    return named | set(covering_domains(str(row["domain"]))) if is_contact else named


def _is_suppressed(contact: dict[str, Any], suppressed: Collection[Identifier]) -> bool:
    """Whether it is the contact itself, and not only its number or somebody who is quoted with it."""
    own = [*email_identifiers(contact["email"] or ""), *covering_domains(str(contact["domain"]))]
    if not contact["email"]:
        own += phone_identifiers(contact["phone_number"] or "")
    return any(identifier in suppressed for identifier in own)
