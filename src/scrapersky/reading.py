"""Reads hostile pages in processes that can be killed: one page a task, bounded time and memory."""

from __future__ import annotations

import asyncio
import contextlib
import os
import pickle
import resource
import signal
import socket
import struct
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType
from typing import ParamSpec, Self, TypeVar

from scrapersky.engine.signals import GiveUp
from scrapersky.errors import ScraperSkyError

P = ParamSpec("P")
R = TypeVar("R")

_LENGTH = struct.Struct(">BQ")
_DONE, _FAILED = 0, 1


class ReadingError(ScraperSkyError):
    """The page could not be read."""

    failure_class = "parse_failed"


class ParseTimeout(ReadingError):
    """Reading the page took too long."""

    failure_class = "parse_timeout"


class ParseTooSlow(ParseTimeout, GiveUp):
    """Reading the page takes more computing time than a page may have."""


class ParseCrashed(ReadingError):
    """Reading the page ended its process."""

    failure_class = "parse_crashed"


class ParseOutOfMemory(ReadingError, GiveUp):
    """Reading the page takes more memory than a page may have."""

    failure_class = "parse_memory"


class ParseFailed(ReadingError, GiveUp):
    """Reading the page failed."""


class ReadingTooLarge(ReadingError, GiveUp):
    """Reading the page brought more than can be kept."""

    failure_class = "parse_too_large"


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


class Readers:
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
        await asyncio.gather(*(desk.open() for desk in desks))
        for desk in desks:
            self._desks.put_nowait(desk)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._closed = True
        desks = [await self._desks.get() for _ in range(self._count)]
        await asyncio.gather(*(desk.close() for desk in desks))

    async def run(self, function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        """What the function returns in another process; a module-level function with picklable values."""
        if self._closed:
            raise RuntimeError("the readers are closed")
        desk = await self._desks.get()
        try:
            return await desk.run(pickle.dumps((function, args, kwargs), protocol=5))  # type: ignore[return-value]
        finally:
            self._desks.put_nowait(desk)


class _Desk:
    """One place in the pool: the process that sits there now."""

    def __init__(self, limits: ReadingLimits, modules: tuple[str, ...]) -> None:
        self._limits = limits
        self._modules = modules
        self._process: subprocess.Popen[bytes] | None = None
        self._socket: socket.socket | None = None
        self._tasks = 0

    async def open(self) -> socket.socket:
        """The connection to a live process, started when there is none."""
        if self._socket is not None:
            return self._socket
        ours, theirs = socket.socketpair()
        ours.setblocking(False)
        limits = self._limits
        with theirs:
            fd = theirs.fileno()
            call = (
                f"serve({fd}, {limits.cpu_seconds}, {limits.memory_bytes}, {limits.tasks}, {self._modules!r})"
            )
            command = [sys.executable, "-P", "-c", f"from scrapersky.reading import serve; {call}"]
            self._process = await asyncio.to_thread(
                subprocess.Popen, command, pass_fds=[fd], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL
            )
        self._socket = ours
        self._tasks = 0
        # The first word says that the modules are loaded, so that no page pays for it.
        if not await _received(ours, 1):
            await self.close(kill=True)
            raise ParseCrashed("the reading process did not start")
        return ours

    async def run(self, task: bytes) -> object:
        connection = await self.open()
        self._tasks += 1
        try:
            async with asyncio.timeout(self._limits.wall_seconds):
                loop = asyncio.get_running_loop()
                await loop.sock_sendall(connection, _LENGTH.pack(0, len(task)) + task)
                outcome = await self._outcome(connection)
        except TimeoutError:
            await self.close(kill=True)
            raise ParseTimeout from None
        except OSError:
            raise await self._cause_of_death() from None
        except BaseException:
            # The caller went away in the middle; what the process holds belongs to nobody.
            await self.close(kill=True)
            raise
        if self._tasks >= self._limits.tasks:
            await self.close()
        return _value(*outcome)

    async def _outcome(self, connection: socket.socket) -> tuple[int, bytes]:
        head = await _received(connection, _LENGTH.size)
        kind, size = _LENGTH.unpack(head) if head else (_FAILED, 0)
        if not head:
            raise ConnectionResetError
        if size > self._limits.result_bytes:
            await self.close(kill=True)
            raise ReadingTooLarge
        return kind, await _received(connection, size)

    async def _cause_of_death(self) -> ReadingError:
        process = self._process
        await self.close()
        code = process.returncode if process is not None else None
        return ParseTooSlow() if code == -signal.SIGPROF else ParseCrashed()

    async def close(self, *, kill: bool = False) -> None:
        """End the process; closing its connection asks it to leave by itself."""
        process, self._process = self._process, None
        connection, self._socket = self._socket, None
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


async def _received(connection: socket.socket, size: int) -> bytes:
    """Exactly so many bytes, or nothing when the other side is gone."""
    loop = asyncio.get_running_loop()
    parts: list[bytes] = []
    while size > 0:
        part = await loop.sock_recv(connection, min(size, 2**20))
        if not part:
            return b""
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def _value(kind: int, content: bytes) -> object:
    value: object = pickle.loads(content)  # noqa: S301  (written by our own process)
    if kind == _DONE:
        return value
    name, message = value if isinstance(value, tuple) else ("", "")
    raise ParseOutOfMemory if name == "MemoryError" else ParseFailed(f"{name}: {message}")


def serve(fd: int, cpu_seconds: float, memory_bytes: int, tasks: int, modules: tuple[str, ...]) -> None:
    """The life of a reading process: one task after another until its connection ends."""
    # A stop is announced by the end of the connection; signals to the whole group must not lose a page.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    for module in modules:
        __import__(module)
    _limit_memory(memory_bytes)
    with socket.socket(fileno=fd) as connection, connection.makefile("rb") as incoming:
        connection.sendall(b"!")
        for _ in range(tasks):
            head = incoming.read(_LENGTH.size)
            if len(head) < _LENGTH.size:
                return
            # By default SIGPROF ends a process, even inside code that never comes back to Python.
            signal.setitimer(signal.ITIMER_PROF, cpu_seconds)
            kind, content = _done(incoming.read(_LENGTH.unpack(head)[1]))
            signal.setitimer(signal.ITIMER_PROF, 0)
            with contextlib.suppress(BrokenPipeError):
                connection.sendall(_LENGTH.pack(kind, len(content)))
                connection.sendall(content)


def _done(task: bytes) -> tuple[int, bytes]:
    try:
        function, args, kwargs = pickle.loads(task)  # noqa: S301  (written by our own process)
        return _DONE, pickle.dumps(function(*args, **kwargs), protocol=5)
    except Exception as why:  # noqa: BLE001  (whatever a page provokes is told to the parent, which raises it)
        return _FAILED, pickle.dumps((type(why).__name__, str(why)[:500]))


def _limit_memory(extra: int) -> None:
    with open("/proc/self/statm", encoding="ascii") as statm:
        pages = int(statm.read().split()[0])
    limit = pages * resource.getpagesize() + extra
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
