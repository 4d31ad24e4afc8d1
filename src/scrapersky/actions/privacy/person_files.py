"""Files without a person: lines are taken out of text files, other files are deleted."""

from __future__ import annotations

import fcntl
import io
import os
import zipfile
from dataclasses import dataclass
from pathlib import Path

from scrapersky.extract.privacy.subject import Subject

# Files of lines; what stands in one line belongs to one contact.
LINED = frozenset({".csv", ".jsonl", ".tsv", ".txt", ".json"})
MAX_PART_BYTES = 256 * 2**20


@dataclass(frozen=True, slots=True)
class PersonFiles:
    """Where files of a tenant may name people: exports, uploads that were searched, and uploads that wait."""

    exports: Path
    searched: Path
    waiting: Path


def erase_from_files(files: PersonFiles, subject: Subject) -> dict[str, str]:
    """What became of each file that named the person, by its name.

    Uploads that wait for their import are deleted unread, in whatever encoding they are: they can be
    uploaded again.
    """
    changed: dict[str, str] = {}
    for path in (*_files(files.exports), *_files(files.searched)):
        if path.suffix.lower() in LINED:
            if lines := _rewrite(path, subject):
                changed[path.name] = f"{lines} lines removed"
        elif subject.contains(_readable(path)):
            path.unlink()
            changed[path.name] = "deleted"
    for path in _files(files.waiting):
        path.unlink(missing_ok=True)
    return changed


def _files(folder: Path) -> list[Path]:
    paths = sorted(folder.iterdir()) if folder.is_dir() else []
    return [path for path in paths if path.is_file() and not path.is_symlink()]


def _rewrite(path: Path, subject: Subject) -> int:
    """Write the file again without the lines of the person; writers of deliveries wait for the lock."""
    file = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    try:
        fcntl.flock(file, fcntl.LOCK_EX)
        lines = path.read_bytes().splitlines(keepends=True)
        kept = [line for line in lines if not subject.contains(line.decode(errors="replace"))]
        if len(kept) < len(lines):
            os.ftruncate(file, 0)
            os.lseek(file, 0, os.SEEK_SET)
            view = memoryview(b"".join(kept))
            while view:
                view = view[os.write(file, view) :]
            os.fsync(file)
        return len(lines) - len(kept)
    finally:
        os.close(file)


def _readable(path: Path) -> str:
    """The text of a file; the parts of a workbook are decompressed."""
    if path.suffix.lower() == ".parquet":
        import duckdb

        with duckdb.connect() as connection:
            return str(connection.read_parquet(str(path)).fetchall())
    data = path.read_bytes()
    if zipfile.is_zipfile(io.BytesIO(data)):
        with zipfile.ZipFile(io.BytesIO(data)) as parts:
            texts = [parts.open(name).read(MAX_PART_BYTES) for name in parts.namelist()]
        return "\n".join(text.decode(errors="replace") for text in texts)
    return data.decode(errors="replace")
