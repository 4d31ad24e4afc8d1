"""Signals as events: the first asks for an orderly end, the second for an end now, later ones change nothing."""

from __future__ import annotations

import asyncio
import signal


def stop_on_signals(stop: asyncio.Event, force: asyncio.Event) -> None:
    """Stay in force until the process ends, so that a late signal cannot kill it half-way through its end."""
    loop = asyncio.get_running_loop()

    def told(_number: int, _frame: object) -> None:
        if not loop.is_closed():
            loop.call_soon_threadsafe((force if stop.is_set() else stop).set)

    for one in (signal.SIGTERM, signal.SIGINT):
        signal.signal(one, told)
