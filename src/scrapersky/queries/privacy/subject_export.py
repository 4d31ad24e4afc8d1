"""Everything known about one person, with its sources (the right of access)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import select

from scrapersky import tables
from scrapersky.extract.privacy.identifiers import Identifier
from scrapersky.extract.privacy.subject import make_subject
from scrapersky.queries.privacy.subject_rows import find_bodies, find_rows, searched_tables, text_columns
from scrapersky.queries.read_model import Query, in_array
from scrapersky.storage.suppressions import find_suppressed

# What people did with the tables of the program itself; values of changes are listed by their entry.
KEPT = ("id", "number", "job_id", "domain_id", "page_id", "contact_id", "created_at", "updated_at")


class SubjectQuery(Query):
    async def export(self, tenant_id: UUID, identifiers: Sequence[Identifier]) -> dict[str, Any]:
        """By table, every row that names the person: the columns that do, and what identifies the row."""
        subject = make_subject(identifiers)
        places: dict[str, list[dict[str, Any]]] = {}
        for table in searched_tables():
            async for rows in find_rows(self._engine, tenant_id, table, subject):
                whole = table in (tables.contacts, tables.sightings)
                names = [column.name for column in text_columns(table)]
                for row in rows:
                    named = [name for name in names if subject.redact(row[name]) != row[name]]
                    columns = [*row] if whole else [*(name for name in KEPT if name in row), *named]
                    places.setdefault(table.name, []).append({name: row[name] for name in columns})
        if bodies := await find_bodies(self._engine, tenant_id, subject):
            places["page_bodies"] = [dict(row) for row in bodies]
        contact_ids = [row["id"] for row in places.get("contacts", ())]
        suppressed = await self.read(lambda connection: find_suppressed(connection, tenant_id, identifiers))
        return {
            "person": [{"kind": identifier.kind, "value": identifier.value} for identifier in identifiers],
            "is_suppressed": bool(suppressed),
            "sources": await self._sources(tenant_id, contact_ids),
            "deliveries": await self._deliveries(tenant_id, contact_ids),
            "places": places,
        }

    async def _sources(self, tenant_id: UUID, contact_ids: Sequence[UUID]) -> list[dict[str, Any]]:
        """Where each contact was read, in which words and when."""
        sightings, pages = tables.sightings, tables.pages
        names = ("contact_id", "field", "value", "quote", "method", "first_seen_at", "last_seen_at")
        query = (
            select(pages.c.url, *(sightings.c[name] for name in names))
            .join(pages, pages.c.id == sightings.c.page_id)
            .where(sightings.c.tenant_id == tenant_id, in_array(sightings.c.contact_id, contact_ids))
        )
        return await self.dicts(query.order_by(sightings.c.first_seen_at))

    async def _deliveries(self, tenant_id: UUID, contact_ids: Sequence[UUID]) -> list[dict[str, Any]]:
        deliveries, destinations = tables.deliveries, tables.destinations
        query = (
            select(destinations.c.name.label("destination"), destinations.c.kind, deliveries.c.delivered_at)
            .join(destinations, destinations.c.id == deliveries.c.destination_id)
            .where(deliveries.c.tenant_id == tenant_id, in_array(deliveries.c.contact_id, contact_ids))
        )
        return await self.dicts(query)
