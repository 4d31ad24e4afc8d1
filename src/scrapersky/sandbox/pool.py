"""A pool of reading processes: dead ones are replaced, and a caller learns only of its own page."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import ParamSpec, Self, TypeVar

from scrapersky.sandbox.codec import DONE, packed_call, unpacked_failure, unpacked_result
from scrapersky.sandbox.connection import Connection
from scrapersky.sandbox.failures import (
    ParseCrashed,
    ParseFailed,
    ParseOutOfMemory,
    ParseTimeout,
    ParseTooSlow,
    ReadingError,
)

START_SECONDS = 60.0
HARMLESS = ("PATH", "PYTHONPATH", "VIRTUAL_ENV", "HOME", "LANG", "LC_ALL", "TZ", "TMPDIR", "PYTHONHASHSEED")

P = ParamSpec("P")
R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class ReadingLimits:
    """What one page may take; `tasks` is after how many pages a process is replaced by a fresh one."""

    cpu_seconds: float = 5.0
    # Longer than the computing time, so that a busy machine does not condemn honest pages.
    wall_seconds: float = 6.0
    # Address space beyond what the process has after loading its modules.
    memory_bytes: int = 512 * 2**20
    result_bytes: int = 16 * 2**20
    tasks: int = 5_000


class ParserPool:
    """A pool of reading processes; an async context manager."""

    def __init__(
        self,
        *,
        processes: int | None = None,
        limits: ReadingLimits | None = None,
        modules: tuple[str, ...] = (),
    ) -> None:
        self._count = processes or os.cpu_count() or 1
        self._limits = limits or ReadingLimits()
        self._modules = modules
        self._desks: asyncio.LifoQueue[_Desk] = asyncio.LifoQueue()
        self._closed = False

    async def __aenter__(self) -> Self:
        desks = [_Desk(self._limits, self._modules) for _ in range(self._count)]
        for desk in desks:
            self._desks.put_nowait(desk)
        try:
            await asyncio.gather(*(desk.open() for desk in desks))
        except BaseException:
            await asyncio.gather(*(desk.close(kill=True) for desk in desks))
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._closed = True
        desks = [await self._desks.get() for _ in range(self._count)]
        await asyncio.gather(*(desk.close() for desk in desks))

    async def run(self, function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        """What a module-level function with annotations returns, run in another process."""
        if self._closed:
            raise RuntimeError("the readers are closed")
        desk = await self._desks.get()
        try:
            kind, content = await desk.run(packed_call(function, args, kwargs))
        finally:
            self._desks.put_nowait(desk)
        if kind != DONE:
            raise _failure(*unpacked_failure(content))
        try:
            result: R = unpacked_result(function, content)
        except ValueError:
            raise ParseFailed("the reading process sent back something else") from None
        return result


class _Desk:
    """One place in the pool: the process that sits there now."""

    def __init__(self, limits: ReadingLimits, modules: tuple[str, ...]) -> None:
        self._limits = limits
        self._modules = modules
        self._process: subprocess.Popen[bytes] | None = None
        self._connection: Connection | None = None
        self._tasks = 0

    async def open(self) -> Connection:
        """The connection to a live process, started when there is none."""
        if self._connection is not None:
            return self._connection
        ours = self._start()
        connection = self._connection = Connection(self._limits.result_bytes)
        try:
            async with asyncio.timeout(START_SECONDS):
                await asyncio.get_running_loop().create_unix_connection(lambda: connection, sock=ours)
                if await connection.greeted:
                    return connection
        except TimeoutError:
            pass
        except BaseException:
            await self._undo(ours)
            raise
        await self._undo(ours)
        raise ParseCrashed("the reading process did not start")

    async def _undo(self, ours: socket.socket) -> None:
        if self._connection is None or not self._connection.is_made:
            ours.close()
        await self.close(kill=True)

    def _start(self) -> socket.socket:
        ours, theirs = socket.socketpair()
        self._tasks = 0
        with theirs:
            fd, limits = theirs.fileno(), self._limits
            given = (fd, limits.cpu_seconds, limits.memory_bytes, limits.tasks, self._modules)
            program = f"from scrapersky.sandbox.process import serve; serve(*{given!r})"
            self._process = subprocess.Popen(  # noqa: S603  (our own interpreter and program)
                [sys.executable, "-P", "-c", program],
                pass_fds=[fd],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                # A process that reads hostile pages has no use for our keys.
                env={name: os.environ[name] for name in HARMLESS if name in os.environ},
            )
        return ours

    async def run(self, task: Sequence[bytes]) -> tuple[int, bytes]:
        connection = await self.open()
        self._tasks += 1
        try:
            async with asyncio.timeout(self._limits.wall_seconds):
                outcome = await connection.ask(task)
        except TimeoutError:
            await self.close(kill=True)
            raise ParseTimeout from None
        except OSError:
            raise await self._cause_of_death() from None
        except BaseException:
            # The caller went away in the middle, or the answer is too large; it belongs to nobody.
            await self.close(kill=True)
            raise
        if self._tasks >= self._limits.tasks:
            await self.close()
        return outcome

    async def _cause_of_death(self) -> ReadingError:
        process = self._process
        await self.close()
        code = process.returncode if process is not None else None
        return ParseTooSlow() if code == -signal.SIGPROF else ParseCrashed()

    async def close(self, *, kill: bool = False) -> None:
        """End the process; closing its connection asks it to leave by itself."""
        process, self._process = self._process, None
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()
        if process is None:
            return
        if kill:
            process.kill()
        try:
            await asyncio.shield(asyncio.to_thread(process.wait, 1.0))
        except subprocess.TimeoutExpired:
            process.kill()
            await asyncio.to_thread(process.wait)


def _failure(name: str, message: str) -> ReadingError:
    return ParseOutOfMemory() if name == "MemoryError" else ParseFailed(f"{name}: {message}")
