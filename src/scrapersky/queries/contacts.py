"""Contacts with their evidence and the state of their address, streamed in batches."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import Select, tuple_

from scrapersky import tables
from scrapersky.queries.contact_rows import contact_rows
from scrapersky.queries.places.duplicates import (
    OTHER_DOMAIN,
    SAME,
    are_not_excluded,
    is_repeated_contact,
)
from scrapersky.queries.privacy.suppressions import withhold_suppressed
from scrapersky.queries.read_model import Query, in_array
from scrapersky.storage.contacts import BOILERPLATE

BATCH = 1_000


def own_contacts(contacts: Iterable[dict[str, Any]]) -> tuple[list[dict[str, Any]], int]:
    """The contacts without boilerplate, and the number of boilerplate contacts.

    Boilerplate is what a template or provider puts on many sites; it belongs to none of them.
    """
    everyone = list(contacts)
    own = [contact for contact in everyone if BOILERPLATE not in contact["tags"]]
    return own, len(everyone) - len(own)


class ContactQuery(Query):
    async def stream(
        self, tenant_id: UUID, *, domain_ids: Sequence[UUID] | None = None
    ) -> AsyncIterator[dict[str, Any]]:
        """Contacts ordered by domain; no transaction stays open while the caller writes.

        Excluded contacts, those of excluded domains and suppressed ones are left out.
        """
        contacts, domains = tables.contacts.c, tables.domains.c
        query = contact_rows(self._engine).where(
            contacts.tenant_id == tenant_id,
            *are_not_excluded(tables.contacts, tables.domains),
        )
        is_twin_listed = are_not_excluded(SAME, OTHER_DOMAIN)
        if domain_ids is not None:
            query = query.where(in_array(contacts.domain_id, domain_ids))
            is_twin_listed.append(in_array(SAME.c.domain_id, domain_ids))
        query = query.where(~is_repeated_contact(*is_twin_listed))
        async for row in self._batches(tenant_id, query.order_by(domains.domain, contacts.id)):
            yield row

    async def _batches(self, tenant_id: UUID, query: Select[Any]) -> AsyncIterator[dict[str, Any]]:
        key = tuple_(tables.domains.c.domain, tables.contacts.c.id)
        rest = query
        while True:
            rows = await self.dicts(rest.limit(BATCH))
            for row in await self._allowed(tenant_id, rows):
                yield row
            if len(rows) < BATCH:
                return
            rest = query.where(key > tuple_(rows[-1]["domain"], rows[-1]["id"]))

    async def _allowed(self, tenant_id: UUID, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return await self.read(
            lambda connection: withhold_suppressed(connection, tenant_id, tables.contacts, rows)
        )
