"""Whether another page of a domain is worth a request: a budget, and what the last pages brought."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from sqlalchemy import ARRAY, Uuid, any_, bindparam, desc, func, select

from scrapersky import tables
from scrapersky.declarations import READ_PAGE, statuses
from scrapersky.engine.batch_loader import BatchLoader
from scrapersky.engine.database import Database, Statement
from scrapersky.stage_context.limits import StageLimits
from scrapersky.wording import counted


class CrawlBudget:
    def __init__(self, database: Database, policy: StageLimits) -> None:
        self._database, self._policy = database, policy
        self._query = Statement(_query(policy))
        self._loader = BatchLoader(self._yields)

    async def reason_to_stop(self, domain_id: UUID) -> str | None:
        """None while it is worth going on; otherwise why not."""
        row = await self._loader.load(domain_id)
        if row is None:
            return None
        if row.read >= self._policy.page_budget:
            return f"the budget of {counted(self._policy.page_budget, 'page')} is used up"
        if len(row.last) >= self._policy.fruitless_pages and statuses.CONTACT_FOUND not in row.last:
            return f"the last {len(row.last)} pages brought no contact"
        return None

    async def _yields(self, domain_ids: list[UUID]) -> Mapping[UUID, Any]:
        rows = await self._database.fetch(self._query, {"domains": domain_ids})
        return {row.id: row for row in rows}


def _query(policy: StageLimits) -> Any:
    """How many pages were read, and what the last of them brought; by tenant too, as the index is sorted."""
    pages, domains = tables.pages.c, tables.domains
    done = select(pages.contact_scrape_status).where(
        pages.tenant_id == domains.c.tenant_id,
        pages.domain_id == domains.c.id,
        pages.page_processing_status == READ_PAGE.statuses.done,
    )
    done = done.correlate(domains)
    newest = done.order_by(desc(pages.page_processing_finished_at)).limit(policy.fruitless_pages)
    read = select(func.count()).select_from(done.limit(policy.page_budget).subquery())
    wanted = any_(bindparam("domains", type_=ARRAY(Uuid())))
    return select(
        domains.c.id,
        read.correlate(domains).scalar_subquery().label("read"),
        func.array(newest.scalar_subquery()).label("last"),
    ).where(domains.c.id == wanted)
