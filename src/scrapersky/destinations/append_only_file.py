"""Append-only files of whole lines, each once, safe against crashes and concurrent writers."""

from __future__ import annotations

import fcntl
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import UUID

CHUNK_BYTES = 1 << 20
_LOW_HALF = (1 << 64) - 1


class AppendOnlyFile:
    """One file of one-line records; `read_id` reads a record's identifier from its bytes.

    A record is flushed to the disk before it counts as written. The next writer truncates an incomplete last
    line that a crash left behind.
    """

    def __init__(self, path: Path, read_id: Callable[[bytes], UUID | None], *, header: bytes = b"") -> None:
        self.path = path
        self._read_id = read_id
        self._header = header
        # Half of each identifier is enough to distinguish records, and takes half the memory.
        self._ids: set[int] = set()
        self._end = 0
        self._inode = 0
        self._mutex = threading.Lock()

    def append(self, identifier: UUID, line: bytes) -> bool:
        """Append the record unless its identifier is present; returns whether it was appended."""
        with self._mutex, self._open_locked() as file:
            self._read_new_lines(file)
            if identifier.int & _LOW_HALF in self._ids:
                return False
            data = line if self._end else self._header + line
            _write_all(file, data)
            self._end += len(data)
            self._ids.add(identifier.int & _LOW_HALF)
            return True

    @contextmanager
    def _open_locked(self) -> Iterator[int]:
        """The open file, locked against other processes; created if it does not exist."""
        exists = self.path.exists()
        file = os.open(self.path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(file, fcntl.LOCK_EX)
            if not exists:
                _sync_folder(self.path.parent)
            yield file
        finally:
            os.close(file)

    def _read_new_lines(self, file: int) -> None:
        """Read the lines that other writers appended, and truncate an incomplete last line."""
        state = os.fstat(file)
        if state.st_ino != self._inode or state.st_size < self._end:
            self._ids.clear()
            self._end, self._inode = 0, state.st_ino
        rest = b""
        position = self._end
        while chunk := os.pread(file, CHUNK_BYTES, position):
            position += len(chunk)
            *lines, rest = (rest + chunk).split(b"\n")
            for line in lines:
                if (identifier := self._read_id(line)) is not None:
                    self._ids.add(identifier.int & _LOW_HALF)
        self._end = position - len(rest)
        if rest:
            os.ftruncate(file, self._end)


def _write_all(file: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(file, view) :]
    os.fsync(file)


def _sync_folder(folder: Path) -> None:
    """Make the name of a new file survive a crash too."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
