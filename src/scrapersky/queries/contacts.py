"""Contacts with their page, the words on it and what is known about the address; streamed."""

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

AT_ONCE = 1_000


def own_contacts(contacts: Iterable[dict[str, Any]]) -> tuple[list[dict[str, Any]], int]:
    """The contacts that are counted and shown, and how many were left out.

    Left out is boilerplate: what the same template or provider puts on many sites belongs to none of them.
    """
    every = list(contacts)
    own = [one for one in every if BOILERPLATE not in one["tags"]]
    return own, len(every) - len(own)


class ContactQuery(Query):
    async def stream(
        self,
        tenant_id: UUID,
        *,
        domain: str | None = None,
        domain_ids: Sequence[UUID] | None = None,
        ids: Sequence[UUID] | None = None,
        decision: str | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[dict[str, Any]]:
        """Contacts by domain, in many short reads: nothing stays open while the caller writes.

        Rejected and archived contacts, and those of such domains, come only when `decision` asks for them.
        """
        contacts, domains = tables.contacts.c, tables.domains.c
        query = contact_rows().where(contacts.tenant_id == tenant_id).order_by(domains.domain, contacts.id)
        if domain is not None:
            query = query.where(domains.domain == (read_host(domain).host or domain.strip().lower()))
        if domain_ids is not None:
            query = query.where(in_array(contacts.domain_id, domain_ids))
        if ids is not None:
            query = query.where(in_array(contacts.id, ids))
        if decision is not None:
            query = query.where(contacts.contact_curation_status == parse_curation_status(decision))
        else:
            query = query.where(
                contacts.contact_curation_status.not_in(statuses.EXCLUDED),
                domains.sitemap_curation_status.not_in(statuses.EXCLUDED),
            )
        sent = 0
        async for row in self._in_parts(query):
            if limit is not None and sent >= limit:
                return
            sent += 1
            yield row

    async def _in_parts(self, query: Select[Any]) -> AsyncIterator[dict[str, Any]]:
        key = tuple_(tables.domains.c.domain, tables.contacts.c.id)
        part = query
        while True:
            rows = await self.rows(part.limit(AT_ONCE))
            for row in rows:
                yield dict(row._mapping)
            if len(rows) < AT_ONCE:
                return
            part = query.where(key > tuple_(rows[-1].domain, rows[-1].id))
