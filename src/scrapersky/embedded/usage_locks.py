"""Which processes use the private PostgreSQL: one locked file each, released by the kernel when it dies."""

from __future__ import annotations

import fcntl
import os
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from scrapersky.errors import StartupError

WAIT_SECONDS = 300.0
POLL_SECONDS = 0.05


@contextmanager
def exclusive_lock(path: Path) -> Iterator[None]:
    """Hold the lock of a file; waits for another process that starts or stops the server."""
    descriptor = _open(path)
    try:
        deadline = time.monotonic() + WAIT_SECONDS
        while not _try_lock(descriptor):
            if time.monotonic() > deadline:
                raise StartupError(
                    f"Another process has held {path} for {WAIT_SECONDS:.0f} s: stop it and try again"
                )
            time.sleep(POLL_SECONDS)
        yield
    finally:
        os.close(descriptor)


class UsageLock:
    """Marks the server as used by this process."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(mode=0o755, exist_ok=True)
        self._path = folder / f"{os.getpid()}-{uuid.uuid4().hex[:8]}"
        self._descriptor = _open(self._path)
        _try_lock(self._descriptor)

    def release(self) -> None:
        self._path.unlink(missing_ok=True)
        os.close(self._descriptor)


def in_use(folder: Path) -> bool:
    """Whether a running process holds a usage lock; those of dead ones are removed. Needs the start lock."""
    used = False
    for path in folder.iterdir() if folder.is_dir() else ():
        descriptor = _open(path)
        try:
            if _try_lock(descriptor):
                path.unlink(missing_ok=True)
            else:
                used = True
        finally:
            os.close(descriptor)
    return used


def _open(path: Path) -> int:
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise StartupError(f"{path} cannot be opened: {error.strerror}") from None


def _try_lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
