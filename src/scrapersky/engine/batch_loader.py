"""Concurrent look-ups of single keys, batched into one call."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Hashable, Mapping
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class BatchLoader(Generic[Key, Value]):
    """A data loader without a cache: keys requested while a batch is running go into the next one.

    A result is never older than its request: a batch that has begun takes no more keys.
    """

    def __init__(self, load_batch: Callable[[list[Key]], Awaitable[Mapping[Key, Value]]]) -> None:
        self._load_batch = load_batch
        self._waiting: dict[Key, list[asyncio.Future[Value | None]]] = {}
        self._task: asyncio.Task[None] | None = None

    async def load(self, key: Key) -> Value | None:
        """The value of the key; None if the batch has no value for it."""
        future: asyncio.Future[Value | None] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(key, []).append(future)
        if self._task is None:
            # The task starts in the next iteration of the event loop, with all keys of this one.
            self._task = asyncio.create_task(self._run())
        return await future

    async def _run(self) -> None:
        try:
            while self._waiting:
                batch, self._waiting = self._waiting, {}
                await self._load_waiting(batch)
        finally:
            self._task = None

    async def _load_waiting(self, batch: dict[Key, list[asyncio.Future[Value | None]]]) -> None:
        try:
            values = await self._load_batch(list(batch))
        except Exception as error:  # noqa: BLE001  (raised in every caller)
            for future in _pending(batch):
                future.set_exception(error)
        except BaseException:
            # The process is ending: cancel the callers instead of leaving them waiting.
            for future in [*_pending(batch), *_pending(self._waiting)]:
                future.cancel()
            raise
        else:
            for key, futures in batch.items():
                for future in futures:
                    if not future.done():
                        future.set_result(values.get(key))


def _pending(batch: Mapping[Key, list[asyncio.Future[Value | None]]]) -> list[asyncio.Future[Value | None]]:
    """The futures that are not done or cancelled."""
    return [future for futures in batch.values() for future in futures if not future.done()]
