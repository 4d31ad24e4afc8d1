"""Deliveries that a stage queues: one for each destination that takes new contacts automatically."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import and_, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from scrapersky import tables
from scrapersky.declarations import statuses
from scrapersky.engine.stage import Item
from scrapersky.queries.read_model import in_array


@dataclass(frozen=True, slots=True)
class AutomaticDelivery:
    """The contact goes to every automatic destination of its tenant that has not had it yet."""

    contact_id: UUID


async def save_automatic_deliveries(
    connection: AsyncConnection, rows: Sequence[tuple[Item, AutomaticDelivery]]
) -> int:
    contacts, destinations = tables.contacts.c, tables.destinations.c
    chosen = (
        select(contacts.tenant_id, contacts.id, destinations.id, destinations.created_by)
        .join(tables.destinations, destinations.tenant_id == contacts.tenant_id)
        .where(
            in_array(contacts.id, [row.contact_id for _, row in rows]),
            contacts.contact_curation_status.not_in(statuses.EXCLUDED),
            and_(destinations.is_active, destinations.is_automatic),
        )
        .order_by(contacts.id, destinations.id)
    )
    names = ["tenant_id", "contact_id", "destination_id", "created_by"]
    added = (
        insert(tables.deliveries).from_select(names, chosen, include_defaults=False).on_conflict_do_nothing()
    )
    return (await connection.execute(added)).rowcount
