"""Have stored pages read again with today's extractors, without asking their sites for anything."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from scrapersky import tables
from scrapersky.actions.jobs import submit_job
from scrapersky.actions.submission_input import Actor
from scrapersky.errors import NoSuchRow
from scrapersky.queries import Jobs


async def reread(engine: AsyncEngine, who: Actor, *, domain: str | None = None) -> dict[str, Any]:
    """Submit the job that reads all stored pages again, or those of one domain; gives the job."""
    async with engine.begin() as connection:
        domain_id = await _id_of(connection, who, domain) if domain is not None else None
        number, _ = await submit_job(
            connection,
            tenant_id=who.tenant_id,
            job_type="reextract_pages",
            data={"domain_id": str(domain_id), "domain": domain} if domain_id else {},
            created_by=who.user_id,
            domain_id=domain_id,
        )
    return await Jobs(engine, who.tenant_id).show(str(number))


async def _id_of(connection: AsyncConnection, who: Actor, domain: str) -> UUID:
    domains = tables.domains.c
    query = select(domains.id).where(
        domains.tenant_id == who.tenant_id, domains.domain == domain.strip().lower()
    )
    found: UUID | None = await connection.scalar(query)
    if found is None:
        raise NoSuchRow(f"There is no domain {domain}")
    return found
