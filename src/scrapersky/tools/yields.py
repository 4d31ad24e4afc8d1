"""Whether another page of a domain is worth a request: a budget, and what the last pages brought."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from sqlalchemy import Uuid, bindparam, desc, func, select

from scrapersky.engine.database import Database, Prepared
from scrapersky.tables import Domain, Page, table_of
from scrapersky.tools.policy import Policy


class Yields:
    def __init__(self, database: Database, policy: Policy) -> None:
        self._database, self._policy = database, policy
        self._query = Prepared(_query(policy))

    async def reason_to_stop(self, domain_id: UUID) -> str | None:
        """None while it is worth going on; otherwise why not."""
        (row,) = await self._database.fetch(self._query, {"domain": domain_id})
        if row.read >= self._policy.page_budget:
            return f"the budget of {self._policy.page_budget} pages is used up"
        if len(row.last) >= self._policy.fruitless_pages and "ContactFound" not in row.last:
            return f"the last {len(row.last)} pages brought no contact"
        return None


def _query(policy: Policy) -> Any:
    """How many pages were read, and what the last of them brought; by tenant too, as the index is sorted."""
    pages, domains = table_of(Page).c, table_of(Domain).c
    domain = bindparam("domain", type_=Uuid())
    tenant = select(domains.tenant_id).where(domains.id == domain).scalar_subquery()
    done = select(pages.contact_scrape_status).where(
        pages.tenant_id == tenant, pages.domain_id == domain, pages.page_processing_status == "Complete"
    )
    newest = done.order_by(desc(pages.page_processing_finished_at)).limit(policy.fruitless_pages)
    read = select(func.count()).select_from(done.limit(policy.page_budget).subquery())
    return select(read.scalar_subquery().label("read"), func.array(newest.scalar_subquery()).label("last"))
