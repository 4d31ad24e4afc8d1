"""A whole file of contacts as CSV, JSON Lines or XLSX, written while they come in."""

from __future__ import annotations

import os
import secrets
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from scrapersky.destinations.writing import COLUMNS, Format, cell_values, heading, line_of
from scrapersky.destinations.xlsx import XLSXWriter
from scrapersky.errors import DestinationError

SUFFIXES: dict[str, Format] = {".csv": "csv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".xlsx": "xlsx"}
EXPECTED = "expected .csv, .jsonl or .xlsx"
BOM = "\ufeff"

AddContact = Callable[[Mapping[str, Any]], None]


@dataclass(frozen=True, slots=True)
class FileStyle:
    """How a file is written; everything but the format concerns CSV only.

    `excel` adds a byte order mark and writes phone numbers in a form that Excel keeps as text.
    """

    form: Format = "csv"
    formula_safe: bool = True
    excel: bool = False
    separator: str = ","


def format_of(path: Path | None, chosen: Format | None = None) -> Format:
    """The format by the name of the file; a name that says another one than was chosen is refused."""
    if path is None:
        return chosen or "csv"
    by_name = SUFFIXES.get(path.suffix.lower())
    if chosen and by_name and chosen != by_name:
        raise DestinationError(f"{path.name} is the name of a {by_name} file, but {chosen} was chosen")
    if by_name or chosen:
        return by_name or chosen or "csv"
    if path.exists() and not path.is_file():
        return "csv"  # A pipe or /dev/stdout has no name that says it.
    what = f"Unknown file type {path.suffix!r}" if path.suffix else f"{path.name!r} has no file type"
    raise DestinationError(f"{what}; {EXPECTED}")


def check_output(path: Path) -> None:
    """Refuse a file that cannot be written, before any work is done for it."""
    folder = path.parent
    if path.is_dir():
        raise DestinationError(f"{path} is a folder")
    if not folder.is_dir():
        raise DestinationError(f"{folder} is not a folder")
    target = path if path.exists() else folder
    if not os.access(target, os.W_OK):
        raise DestinationError(f"{path} cannot be written: permission denied")


@contextmanager
def contact_file(path: Path | None, style: FileStyle) -> Iterator[AddContact]:
    """Gives the function that adds one contact. A file appears whole or not at all; None means stdout."""
    if path is None:
        with _added_to(sys.stdout.buffer, style) as add:
            yield add
        sys.stdout.buffer.flush()
        return
    try:
        with _replaced(path.resolve()) as file, _added_to(file, style) as add:
            yield add
    except OSError as error:
        raise DestinationError(f"{path} cannot be written: {error.strerror or error}") from error


@contextmanager
def _replaced(path: Path) -> Iterator[IO[bytes]]:
    """A new file that replaces the old one at the end; pipes and the like are written directly."""
    if (path.exists() and not path.is_file()) or not os.access(path.parent, os.W_OK):
        with path.open("wb") as file:
            yield file
        return
    # A name that nobody can foresee, and a new file: a link that waits there is never written through.
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
def _added_to(file: IO[bytes], style: FileStyle) -> Iterator[AddContact]:
    if style.form == "xlsx":
        with XLSXWriter(file, list(COLUMNS)) as writer:
            yield lambda contact: writer.add(cell_values(contact))
        return
    is_marked = style.excel and style.form == "csv"
    file.write(((BOM if is_marked else "") + heading(style.form, separator=style.separator)).encode())

    def add(contact: Mapping[str, Any]) -> None:
        line = line_of(
            contact,
            style.form,
            formula_safe=style.formula_safe,
            excel=style.excel,
            separator=style.separator,
        )
        file.write(line.encode("utf-8", "replace"))

    yield add
