"""A parser process: one task after another, each under limits that C code cannot escape."""

from __future__ import annotations

import contextlib
import gc
import os
import resource
import signal
import socket
import struct
import time
import traceback
from importlib import import_module
from operator import attrgetter

from scrapersky.sandbox.codec import ERROR, HEADER, OK, encode_error, run_encoded_call

# To the fork server: with a connection, fork a process for it; otherwise end the process with this id, and
# kill it if so asked. Back: the id of the new process, or the exit code of the old one.
MESSAGE, ANSWER = struct.Struct(">q?"), struct.Struct(">q")
# How long a process may take to see the end of its connection.
END_SECONDS = 1.0


def serve_forks(
    fd: int, cpu_seconds: float, memory_bytes: int, tasks: int, modules: tuple[str, ...], warm_up: str
) -> None:
    """Load and warm up, then fork and end parser processes until the connection ends."""
    # The end of the connection announces a stop; signals to the whole group must not lose a page.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    for module in modules:
        import_module(module)
    if warm_up:
        module, _, name = warm_up.rpartition(".")
        attrgetter(name)(import_module(module))()
    # What is here now stays; a collection that visited it would copy the shared memory.
    gc.collect()
    gc.freeze()
    children: set[int] = set()
    with socket.socket(fileno=fd) as control:
        while True:
            message, fds, _, _ = socket.recv_fds(control, MESSAGE.size, 1)
            if len(message) < MESSAGE.size:
                break
            if not fds:
                control.sendall(ANSWER.pack(_end(children, *MESSAGE.unpack(message))))
                continue
            child = os.fork()
            if not child:
                control.close()
                _serve_and_exit(fds[0], cpu_seconds, memory_bytes, tasks)
            os.close(fds[0])
            children.add(child)
            control.sendall(ANSWER.pack(child))
    # They see the ends of their connections; who waits for us has their CPU time counted.
    for child in list(children):
        _end(children, child, kill=False)


def _end(children: set[int], child: int, kill: bool) -> int:
    """The exit code, negative for a signal."""
    if child not in children:
        return 0
    children.discard(child)
    until = 0.0 if kill else time.monotonic() + END_SECONDS
    while True:
        if time.monotonic() > until:
            os.kill(child, signal.SIGKILL)
            return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.002)


def _serve_and_exit(fd: int, cpu_seconds: float, memory_bytes: int, tasks: int) -> None:
    """What follows a fork: nothing of the fork server may run in the child."""
    code = 1
    try:
        serve_parser(fd, cpu_seconds, memory_bytes, tasks)
        code = 0
    except BaseException:  # noqa: BLE001 - there is nobody else to report it.
        traceback.print_exc()
    finally:
        os._exit(code)


def serve_parser(fd: int, cpu_seconds: float, memory_bytes: int, tasks: int) -> None:
    """Run calls until the connection ends or the process has reached its number of tasks."""
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
