"""Signals as events: the first asks for an orderly end, the second for an end now, later ones do nothing."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Awaitable, Callable

SIGNALS = (signal.SIGTERM, signal.SIGINT)


async def _run(main: Callable[[asyncio.Event, asyncio.Event], Awaitable[None]]) -> None:
    loop, stop, force = asyncio.get_running_loop(), asyncio.Event(), asyncio.Event()

    def told(_number: int, _frame: object) -> None:
        loop.call_soon_threadsafe((force if stop.is_set() else stop).set)

    for one in SIGNALS:
        signal.signal(one, told)
    try:
        await main(stop, force)
    finally:
        # The interpreter takes a while to end; a late signal must not kill it half-way.
        for one in SIGNALS:
            signal.signal(one, signal.SIG_IGN)


def run_until_stopped(
    main: Callable[[asyncio.Event, asyncio.Event], Awaitable[None]],
    *,
    loop_factory: Callable[[], asyncio.AbstractEventLoop] | None = None,
) -> None:
    """Run `main(stop, force)` in a loop of its own until it returns."""
    with asyncio.Runner(loop_factory=loop_factory) as runner:
        runner.run(_run(main))
