"""Whether another page of a domain is worth a request: a page budget, and what the last pages brought."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from sqlalchemy import ARRAY, Uuid, any_, bindparam, desc, func, select

from scrapersky import tables
from scrapersky.declarations import READ_PAGE, statuses
from scrapersky.engine.batch_loader import BatchLoader
from scrapersky.engine.database import Database, Statement
from scrapersky.log import pluralize
from scrapersky.stage_context.limits import StageLimits


class CrawlBudget:
    def __init__(self, database: Database, limits: StageLimits) -> None:
        self._database, self._limits = database, limits
        self._query = Statement(_query(limits))
        self._loader = BatchLoader(self._load)

    async def exhausted(self, domain_id: UUID, *, ignore_empty_pages: bool = False) -> str | None:
        """Why no more pages of the domain should be read; None while the budget lasts.

        With `ignore_empty_pages` the budget lasts although the last pages brought no contact.
        """
        usage = await self._loader.load(domain_id)
        if usage is None:
            return None
        if usage.pages_read >= self._limits.page_budget:
            return f"the budget of {pluralize(self._limits.page_budget, 'page')} is used up"
        if ignore_empty_pages:
            return None
        empty = self._limits.stop_after_empty_pages
        if len(usage.last_results) >= empty and statuses.CONTACT_FOUND not in usage.last_results:
            return f"the last {len(usage.last_results)} pages brought no contact"
        return None

    async def _load(self, domain_ids: list[UUID]) -> Mapping[UUID, Any]:
        rows = await self._database.fetch(self._query, {"domains": domain_ids})
        return {row.id: row for row in rows}


def _query(limits: StageLimits) -> Any:
    """How many pages were read, and what the last of them brought; by tenant too, as the index is sorted."""
    pages, domains = tables.pages.c, tables.domains
    done = select(pages.contact_scrape_status).where(
        pages.tenant_id == domains.c.tenant_id,
        pages.domain_id == domains.c.id,
        pages[READ_PAGE.status] == READ_PAGE.statuses.done,
    )
    done = done.correlate(domains)
    newest = done.order_by(desc(pages[READ_PAGE.column("finished_at")])).limit(limits.stop_after_empty_pages)
    pages_read = select(func.count()).select_from(done.limit(limits.page_budget).subquery())
    return select(
        domains.c.id,
        pages_read.correlate(domains).scalar_subquery().label("pages_read"),
        func.array(newest.scalar_subquery()).label("last_results"),
    ).where(domains.c.id == any_(bindparam("domains", type_=ARRAY(Uuid()))))
