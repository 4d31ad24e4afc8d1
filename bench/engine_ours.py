"""Our engine in the benchmark: the stage that turns businesses into domains, on the product's own table."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any
from uuid import UUID

import asyncpg
from sqlalchemy import text
from sqlalchemy.ext.asyncio import create_async_engine

from bench.engine_side import BATCH, main, ready
from scrapersky import tables
from scrapersky.declarations import EXTRACT_DOMAIN
from scrapersky.engine.stage import Item, Stage, StageOptions
from scrapersky.engine.worker import Worker
from scrapersky.log import Log
from scrapersky.tables.migrate import migrate

TENANT = UUID(int=1)
USER = UUID(int=2)
# A row as the search writes it, about 600 bytes; the number of the item stands in place_id.
INSERT = f"""
INSERT INTO local_businesses (tenant_id, source, place_id, business_name, full_address, city, country, phone,
  website_url, main_category, rating, reviews_count, additional_json, domain_extraction_status)
SELECT '{TENANT}', 'csv', i::text, 'Bakery number ' || i, i || ' Long Street, 12345 Some Town, Some Country',
  'Some Town', 'GB', '+44 20 7946 ' || i, 'https://www.bakery-' || i || '.example/', 'bakery', 4.5, 120,
  jsonb_build_object('note', repeat('x', 200)), %s
FROM generate_series($1::int, $2::int) AS i"""
QUEUED = INSERT % "'Queued'"


async def nothing(item: Item, tools: Any) -> None:
    tools(int(item.row.place_id))


def stage() -> Stage:
    return Stage(EXTRACT_DOMAIN, tables.local_businesses, nothing, reads=("place_id",))


class Ours:
    def __init__(self, url: str) -> None:
        self.url = url
        self._connection: asyncpg.Connection | None = None

    async def setup(self) -> None:
        await migrate(self._sqlalchemy_url(), tenant_id=TENANT, system_user_id=USER)

    def _sqlalchemy_url(self) -> str:
        return self.url.replace("postgresql://", "postgresql+asyncpg://")

    async def fill(self, items: int) -> None:
        # Numbers below nothing are counted, their moments are not kept.
        await self._insert(-items, -1)

    async def send(self, item: int) -> None:
        await self._insert(item, item)

    async def _insert(self, first: int, last: int) -> None:
        if self._connection is None:
            self._connection = await asyncpg.connect(self.url)
        await self._connection.execute(QUEUED, first, last, timeout=600)

    async def work(self, handle: Callable[[int], None]) -> None:
        """As the product's worker process does it: all promises, and a line of the log for every item."""
        engine = create_async_engine(self._sqlalchemy_url(), pool_size=5)
        async with engine.connect() as connection:
            await connection.execute(text("SELECT 1"))
        with open("/dev/null", "w") as nowhere:
            log = Log(style="json", stream=nowhere)
            stage_options = StageOptions(batch=BATCH, concurrency=2 * BATCH)
            worker = Worker(engine, [(stage(), stage_options)], context=handle, report=log.report)
            running = asyncio.create_task(worker.run(asyncio.Event()))
            await worker.ready.wait()
            ready()
            await running


if __name__ == "__main__":
    main(Ours)
