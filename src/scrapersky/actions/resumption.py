"""Resume domains that a person asks for again: what failed or was put off is tried now."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import Text, Uuid, and_, any_, bindparam, func, literal, or_, select, update
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.ext.asyncio import AsyncEngine

from scrapersky.actions.hosts import end_pauses
from scrapersky.actions.lines import Who
from scrapersky.engine.database import repeated_after_a_race
from scrapersky.engine.work import Work
from scrapersky.queries.reading import table_of_work
from scrapersky.tables import Contact, Domain, Host, table_of, works

STEPS: tuple[tuple[Work, str], ...] = (
    (works.METADATA, "id"),
    (works.SITEMAP_ANALYSIS, "id"),
    (works.SITEMAP_JOB, "domain_id"),
    (works.SITEMAP_IMPORT, "domain_id"),
    (works.PAGE_PROCESSING, "domain_id"),
)
# A host that asked for a longer pause is not called, so its rows keep their time.
SOON = timedelta(seconds=10)


@repeated_after_a_race
async def resume_domains(engine: AsyncEngine, who: Who, ids: Sequence[UUID]) -> int:
    """Queue what failed on domains without contacts, and make due what waits; says how many rows."""
    domains = table_of(Domain).c
    mine = and_(domains.tenant_id == who.tenant_id, domains.id == any_(bindparam("ids", type_=ARRAY(Uuid()))))
    total = 0
    async with engine.begin() as connection:
        hosts = (await connection.execute(select(domains.host).where(mine), {"ids": list(ids)})).scalars()
        await end_pauses(connection, list(hosts))
        for work, key in STEPS:
            changed = await connection.execute(
                _resumed(work, key), {"ids": list(ids), "tenant": who.tenant_id}
            )
            total += changed.rowcount
    return total


def _resumed(work: Work, key: str) -> Any:
    table = table_of_work(work)
    status, due, words = table.c[work.status], table.c[work.column("due_at")], work.words
    found = select(Contact.id).where(Contact.domain_id == table.c[key]).exists()
    waits = and_(status == words.queued, due > func.now())
    failed = and_(status == words.failed, ~found)
    asked = select(Host.host).where(
        Host.host == table.c.host, Host.next_allowed_at > func.now() + SOON, Host.worker.is_(None)
    )
    chosen = [table.c.tenant_id == bindparam("tenant", type_=Uuid()), ~asked.exists()]
    if work.only:
        chosen.append(table.c.job_type == literal("sitemap", Text()))
    mine = table.c[key] == any_(bindparam("ids", type_=ARRAY(Uuid())))
    values = {work.status: words.queued, work.column("due_at"): func.now()}
    return update(table).where(mine, or_(waits, failed), *chosen).values(values)
