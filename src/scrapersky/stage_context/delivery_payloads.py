"""What a delivery carries: the contact, its evidence and its destination, read in one short query."""

from __future__ import annotations

from uuid import UUID

from scrapersky import tables
from scrapersky.declarations import statuses
from scrapersky.destinations import DeliveryPayload
from scrapersky.engine.database import Database
from scrapersky.engine.outcome import Discard
from scrapersky.queries.contact_rows import contact_rows


class DeliveryPayloads:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def load(
        self, tenant_id: UUID, delivery_id: UUID, contact_id: UUID, destination_id: UUID
    ) -> DeliveryPayload:
        """The payload of a claimed delivery; discarded when something it needs is gone or switched off."""
        contacts, destinations = tables.contacts, tables.destinations
        query = (
            contact_rows()
            .join(destinations, destinations.c.tenant_id == contacts.c.tenant_id)
            .where(
                contacts.c.tenant_id == tenant_id,
                contacts.c.id == contact_id,
                destinations.c.id == destination_id,
            )
            .add_columns(
                tables.domains.c.sitemap_curation_status.label("_domain_decision"),
                destinations.c.kind.label("_kind"),
                destinations.c.name.label("_destination"),
                destinations.c.options.label("_options"),
                destinations.c.is_active.label("_is_active"),
            )
        )
        rows = await self._database.rows(query)
        if not rows:
            raise Discard("the contact or the destination no longer exists")
        values = dict(rows[0]._mapping)
        kind, name = values.pop("_kind"), values.pop("_destination")
        options, is_active = values.pop("_options"), values.pop("_is_active")
        if values["decision"] in statuses.EXCLUDED:
            raise Discard(f"the contact is {values['decision']}")
        if (domain := values.pop("_domain_decision")) in statuses.EXCLUDED:
            raise Discard(f"the contact's domain is {domain}")
        if not is_active:
            raise Discard(f"the destination {name!r} is switched off")
        return DeliveryPayload(kind, name, values, delivery_id, tenant_id, options)
