"""Watches over worker processes: starts them, replaces those that die or hang, ends them in order."""

from __future__ import annotations

import asyncio
import ctypes
import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from time import monotonic

from scrapersky.log import Log

FIRST_PAUSE = 0.5
LONGEST_PAUSE = 30.0
# A process that lived this long had a good start; its next death is a new story.
GOOD_LIFE = 60.0
PR_SET_PDEATHSIG = 1
BEAT_SECONDS = 1.0
# A slow machine needs its time until the first heartbeat.
START_SECONDS = 60.0


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


def _has_beaten(pipe: int) -> bool:
    try:
        return bool(os.read(pipe, 65_536))
    except BlockingIOError:
        return False


async def beat(pipe: int) -> None:
    """The worker's side: show the supervisor that the event loop turns."""
    os.set_blocking(pipe, False)
    os.set_inheritable(pipe, False)
    while True:
        # A full pipe has a supervisor that sleeps; a broken one has none.
        with suppress(BlockingIOError, BrokenPipeError):
            os.write(pipe, b".")
        await asyncio.sleep(BEAT_SECONDS)


class Supervisor:
    def __init__(self, arguments: list[str], number: int, log: Log, *, timeout: float = 60.0) -> None:
        """A worker whose heartbeat is missing for `timeout` seconds is replaced."""
        self.command = [sys.executable, "-m", "scrapersky", *arguments]
        self.number, self.log, self.timeout = number, log, timeout
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
            code = await self._run_one(place, stop)
            if stop.is_set():
                return
            pause = FIRST_PAUSE if monotonic() - began > GOOD_LIFE else min(pause * 2, LONGEST_PAUSE)
            self.log.say("worker_died", level="error", place=place, code=code, restart_in=pause)
            await self._wait(stop, pause)

    async def _run_one(self, place: int, stop: asyncio.Event) -> int | str:
        """One worker from its start to its end; gives its exit code, or why it could not be started."""
        try:
            process, pipe = await self._start(place)
        except OSError as error:
            # Too many processes or too little memory: later there may be room.
            return f"not started: {error.strerror}"
        watch = asyncio.create_task(self._watch(place, process, pipe))
        if stop.is_set():
            # This one alone: a second signal would make the others end at once.
            process.terminate()
        code = await process.wait()
        watch.cancel()
        os.close(pipe)
        return code

    async def _start(self, place: int) -> tuple[asyncio.subprocess.Process, int]:
        """A worker and the pipe with its heartbeat, which needs neither database nor network."""
        reading, writing = os.pipe()
        os.set_blocking(reading, False)
        try:
            process = await asyncio.create_subprocess_exec(
                *self.command,
                "--heartbeat-fd",
                str(writing),
                stdin=asyncio.subprocess.DEVNULL,
                start_new_session=True,
                preexec_fn=ends_with_parent(),
                pass_fds=(writing,),
            )
        except OSError:
            os.close(reading)
            raise
        finally:
            os.close(writing)
        self.processes[place] = process
        return process, reading

    async def _watch(self, place: int, process: asyncio.subprocess.Process, pipe: int) -> None:
        """Kill the worker when its event loop stands still, or the whole process does."""
        last = looked = monotonic()
        limit = START_SECONDS + self.timeout
        while True:
            await asyncio.sleep(BEAT_SECONDS)
            now = monotonic()
            if _has_beaten(pipe):
                last, limit = now, self.timeout
            elif now - looked > 5 * BEAT_SECONDS:
                # We slept ourselves, and perhaps the whole machine did.
                last = now
            looked = now
            if now - last > limit:
                self.log.say("worker_hung", level="error", place=place, pid=process.pid, seconds=self.timeout)
                process.kill()
                return

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
