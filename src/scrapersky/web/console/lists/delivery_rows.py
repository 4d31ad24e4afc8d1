"""Deliveries with the names of their contacts, as far as those may be shown, and of their destinations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from scrapersky.queries.rows.entities import ENTITIES
from scrapersky.queries.rows.filters import Filters
from scrapersky.queries.rows.lists import ListQuery


async def name_deliveries(
    query: ListQuery, rows: Sequence[Mapping[str, Any]], destinations: Mapping[UUID, str]
) -> list[dict[str, Any]]:
    """The rows with `contact` and `destination_name`; suppressed contacts stay without a name."""
    ids = [row["contact_id"] for row in rows if row["contact_id"]]
    matching = (await query.named(ENTITIES["contact"], ids, Filters()))[0] if ids else []
    contacts = {contact["id"]: contact for contact in matching}
    return [
        {
            **row,
            "contact": contacts.get(row["contact_id"]),
            "destination_name": destinations.get(row["destination_id"], ""),
        }
        for row in rows
    ]
