"""Rejected and Archived always win: what waits below such a domain leaves its queue, and may come back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import func, null, select
from sqlalchemy.ext.asyncio import AsyncEngine

from scrapersky.engine.work import Work
from scrapersky.tables import Domain, Row, table_of, words, works
from scrapersky.tables.batches import change_in_batches

# Shown beside the row, and the mark by which it is found when the domain is wanted after all.
TAKEN_OUT = "taken out of the queue: its domain was rejected"
BATCH = 1_000


async def leave_rejected(
    engine: AsyncEngine, *, tenant_id: UUID | None = None, domain_ids: Sequence[UUID] | None = None
) -> int:
    """Take what was not started below rejected domains, or some of them, out of its queue; says how many."""
    domains = table_of(Domain)
    total = 0
    for work, word in (
        (works.PAGE_PROCESSING, null()),
        (works.SITEMAP_IMPORT, null()),
        (works.JOB, words.CANCELLED),
    ):
        table = Row.metadata.tables[work.table]
        waits = select(table.c.id).join(domains, domains.c.id == table.c.domain_id)
        waits = waits.where(
            domains.c.sitemap_curation_status.in_(words.BARRING), table.c[work.status] == work.words.queued
        )
        waits = _some(waits, domains, tenant_id, domain_ids)
        # Finished: otherwise the safety net would take it for forgotten.
        values = {work.status: word, work.error: TAKEN_OUT, work.column("finished_at"): func.now()}
        total += await change_in_batches(engine, table, waits, values, BATCH)
    return total


async def bring_back(engine: AsyncEngine, tenant_id: UUID, domain_ids: Sequence[UUID]) -> int:
    """Queue again what left its queue because these domains were rejected; says how many rows.

    A job stays cancelled: a domain that is selected gets another one.
    """
    domains = table_of(Domain)
    total = 0
    for work in (works.PAGE_PROCESSING, works.SITEMAP_IMPORT):
        table = Row.metadata.tables[work.table]
        left = select(table.c.id).join(domains, domains.c.id == table.c.domain_id)
        left = left.where(domains.c.sitemap_curation_status.not_in(words.BARRING), *_is_out(table.c, work))
        left = _some(left, domains, tenant_id, domain_ids)
        total += await change_in_batches(engine, table, left, {work.status: work.words.queued}, BATCH)
    return total


def of_rejected_domain(domain_id: Any) -> Any:
    """The condition that the domain of this column is rejected or archived."""
    domains = table_of(Domain).c
    mine = select(domains.id).where(domains.id == domain_id)
    return mine.where(domains.sitemap_curation_status.in_(words.BARRING)).exists()


def _is_out(columns: Any, work: Work) -> tuple[Any, Any]:
    return columns[work.status].is_(None), columns[work.error] == TAKEN_OUT


def _some(chosen: Any, domains: Any, tenant_id: UUID | None, ids: Sequence[UUID] | None) -> Any:
    if tenant_id is not None:
        chosen = chosen.where(domains.c.tenant_id == tenant_id)
    return chosen if ids is None else chosen.where(domains.c.id.in_(list(ids)))
