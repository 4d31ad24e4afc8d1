"""Submits, retries and cancels jobs."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from sqlalchemy import case, func, insert, update
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from scrapersky import tables
from scrapersky.actions.actor import Actor
from scrapersky.declarations import ENDED_JOBS, RUN_JOB, statuses
from scrapersky.errors import Conflict
from scrapersky.queries import JobQuery


async def submit_job(
    connection: AsyncConnection,
    *,
    tenant_id: UUID,
    job_type: str,
    data: dict[str, Any],
    created_by: UUID,
    host: str = "",
    domain_id: UUID | None = None,
) -> tuple[int, UUID]:
    """Add a job in the caller's transaction; it runs once that is committed (R134, R166)."""
    values = {"tenant_id": tenant_id, "job_type": job_type, "result_data": data, "created_by": created_by}
    statement = (
        insert(tables.jobs)
        .values(**values, host=host, domain_id=domain_id)
        .returning(tables.jobs.c.id, tables.jobs.c.job_id)
    )
    row = (await connection.execute(statement)).one()
    return row.id, row.job_id


async def retry_job(engine: AsyncEngine, actor: Actor, which: str) -> dict[str, Any]:
    """Queue a failed, cancelled or finished job again."""
    jobs = JobQuery(engine, actor.tenant_id)
    job = await jobs.show(which)
    await _change(engine, job, ENDED_JOBS, {"status": RUN_JOB.statuses.queued, "cancel_requested": False})
    return await jobs.show(str(job["id"]))


async def cancel_job(engine: AsyncEngine, actor: Actor, which: str) -> dict[str, Any]:
    """Cancel a waiting job at once, or a running one when it next reports progress."""
    jobs = JobQuery(engine, actor.tenant_id)
    job = await jobs.show(which)
    status, words = tables.jobs.c.status, RUN_JOB.statuses
    cancelled = case((status == words.queued, statuses.CANCELLED), else_=status)
    values = {"status": cancelled, "cancel_requested": True}
    await _change(engine, job, (words.queued, words.processing), values)
    return await jobs.show(str(job["id"]))


async def _change(
    engine: AsyncEngine, job: dict[str, Any], allowed: tuple[str, ...], values: dict[str, Any]
) -> None:
    statement = update(tables.jobs).where(tables.jobs.c.id == job["id"], tables.jobs.c.status.in_(allowed))
    async with engine.begin() as connection:
        changed = await connection.execute(statement.values(**values, updated_at=func.now()))
    if not changed.rowcount:
        raise Conflict(f"Job {job['id']} is {job['status']}; expected {' or '.join(allowed)}")
