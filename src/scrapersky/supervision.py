"""Watches over worker processes: starts them, restarts those that die, ends them in order."""

from __future__ import annotations

import asyncio
import ctypes
import os
import signal
import sys
from collections.abc import Callable
from time import monotonic

from scrapersky.log import Log

FIRST_PAUSE = 0.5
LONGEST_PAUSE = 30.0
# A process that lived this long had a good start; its next death is a new story.
GOOD_LIFE = 60.0
PR_SET_PDEATHSIG = 1


def ends_with_parent() -> Callable[[], None] | None:
    """For a child's `preexec_fn`: should its parent be killed, it is asked to stop. Linux only."""
    if sys.platform != "linux":
        return None
    parent, libc = os.getpid(), ctypes.CDLL(None)

    def ask_the_kernel() -> None:
        libc.prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
        if os.getppid() != parent:
            # The parent died before the kernel knew.
            os.kill(os.getpid(), signal.SIGTERM)

    return ask_the_kernel


class Supervisor:
    def __init__(self, arguments: list[str], number: int, log: Log) -> None:
        self.command = [sys.executable, "-m", "scrapersky", *arguments]
        self.number, self.log = number, log
        self.processes: dict[int, asyncio.subprocess.Process] = {}

    async def run(self, stop: asyncio.Event, force: asyncio.Event) -> None:
        """Keep all alive until told to stop; then end them, at once when forced."""
        keepers = [asyncio.create_task(self._keep(place, stop)) for place in range(self.number)]
        await stop.wait()
        self._tell(signal.SIGTERM)
        forced = asyncio.create_task(self._when_forced(force))
        await asyncio.gather(*keepers)
        forced.cancel()

    async def _keep(self, place: int, stop: asyncio.Event) -> None:
        pause = FIRST_PAUSE
        while not stop.is_set():
            began = monotonic()
            process = await self._start(place)
            if stop.is_set():
                self._tell(signal.SIGTERM)
            code = await process.wait()
            if stop.is_set():
                return
            pause = FIRST_PAUSE if monotonic() - began > GOOD_LIFE else min(pause * 2, LONGEST_PAUSE)
            self.log.say("worker_died", level="error", place=place, code=code, restart_in=pause)
            await self._wait(stop, pause)

    async def _start(self, place: int) -> asyncio.subprocess.Process:
        process = await asyncio.create_subprocess_exec(
            *self.command,
            stdin=asyncio.subprocess.DEVNULL,
            start_new_session=True,
            preexec_fn=ends_with_parent(),
        )
        self.processes[place] = process
        return process

    def _tell(self, number: signal.Signals) -> None:
        for process in self.processes.values():
            if process.returncode is None:
                process.send_signal(number)

    async def _when_forced(self, force: asyncio.Event) -> None:
        await force.wait()
        self._tell(signal.SIGTERM)
        await asyncio.sleep(5)
        self._tell(signal.SIGKILL)

    async def _wait(self, stop: asyncio.Event, seconds: float) -> None:
        try:
            await asyncio.wait_for(stop.wait(), seconds)
        except TimeoutError:
            return
