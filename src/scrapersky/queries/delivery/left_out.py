"""Why contacts are left out when they are sent to a destination, and how many for each reason."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Select, String, and_, case, func, literal, null, or_, select

from scrapersky import tables
from scrapersky.declarations import statuses
from scrapersky.queries.read_model import TenantRowsQuery, in_array
from scrapersky.queries.rows.entities import ENTITIES
from scrapersky.queries.rows.filters import Filters, conditions

CONTACT = ENTITIES["contact"]
# What a person may include in spite of the reason; the others are never sent.
INCLUDABLE = ("hidden", "webmail", "unverified")
NEED_EMAIL = ("hubspot", "brevo")
# Each reason as a sentence about a number of contacts.
REASON_WORDS = {
    "excluded": "rejected or archived, themselves or their domain",
    "no_email": "without an e-mail address",
    "hidden": "with an address that the site hides from programs",
    "webmail": "with an address of a mail provider",
    "unverified": "whose address is not known to be valid",
}


def reason_left_out(kind: str, include: Collection[str]) -> ColumnElement[Any]:
    """The first reason that a contact, joined to its domain, is not sent to this kind; NULL if it is."""
    contact, domain = tables.contacts.c, tables.domains.c
    is_excluded = or_(
        contact.contact_curation_status.in_(statuses.EXCLUDED),
        domain.sitemap_curation_status.in_(statuses.EXCLUDED),
    )
    is_verified = contact.email_validation_result.is_not_distinct_from("valid")
    conditions_by_reason: dict[str, ColumnElement[bool]] = {
        "excluded": is_excluded,
        "no_email": and_(literal(kind in NEED_EMAIL), contact.email.is_(None)),
        "hidden": contact.is_email_hidden,
        "webmail": contact.email_relation.is_not_distinct_from("free"),
        "unverified": and_(contact.email.is_not(None), ~is_verified),
    }
    known = [
        (condition, literal(reason, String))
        for reason, condition in conditions_by_reason.items()
        if reason not in include
    ]
    return case(*known, else_=null())


def chosen_contacts(tenant_id: UUID, filters: Filters, ids: Collection[UUID] | None) -> Select[Any]:
    """The contacts that match, joined to their domains."""
    contacts, domains = tables.contacts, tables.domains
    query = (
        select(contacts.c.id)
        .join(domains, (domains.c.id == contacts.c.domain_id) & (domains.c.tenant_id == contacts.c.tenant_id))
        .where(*conditions(CONTACT, tenant_id, filters))
    )
    return query if ids is None else query.where(in_array(contacts.c.id, ids))


class SendPreview(TenantRowsQuery):
    """What a send would do, without doing it."""

    async def count(
        self, kind: str, filters: Filters, ids: Collection[UUID] | None, include: Collection[str] = ()
    ) -> dict[str, int]:
        """The number of contacts that would be sent as `sent`, and of those left out by reason."""
        chosen = chosen_contacts(self._tenant_id, filters, ids)
        reason = reason_left_out(kind, include).label("reason")
        rows = chosen.with_only_columns(reason).subquery()
        counted = await self.rows(select(rows.c.reason, func.count().label("number")).group_by(rows.c.reason))
        return {row.reason or "sent": row.number for row in counted}
