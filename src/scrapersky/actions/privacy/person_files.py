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
# Of these a record may span lines, within quotes.
QUOTED = frozenset({".csv", ".tsv"})
MAX_RECORD_LINES = 1_000
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
        lines = _records(path.read_bytes(), is_quoted=path.suffix.lower() in QUOTED)
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


def _records(data: bytes, *, is_quoted: bool) -> list[bytes]:
    """The lines of a file; of lines within quotes, all that belong together."""
    lines = data.splitlines(keepends=True)
    if not is_quoted:
        return lines
    records: list[bytes] = []
    at = 0
    while at < len(lines):
        end = _end_of_record(lines, at)
        records.append(b"".join(lines[at:end]))
        at = end
    return records


def _end_of_record(lines: list[bytes], start: int) -> int:
    """Where the record ends that begins here; a quote that nothing closes is part of its line."""
    quotes = 0
    for end, line in enumerate(lines[start : start + MAX_RECORD_LINES], start + 1):
        quotes += line.count(b'"')
        if quotes % 2 == 0:
            return end
    return start + 1


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
