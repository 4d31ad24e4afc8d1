"""Questions of one moment, answered by one statement: who asks while it is under way shares the next."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Hashable, Mapping
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Answer = TypeVar("Answer")


class BatchLoader(Generic[Key, Answer]):
    """Gathers the keys that are asked for and asks for all of them at once; nobody waits for company.

    An answer is never older than its question: a statement that has begun takes no more keys.
    """

    def __init__(self, ask: Callable[[list[Key]], Awaitable[Mapping[Key, Answer]]]) -> None:
        self._ask = ask
        self._waiting: dict[Key, list[asyncio.Future[Answer | None]]] = {}
        self._asking: asyncio.Task[None] | None = None

    async def about(self, key: Key) -> Answer | None:
        """What is known of the key; None when the answer does not name it."""
        mine: asyncio.Future[Answer | None] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(key, []).append(mine)
        if self._asking is None:
            # It begins at the loop's next turn, so that everybody of this one is in it.
            self._asking = asyncio.create_task(self._go_on())
        return await mine

    async def _go_on(self) -> None:
        try:
            while self._waiting:
                asked, self._waiting = self._waiting, {}
                await self._answer(asked)
        finally:
            self._asking = None

    async def _answer(self, asked: dict[Key, list[asyncio.Future[Answer | None]]]) -> None:
        try:
            answers = await self._ask(list(asked))
        except Exception as error:  # noqa: BLE001  (it belongs to everybody who asked, and is raised there)
            for future in _open(asked):
                future.set_exception(error)
        except BaseException:
            # The process is ending: who waits here is ended too, instead of waiting for ever.
            for future in [*_open(asked), *_open(self._waiting)]:
                future.cancel()
            raise
        else:
            for key, futures in asked.items():
                for future in futures:
                    if not future.done():
                        future.set_result(answers.get(key))


def _open(asked: Mapping[Key, list[asyncio.Future[Answer | None]]]) -> list[asyncio.Future[Answer | None]]:
    """Those who still wait; who was cancelled meanwhile does not."""
    return [future for futures in asked.values() for future in futures if not future.done()]
