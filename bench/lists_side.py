"""The engine beside the lists, in a process of its own: `python -m bench.lists_side URL RATE`.

It completes queued pages at about RATE a second: the stage only waits, as if for a slow site. Like the
product's worker it adds the row counts up every few seconds.
"""

from __future__ import annotations

import asyncio
import sys
from datetime import timedelta
from typing import Any

from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from scrapersky import tables
from scrapersky.declarations import READ_PAGE
from scrapersky.engine.stage import EngineOptions, Item, Stage, StageOptions
from scrapersky.engine.worker import Worker
from scrapersky.tables.counts import FOLD_EVERY, fold

CONCURRENCY = 100


async def wait(item: Item, seconds: Any) -> None:
    await asyncio.sleep(seconds)


async def keep_counts(engine: AsyncEngine) -> None:
    while True:
        async with engine.begin() as connection:
            await fold(connection)
        await asyncio.sleep(FOLD_EVERY.total_seconds())


async def main(url: str, rate: float) -> None:
    engine = create_async_engine(url, pool_size=5)
    stage = Stage(READ_PAGE, tables.pages, wait, reads=("url",))
    options = StageOptions(batch=CONCURRENCY, concurrency=CONCURRENCY)
    worker = Worker(
        engine,
        [(stage, options)],
        options=EngineOptions(host_delay=timedelta(0)),
        context=CONCURRENCY / rate,
    )
    await asyncio.gather(worker.run(asyncio.Event()), keep_counts(engine))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], float(sys.argv[2])))
