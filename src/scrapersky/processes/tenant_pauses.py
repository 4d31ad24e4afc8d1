"""Keeps a worker from claiming rows of tenants that are disabled or have used up their pages of the day."""

from __future__ import annotations

from time import monotonic
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncEngine

from scrapersky.actions.hosts import wake_hosts_of
from scrapersky.declarations import DECLARATIONS, READ_PAGE, Queue
from scrapersky.engine.worker import Worker
from scrapersky.queries.installation.tenants import TenantQuery

# Counting the pages of a day costs more than a look at the tenants.
COUNT_INTERVAL_SECONDS = 10.0


class TenantPauses:
    """The tenants of which a worker claims nothing; within seconds of a change each worker knows them."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine, self._query = engine, TenantQuery(engine)
        self._exhausted: set[UUID] = set()
        self._counted_at = float("-inf")
        self._paused: dict[str, set[UUID]] = {}

    async def apply(self, worker: Worker) -> None:
        disabled = await self._query.disabled()
        if monotonic() - self._counted_at > COUNT_INTERVAL_SECONDS:
            self._exhausted = await self._query.without_pages_left()
            self._counted_at = monotonic()
        for stage in DECLARATIONS:
            paused = disabled | self._exhausted if stage.name == READ_PAGE.name else disabled
            worker.rest(stage.name, paused)
            if stage.host:
                await self._wake(stage, self._paused.get(stage.name, set()) - paused)
            self._paused[stage.name] = paused

    async def _wake(self, stage: Queue, tenants: set[UUID]) -> None:
        """Look at the hosts again for which tenants have rows that may be claimed again."""
        for tenant_id in tenants:
            await wake_hosts_of(self._engine, stage, tenant_id)
