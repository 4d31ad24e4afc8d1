"""Deletions at destinations: whoever is erased here is also deleted where we delivered them."""

from __future__ import annotations

from collections.abc import Collection
from uuid import UUID

from sqlalchemy import Text, case, cast, func, insert, literal, select
from sqlalchemy.ext.asyncio import AsyncConnection

from scrapersky import tables
from scrapersky.declarations import statuses
from scrapersky.queries.read_model import in_array

# The lines of a person in these files are removed by the erasure itself.
FILE_KINDS = ("csv", "jsonl")
# These call a contact by its id here, so it can be deleted although no answer has confirmed the delivery.
OWN_ID_KINDS = ("brevo", "n8n", "webhook")


async def queue_deletions(connection: AsyncConnection, contact_ids: Collection[UUID]) -> int:
    """Queue one deletion for each destination that has one of the contacts; gives how many.

    Called in the transaction that erases, before the contacts and with them their deliveries are deleted. The
    deletion knows the contact only by what the destination calls it, which says nothing about the person.
    """
    deliveries, destinations = tables.deliveries.c, tables.destinations.c
    was_sent = destinations.kind.in_(OWN_ID_KINDS) & (deliveries.lease_seq > 0)
    name_there = func.coalesce(
        deliveries.external_id, case((was_sent, cast(deliveries.contact_id, Text)), else_=None)
    )
    delivered = (
        select(
            deliveries.tenant_id,
            literal(statuses.DELETE),
            deliveries.destination_id,
            name_there,
            deliveries.created_by,
        )
        .join(tables.destinations, destinations.id == deliveries.destination_id)
        .where(
            in_array(deliveries.contact_id, contact_ids),
            name_there.is_not(None),
            destinations.kind.not_in(FILE_KINDS),
        )
    )
    names = ["tenant_id", "action", "destination_id", "external_id", "created_by"]
    added = await connection.execute(
        insert(tables.deliveries).from_select(names, delivered, include_defaults=False)
    )
    return added.rowcount
