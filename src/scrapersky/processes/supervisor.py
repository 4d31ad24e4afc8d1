"""Supervises worker processes: starts them, replaces those that die or hang, shuts them down."""

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
from scrapersky.processes.shutdown import sleep_unless

MIN_BACKOFF_SECONDS = 0.5
MAX_BACKOFF_SECONDS = 30.0
# After a process ran this long the backoff starts over.
STABLE_SECONDS = 60.0
PR_SET_PDEATHSIG = 1
HEARTBEAT_SECONDS = 1.0
# A slow machine takes this long to the first heartbeat.
STARTUP_SECONDS = 60.0


def ends_with_parent() -> Callable[[], None] | None:
    """For a child's `preexec_fn`: when its parent is killed, it gets SIGTERM. Linux only."""
    if sys.platform != "linux":
        return None
    parent, libc = os.getpid(), ctypes.CDLL(None)

    def set_death_signal() -> None:
        libc.prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
        if os.getppid() != parent:
            # The parent died before the signal was set.
            os.kill(os.getpid(), signal.SIGTERM)

    return set_death_signal


def _read_heartbeat(pipe: int) -> bool:
    try:
        return bool(os.read(pipe, 65_536))
    except BlockingIOError:
        return False


async def beat(pipe: int) -> None:
    """The worker's side: show the supervisor that the event loop runs."""
    os.set_blocking(pipe, False)
    os.set_inheritable(pipe, False)
    while True:
        # The pipe is full while the supervisor sleeps, and broken when it is gone.
        with suppress(BlockingIOError, BrokenPipeError):
            os.write(pipe, b".")
        await asyncio.sleep(HEARTBEAT_SECONDS)


class Supervisor:
    def __init__(self, arguments: list[str], number: int, log: Log, *, timeout: float = 60.0) -> None:
        """A worker whose heartbeat is missing for `timeout` seconds is replaced."""
        self.command = [sys.executable, "-m", "scrapersky", *arguments]
        self.number, self.log, self.timeout = number, log, timeout
        self.processes: dict[int, asyncio.subprocess.Process] = {}

    async def run(self, stop: asyncio.Event, force: asyncio.Event) -> None:
        """Keep all workers alive until the shutdown, then end them; `force` ends them at once."""
        supervised = [asyncio.create_task(self._supervise(place, stop)) for place in range(self.number)]
        await stop.wait()
        self._send(signal.SIGTERM)
        forced = asyncio.create_task(self._when_forced(force))
        await asyncio.gather(*supervised)
        forced.cancel()

    async def _supervise(self, place: int, stop: asyncio.Event) -> None:
        backoff = MIN_BACKOFF_SECONDS
        while not stop.is_set():
            began = monotonic()
            code = await self._run_one(place, stop)
            if stop.is_set():
                return
            is_stable = monotonic() - began > STABLE_SECONDS
            backoff = MIN_BACKOFF_SECONDS if is_stable else min(backoff * 2, MAX_BACKOFF_SECONDS)
            self.log.event("worker_died", level="error", place=place, code=code, restart_in=backoff)
            await sleep_unless(stop, backoff)

    async def _run_one(self, place: int, stop: asyncio.Event) -> int | str:
        """Run one worker to its end; gives its exit code, or why it did not start."""
        try:
            process, pipe = await self._start(place)
        except OSError as error:
            # Too many processes or too little memory, which may pass.
            return f"not started: {error.strerror}"
        watch = asyncio.create_task(self._watch(place, process, pipe))
        if stop.is_set():
            # Only this one: a second signal would end the others at once.
            process.terminate()
        code = await process.wait()
        watch.cancel()
        os.close(pipe)
        return code

    async def _start(self, place: int) -> tuple[asyncio.subprocess.Process, int]:
        """Start a worker; its heartbeat comes through a pipe, which needs neither database nor network."""
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
        """Kill the worker when its heartbeat stops."""
        last = looked = monotonic()
        limit = STARTUP_SECONDS + self.timeout
        while True:
            await asyncio.sleep(HEARTBEAT_SECONDS)
            now = monotonic()
            if _read_heartbeat(pipe):
                last, limit = now, self.timeout
            elif now - looked > 5 * HEARTBEAT_SECONDS:
                # We slept ourselves, perhaps with the whole machine.
                last = now
            looked = now
            if now - last > limit:
                self.log.event(
                    "worker_hung", level="error", place=place, pid=process.pid, seconds=self.timeout
                )
                process.kill()
                return

    def _send(self, number: signal.Signals) -> None:
        for process in self.processes.values():
            if process.returncode is None:
                process.send_signal(number)

    async def _when_forced(self, force: asyncio.Event) -> None:
        await force.wait()
        self._send(signal.SIGTERM)
        await asyncio.sleep(5)
        self._send(signal.SIGKILL)
