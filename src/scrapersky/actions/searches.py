"""Submits searches for places and scans of sites; continues partly imported sitemaps."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from scrapersky import tables
from scrapersky.actions.actor import Actor
from scrapersky.actions.audit import record
from scrapersky.actions.installation.quotas import require_queue_room
from scrapersky.actions.jobs import submit_job
from scrapersky.actions.search_request import SearchPlan, SearchRequest, plan_search
from scrapersky.actions.submission_rows import RowSpec, insert_domains
from scrapersky.declarations import IMPORT_SITEMAP, SEARCH_PLACES, statuses
from scrapersky.errors import Conflict, InvalidInput, NotFound
from scrapersky.extract.urls import read_host
from scrapersky.log import Report, report_nothing
from scrapersky.sources.catalog import SourceEntry

MAX_PAGES = 1_000_000
DEFAULT_MAX_URLS = 50_000


@dataclass(frozen=True, slots=True)
class SubmittedSearch:
    """A queued search: its source, its place as it was understood, and its parameters with the box."""

    id: UUID
    source: str
    place: str
    params: dict[str, Any]


async def submit_search(
    engine: AsyncEngine, actor: Actor, request: SearchRequest, sources: Mapping[str, SourceEntry]
) -> SubmittedSearch:
    """Queue a search for a kind of business in a place; what cannot be searched is refused at once."""
    # The gazetteer reads a file, and a source may look at its data.
    plan = await asyncio.to_thread(plan_search, request, sources)
    await require_queue_room(engine, actor.tenant_id, 1)
    async with engine.begin() as connection:
        search_id = await insert_search(connection, actor, plan)
    return SubmittedSearch(search_id, plan.source, plan.place, plan.params)


async def insert_search(connection: AsyncConnection, actor: Actor, plan: SearchPlan) -> UUID:
    """Add the search and its audit entry, in the caller's transaction."""
    values = {
        "business_type": plan.kind,
        "location": plan.location,
        "source": plan.source,
        "params": plan.params,
    }
    who = {"tenant_id": actor.tenant_id, "created_by": actor.user_id}
    statement = insert(tables.place_searches).values(**values, **who, status=SEARCH_PLACES.statuses.queued)
    search_id = UUID(str(await connection.scalar(statement.returning(tables.place_searches.c.id))))
    await record(connection, actor, "search.submit", table="place_searches", row_id=search_id, after=values)
    return search_id


async def submit_scan(
    engine: AsyncEngine,
    actor: Actor,
    base_url: str,
    max_pages: int = 1_000,
    *,
    lab_suffixes: Collection[str] = (),
    report: Report = report_nothing,
) -> tuple[int, UUID]:
    """Submit a sitemap job for a site, with its domain if that is new, in one transaction (R165, R166)."""
    reading = read_host(base_url, lab_suffixes=lab_suffixes)
    if not reading.ok:
        raise InvalidInput(f"Invalid site {base_url[:200]!r}: {reading.reason}")
    if not 1 <= max_pages <= MAX_PAGES:
        raise InvalidInput(f"Invalid number of pages {max_pages:,}; expected 1 to {MAX_PAGES:,}")
    data: dict[str, Any] = {"domain": reading.host, "max_pages": max_pages}
    if base_url.strip().lower().startswith("http://"):
        data["home_url"] = f"http://{reading.url.partition('://')[2].partition('/')[0]}/"
    domains = tables.domains.c
    await require_queue_room(engine, actor.tenant_id, 1)
    async with engine.begin() as connection:
        await insert_domains(
            connection, actor, [RowSpec(reading.host, reading.registrable)], None, "sitemap_scan"
        )
        mine = select(domains.id, domains.sitemap_curation_status).where(
            domains.tenant_id == actor.tenant_id, domains.domain == reading.host
        )
        domain = (await connection.execute(mine)).one()
        if domain.sitemap_curation_status in statuses.EXCLUDED:
            raise Conflict(f"{reading.host} is {domain.sitemap_curation_status}; select it first")
        number, job_id = await submit_job(
            connection,
            tenant_id=actor.tenant_id,
            job_type="sitemap",
            data=data,
            created_by=actor.user_id,
            host=reading.registrable,
            domain_id=domain.id,
        )
        await record(connection, actor, "job.submit", table="jobs", row_id=number, after=data)
    line = {"event": "job_created", "job_type": "sitemap", "id": number, "job_id": job_id}
    report([line | {"domain": reading.host, "user": actor.user_id, "correlation_id": actor.correlation_id}])
    return number, job_id


async def continue_import(
    engine: AsyncEngine, actor: Actor, sitemap_ids: Sequence[UUID], more: int = DEFAULT_MAX_URLS
) -> int:
    """Import more URLs of partly imported sitemaps; returns how many sitemaps are queued."""
    if not 1 <= more <= MAX_PAGES:
        raise InvalidInput(f"Invalid number of URLs {more:,}; expected 1 to {MAX_PAGES:,}")
    table, queue = tables.sitemap_files, IMPORT_SITEMAP
    statement = (
        update(table)
        .where(
            table.c.tenant_id == actor.tenant_id,
            table.c.id.in_(list(sitemap_ids)),
            table.c[queue.status] == queue.statuses.done,
            table.c.is_partial,
        )
        .values(
            {
                "max_urls": func.coalesce(table.c.max_urls, DEFAULT_MAX_URLS) + more,
                # A file without a limit of pages stays without.
                "max_pages": table.c.max_pages + more,
                queue.status: queue.statuses.queued,
                "updated_at": func.now(),
            }
        )
    )
    async with engine.begin() as connection:
        changed = int((await connection.execute(statement)).rowcount)
        if not changed:
            raise NotFound("None of these sitemaps was imported in part")
        after = {"sitemap_ids": list(sitemap_ids), "more": more}
        await record(connection, actor, "sitemap.continue", table="sitemap_files", after=after)
    return changed
