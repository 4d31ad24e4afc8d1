"""The peer pgqueuer in the benchmark: batches on asyncpg connections, finished jobs logged."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import asyncpg
from pgqueuer import AsyncpgPoolDriver, Job, PgQueuer, Queries

from bench.engine_side import BATCH, main, ready


class Pgqueuer:
    def __init__(self, url: str) -> None:
        self.url = url
        self._queries: Queries | None = None

    async def _enqueue(self) -> Queries:
        if self._queries is None:
            pool = await asyncpg.create_pool(self.url, min_size=1, max_size=5)
            self._queries = Queries(AsyncpgPoolDriver(pool))
        return self._queries

    async def setup(self) -> None:
        await (await self._enqueue()).install()

    async def fill(self, items: int) -> None:
        await (await self._enqueue()).enqueue(["nothing"] * items, [b"-1"] * items, [0] * items)

    async def send(self, item: int) -> None:
        await (await self._enqueue()).enqueue("nothing", str(item).encode())

    async def work(self, handle: Callable[[int], None]) -> None:
        pool = await asyncpg.create_pool(self.url, min_size=5, max_size=5)
        queuer = PgQueuer(AsyncpgPoolDriver(pool))

        @queuer.entrypoint("nothing")
        async def nothing(job: Job) -> None:
            handle(int(job.payload or b"-1"))

        asyncio.get_running_loop().call_later(1, ready)
        await queuer.run(batch_size=BATCH)


if __name__ == "__main__":
    main(Pgqueuer)
