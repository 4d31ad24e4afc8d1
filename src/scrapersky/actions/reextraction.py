"""Extracts stored pages again with the current extractors, without fetching anything."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from scrapersky import tables
from scrapersky.actions.actor import Actor
from scrapersky.actions.audit import record
from scrapersky.actions.jobs import submit_job
from scrapersky.errors import NotFound
from scrapersky.queries import JobQuery


async def reextract_pages(engine: AsyncEngine, actor: Actor, *, domain: str | None = None) -> dict[str, Any]:
    """Submit the job that extracts all stored pages again, or those of one domain; returns the job."""
    async with engine.begin() as connection:
        domain_id = await _domain_id(connection, actor, domain) if domain is not None else None
        data = {"domain_id": str(domain_id), "domain": domain} if domain_id else {}
        number, _ = await submit_job(
            connection,
            tenant_id=actor.tenant_id,
            job_type="reextract_pages",
            data=data,
            created_by=actor.user_id,
            domain_id=domain_id,
        )
        await record(connection, actor, "job.submit", table="jobs", row_id=number, after=data)
    return await JobQuery(engine, actor.tenant_id).show(str(number))


async def _domain_id(connection: AsyncConnection, actor: Actor, domain: str) -> UUID:
    domains = tables.domains.c
    query = select(domains.id).where(
        domains.tenant_id == actor.tenant_id, domains.domain == domain.strip().lower()
    )
    domain_id: UUID | None = await connection.scalar(query)
    if domain_id is None:
        raise NotFound(f"Domain not found: {domain}")
    return domain_id
