"""A whole file of contacts as CSV, JSON Lines, XLSX or Parquet, written as they arrive."""

from __future__ import annotations

import os
import secrets
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from scrapersky.destinations.contact_columns import CONTACT_COLUMNS
from scrapersky.destinations.contact_format import (
    ExportOptions,
    FileFormat,
    header_line,
    row_line,
    typed_cells,
)
from scrapersky.destinations.parquet_writer import ParquetWriter
from scrapersky.destinations.xlsx_writer import XLSXWriter
from scrapersky.errors import DestinationError

SUFFIXES: dict[str, FileFormat] = {
    ".csv": "csv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".xlsx": "xlsx",
    ".parquet": "parquet",
}
EXPECTED = "expected .csv, .jsonl, .xlsx or .parquet"
BOM = "\ufeff"

AddRow = Callable[[Mapping[str, Any]], None]


def detect_format(path: Path | None, chosen: FileFormat | None = None) -> FileFormat:
    """The format by the suffix of the file; a suffix that contradicts the chosen format is an error."""
    if path is None:
        return chosen or "csv"
    by_suffix = SUFFIXES.get(path.suffix.lower())
    if chosen and by_suffix and chosen != by_suffix:
        raise DestinationError(f"{path.name} is the name of a {by_suffix} file, but {chosen} was chosen")
    if by_suffix or chosen:
        return by_suffix or chosen or "csv"
    if path.exists() and not path.is_file():
        return "csv"  # Pipes and /dev/stdout have no suffix.
    problem = f"Unknown file type {path.suffix!r}" if path.suffix else f"{path.name!r} has no file type"
    raise DestinationError(f"{problem}; {EXPECTED}")


def check_output(path: Path) -> None:
    """Fail early if the file cannot be written."""
    folder = path.parent
    if path.is_dir():
        raise DestinationError(f"{path} is a folder")
    if not folder.is_dir():
        raise DestinationError(f"{folder} is not a folder")
    target = path if path.exists() else folder
    if not os.access(target, os.W_OK):
        raise DestinationError(f"Cannot write {path}: permission denied")


@contextmanager
def open_contact_file(
    path: Path | None, options: ExportOptions, columns: Sequence[str] = tuple(CONTACT_COLUMNS)
) -> Iterator[AddRow]:
    """Yields the function that adds a row. The file appears complete or not at all; None means stdout."""
    if path is None:
        with _writer(sys.stdout.buffer, options, columns) as add:
            yield add
        sys.stdout.buffer.flush()
        return
    try:
        with _replacement(path.resolve()) as file, _writer(file, options, columns) as add:
            yield add
    except OSError as error:
        raise DestinationError(f"Cannot write {path}: {error.strerror or error}") from error


@contextmanager
def _replacement(path: Path) -> Iterator[IO[bytes]]:
    """A new file that replaces the old one at the end; pipes and devices are written directly."""
    if (path.exists() and not path.is_file()) or not os.access(path.parent, os.W_OK):
        with path.open("wb") as file:
            yield file
        return
    # A random name and exclusive creation: a symbolic link placed there is never written through.
    part = path.with_name(f".scrapersky-{secrets.token_hex(8)}.part")
    try:
        with part.open("xb") as file:
            if path.exists():
                part.chmod(path.stat().st_mode & 0o777)
            yield file
        part.replace(path)
    except BaseException:
        with suppress(OSError):
            part.unlink()
        raise


@contextmanager
def _writer(file: IO[bytes], options: ExportOptions, columns: Sequence[str]) -> Iterator[AddRow]:
    if options.format == "xlsx":
        with XLSXWriter(file, columns) as writer:
            yield lambda row: writer.add(typed_cells(row, columns))
        return
    if options.format == "parquet":
        with ParquetWriter(file, columns) as table:
            yield table.add
        return
    mark = BOM if options.excel and options.format == "csv" else ""
    file.write((mark + header_line(options, columns)).encode())

    def add(row: Mapping[str, Any]) -> None:
        file.write(row_line(row, options, columns).encode("utf-8", "replace"))

    yield add


def write_contacts(
    path: Path, contacts: Iterable[Mapping[str, Any]], options: ExportOptions | None = None
) -> None:
    """Write a whole file; without options its name decides the format."""
    with open_contact_file(path, options or ExportOptions(detect_format(path))) as add:
        for contact in contacts:
            add(contact)
