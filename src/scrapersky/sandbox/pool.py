"""A pool of parser processes: dead ones are replaced, and a caller sees only the failure of its own page."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import ParamSpec, Self, TypeVar

from scrapersky.sandbox.codec import OK, decode_error, decode_result, encode_call
from scrapersky.sandbox.connection import Connection
from scrapersky.sandbox.errors import (
    ParseCPULimitExceeded,
    ParseCrashed,
    ParseError,
    ParseFailed,
    ParseOutOfMemory,
    ParseTimeout,
)
from scrapersky.sandbox.fork_server import START_TIMEOUT_SECONDS, ForkServer

P = ParamSpec("P")
R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class ParserLimits:
    """The limits for one page; a process is replaced after `tasks` pages."""

    cpu_seconds: float = 5.0
    # Longer than the CPU time, so that honest pages do not fail on a busy machine.
    wall_seconds: float = 6.0
    # Address space beyond what the process has after loading its modules.
    memory_bytes: int = 512 * 2**20
    result_bytes: int = 16 * 2**20
    tasks: int = 5_000


class ParserPool:
    """Runs pure functions in other processes; an async context manager.

    The fork server imports `modules` and calls `warm_up` once, so no first page has to wait for that.
    """

    def __init__(
        self,
        *,
        processes: int | None = None,
        limits: ParserLimits | None = None,
        modules: tuple[str, ...] = (),
        warm_up: Callable[[], None] | None = None,
    ) -> None:
        self._size = processes or os.cpu_count() or 1
        self._limits = limits or ParserLimits()
        self._fork_server = ForkServer(
            cpu_seconds=self._limits.cpu_seconds,
            memory_bytes=self._limits.memory_bytes,
            tasks=self._limits.tasks,
            modules=modules,
            warm_up=f"{warm_up.__module__}.{warm_up.__qualname__}" if warm_up else "",
        )
        self._idle: asyncio.LifoQueue[_Slot] = asyncio.LifoQueue()
        self._closed = False

    async def __aenter__(self) -> Self:
        slots = [_Slot(self._limits, self._fork_server) for _ in range(self._size)]
        for slot in slots:
            self._idle.put_nowait(slot)
        try:
            await asyncio.gather(*(slot.open() for slot in slots))
        except BaseException:
            await asyncio.gather(*(slot.close(kill=True) for slot in slots))
            await asyncio.to_thread(self._fork_server.close)
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._closed = True
        slots = [await self._idle.get() for _ in range(self._size)]
        await asyncio.gather(*(slot.close() for slot in slots))
        await asyncio.to_thread(self._fork_server.close)

    async def run(self, function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        """The result of a module-level function with annotations, run in a parser process."""
        if self._closed:
            raise RuntimeError("the parser pool is closed")
        slot = await self._idle.get()
        try:
            status, content = await slot.run(encode_call(function, args, kwargs))
        finally:
            self._idle.put_nowait(slot)
        if status != OK:
            raise _error(*decode_error(content))
        try:
            result: R = decode_result(function, content)
        except ValueError:
            raise ParseFailed("the parser process returned a value of another type") from None
        return result


class _Slot:
    """One place in the pool and the process that fills it."""

    def __init__(self, limits: ParserLimits, fork_server: ForkServer) -> None:
        self._limits = limits
        self._fork_server = fork_server
        self._pid: int | None = None
        self._connection: Connection | None = None
        self._tasks = 0

    async def open(self) -> Connection:
        """The connection to a live process, which is started when there is none."""
        if self._connection is not None:
            return self._connection
        ours, theirs = socket.socketpair()
        self._tasks = 0
        connection = Connection(self._limits.result_bytes)
        try:
            # Cancelled meanwhile, the process sees the end of its connection and ends.
            self._pid = await asyncio.to_thread(self._fork_server.fork, theirs)
            self._connection = connection
            async with asyncio.timeout(START_TIMEOUT_SECONDS):
                await asyncio.get_running_loop().create_unix_connection(lambda: connection, sock=ours)
                if await connection.ready:
                    return connection
        except TimeoutError:
            pass
        except BaseException:
            await self._abort_start(ours)
            raise
        await self._abort_start(ours)
        raise ParseCrashed("the parser process did not start")

    async def _abort_start(self, ours: socket.socket) -> None:
        if self._connection is None or not self._connection.is_made:
            ours.close()
        await self.close(kill=True)

    async def run(self, call: Sequence[bytes]) -> tuple[int, bytes]:
        connection = await self.open()
        self._tasks += 1
        try:
            async with asyncio.timeout(self._limits.wall_seconds):
                response = await connection.request(call)
        except TimeoutError:
            await self.close(kill=True)
            raise ParseTimeout from None
        except OSError:
            raise await self._cause_of_death() from None
        except BaseException:
            # The caller was cancelled, or the response is too large: nobody will take the response.
            await self.close(kill=True)
            raise
        if self._tasks >= self._limits.tasks:
            await self.close()
        return response

    async def _cause_of_death(self) -> ParseError:
        code = await self.close()
        return ParseCPULimitExceeded() if code == -signal.SIGPROF else ParseCrashed()

    async def close(self, *, kill: bool = False) -> int | None:
        """End the process; without `kill`, closing its connection asks it to exit. Its exit code if known."""
        pid, self._pid = self._pid, None
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()
        if pid is None:
            return None
        return await asyncio.shield(asyncio.to_thread(self._fork_server.end, pid, kill=kill))


def _error(name: str, message: str) -> ParseError:
    return ParseOutOfMemory() if name == "MemoryError" else ParseFailed(f"{name}: {message}")
