"""Contacts with their evidence and the state of their address, streamed in batches."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import Select, tuple_

from scrapersky import tables
from scrapersky.declarations import statuses
from scrapersky.extract.urls import read_host
from scrapersky.queries.contact_rows import contact_rows
from scrapersky.queries.entities import parse_curation_status
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
        self,
        tenant_id: UUID,
        *,
        domain: str | None = None,
        domain_ids: Sequence[UUID] | None = None,
        ids: Sequence[UUID] | None = None,
        curation_status: str | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[dict[str, Any]]:
        """Contacts ordered by domain; no transaction stays open while the caller writes.

        Excluded contacts, and those of excluded domains, are included only when `curation_status` is set.
        """
        contacts, domains = tables.contacts.c, tables.domains.c
        query = contact_rows().where(contacts.tenant_id == tenant_id).order_by(domains.domain, contacts.id)
        if domain is not None:
            query = query.where(domains.domain == (read_host(domain).host or domain.strip().lower()))
        if domain_ids is not None:
            query = query.where(in_array(contacts.domain_id, domain_ids))
        if ids is not None:
            query = query.where(in_array(contacts.id, ids))
        if curation_status is not None:
            status = parse_curation_status(curation_status)
            query = query.where(contacts.contact_curation_status == status)
        else:
            query = query.where(
                contacts.contact_curation_status.not_in(statuses.EXCLUDED),
                domains.sitemap_curation_status.not_in(statuses.EXCLUDED),
            )
        sent = 0
        async for row in self._batches(query):
            if limit is not None and sent >= limit:
                return
            sent += 1
            yield row

    async def _batches(self, query: Select[Any]) -> AsyncIterator[dict[str, Any]]:
        key = tuple_(tables.domains.c.domain, tables.contacts.c.id)
        rest = query
        while True:
            rows = await self.dicts(rest.limit(BATCH))
            for row in rows:
                yield row
            if len(rows) < BATCH:
                return
            rest = query.where(key > tuple_(rows[-1]["domain"], rows[-1]["id"]))
