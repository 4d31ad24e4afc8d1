"""A parser process: one task after another, each under limits that C code cannot escape."""

from __future__ import annotations

import contextlib
import resource
import signal
import socket
from importlib import import_module
from operator import attrgetter

from scrapersky.sandbox.codec import ERROR, HEADER, OK, encode_error, run_encoded_call


def serve_parser(
    fd: int, cpu_seconds: float, memory_bytes: int, tasks: int, modules: tuple[str, ...], warm_up: str
) -> None:
    """Run calls until the connection ends or the process has reached its number of tasks."""
    # The end of the connection announces a stop; signals to the whole group must not lose a page.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    for module in modules:
        import_module(module)
    if warm_up:
        module, _, name = warm_up.rpartition(".")
        attrgetter(name)(import_module(module))()
    _limit_memory(memory_bytes)
    with socket.socket(fileno=fd) as connection, connection.makefile("rb") as incoming:
        connection.sendall(b"!")
        for _ in range(tasks):
            header = incoming.read(HEADER.size)
            if len(header) < HEADER.size:
                return
            # By default SIGPROF ends a process, even inside code that never returns to Python.
            signal.setitimer(signal.ITIMER_PROF, cpu_seconds)
            status, content = _run(incoming.read(HEADER.unpack(header)[1]))
            signal.setitimer(signal.ITIMER_PROF, 0)
            with contextlib.suppress(BrokenPipeError):
                connection.sendall(HEADER.pack(status, len(content)) + content)


def _run(call: bytes) -> tuple[int, bytes]:
    try:
        return OK, run_encoded_call(call)
    except Exception as error:  # noqa: BLE001  (whatever a page provokes is raised in the parent)
        return ERROR, encode_error(error)


def _limit_memory(extra: int) -> None:
    with open("/proc/self/statm", encoding="ascii") as statm:
        pages = int(statm.read().split()[0])
    limit = pages * resource.getpagesize() + extra
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
