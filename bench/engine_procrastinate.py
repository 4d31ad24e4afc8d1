"""The peer procrastinate in the benchmark: ten tasks at once; finished jobs stay in its table by default."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from procrastinate import App, PsycopgConnector

from bench.engine_side import main, ready


class Procrastinate:
    def __init__(self, url: str) -> None:
        self.app = App(connector=PsycopgConnector(conninfo=url))
        self.handle: Callable[[int], None] = lambda item: None
        self._opened = False

        @self.app.task(name="nothing")
        async def nothing(item: int) -> None:
            self.handle(item)

        self.task = nothing

    async def _open(self) -> None:
        if not self._opened:
            await self.app.open_async()
            self._opened = True

    async def setup(self) -> None:
        await self._open()
        await self.app.schema_manager.apply_schema_async()
        await self.app.close_async()

    async def fill(self, items: int) -> None:
        await self._open()
        await self.task.batch_defer_async(*({"item": -1} for _ in range(items)))
        await self.app.close_async()

    async def send(self, item: int) -> None:
        await self._open()
        await self.task.defer_async(item=item)

    async def work(self, handle: Callable[[int], None]) -> None:
        await self._open()
        self.handle = handle
        asyncio.get_running_loop().call_later(1, ready)
        await self.app.run_worker_async(concurrency=10, install_signal_handlers=False)


if __name__ == "__main__":
    main(Procrastinate)
