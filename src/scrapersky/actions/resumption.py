"""Resume domains that a person asks for again: what failed or was put off is tried now."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import Text, Uuid, and_, any_, bindparam, func, literal, or_, select, update
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.ext.asyncio import AsyncEngine

from scrapersky import tables
from scrapersky.actions.actor import Actor
from scrapersky.actions.hosts import end_pauses
from scrapersky.declarations import DISCOVER_SITEMAPS, IMPORT_SITEMAP, READ_METADATA, READ_PAGE, SUBMIT_DOMAIN
from scrapersky.declarations.queue import Queue
from scrapersky.engine.database import retry_on_deadlock
from scrapersky.queries.read_model import queue_table

STEPS: tuple[tuple[Queue, str], ...] = (
    (READ_METADATA, "id"),
    (SUBMIT_DOMAIN, "id"),
    (DISCOVER_SITEMAPS, "domain_id"),
    (IMPORT_SITEMAP, "domain_id"),
    (READ_PAGE, "domain_id"),
)
# A host that asked for a longer pause is not called, so its rows keep their time.
SOON = timedelta(seconds=10)


@retry_on_deadlock
async def resume_domains(engine: AsyncEngine, actor: Actor, ids: Sequence[UUID]) -> int:
    """Queue what failed on domains without contacts, and make due what waits; says how many rows."""
    domains = tables.domains.c
    ids_param = bindparam("ids", type_=ARRAY(Uuid()))
    mine = and_(domains.tenant_id == actor.tenant_id, domains.id == any_(ids_param))
    total = 0
    async with engine.begin() as connection:
        hosts = (await connection.execute(select(domains.host).where(mine), {"ids": list(ids)})).scalars()
        await end_pauses(connection, list(hosts))
        for queue, key in STEPS:
            changed = await connection.execute(
                _resumed(queue, key), {"ids": list(ids), "tenant": actor.tenant_id}
            )
            total += changed.rowcount
    return total


def _resumed(queue: Queue, key: str) -> Any:
    table = queue_table(queue)
    status, due, statuses = table.c[queue.status], table.c[queue.column("due_at")], queue.statuses
    found = select(tables.contacts.c.id).where(tables.contacts.c.domain_id == table.c[key]).exists()
    waits = and_(status == statuses.queued, due > func.now())
    failed = and_(status == statuses.failed, ~found)
    asked = select(tables.hosts.c.host).where(
        tables.hosts.c.host == table.c.host,
        tables.hosts.c.next_allowed_at > func.now() + SOON,
        tables.hosts.c.worker.is_(None),
    )
    chosen = [table.c.tenant_id == bindparam("tenant", type_=Uuid()), ~asked.exists()]
    if queue.condition:
        chosen.append(table.c.job_type == literal("sitemap", Text()))
    mine = table.c[key] == any_(bindparam("ids", type_=ARRAY(Uuid())))
    values = {queue.status: statuses.queued, queue.column("due_at"): func.now()}
    return update(table).where(mine, or_(waits, failed), *chosen).values(values)
