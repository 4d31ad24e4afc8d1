"""Rejected and archived domains are not crawled: rows below them leave their queue, and may return."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Select, func, null, select
from sqlalchemy.ext.asyncio import AsyncEngine

from scrapersky import tables
from scrapersky.declarations import READ_METADATA, StageDeclaration, statuses
from scrapersky.declarations.flow import DOMAIN_STAGES
from scrapersky.tables.batches import OnBatch, change_in_batches

# Shown with the row, and the mark by which it is found when the domain is no longer excluded.
EXCLUDED_REASON = "removed from the queue: the domain was rejected"
BATCH = 1_000
# Tells the triggers of the queues, for this transaction, that rows return to what they were.
IS_UNDO = func.set_config("scrapersky.undo", "on", True) == "on"
# The stages that call the hosts of a domain for rows of another table.
CRAWL_STAGES = tuple(stage for stage in DOMAIN_STAGES if stage.host and stage.table != READ_METADATA.table)


async def dequeue_excluded_rows(
    engine: AsyncEngine,
    *,
    tenant_id: UUID | None = None,
    domain_ids: Sequence[UUID] | None = None,
    on_batch: OnBatch | None = None,
) -> int:
    """Remove queued rows of excluded domains, or of some of them, from their queues; returns how many.

    Jobs are cancelled, because the status of a job is never empty.
    """
    total = 0
    for stage in CRAWL_STAGES:
        table = tables.metadata.tables[stage.table]
        rows = _rows_below(stage, tenant_id, domain_ids).where(
            tables.domains.c.sitemap_curation_status.in_(statuses.EXCLUDED),
            table.c[stage.status] == stage.statuses.queued,
        )
        values = {
            stage.status: statuses.CANCELLED if _is_cancellable(stage) else null(),
            stage.error: EXCLUDED_REASON,
            # Without it the safety net would queue the row again.
            stage.column("finished_at"): func.now(),
        }
        total += await change_in_batches(engine, table, rows, values, BATCH, on_batch=on_batch)
    return total


async def requeue_excluded_rows(
    engine: AsyncEngine,
    tenant_id: UUID,
    domain_ids: Sequence[UUID],
    grace: timedelta = timedelta(0),
    *,
    on_batch: OnBatch | None = None,
) -> int:
    """Queue rows that left their queue because these domains were excluded; returns how many.

    They are due after the grace. Jobs stay cancelled: a domain that is selected gets another one.
    """
    total = 0
    for stage in CRAWL_STAGES:
        if not _is_cancellable(stage):
            table, rows = tables.metadata.tables[stage.table], _returning_rows(stage, tenant_id, domain_ids)
            values = {stage.status: stage.statuses.queued, stage.column("due_at"): func.now() + grace}
            total += await change_in_batches(engine, table, rows, values, BATCH, on_batch=on_batch)
    return total


async def restore_excluded_rows(
    engine: AsyncEngine, tenant_id: UUID, domain_ids: Sequence[UUID], *, on_batch: OnBatch | None = None
) -> int:
    """Put rows, jobs included, back into the place in their queue that an undone rejection took from them."""
    total = 0
    for stage in CRAWL_STAGES:
        table = tables.metadata.tables[stage.table]
        # Within an undo the triggers leave the time, the tries and the request of a queued row alone.
        rows = _returning_rows(stage, tenant_id, domain_ids).where(IS_UNDO)
        values = {stage.status: stage.statuses.queued, stage.error: null()}
        total += await change_in_batches(engine, table, rows, values, BATCH, on_batch=on_batch)
    return total


def _returning_rows(stage: StageDeclaration, tenant_id: UUID, domain_ids: Sequence[UUID]) -> Select[Any]:
    """Rows that left their queue because their domain, one of these, was excluded, which it is no longer."""
    table = tables.metadata.tables[stage.table]
    status = table.c[stage.status]
    return _rows_below(stage, tenant_id, domain_ids).where(
        tables.domains.c.sitemap_curation_status.not_in(statuses.EXCLUDED),
        status == statuses.CANCELLED if _is_cancellable(stage) else status.is_(None),
        table.c[stage.error] == EXCLUDED_REASON,
    )


def domain_is_excluded(domain_id: ColumnElement[UUID]) -> ColumnElement[bool]:
    """The condition that the domain of this column is rejected or archived."""
    domains = tables.domains.c
    domain = select(domains.id).where(domains.id == domain_id)
    return domain.where(domains.sitemap_curation_status.in_(statuses.EXCLUDED)).exists()


def _is_cancellable(stage: StageDeclaration) -> bool:
    return statuses.CANCELLED in stage.statuses.other


def _rows_below(
    stage: StageDeclaration, tenant_id: UUID | None, domain_ids: Sequence[UUID] | None
) -> Select[Any]:
    table, domains = tables.metadata.tables[stage.table], tables.domains
    rows = select(table.c.id).join(domains, domains.c.id == table.c.domain_id)
    if tenant_id is not None:
        rows = rows.where(domains.c.tenant_id == tenant_id)
    return rows if domain_ids is None else rows.where(domains.c.id.in_(list(domain_ids)))
