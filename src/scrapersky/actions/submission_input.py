"""Parses submitted lines and CSV files, and holds the result of each line."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from itertools import islice
from typing import Any, Literal
from uuid import UUID

from scrapersky.errors import InvalidInput
from scrapersky.sources.csv.decoder import InvalidCSV
from scrapersky.sources.csv.headings import find_headings, fold_heading
from scrapersky.sources.csv.rows import CSVRow, CSVRows, read_rows

MAX_SUBMITTED_LINES = 100_000
MAX_INPUT_BYTES = 10 * 2**20
MAX_SHOWN_CHARACTERS = 200
PREVIEW_LINES = 20
_NUMBER = re.compile(r"[0-9]{1,5}")

Status = Literal["new", "known", "invalid", "platform"]


@dataclass(frozen=True, slots=True)
class InputLine:
    """One submitted line; a line with a `problem` could not be parsed."""

    number: int
    text: str
    problem: str = ""


@dataclass(slots=True)
class LineResult:
    """The result of one submitted line."""

    number: int
    value: str
    status: Status
    reason: str = ""
    id: UUID | None = None
    queued: bool = False

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(slots=True)
class Submission:
    """The results of all lines in their order, and how the file was parsed."""

    lines: list[LineResult] = field(default_factory=list)
    mapping: dict[str, str] = field(default_factory=dict)
    # The assumed encoding of a file, and by line what was skipped or replaced.
    encoding: str = ""
    notes: list[tuple[int, str]] = field(default_factory=list)

    def count(self, status: Status) -> int:
        return sum(line.status == status for line in self.lines)

    @property
    def counts(self) -> dict[str, int]:
        numbers = Counter(line.status for line in self.lines)
        return {status: numbers[status] for status in ("new", "known", "invalid", "platform")} | {
            "lines": len(self.lines),
            "queued": sum(line.queued for line in self.lines),
        }

    @property
    def ids(self) -> list[UUID]:
        """The rows of the valid lines, each once, in the order of the lines."""
        return list(dict.fromkeys(line.id for line in self.lines if line.id is not None))


@dataclass(frozen=True, slots=True)
class Preview:
    """How a file was parsed, with its lines; nothing is stored yet."""

    encoding: str
    delimiter: str
    mapping: dict[str, str]
    lines: list[InputLine]
    assumed: str = ""
    notes: list[tuple[int, str]] = field(default_factory=list)


def parse_lines(text: str | Iterable[str]) -> list[InputLine]:
    """Lines of pasted text, or a list of values; empty lines are skipped. Raises if there are too many."""
    lines = text.splitlines() if isinstance(text, str) else text
    numbered = (InputLine(number, line) for number, line in enumerate(lines, 1) if line.strip())
    return _check_limit(numbered)


def parse_csv(
    chunks: Iterable[bytes], headings: Mapping[str, str], column: str = "", encoding: str = ""
) -> Preview:
    """One column of a CSV file: the one whose heading is known, else the first.

    `column` selects another one by its heading or by its number from 1. Without an `encoding` it is detected.
    """
    with _as_invalid_input():
        rows, mapping, cells = _parse_column(chunks, headings, column, encoding)
        return _preview(rows, mapping, _check_limit(cells))


def preview_lines(
    chunks: Iterable[bytes], headings: Mapping[str, str], column: str = "", encoding: str = ""
) -> Preview:
    """The first lines of that column; no more of the file is read."""
    with _as_invalid_input():
        rows, mapping, cells = _parse_column(chunks, headings, column, encoding)
        return _preview(rows, mapping, list(islice(cells, PREVIEW_LINES)))


def _preview(rows: CSVRows, mapping: dict[str, str], lines: list[InputLine]) -> Preview:
    return Preview(rows.encoding, rows.delimiter, mapping, lines, rows.assumed, rows.notes)


@contextmanager
def _as_invalid_input() -> Iterator[None]:
    try:
        yield
    except InvalidCSV as error:
        raise InvalidInput(f"The file cannot be read: {error}") from None


def _parse_column(
    chunks: Iterable[bytes], headings: Mapping[str, str], column: str, encoding: str
) -> tuple[CSVRows, dict[str, str], Iterator[InputLine]]:
    rows = read_rows(chunks, max_bytes=MAX_INPUT_BYTES, encoding=encoding)
    by_name = "" if _NUMBER.fullmatch(column) else column
    table = find_headings(rows.rows, headings, by_name)
    first, is_heading = table.headings, table.mapping is not None or bool(by_name)
    if first.problem:
        # Without this line the column is unknown.
        raise InvalidCSV(f"line {first.number}: {first.problem}")
    rows.notes += [(number, "above the headings, not read") for number in table.above]
    if by_name:
        index = _find_column(first.cells, column)
    else:
        index = int(column) - 1 if column else (table.mapping.columns["value"] if table.mapping else 0)
    if not 0 <= index < len(first.cells):
        raise InvalidCSV(f"there is no column {column}; the first line has {len(first.cells)}")
    name = first.cells[index] if is_heading else f"column {index + 1}"
    return rows, {"value": name}, (_parse_cell(row, index) for row in table.rows)


def _find_column(cells: tuple[str, ...], heading: str) -> int:
    heads = [fold_heading(cell) for cell in cells]
    if fold_heading(heading) not in heads:
        raise InvalidCSV(f"no column is called {heading[:MAX_SHOWN_CHARACTERS]!r}")
    return heads.index(fold_heading(heading))


def _parse_cell(row: CSVRow, index: int) -> InputLine:
    if row.problem:
        return InputLine(row.number, "", row.problem)
    if index >= len(row.cells) or not row.cells[index].strip():
        return InputLine(row.number, "", "the cell is empty")
    return InputLine(row.number, row.cells[index])


def _check_limit(lines: Iterator[InputLine]) -> list[InputLine]:
    checked = list(islice(lines, MAX_SUBMITTED_LINES + 1))
    if len(checked) > MAX_SUBMITTED_LINES:
        raise InvalidInput(f"More than {MAX_SUBMITTED_LINES:,} lines; submit them in parts")
    return checked


def display_value(text: str) -> str:
    """A submitted value as it may be displayed and stored: short and without null characters."""
    return text[:MAX_SHOWN_CHARACTERS].encode("utf-8", "replace").decode().replace("\x00", "")
