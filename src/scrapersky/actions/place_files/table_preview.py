"""Uploaded tables: their first rows, what each column means, and the same table under our headings."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import islice

from scrapersky.actions.submission_input import MAX_INPUT_BYTES
from scrapersky.actions.submissions import KINDS
from scrapersky.destinations.contact_format import csv_line
from scrapersky.errors import InvalidInput
from scrapersky.sources.csv.decoder import InvalidCSV
from scrapersky.sources.csv.headings import (
    PLACE_HEADINGS,
    HeadingRow,
    find_headings,
    split_company_and_person,
)
from scrapersky.sources.csv.rows import CSVRow, CSVRows, read_rows

PLACE = "place"
SHOWN_ROWS = 10
MAX_COLUMNS = 60
PLACE_FIELDS = tuple(PLACE_HEADINGS)
DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "vertical bar"}


@dataclass(frozen=True, slots=True)
class TablePreview:
    """The beginning of a file. `mapping` is our field by the number of its column, from 0."""

    encoding: str
    is_sure: bool
    delimiter: str
    headings: tuple[str, ...]
    rows: list[CSVRow]
    mapping: dict[str, int]
    above: list[int] = field(default_factory=list)
    has_headings: bool = False

    @property
    def columns(self) -> list[str]:
        """What each column is called, or its number."""
        width = max((len(row.cells) for row in self.rows), default=0)
        count = min(max(width, len(self.headings)), MAX_COLUMNS)
        names = self.headings if self.has_headings else ()
        known = dict(enumerate(name.strip() for name in names))
        return [known.get(at) or f"Column {at + 1}" for at in range(count)]


def preview_table(
    kind: str, chunks: Iterable[bytes], encoding: str = "", *, heading: str = ""
) -> TablePreview:
    """The first rows, and the columns as their headings say; `heading` is one that a person named."""
    try:
        rows, table = _open(kind, chunks, encoding, heading)
        first = list(islice(table.rows, SHOWN_ROWS))
    except InvalidCSV as error:
        raise InvalidInput(f"The file cannot be read: {error}") from None
    mapping = table.mapping
    if mapping is not None and kind == PLACE:
        mapping = split_company_and_person(mapping)
    return TablePreview(
        encoding=rows.encoding,
        is_sure=rows.is_sure,
        delimiter=DELIMITERS.get(rows.delimiter, rows.delimiter),
        headings=table.headings.cells,
        rows=first,
        mapping=dict(mapping.columns) if mapping else {},
        above=table.above,
        has_headings=table.mapping is not None,
    )


def rename_columns(
    chunks: Iterable[bytes],
    mapping: Mapping[str, int],
    encoding: str = "",
    *,
    skips_first: bool = False,
    heading: str = "",
) -> tuple[bytes, list[tuple[int, str]]]:
    """The table in UTF-8 with only the mapped columns under our headings, and the lines that it lacks.

    Lines keep their numbers, so what is said about line 7 is about line 7 of the file that was uploaded.
    `skips_first` is for headings that only a person recognises.
    """
    if not {"name", "website"} & set(mapping):
        raise InvalidInput("Choose the column that holds the name or the website of the business")
    problems: list[tuple[int, str]] = []
    out = io.StringIO()
    # Cells hold no tab, and quotes protect commas: nothing is left to guess.
    writer = csv.writer(out, delimiter="\t", quoting=csv.QUOTE_ALL, lineterminator="\n")
    writer.writerow(mapping)
    line = 1
    try:
        table = _open(PLACE, chunks, encoding, heading)[1]
        for row in table.rows:
            if skips_first and row.number == table.headings.number:
                continue
            if row.problem:
                problems.append((row.number, row.problem))
                continue
            out.write("\n" * max(0, row.number - line - 1))
            line = max(line + 1, row.number)
            writer.writerow([_cell(row, at) for at in mapping.values()])
    except InvalidCSV as error:
        raise InvalidInput(f"The file cannot be read: {error}") from None
    return out.getvalue().encode("utf-8", "replace"), problems


def rejected_file(lines: Iterable[tuple[int, str, str]]) -> bytes:
    """Refused lines as a file: number, value, reason; no cell is a formula."""
    rows = [("line", "value", "reason"), *((str(number), *texts) for number, *texts in lines)]
    return b"\xef\xbb\xbf" + "".join(map(csv_line, rows)).encode("utf-8", "replace")


def _open(kind: str, chunks: Iterable[bytes], encoding: str, heading: str = "") -> tuple[CSVRows, HeadingRow]:
    rows = read_rows(chunks, max_bytes=MAX_INPUT_BYTES, encoding=encoding)
    if kind == PLACE:
        table = find_headings(rows.rows, PLACE_HEADINGS, heading, needs=("name", "website"))
    else:
        table = find_headings(rows.rows, KINDS[kind].headings)
    if table.headings.problem:
        raise InvalidCSV(f"line {table.headings.number}: {table.headings.problem}")
    return rows, table


def _cell(row: CSVRow, at: int) -> str:
    text = row.cells[at] if 0 <= at < len(row.cells) else ""
    return " ".join(text.split())
