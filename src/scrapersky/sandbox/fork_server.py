"""The fork server: a process that has loaded and warmed up everything once, and forks the parser processes.

A fork takes milliseconds and shares its memory; a start of its own took a second of CPU time.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
from contextlib import suppress

from scrapersky.sandbox.errors import ParseCrashed
from scrapersky.sandbox.process import ANSWER, MESSAGE

START_TIMEOUT_SECONDS = 60.0
# A process that parses hostile pages needs none of our secrets.
ENVIRONMENT = (
    "PATH",
    "PYTHONPATH",
    "VIRTUAL_ENV",
    "HOME",
    "LANG",
    "LC_ALL",
    "TZ",
    "TMPDIR",
    "PYTHONHASHSEED",
)


class ForkServer:
    """Its calls block, so they are made in threads; one that died is replaced by the next fork."""

    def __init__(
        self, *, cpu_seconds: float, memory_bytes: int, tasks: int, modules: tuple[str, ...], warm_up: str
    ) -> None:
        self._arguments = (cpu_seconds, memory_bytes, tasks, modules, warm_up)
        self._turn = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None
        self._closed = False

    def fork(self, connection: socket.socket) -> int:
        """The id of a new process that serves this connection."""
        with self._turn, connection:
            control = self._control or self._start()
            try:
                socket.send_fds(control, [MESSAGE.pack(0, False)], [connection.fileno()])
                return self._answer(control)
            except OSError:
                self._discard()
                raise ParseCrashed("the parser process did not start") from None

    def end(self, pid: int, *, kill: bool) -> int | None:
        """End a process, at once or when it has seen the end of its connection; its exit code if known."""
        with self._turn:
            if self._control is None:
                return None
            try:
                self._control.sendall(MESSAGE.pack(pid, kill))
                return self._answer(self._control)
            except OSError:
                self._discard()
                return None

    def close(self) -> None:
        """End the fork server, which waits for its processes."""
        self._closed = True
        if self._turn.acquire(blocking=False):
            try:
                self._discard(kill=False)
            finally:
                self._turn.release()
        elif process := self._process:
            # Whoever has the turn waits for an answer that now never comes, and discards it.
            process.kill()

    def _start(self) -> socket.socket:
        if self._closed:
            raise ParseCrashed("the parser process did not start")
        ours, theirs = socket.socketpair()
        ours.settimeout(START_TIMEOUT_SECONDS)
        with theirs:
            arguments = (theirs.fileno(), *self._arguments)
            program = f"from scrapersky.sandbox.process import serve_forks; serve_forks(*{arguments!r})"
            self._process = subprocess.Popen(  # noqa: S603  (our own interpreter and program)
                [sys.executable, "-P", "-c", program],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                env={name: os.environ[name] for name in ENVIRONMENT if name in os.environ},
            )
        self._control = ours
        return ours

    def _answer(self, control: socket.socket) -> int:
        answer = control.recv(ANSWER.size, socket.MSG_WAITALL)
        if len(answer) < ANSWER.size:
            raise ConnectionResetError
        return int(ANSWER.unpack(answer)[0])

    def _discard(self, *, kill: bool = True) -> None:
        process, self._process = self._process, None
        control, self._control = self._control, None
        if control is not None:
            control.close()
        if process is None:
            return
        if kill:
            process.kill()
        with suppress(subprocess.TimeoutExpired):
            process.wait(5.0)
            return
        process.kill()
        process.wait()
