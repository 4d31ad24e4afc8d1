"""Files that only grow: whole lines, each once, safe against crashes and several writers."""

from __future__ import annotations

import fcntl
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import UUID

READ_AT_ONCE = 1 << 20
_LOW_HALF = (1 << 64) - 1


class GrowingFile:
    """One file of one-line records. `id_of` finds a record's identifier in its bytes.

    A record is written with one call and forced to the disk before it counts as written. What a crash left
    behind, a line without its end, is cut away by the next writer.
    """

    def __init__(self, path: Path, id_of: Callable[[bytes], UUID | None], *, header: bytes = b"") -> None:
        self.path = path
        self._id_of = id_of
        self._header = header
        self._seen: set[int] = set()
        self._read_to = 0
        self._inode = 0
        self._mutex = threading.Lock()

    def add(self, identifier: UUID, line: bytes) -> bool:
        """Append the record unless one of its identifier is there; says whether it was appended."""
        with self._mutex, self._locked() as file:
            self._catch_up(file)
            if identifier.int & _LOW_HALF in self._seen:
                return False
            start = self._header if self._read_to == 0 else b""
            _write_whole(file, start + line)
            self._read_to += len(start) + len(line)
            self._seen.add(identifier.int & _LOW_HALF)
            return True

    @contextmanager
    def _locked(self) -> Iterator[int]:
        """The open file, locked against other processes. A file that was moved away is begun anew."""
        is_there = self.path.exists()
        file = os.open(self.path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(file, fcntl.LOCK_EX)
            if not is_there:
                _force_folder(self.path.parent)
            yield file
        finally:
            os.close(file)

    def _catch_up(self, file: int) -> None:
        """Read what others appended since, and cut away a torn end."""
        state = os.fstat(file)
        if state.st_ino != self._inode or state.st_size < self._read_to:
            self._seen.clear()
            self._read_to, self._inode = 0, state.st_ino
        rest = b""
        position = self._read_to
        while chunk := os.pread(file, READ_AT_ONCE, position):
            position += len(chunk)
            *lines, rest = (rest + chunk).split(b"\n")
            for line in lines:
                if (identifier := self._id_of(line)) is not None:
                    self._seen.add(identifier.int & _LOW_HALF)
        self._read_to = position - len(rest)
        if rest:
            os.ftruncate(file, self._read_to)


def _write_whole(file: int, data: bytes) -> None:
    left = memoryview(data)
    while left:
        left = left[os.write(file, left) :]
    os.fsync(file)


def _force_folder(folder: Path) -> None:
    """A new file's name must survive a crash too."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
