"""Outcomes: how far the way from a place to a contact a row has come, and what keeps it there.

The flow of the overview counts by them and the lists filter by them, so that both always agree.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import ColumnElement, Table, case, exists, func, literal, select

from scrapersky import tables
from scrapersky.declarations import DEEP_SCAN, DELIVER, EXTRACT_DOMAIN, READ_METADATA, READ_PAGE, statuses

# Each table's outcomes, from the first step to the last; the place in the tuple is the rank.
PLACE = ("rejected", "undecided", "waiting", "failed", "business")
BUSINESS = ("no_website", "rejected", "undecided", "waiting", "failed", "same_website", "website")
DOMAIN = (
    *("rejected", "undecided", "waiting", "failed", "robots"),
    *("no_pages", "unread", "no_contact"),
    *("contact_rejected", "phone_only", "not_valid", "unchecked"),
    *("verified", "delivered"),
)
OUTCOMES: Mapping[str, tuple[str, ...]] = {
    tables.places_staging.name: PLACE,
    tables.local_businesses.name: BUSINESS,
    tables.domains.name: DOMAIN,
}
VALID = statuses.EMAIL_RESULT[0]
ROBOTS_ERROR = "%robots.txt%"


def outcome(table: Table, columns: Any) -> ColumnElement[int]:
    """The rank of a row's outcome; `columns` are those of the table or of something like it."""
    if table is tables.places_staging:
        return _place(columns)
    if table is tables.local_businesses:
        return _business(columns)
    contacts = tables.contacts.alias("domain_contacts")
    mine = contacts.c.domain_id == columns.id, contacts.c.tenant_id == columns.tenant_id
    return domain_outcome(columns, select(best_contact(contacts.c)).where(*mine).scalar_subquery())


def _place(columns: Any) -> ColumnElement[int]:
    """Needs facets only, so the row counts can answer it."""
    status, queue = columns[DEEP_SCAN.status], DEEP_SCAN.statuses
    rank = PLACE.index
    return case(
        (status == queue.done, rank("business")),
        (columns[DEEP_SCAN.excluded_by].in_(statuses.EXCLUDED), rank("rejected")),
        (status == queue.failed, rank("failed")),
        (status.in_((queue.queued, queue.processing)), rank("waiting")),
        else_=rank("undecided"),
    )


def _business(columns: Any) -> ColumnElement[int]:
    status, queue = columns[EXTRACT_DOMAIN.status], EXTRACT_DOMAIN.statuses
    domains = tables.domains.alias("website_domains").c
    of_business = domains.local_business_id == columns.id, domains.tenant_id == columns.tenant_id
    rank = BUSINESS.index
    return case(
        (exists(select(literal(1)).where(*of_business)), rank("website")),
        (func.coalesce(columns.website_url, "") == "", rank("no_website")),
        (columns[EXTRACT_DOMAIN.excluded_by].in_(statuses.EXCLUDED), rank("rejected")),
        (status == queue.failed, rank("failed")),
        (status.in_((queue.queued, queue.processing)), rank("waiting")),
        (status == queue.done, rank("same_website")),
        else_=rank("undecided"),
    )


def domain_outcome(columns: Any, contact: ColumnElement[int]) -> ColumnElement[int]:
    """`contact` is the rank of the domain's best contact, or NULL.

    Contacts count wherever they come from: some sources list one beside a website that nobody reaches.
    """
    status, queue = columns[READ_METADATA.status], READ_METADATA.statuses
    pages = tables.pages.alias("domain_pages").c
    page = select(literal(1)).where(pages.tenant_id == columns.tenant_id, pages.domain_id == columns.id)
    read = page.where(pages[READ_PAGE.status] == READ_PAGE.statuses.done)
    rank = DOMAIN.index
    return func.coalesce(
        contact,
        case(
            (columns[READ_METADATA.excluded_by].in_(statuses.EXCLUDED), rank("rejected")),
            (
                status == queue.failed,
                case(
                    (columns[READ_METADATA.error].ilike(ROBOTS_ERROR), rank("robots")), else_=rank("failed")
                ),
            ),
            (status.in_((queue.queued, queue.processing)), rank("waiting")),
            (status.is_(None), rank("undecided")),
            # The first of them is found by an index; EXISTS would read all pages for all domains.
            (read.limit(1).scalar_subquery().is_not(None), rank("no_contact")),
            (page.limit(1).scalar_subquery().is_not(None), rank("unread")),
            else_=rank("no_pages"),
        ),
    )


def best_contact(contacts: Any) -> ColumnElement[int]:
    """The rank of the most useful of these contacts."""
    deliveries = tables.deliveries.c
    delivered = select(deliveries.contact_id).where(deliveries.status == DELIVER.statuses.done)
    rank = DOMAIN.index
    worth = case(
        (contacts.id.in_(delivered), rank("delivered")),
        (contacts.contact_curation_status.in_(statuses.EXCLUDED), rank("contact_rejected")),
        (contacts.email.is_(None), rank("phone_only")),
        (contacts.email_validation_result == VALID, rank("verified")),
        (contacts.email_validation_result.is_(None), rank("unchecked")),
        else_=rank("not_valid"),
    )
    return func.max(worth)


def matches(table: Table, columns: Any, names: list[str]) -> ColumnElement[bool]:
    """Whether a row has one of these outcomes."""
    ranks = [OUTCOMES[table.name].index(name) for name in names]
    return outcome(table, columns).in_(ranks)
