"""Rejected and Archived always win: what waits below such a domain leaves its queue, and may come back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import func, null, select
from sqlalchemy.ext.asyncio import AsyncEngine

from scrapersky import tables
from scrapersky.declarations import IMPORT_SITEMAP, READ_PAGE, RUN_JOB, statuses
from scrapersky.declarations.queue import Queue
from scrapersky.tables.batches import change_in_batches

# Shown beside the row, and the mark by which it is found when the domain is wanted after all.
EXCLUDED_REASON = "taken out of the queue: its domain was rejected"
BATCH = 1_000


async def dequeue_excluded_rows(
    engine: AsyncEngine, *, tenant_id: UUID | None = None, domain_ids: Sequence[UUID] | None = None
) -> int:
    """Take what was not started below rejected domains, or some of them, out of its queue; says how many."""
    domains = tables.domains
    total = 0
    for queue, word in (
        (READ_PAGE, null()),
        (IMPORT_SITEMAP, null()),
        (RUN_JOB, statuses.CANCELLED),
    ):
        table = tables.metadata.tables[queue.table]
        waits = select(table.c.id).join(domains, domains.c.id == table.c.domain_id)
        waits = waits.where(
            domains.c.sitemap_curation_status.in_(statuses.EXCLUDED),
            table.c[queue.status] == queue.statuses.queued,
        )
        waits = _some(waits, domains, tenant_id, domain_ids)
        # Finished: otherwise the safety net would take it for forgotten.
        values = {queue.status: word, queue.error: EXCLUDED_REASON, queue.column("finished_at"): func.now()}
        total += await change_in_batches(engine, table, waits, values, BATCH)
    return total


async def requeue_excluded_rows(engine: AsyncEngine, tenant_id: UUID, domain_ids: Sequence[UUID]) -> int:
    """Queue again what left its queue because these domains were rejected; says how many rows.

    A job stays cancelled: a domain that is selected gets another one.
    """
    domains = tables.domains
    total = 0
    for queue in (READ_PAGE, IMPORT_SITEMAP):
        table = tables.metadata.tables[queue.table]
        left = select(table.c.id).join(domains, domains.c.id == table.c.domain_id)
        left = left.where(
            domains.c.sitemap_curation_status.not_in(statuses.EXCLUDED), *_is_out(table.c, queue)
        )
        left = _some(left, domains, tenant_id, domain_ids)
        total += await change_in_batches(engine, table, left, {queue.status: queue.statuses.queued}, BATCH)
    return total


def domain_is_excluded(domain_id: Any) -> Any:
    """The condition that the domain of this column is rejected or archived."""
    domains = tables.domains.c
    mine = select(domains.id).where(domains.id == domain_id)
    return mine.where(domains.sitemap_curation_status.in_(statuses.EXCLUDED)).exists()


def _is_out(columns: Any, queue: Queue) -> tuple[Any, Any]:
    return columns[queue.status].is_(None), columns[queue.error] == EXCLUDED_REASON


def _some(chosen: Any, domains: Any, tenant_id: UUID | None, ids: Sequence[UUID] | None) -> Any:
    if tenant_id is not None:
        chosen = chosen.where(domains.c.tenant_id == tenant_id)
    return chosen if ids is None else chosen.where(domains.c.id.in_(list(ids)))
