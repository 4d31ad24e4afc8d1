"""Submits the erasure of a person as a job."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from sqlalchemy.ext.asyncio import AsyncEngine

from scrapersky.actions.actor import Actor
from scrapersky.actions.audit import record
from scrapersky.actions.jobs import submit_job
from scrapersky.actions.privacy.erasure import read_person
from scrapersky.actions.privacy.suppressions import check_reason
from scrapersky.extract.privacy.identifiers import Identifier
from scrapersky.queries import JobQuery


async def submit_erasure(
    engine: AsyncEngine,
    actor: Actor,
    entries: Sequence[str],
    reason: str,
    *,
    seal: Callable[[list[Identifier]], str],
    country: str | None = None,
) -> dict[str, Any]:
    """Submit the job that suppresses and erases the person; returns the job."""
    identifiers = read_person(entries, country=country)
    data = {"sealed": seal(identifiers), "reason": check_reason(reason)}
    async with engine.begin() as connection:
        number, _ = await submit_job(
            connection,
            tenant_id=actor.tenant_id,
            job_type="erase_person",
            data=data,
            created_by=actor.user_id,
        )
        await record(connection, actor, "job.submit", table="jobs", row_id=number)
    return await JobQuery(engine, actor.tenant_id).show(str(number))
