"""What is known about the e-mail addresses of contacts: one by one, and in numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import func, select

from scrapersky import tables
from scrapersky.declarations import VALIDATE_EMAIL, statuses
from scrapersky.queries.email_scores import current_score
from scrapersky.queries.privacy.suppressions import withhold_suppressed
from scrapersky.queries.read_model import TenantRowsQuery, in_array
from scrapersky.queries.rows.entities import ENTITIES
from scrapersky.queries.rows.filters import Filters, conditions

STATUS_COLUMNS = {
    "email": "email",
    "status": VALIDATE_EMAIL.status,
    "result": "email_validation_result",
    "reason": "email_validation_reason",
    "suggestion": "email_validation_suggestion",
    "method": "email_validation_method",
    "validated_at": "email_validated_at",
    "error": VALIDATE_EMAIL.error,
}


class ValidationQuery(TenantRowsQuery):
    """The validation of one tenant's contacts."""

    async def of_contacts(self, ids: Sequence[UUID]) -> list[dict[str, Any]]:
        """What is known about these contacts' addresses; unknown and suppressed ones are left out."""
        contacts = tables.contacts.c
        columns = [contacts[column].label(name) for name, column in STATUS_COLUMNS.items()]
        columns.append(current_score(self._engine).label("score"))
        domains = tables.domains.c
        query = (
            select(contacts.id.label("contact_id"), contacts.phone_number, domains.domain, *columns)
            .join(tables.domains, domains.id == contacts.domain_id)
            .where(contacts.tenant_id == self._tenant_id, in_array(contacts.id, ids))
        )
        rows = await self.dicts(query.order_by(contacts.id))
        visible = await self.read(
            lambda connection: withhold_suppressed(connection, self._tenant_id, tables.contacts, rows)
        )
        unasked = ("phone_number", "domain")
        return [{name: value for name, value in row.items() if name not in unasked} for row in visible]

    async def summary(self, filters: Filters) -> dict[str, Any]:
        """How many matching contacts have an address, and with what result these were validated."""
        contacts, words = tables.contacts.c, VALIDATE_EMAIL.statuses
        status, result = contacts[VALIDATE_EMAIL.status], contacts.email_validation_result
        has_email = contacts.email.is_not(None)
        query = select(
            has_email.label("has_email"),
            status.label("status"),
            result.label("result"),
            func.count().label("number"),
            func.max(contacts.email_validated_at).label("last"),
        ).where(*conditions(ENTITIES["contact"], self._tenant_id, filters))
        rows = await self.rows(query.group_by(has_email, status, result))
        numbers: Counter[str] = Counter()
        for row in rows:
            numbers["total"] += row.number
            if row.has_email:
                numbers["with_email"] += row.number
                numbers[_state(row, words)] += row.number
        validated = sum(numbers[word] for word in statuses.EMAIL_RESULT)
        states = (*statuses.EMAIL_RESULT, "pending", "failed", "not_validated")
        return {
            "total_contacts": numbers["total"],
            "with_email": numbers["with_email"],
            "validated": validated,
            "breakdown": {state: numbers[state] for state in states},
            "validation_rate": _share(validated, numbers["with_email"]),
            "valid_rate": _share(numbers["valid"], validated),
            "last_updated": max((row.last for row in rows if row.last), default=None),
        }


def _state(row: Any, words: Any) -> str:
    if row.status in (words.queued, words.processing):
        return "pending"
    if row.status == words.failed:
        return "failed"
    return row.result or "not_validated"


def _share(part: int, whole: int) -> float:
    return round(part / whole, 4) if whole else 0.0
