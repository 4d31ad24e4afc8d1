"""Lines that people submit, and what became of each."""

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

MAX_LINES = 100_000
MAX_INPUT_BYTES = 10 * 2**20
MAX_SHOWN_CHARACTERS = 200
PREVIEW_LINES = 20
_NUMBER = re.compile(r"[0-9]{1,5}")

Status = Literal["new", "known", "invalid", "platform"]


@dataclass(frozen=True, slots=True)
class InputLine:
    """One line as it was given; with a `problem` it could not even be read."""

    number: int
    text: str
    problem: str = ""


@dataclass(slots=True)
class LineResult:
    """What became of one line."""

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
    """All lines in the order given, and how a file was understood."""

    lines: list[LineResult] = field(default_factory=list)
    mapping: dict[str, str] = field(default_factory=dict)
    # How a file was read: its encoding as people are told it, and what was passed over or replaced, by line.
    encoding: str = ""
    notes: list[tuple[int, str]] = field(default_factory=list)

    def count(self, status: Status) -> int:
        return sum(line.status == status for line in self.lines)

    @property
    def counts(self) -> dict[str, int]:
        found = Counter(line.status for line in self.lines)
        return {status: found[status] for status in ("new", "known", "invalid", "platform")} | {
            "lines": len(self.lines),
            "queued": sum(line.queued for line in self.lines),
        }

    @property
    def ids(self) -> list[UUID]:
        """The rows behind the good lines, each once, in the order given."""
        return list(dict.fromkeys(line.id for line in self.lines if line.id is not None))


@dataclass(frozen=True, slots=True)
class Preview:
    """How a file was understood, with its first lines; nothing of it is stored."""

    encoding: str
    delimiter: str
    mapping: dict[str, str]
    lines: list[InputLine]
    assumed: str = ""
    notes: list[tuple[int, str]] = field(default_factory=list)


def parse_lines(text: str | Iterable[str]) -> list[InputLine]:
    """Lines of pasted text, or a list of values; empty lines are passed over, more than the limit refused."""
    lines = text.splitlines() if isinstance(text, str) else text
    numbered = (InputLine(number, line) for number, line in enumerate(lines, 1) if line.strip())
    return _within_limit(numbered)


def parse_csv(
    chunks: Iterable[bytes], headings: Mapping[str, str], column: str = "", encoding: str = ""
) -> Preview:
    """The wanted column of a CSV file, whole, and how it was read; without headings it is the first column.

    `column` chooses another one, by its heading or by its number from 1. Without an `encoding` it is guessed.
    """
    with _refused_as_bad_input():
        rows, mapping, cells = _understood(chunks, headings, column, encoding)
        return _told(rows, mapping, _within_limit(cells))


def preview_lines(
    chunks: Iterable[bytes], headings: Mapping[str, str], column: str = "", encoding: str = ""
) -> Preview:
    """How a file would be read; no more of it is read than is shown."""
    with _refused_as_bad_input():
        rows, mapping, cells = _understood(chunks, headings, column, encoding)
        return _told(rows, mapping, list(islice(cells, PREVIEW_LINES)))


def _told(rows: CSVRows, mapping: dict[str, str], lines: list[InputLine]) -> Preview:
    return Preview(rows.encoding, rows.delimiter, mapping, lines, rows.assumed, rows.notes)


@contextmanager
def _refused_as_bad_input() -> Iterator[None]:
    try:
        yield
    except InvalidCSV as error:
        raise InvalidInput(f"The file cannot be read: {error}") from None


def _understood(
    chunks: Iterable[bytes], headings: Mapping[str, str], column: str, encoding: str
) -> tuple[CSVRows, dict[str, str], Iterator[InputLine]]:
    rows = read_rows(chunks, max_bytes=MAX_INPUT_BYTES, encoding=encoding)
    by_name = "" if _NUMBER.fullmatch(column) else column
    found = find_headings(rows.rows, headings, by_name)
    first, is_heading = found.headings, found.mapping is not None or bool(by_name)
    if first.problem:
        # It says which column is meant, so nothing below it can be understood without it.
        raise InvalidCSV(f"line {first.number}: {first.problem}")
    rows.notes += [(number, "above the headings, not read") for number in found.above]
    if by_name:
        at = _called(first.cells, column)
    else:
        at = int(column) - 1 if column else (found.mapping.columns["value"] if found.mapping else 0)
    if not 0 <= at < len(first.cells):
        raise InvalidCSV(f"there is no column {column}; the first line has {len(first.cells)}")
    shown = first.cells[at] if is_heading else f"column {at + 1}"
    return rows, {"value": shown}, (_cell(row, at) for row in found.rows)


def _called(cells: tuple[str, ...], heading: str) -> int:
    heads = [fold_heading(cell) for cell in cells]
    if fold_heading(heading) not in heads:
        raise InvalidCSV(f"no column is called {heading[:MAX_SHOWN_CHARACTERS]!r}")
    return heads.index(fold_heading(heading))


def _cell(row: CSVRow, at: int) -> InputLine:
    if row.problem:
        return InputLine(row.number, "", row.problem)
    if at >= len(row.cells) or not row.cells[at].strip():
        return InputLine(row.number, "", "the cell is empty")
    return InputLine(row.number, row.cells[at])


def _within_limit(lines: Iterator[InputLine]) -> list[InputLine]:
    listed = list(islice(lines, MAX_LINES + 1))
    if len(listed) > MAX_LINES:
        raise InvalidInput(f"More than {MAX_LINES:,} lines; submit them in parts")
    return listed


def shown(text: str) -> str:
    """A given value as it may be told back: short, and storable anywhere."""
    return text[:MAX_SHOWN_CHARACTERS].encode("utf-8", "replace").decode().replace("\x00", "")
