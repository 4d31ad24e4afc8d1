"""The life of a reading process: one task after another, each under a limit that C code cannot escape."""

from __future__ import annotations

import contextlib
import resource
import signal
import socket
from importlib import import_module

from scrapersky.sandbox.codec import DONE, FAILED, HEAD, packed_failure, run_call


def serve(fd: int, cpu_seconds: float, memory_bytes: int, tasks: int, modules: tuple[str, ...]) -> None:
    """Read pages until the connection ends or the process has done its share."""
    # A stop is announced by the end of the connection; signals to the whole group must not lose a page.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    for module in modules:
        import_module(module)
    _limit_memory(memory_bytes)
    with socket.socket(fileno=fd) as connection, connection.makefile("rb") as incoming:
        connection.sendall(b"!")
        for _ in range(tasks):
            head = incoming.read(HEAD.size)
            if len(head) < HEAD.size:
                return
            # By default SIGPROF ends a process, even inside code that never comes back to Python.
            signal.setitimer(signal.ITIMER_PROF, cpu_seconds)
            kind, content = _done(incoming.read(HEAD.unpack(head)[1]))
            signal.setitimer(signal.ITIMER_PROF, 0)
            with contextlib.suppress(BrokenPipeError):
                connection.sendall(HEAD.pack(kind, len(content)) + content)


def _done(call: bytes) -> tuple[int, bytes]:
    try:
        return DONE, run_call(call)
    except Exception as why:  # noqa: BLE001  (whatever a page provokes is told to the parent, which raises it)
        return FAILED, packed_failure(why)


def _limit_memory(extra: int) -> None:
    with open("/proc/self/statm", encoding="ascii") as statm:
        pages = int(statm.read().split()[0])
    limit = pages * resource.getpagesize() + extra
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
