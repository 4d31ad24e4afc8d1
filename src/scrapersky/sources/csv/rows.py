"""Rows of a CSV file that people made: any encoding, delimiter and line end; problems are reported by line.

Pure and streaming: chunks of bytes in, rows with line numbers out, memory bounded by the longest row.
"""

from __future__ import annotations

import csv
import re
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain

from scrapersky.extract.text.formula_cells import original_cell
from scrapersky.sources.csv.decoder import InvalidCSV, limit_size, sniff_file, split_lines

MAX_ROW_LENGTH = 100_000
MAX_COLUMNS = 200
# A quoted cell may go over so many lines; a quote that is open longer was never closed.
MAX_CELL_LINES = 25
DELIMITERS = (",", ";", "\t", "|")
SAMPLE_LINES = 30

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_SEP = re.compile(r'"?sep=(.)"?\s*\Z', re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class CSVRow:
    """One row by the number of its first line; with a `problem`, its cells must not be used."""

    number: int
    cells: tuple[str, ...] = ()
    problem: str = ""


@dataclass(slots=True)
class CSVRows:
    """The rows, and how the file was understood."""

    encoding: str
    delimiter: str
    rows: Iterator[CSVRow] = field(repr=False)
    # Whether the encoding is beyond doubt, and the lines with bytes that it does not have, as they are read.
    is_sure: bool = True
    notes: list[tuple[int, str]] = field(default_factory=list)

    @property
    def assumed(self) -> str:
        """The encoding as messages show it."""
        return self.encoding if self.is_sure else f"{self.encoding} (a guess; --encoding chooses another)"

    def __iter__(self) -> Iterator[CSVRow]:
        return self.rows


def read_rows(chunks: Iterable[bytes], *, max_bytes: int = 0, encoding: str = "") -> CSVRows:
    """Read a file; raises CSVRefused when it is none, or longer than `max_bytes` (0: any length).

    Without an `encoding` it is guessed.
    """
    file, notes = sniff_file(limit_size(chunks, max_bytes), encoding), list[tuple[int, str]]()
    lines = split_lines(file.chunks, file.encoding, longest=MAX_ROW_LENGTH, notes=notes)
    sample = list(_first(lines, SAMPLE_LINES))
    if not any(text.strip() for _, text in sample):
        raise InvalidCSV("the file is empty")
    named = _SEP.match(sample[0][1])
    if named:
        del sample[0]
    delimiter = named[1] if named else _delimiter([text for _, text in sample])
    rows = _rows(chain(sample, lines), delimiter)
    return CSVRows(file.encoding, delimiter, rows, file.is_sure, notes)


def _first(lines: Iterator[tuple[int, str]], number: int) -> Iterator[tuple[int, str]]:
    for _, line in zip(range(number), lines, strict=False):
        yield line


def _delimiter(sample: list[str]) -> str:
    """The sign that divides most lines of the sample into equally many cells; titles above them have none."""
    texts = [re.sub(r'"[^"]*"', "", text) for text in sample if text.strip()]
    best, best_score = ",", (0.5, 0)
    for sign in DELIMITERS:
        counts = Counter(text.count(sign) for text in texts)
        usual = max(counts, key=lambda count: (counts[count], count), default=0)
        if usual and (counts[usual] / len(texts), usual) > best_score:
            best, best_score = sign, (counts[usual] / len(texts), usual)
    return best


def _rows(lines: Iterator[tuple[int, str]], delimiter: str) -> Iterator[CSVRow]:
    waiting: deque[tuple[int, str]] = deque()
    while True:
        line = waiting.popleft() if waiting else next(lines, None)
        if line is None:
            return
        number, text = line
        if not text.strip():
            continue
        if problem := _problem(text):
            yield CSVRow(number, problem=problem)
        elif '"' not in text:
            yield _row(number, text.split(delimiter))
        else:
            yield _quoted(number, text, delimiter, lines, waiting)


def _problem(text: str) -> str:
    if len(text) > MAX_ROW_LENGTH:
        return f"longer than {MAX_ROW_LENGTH:,} characters"
    if _CONTROL.search(text):
        return "control character"
    return ""


def _row(number: int, cells: list[str]) -> CSVRow:
    if len(cells) > MAX_COLUMNS:
        return CSVRow(number, problem=f"more than {MAX_COLUMNS} columns")
    return CSVRow(number, tuple(original_cell(cell.strip(" \u00a0")) for cell in cells))


@lru_cache(maxsize=20)
def _outer_space(delimiter: str) -> re.Pattern[str]:
    """A quoted cell, whole, with the white space around its quotes; cells without quotes are passed over."""
    sign, space = re.escape(delimiter), r"[ \u00a0]" if delimiter == "\t" else r"[ \t\u00a0]"
    return re.compile(rf'(?:(?<={sign})|\A){space}*+("(?:[^"]|"")*+"){space}*+(?={sign}|\Z)')


def _without_outer_space(cell: re.Match[str]) -> str:
    return cell[1]


class _NeverClosed(Exception):
    """A quote is open for longer than a cell may be."""


def _quoted(
    number: int,
    text: str,
    delimiter: str,
    lines: Iterator[tuple[int, str]],
    waiting: deque[tuple[int, str]],
) -> CSVRow:
    """A row with quotes; the lines that a quote that is never closed would swallow are returned."""
    taken: list[tuple[int, str]] = []
    # White space between a quote and the sign beside it belongs to no cell.
    text = _outer_space(delimiter).sub(_without_outer_space, text)

    def feed() -> Iterator[str]:
        yield text + "\n"
        size = len(text)
        while True:
            following = waiting.popleft() if waiting else next(lines, None)
            if following is None:
                return
            taken.append(following)
            size += len(following[1])
            if len(taken) > MAX_CELL_LINES or size > MAX_ROW_LENGTH or _CONTROL.search(following[1]):
                raise _NeverClosed
            yield following[1] + "\n"

    try:
        cells = next(csv.reader(feed(), delimiter=delimiter, strict=True, skipinitialspace=True))
    except (csv.Error, _NeverClosed) as error:
        waiting.extendleft(reversed(taken))
        is_open = isinstance(error, _NeverClosed) or bool(taken) or "end of data" in str(error)
        return CSVRow(number, problem="a quote that is not closed" if is_open else "a quote inside a cell")
    return _row(number, [cell.rstrip("\n") for cell in cells])
