"""Submits, retries, cancels and prunes jobs."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import and_, case, func, insert, update
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from scrapersky import tables
from scrapersky.actions.actor import Actor
from scrapersky.actions.audit import record
from scrapersky.declarations import ENDED_JOBS, RUN_JOB, statuses
from scrapersky.errors import Conflict
from scrapersky.queries import JobQuery
from scrapersky.tables.batches import delete_in_batches

PRUNE_BATCH = 1_000
# A job that is queued again: what its last run reported says nothing about the next.
NO_PROGRESS: dict[str, Any] = {"progress": 0, "progress_percent": 0, "progress_message": None}


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
    values = {"status": RUN_JOB.statuses.queued, "cancel_requested": False, **NO_PROGRESS}
    await _change(engine, actor, "job.requeue", job, ENDED_JOBS, values)
    return await jobs.show(str(job["id"]))


async def cancel_job(engine: AsyncEngine, actor: Actor, which: str) -> dict[str, Any]:
    """Cancel a waiting job at once, or a running one when it next reports progress."""
    jobs = JobQuery(engine, actor.tenant_id)
    job = await jobs.show(which)
    status, words = tables.jobs.c.status, RUN_JOB.statuses
    cancelled = case((status == words.queued, statuses.CANCELLED), else_=status)
    values = {"status": cancelled, "cancel_requested": True}
    await _change(engine, actor, "job.cancel", job, (words.queued, words.processing), values)
    return await jobs.show(str(job["id"]))


async def prune_jobs(engine: AsyncEngine, actor: Actor, keep: timedelta) -> int:
    """Delete the ended jobs of the tenant that are older; returns how many."""
    jobs = tables.jobs.c
    is_expired = and_(
        jobs.tenant_id == actor.tenant_id,
        jobs.status.in_(ENDED_JOBS),
        jobs.created_at < func.now() - keep,
    )

    async def record_batch(connection: AsyncConnection, number: int) -> None:
        after = {"deleted": number, "older_than_days": keep.days}
        await record(connection, actor, "job.prune", table="jobs", after=after)

    return await delete_in_batches(engine, tables.jobs, is_expired, PRUNE_BATCH, on_batch=record_batch)


async def _change(
    engine: AsyncEngine,
    actor: Actor,
    action: str,
    job: dict[str, Any],
    allowed: tuple[str, ...],
    values: dict[str, Any],
) -> None:
    statement = update(tables.jobs).where(tables.jobs.c.id == job["id"], tables.jobs.c.status.in_(allowed))
    statement = statement.values(**values, updated_at=func.now()).returning(tables.jobs.c.status)
    async with engine.begin() as connection:
        status = await connection.scalar(statement)
        if status is None:
            raise Conflict(f"Job {job['id']} is {job['status']}; expected {' or '.join(allowed)}")
        before, after = {"status": job["status"]}, {"status": status}
        await record(connection, actor, action, table="jobs", row_id=job["id"], before=before, after=after)
