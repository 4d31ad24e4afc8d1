"""Whether another page of a domain is worth a request: a budget, and what the last pages brought."""

from __future__ import annotations

from uuid import UUID

from sqlalchemy import desc, func, select

from scrapersky.engine.database import Database
from scrapersky.tables import Page, table_of
from scrapersky.tools.policy import Policy


class Yields:
    def __init__(self, database: Database, policy: Policy) -> None:
        self._database, self._policy = database, policy

    async def reason_to_stop(self, domain_id: UUID) -> str | None:
        """None while it is worth going on; otherwise why not."""
        pages = table_of(Page).c
        done = select(pages.contact_scrape_status).where(
            pages.domain_id == domain_id, pages.page_processing_status == "Complete"
        )
        newest = done.order_by(desc(pages.page_processing_finished_at)).limit(self._policy.fruitless_pages)
        count = select(func.count()).select_from(done.limit(self._policy.page_budget).subquery())
        read = (await self._database.rows(count))[0][0]
        if read >= self._policy.page_budget:
            return f"the budget of {self._policy.page_budget} pages is used up"
        last = [row.contact_scrape_status for row in await self._database.rows(newest)]
        if len(last) >= self._policy.fruitless_pages and "ContactFound" not in last:
            return f"the last {len(last)} pages brought no contact"
        return None
