"""Everything that is known about one domain: what led to it, what lies below it, and what was done to it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import String, cast, func, literal, select, union_all
from sqlalchemy.ext.asyncio import AsyncEngine

from scrapersky import tables
from scrapersky.database import tenant_engine
from scrapersky.declarations import READ_PAGE
from scrapersky.queries.privacy.suppressions import withhold_suppressed
from scrapersky.queries.read_model import TenantRowsQuery, in_array

MAX_ROWS = 200
MAX_SITEMAPS = 1_000
MAX_HISTORY = 100
MAX_REQUESTS = 50


class DossierQuery(TenantRowsQuery):
    """One domain of one tenant."""

    def __init__(self, engine: AsyncEngine, tenant_id: UUID) -> None:
        # The row of a host names no tenant; only as the tenant's role those of other tenants stay hidden.
        super().__init__(tenant_engine(engine, tenant_id), tenant_id)

    async def origin(self, business_id: UUID | None) -> dict[str, Any] | None:
        """The business that led to the domain, with the place and the search behind it."""
        business, place, search = tables.local_businesses, tables.places_staging, tables.place_searches
        query = (
            select(
                business.c.id,
                business.c.business_name,
                business.c.full_address,
                business.c.main_category,
                business.c.source,
                place.c.id.label("place_row_id"),
                place.c.name.label("place_name"),
                search.c.id.label("search_id"),
                search.c.business_type,
                search.c.location,
            )
            .select_from(business)
            .outerjoin(place, place.c.id == business.c.place_row_id)
            .outerjoin(search, search.c.id == place.c.search_id)
            .where(business.c.tenant_id == self._tenant_id, business.c.id == business_id)
        )
        rows = [] if business_id is None else await self.dicts(query)
        return rows[0] if rows else None

    async def page_numbers(self, domain_id: UUID) -> dict[str, int]:
        """How many pages were read, and what paid services took for them."""
        columns = tables.pages.c
        query = select(
            func.count().filter(columns[READ_PAGE.status] == READ_PAGE.statuses.done).label("read"),
            func.coalesce(func.sum(columns.credits_used), 0).label("credits"),
        )
        [row] = await self.dicts(query.where(*self._below(tables.pages, domain_id)))
        return {name: int(value) for name, value in row.items()}

    async def contacts(self, domain_id: UUID) -> list[dict[str, Any]]:
        """The contacts that are not suppressed, the surest first, each with the number of its sightings."""
        contacts, sightings = tables.contacts, tables.sightings
        seen = select(func.count()).where(sightings.c.contact_id == contacts.c.id).scalar_subquery()
        surest = contacts.c.confidence.desc().nulls_last(), contacts.c.id
        domains = tables.domains
        query = (
            select(contacts, domains.c.domain, seen.label("sightings"))
            .join(domains, domains.c.id == contacts.c.domain_id)
            .where(*self._below(contacts, domain_id))
        )
        rows = await self.dicts(query.order_by(*surest).limit(MAX_ROWS))
        return await self.read(
            lambda connection: withhold_suppressed(connection, self._tenant_id, contacts, rows)
        )

    async def pages(self, domain_id: UUID) -> list[dict[str, Any]]:
        """The pages, the most useful first, each with the number of contacts that it showed."""
        pages, sightings = tables.pages, tables.sightings
        contact_count = (
            select(func.count(sightings.c.contact_id.distinct()))
            .where(sightings.c.page_id == pages.c.id)
            .scalar_subquery()
        )
        names = (
            *("id", "url", "title", "page_type", "priority_level", "page_curation_status"),
            *("page_processing_status", "page_processing_error", "contact_scrape_status"),
            *("status_code", "last_scan_at", "credits_used", "filtered_reason"),
        )
        first = (
            pages.c.priority_level,
            pages.c[READ_PAGE.status].is_distinct_from(READ_PAGE.statuses.done),
            pages.c.id,
        )
        query = select(*(pages.c[name] for name in names), contact_count.label("contacts"))
        return await self.dicts(query.where(*self._below(pages, domain_id)).order_by(*first).limit(MAX_ROWS))

    async def sitemaps(self, domain_id: UUID) -> list[dict[str, Any]]:
        """The sitemap files, each after the file that lists it, with its depth."""
        table = tables.sitemap_files
        query = select(table).where(*self._below(table, domain_id)).order_by(table.c.url)
        return _as_tree(await self.dicts(query.limit(MAX_SITEMAPS)))

    async def host(self, host: str) -> dict[str, Any] | None:
        """What is known about the host: robots.txt, pace and pauses."""
        columns = tables.hosts.c
        is_paused = (columns.paused_until > func.now()).label("is_paused")
        rows = await self.dicts(select(tables.hosts, is_paused).where(columns.host == host))
        return rows[0] if rows else None

    async def requests(self, domain_id: UUID) -> list[dict[str, Any]]:
        """The last request for each page and sitemap file, the newest first."""
        pages, sitemaps = tables.pages, tables.sitemap_files
        finished = sitemaps.c.sitemap_import_finished_at
        both = union_all(
            select(
                pages.c.url,
                literal("page").label("kind"),
                pages.c.status_code,
                literal(None).label("milliseconds"),
                pages.c.page_processing_error.label("error"),
                pages.c.last_scan_at.label("at"),
            ).where(*self._below(pages, domain_id), pages.c.last_scan_at.is_not(None)),
            select(
                sitemaps.c.url,
                literal("sitemap"),
                sitemaps.c.status_code,
                cast(sitemaps.c.response_time_ms, String),
                sitemaps.c.sitemap_import_error,
                finished,
            ).where(*self._below(sitemaps, domain_id), finished.is_not(None)),
        ).subquery()
        return await self.dicts(select(both).order_by(both.c.at.desc()).limit(MAX_REQUESTS))

    async def jobs(self, domain_id: UUID) -> list[dict[str, Any]]:
        jobs = tables.jobs
        names = ("id", "job_type", "status", "error", "progress_message", "created_at", "updated_at")
        query = select(*(jobs.c[name] for name in names)).where(*self._below(jobs, domain_id))
        return await self.dicts(query.order_by(jobs.c.id.desc()).limit(MAX_HISTORY))

    async def operations(self, row_ids: Sequence[UUID]) -> list[dict[str, Any]]:
        """The operations that changed one of these rows, the newest first."""
        operations, changed = tables.operations, tables.operation_rows.c
        names = (
            *("id", "action", "value", "status", "actor", "matched", "undo_of"),
            *("created_at", "finished_at", "undone_at"),
        )
        rows = select(changed.operation_id).where(
            changed.tenant_id == self._tenant_id, in_array(changed.row_id, row_ids)
        )
        query = select(*(operations.c[name] for name in names)).where(
            operations.c.tenant_id == self._tenant_id, operations.c.id.in_(rows)
        )
        return await self.dicts(query.order_by(operations.c.id.desc()).limit(MAX_HISTORY))

    async def last_decision(self, row_id: UUID) -> dict[str, Any] | None:
        """The newest operation on a row, if it was about this row alone and can be undone."""
        operations = [row for row in await self.operations([row_id]) if row["undo_of"] is None]
        newest = operations[0] if operations else None
        is_undoable = (
            newest and newest["undone_at"] is None and newest["finished_at"] and newest["matched"] == 1
        )
        return newest if is_undoable else None

    async def progress(self, ids: Sequence[UUID]) -> list[dict[str, Any]]:
        """How far each of these domains is: its statuses, and the rows below it."""
        domains = tables.domains
        numbers = [
            select(func.count()).where(*self._below(table, domains.c.id)).scalar_subquery().label(name)
            for name, table in (
                ("sitemaps", tables.sitemap_files),
                ("pages", tables.pages),
                ("contacts", tables.contacts),
            )
        ]
        read = (
            select(func.count())
            .where(
                *self._below(tables.pages, domains.c.id),
                tables.pages.c[READ_PAGE.status] == READ_PAGE.statuses.done,
            )
            .scalar_subquery()
        )
        names = (
            *("id", "domain", "title", "status", "error"),
            *("sitemap_analysis_status", "sitemap_analysis_error"),
        )
        query = select(*(domains.c[name] for name in names), *numbers, read.label("pages_read"))
        mine = domains.c.tenant_id == self._tenant_id, in_array(domains.c.id, ids)
        return await self.dicts(query.where(*mine).order_by(domains.c.domain).limit(MAX_ROWS))

    def _below(self, table: Any, domain_id: Any) -> tuple[Any, Any]:
        return table.c.tenant_id == self._tenant_id, table.c.domain_id == domain_id


def _as_tree(files: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Files in the order of a tree; a file whose parent is not among them begins a tree of its own."""
    known = {file["id"] for file in files}
    children: dict[UUID | None, list[dict[str, Any]]] = {}
    for file in files:
        parent = file["parent_id"] if file["parent_id"] in known else None
        children.setdefault(parent, []).append(file)
    ordered: list[dict[str, Any]] = []
    waiting = [(0, file) for file in reversed(children.get(None, []))]
    while waiting:
        level, file = waiting.pop()
        ordered.append({**file, "level": level})
        waiting += [(level + 1, child) for child in reversed(children.get(file["id"], []))]
    return ordered
