"""Shutdown by signals: the first is graceful, the second immediate, later ones do nothing."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from scrapersky.engine.worker import Worker

SIGNALS = (signal.SIGTERM, signal.SIGINT)
ROWS_SHOWN = 3


async def _run(main: Callable[[asyncio.Event, asyncio.Event], Awaitable[None]]) -> None:
    loop, stop, force = asyncio.get_running_loop(), asyncio.Event(), asyncio.Event()

    def on_signal(_number: int, _frame: object) -> None:
        loop.call_soon_threadsafe((force if stop.is_set() else stop).set)

    for number in SIGNALS:
        signal.signal(number, on_signal)
    try:
        await main(stop, force)
    finally:
        # The interpreter takes a while to end; a late signal must not kill it half-way.
        for number in SIGNALS:
            signal.signal(number, signal.SIG_IGN)


def run_until_stopped(
    main: Callable[[asyncio.Event, asyncio.Event], Awaitable[None]],
    *,
    loop_factory: Callable[[], asyncio.AbstractEventLoop] | None = None,
) -> None:
    """Run `main(stop, force)` in a loop of its own until it returns."""
    with asyncio.Runner(loop_factory=loop_factory) as runner:
        runner.run(_run(main))


async def sleep_unless(stop: asyncio.Event, seconds: float) -> None:
    """Sleep, but not beyond the moment at which the event is set."""
    try:
        await asyncio.wait_for(stop.wait(), seconds)
    except TimeoutError:
        return


async def first_of(*awaitables: asyncio.Task[None] | asyncio.Event) -> None:
    """Wait until one of the tasks has ended or one of the events is set."""
    events = [
        asyncio.create_task(awaitable.wait())
        for awaitable in awaitables
        if isinstance(awaitable, asyncio.Event)
    ]
    tasks = [awaitable for awaitable in awaitables if isinstance(awaitable, asyncio.Task)]
    try:
        await asyncio.wait([*events, *tasks], return_when=asyncio.FIRST_COMPLETED)
    finally:
        for event in events:
            event.cancel()


@asynccontextmanager
async def announced_shutdown(
    stop: asyncio.Event, announce: Callable[[str], None], grace_seconds: float
) -> AsyncIterator[list[Worker]]:
    """When the shutdown begins, announce what it waits for: the rows in progress of the listed workers."""
    workers: list[Worker] = []

    async def announce_it() -> None:
        await stop.wait()
        announce(shutdown_message(workers, grace_seconds))

    task = asyncio.create_task(announce_it())
    try:
        yield workers
    finally:
        task.cancel()


def shutdown_message(workers: list[Worker], grace_seconds: float) -> str:
    rows = [
        f"{stage} of {host}" if host else stage for worker in workers for stage, host in worker.in_flight()
    ]
    more = f" and {len(rows) - ROWS_SHOWN} more" if len(rows) > ROWS_SHOWN else ""
    waiting = f"waiting up to {grace_seconds:g} s for {', '.join(rows[:ROWS_SHOWN])}{more}"
    return f"Stopping: {waiting if rows else 'nothing is in progress'}. Press Ctrl+C again to stop now."
