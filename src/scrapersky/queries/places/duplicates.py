"""Businesses that several sources list: one place stands for all of them, and exports name them once."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, FromClause, Select, Table, and_, exists, func, or_, select

from scrapersky import tables
from scrapersky.declarations import DELIVER, statuses

IDENTITIES = tables.place_identities
OTHER_DOMAIN, SAME = tables.domains.alias("other_domain"), tables.contacts.alias("same")


def distinct_businesses(table: Table) -> list[ColumnElement[bool]]:
    """The condition that leaves out places and businesses for which another one stands."""
    place = {
        tables.places_staging: tables.places_staging.c.id,
        tables.local_businesses: tables.local_businesses.c.place_row_id,
    }.get(table)
    if place is None:
        return []
    stands_back = IDENTITIES.c.place_row_id == place, IDENTITIES.c.same_as.is_not(None)
    return [~exists(select(IDENTITIES.c.place_row_id).where(*stands_back).correlate(table))]


def is_repeated_contact(*is_listed: ColumnElement[bool]) -> ColumnElement[bool]:
    """Whether a linked listing of the same business has the same contact on an earlier domain.

    The contact is one of `contacts`, joined with its row of `domains`. `is_listed` are conditions on `SAME`
    and `OTHER_DOMAIN`: a contact that the list leaves out cannot stand for another.
    """
    is_earlier = OTHER_DOMAIN.c.id < tables.domains.c.id
    return exists(_same_contacts().where(is_earlier, *is_listed).correlate(tables.contacts, tables.domains))


def are_not_excluded(contacts: FromClause, domains: FromClause) -> list[ColumnElement[bool]]:
    """The conditions that leave out excluded contacts and those of excluded domains."""
    return [
        contacts.c.contact_curation_status.not_in(statuses.EXCLUDED),
        domains.c.sitemap_curation_status.not_in(statuses.EXCLUDED),
    ]


def is_delivered_elsewhere(destination_id: UUID) -> ColumnElement[bool]:
    """Whether the destination has the same contact of a linked listing."""
    return _has_twin(destination_id, tables.deliveries.c.external_id.is_not(None))


def is_waiting_elsewhere(destination_id: UUID, delivery_id: UUID) -> ColumnElement[bool]:
    """Whether an earlier delivery, which may still fail, brings the same contact of a linked listing."""
    deliveries = tables.deliveries.c
    waits = deliveries.status.in_((DELIVER.statuses.queued, DELIVER.statuses.processing))
    return _has_twin(destination_id, waits, deliveries.id < delivery_id)


def _has_twin(destination_id: UUID, *conditions: ColumnElement[bool]) -> ColumnElement[bool]:
    deliveries = tables.deliveries.c
    query = (
        _same_contacts()
        .join(tables.deliveries, deliveries.contact_id == SAME.c.id)
        .where(deliveries.destination_id == destination_id, *conditions)
    )
    return exists(query.correlate(tables.contacts, tables.domains))


def _same_contacts() -> Select[Any]:
    """The same contact as one of `contacts`, on the domains of other listings of its business."""
    contacts = tables.contacts.c
    own_business, own = tables.local_businesses.alias("own_business"), IDENTITIES.alias("own")
    other_business, other = tables.local_businesses.alias("other_business"), IDENTITIES.alias("other")
    has_no_email = and_(SAME.c.email.is_(None), contacts.email.is_(None))
    is_same = or_(
        SAME.c.email == contacts.email, and_(has_no_email, SAME.c.phone_number == contacts.phone_number)
    )
    group = func.coalesce(own.c.same_as, own.c.place_row_id)
    return (
        select(SAME.c.id)
        .select_from(own_business)
        .join(own, own.c.place_row_id == own_business.c.place_row_id)
        .join(other, or_(other.c.place_row_id == group, other.c.same_as == group))
        .join(other_business, other_business.c.place_row_id == other.c.place_row_id)
        .join(OTHER_DOMAIN, OTHER_DOMAIN.c.local_business_id == other_business.c.id)
        .join(SAME, SAME.c.domain_id == OTHER_DOMAIN.c.id)
        .where(
            own_business.c.id == tables.domains.c.local_business_id,
            other.c.place_row_id != own.c.place_row_id,
            is_same,
        )
    )
