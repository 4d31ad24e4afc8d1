"""One row, whole, by its id or its name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import Table, or_, select, text

from scrapersky import tables
from scrapersky.errors import NotFound
from scrapersky.extract.urls import read_host
from scrapersky.extract.urls.canonical import canonical_url
from scrapersky.queries.email_scores import current_score
from scrapersky.queries.privacy.suppressions import Rows, withhold_suppressed
from scrapersky.queries.read_model import Query, in_array
from scrapersky.queries.rows.attributions import attribution, derived_attribution
from scrapersky.queries.rows.contact_facts import contact_facts
from scrapersky.queries.rows.entities import ENTITIES, Entity

SIGHTING_COLUMNS = (
    "id", "page_id", "field", "value", "method", "quote", "place", "start", "confidence",
    "extractor_version", "first_seen_at", "last_seen_at",
)  # fmt: skip
MAX_CONTACTS = MAX_SIGHTINGS = 1_000
ROWS_BELOW_DOMAIN = text("""
SELECT (SELECT count(*) FROM jobs WHERE domain_id = :domain_id) AS jobs,
       (SELECT count(*) FROM sitemap_files WHERE domain_id = :domain_id) AS sitemaps,
       (SELECT count(*) FROM pages WHERE domain_id = :domain_id) AS pages,
       (SELECT count(*) FROM contacts WHERE domain_id = :domain_id) AS contacts
""")


class RowQuery(Query):
    async def ids(self, entity: Entity, tenant_id: UUID, which: Sequence[str]) -> list[UUID]:
        """The ids of rows that are named by id, host, URL or e-mail address, each once; all must exist."""
        ids = {await self._id(entity, tenant_id, name): name for name in which}
        columns = entity.table.c
        query = select(columns.id).where(columns.tenant_id == tenant_id, in_array(columns.id, list(ids)))
        missing = [ids[row_id] for row_id in ids.keys() - {row.id for row in await self.rows(query)}]
        if missing:
            more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
            raise NotFound(f"There is no {entity.name} {missing[0]}{more}")
        return list(ids)

    async def show(self, entity: Entity, tenant_id: UUID, which: str) -> dict[str, Any]:
        """One whole row; a domain with the rows below it, a contact with what speaks for and against it."""
        table = entity.table
        row_id = await self._id(entity, tenant_id, which)
        score = tables.contacts.c.email_validation_score
        columns = [current_score(self._engine) if column is score else column for column in table.c]
        if (named := attribution(table)) is not None:
            columns.append(named.label("attribution"))
        query = select(*columns).where(table.c.tenant_id == tenant_id, table.c.id == row_id)
        if table is tables.contacts:
            domains = tables.domains
            query = query.add_columns(domains.c.domain).join(domains, domains.c.id == table.c.domain_id)
        rows = await self.dicts(query)
        rows = await self._allowed(tenant_id, table, rows)
        if not rows:
            raise NotFound(f"There is no {entity.name} {which}")
        if table is tables.contacts:
            rows[0] |= contact_facts(rows[0], await self._sightings(row_id))
        return {**rows[0], **(await self._count_below(row_id) if table is tables.domains else {})}

    async def details(self, entity: Entity, tenant_id: UUID, row_id: UUID) -> dict[str, Any]:
        """One whole row with its domain; a page also with its contacts, a contact with its sightings."""
        row = await self.show(entity, tenant_id, str(row_id))
        if "domain_id" in entity.table.c:
            domains = tables.domains.c
            row["domain"] = await self.scalar(select(domains.domain).where(domains.id == row["domain_id"]))
        if entity.table is tables.pages:
            contacts = await self._contacts_of_page(row_id)
            row["contacts"] = await self._allowed(tenant_id, tables.contacts, contacts)
        if entity.table is tables.contacts:
            row["sightings"] = await self._allowed(tenant_id, tables.sightings, await self._sightings(row_id))
        return row

    async def _allowed(self, tenant_id: UUID, table: Table, rows: Rows) -> Rows:
        return await self.read(lambda connection: withhold_suppressed(connection, tenant_id, table, rows))

    async def _contacts_of_page(self, page_id: UUID) -> list[dict[str, Any]]:
        """The contacts that were first read on the page, or seen there again."""
        contacts, domains, sightings = tables.contacts, tables.domains, tables.sightings.c
        entity = ENTITIES["contact"]
        columns = [contacts.c[name] for name in ("id", *entity.columns, "created_at", "updated_at")]
        seen = select(sightings.contact_id).where(sightings.page_id == page_id)
        named = derived_attribution(contacts.c.lead_source, domains.c.lead_source)
        query = select(
            *columns, entity.error.label("error"), domains.c.domain, named.label("attribution")
        ).join(domains, domains.c.id == contacts.c.domain_id)
        is_here = or_(contacts.c.page_id == page_id, contacts.c.id.in_(seen))
        return await self.dicts(query.where(is_here).order_by(contacts.c.id).limit(MAX_CONTACTS))

    async def _sightings(self, contact_id: UUID) -> list[dict[str, Any]]:
        """Where the contact was seen, the surest first."""
        sightings, pages = tables.sightings, tables.pages
        columns = [sightings.c[name] for name in SIGHTING_COLUMNS]
        query = select(*columns, pages.c.url).join(pages, pages.c.id == sightings.c.page_id)
        surest = sightings.c.confidence.desc().nulls_last(), sightings.c.id
        return await self.dicts(
            query.where(sightings.c.contact_id == contact_id).order_by(*surest).limit(MAX_SIGHTINGS)
        )

    async def _count_below(self, domain_id: UUID) -> dict[str, Any]:
        return (await self.dicts(ROWS_BELOW_DOMAIN, {"domain_id": domain_id}))[0]

    async def _id(self, entity: Entity, tenant_id: UUID, which: str) -> UUID:
        try:
            return UUID(which)
        except ValueError:
            pass
        columns = entity.table.c
        names = {which.strip(), _canonical(entity, which)}
        query = select(columns.id).where(
            columns.tenant_id == tenant_id, columns[entity.name_column].in_(names)
        )
        rows = await self.rows(query.order_by(columns.id).limit(2))
        if not rows:
            raise NotFound(f"There is no {entity.name} {which[:200]!r}")
        if len(rows) > 1:
            raise NotFound(f"There is more than one {entity.name} {which[:200]!r}; use its id")
        return UUID(str(rows[0].id))


def _canonical(entity: Entity, name: str) -> str:
    """A host, URL or address in the form in which it is stored."""
    if entity.name_column == "domain":
        return read_host(name).host or name
    if entity.name_column == "url":
        return canonical_url(name if "://" in name else f"https://{name}") or name
    return name.strip().lower() if entity.name_column == "email" else name
