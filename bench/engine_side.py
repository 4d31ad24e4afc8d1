"""One side of the engine's benchmark, as commands: make its tables, put items in, work, send one by one."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from time import monotonic
from typing import Any, Protocol

import uvloop

from bench.engine_marks import Marks

GAP = 0.03
# How many items a worker takes at a time, for all engines that take several.
BATCH = 200


class Side(Protocol):
    """What each of the compared engines has to offer; an item is its number."""

    async def setup(self) -> None: ...
    async def fill(self, items: int) -> None: ...
    async def work(self, handle: Callable[[int], None]) -> None: ...
    async def send(self, item: int) -> None: ...


def ready() -> None:
    print("ready", flush=True)


def main(make: Callable[[str], Side]) -> None:
    """`setup URL` | `fill URL ITEMS` | `work URL MARKS WORKER` | `trickle URL ITEMS MARKS`."""
    command, url, *rest = sys.argv[1:]
    calls: dict[str, Callable[..., Coroutine[Any, Any, None]]] = {
        "setup": _setup,
        "fill": _fill,
        "work": _work,
        "trickle": _trickle,
    }
    uvloop.run(calls[command](make(url), *rest))


async def _setup(side: Side) -> None:
    await side.setup()


async def _fill(side: Side, items: str) -> None:
    """Put all items in at once and say when that was done."""
    await side.fill(int(items))
    print(monotonic(), flush=True)


async def _work(side: Side, marks: str, worker: str) -> None:
    shared, number = Marks(Path(marks)), int(worker)

    def handle(item: int) -> None:
        if item >= 0:
            shared.handled(item)
        shared.count(number)

    await side.work(handle)


async def _trickle(side: Side, items: str, marks: str) -> None:
    """One item at a time into an idle queue; the first five warm up and are not counted."""
    shared = Marks(Path(marks))
    for item in range(-5, int(items)):
        await asyncio.sleep(GAP)
        if item >= 0:
            shared.sent(item)
        await side.send(item)
