"""What a delivery carries: the contact, its evidence and its destination, read in one short query."""

from __future__ import annotations

from scrapersky.destinations import Parcel
from scrapersky.engine.database import Database
from scrapersky.engine.signals import GiveUp
from scrapersky.engine.stage import Item
from scrapersky.tables import Contact, Destination, Domain, table_of, words
from scrapersky.tools.contact_rows import contact_rows


class Parcels:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def parcel(self, item: Item) -> Parcel:
        """The parcel of one claimed delivery; what is gone or switched off since is not delivered."""
        contacts, destinations = table_of(Contact), table_of(Destination)
        query = (
            contact_rows()
            .join(destinations, destinations.c.tenant_id == contacts.c.tenant_id)
            .where(
                contacts.c.tenant_id == item.tenant_id,
                contacts.c.id == item.row.contact_id,
                destinations.c.id == item.row.destination_id,
            )
            .add_columns(
                table_of(Domain).c.sitemap_curation_status.label("_domain_decision"),
                destinations.c.kind.label("_kind"),
                destinations.c.name.label("_destination"),
                destinations.c.options.label("_options"),
                destinations.c.is_active.label("_is_active"),
            )
        )
        rows = await self._database.rows(query)
        if not rows:
            raise GiveUp("the contact or the destination is not there any more")
        values = dict(rows[0]._mapping)
        kind, name = values.pop("_kind"), values.pop("_destination")
        options, is_active = values.pop("_options"), values.pop("_is_active")
        if values["decision"] in words.BARRING:
            raise GiveUp(f"the contact is {values['decision']}")
        if (domain := values.pop("_domain_decision")) in words.BARRING:
            raise GiveUp(f"the contact's domain is {domain}")
        if not is_active:
            raise GiveUp(f"the destination {name!r} is switched off")
        return Parcel(kind, name, values, item.id, item.tenant_id, options)
