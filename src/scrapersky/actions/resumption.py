"""Resumes domains that a person submits again: failed and postponed rows are tried now."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from uuid import UUID

from sqlalchemy import Update, and_, func, or_, select, text, update
from sqlalchemy.ext.asyncio import AsyncEngine

from scrapersky import tables
from scrapersky.actions.actor import Actor
from scrapersky.actions.audit import record
from scrapersky.actions.hosts import end_pauses
from scrapersky.declarations import StageDeclaration
from scrapersky.declarations.flow import DOMAIN_STAGES, domain_column
from scrapersky.engine.database import retry_on_deadlock
from scrapersky.queries.read_model import in_array, queue_table

# Rows of a host that asked for a longer pause keep their time.
SOON = timedelta(seconds=10)


@retry_on_deadlock
async def resume_domains(engine: AsyncEngine, actor: Actor, ids: Sequence[UUID]) -> int:
    """Queue failed rows of domains without contacts and make waiting rows due; returns how many rows."""
    domains = tables.domains.c
    is_submitted = domains.tenant_id == actor.tenant_id, in_array(domains.id, ids)
    total = 0
    async with engine.begin() as connection:
        hosts = await connection.scalars(select(domains.host).where(*is_submitted))
        await end_pauses(connection, list(hosts))
        for stage in DOMAIN_STAGES:
            if stage.table != "contacts":
                total += (await connection.execute(_resume_rows(stage, actor, ids))).rowcount
        after = {"domain_ids": list(ids), "rows": total}
        await record(connection, actor, "domain.resume", table="domains", after=after)
    return total


def _resume_rows(stage: StageDeclaration, actor: Actor, ids: Sequence[UUID]) -> Update:
    table, hosts = queue_table(stage), tables.hosts.c
    status, due_at = table.c[stage.status], table.c[stage.column("due_at")]
    domain_id = table.c[domain_column(stage)]
    has_contacts = select(tables.contacts.c.id).where(tables.contacts.c.domain_id == domain_id).exists()
    is_waiting = and_(status == stage.statuses.queued, due_at > func.now())
    is_failed = and_(status == stage.statuses.failed, ~has_contacts)
    is_host_paused = (
        select(hosts.host)
        .where(
            hosts.host == table.c.host,
            hosts.next_allowed_at > func.now() + SOON,
            hosts.worker.is_(None),
        )
        .exists()
    )
    rows = update(table).where(
        table.c.tenant_id == actor.tenant_id,
        in_array(domain_id, ids),
        or_(is_waiting, is_failed),
        ~is_host_paused,
    )
    if stage.condition:
        rows = rows.where(text(stage.condition))
    return rows.values({stage.status: stage.statuses.queued, stage.column("due_at"): func.now()})
