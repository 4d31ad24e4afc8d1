"""Contacts as text: one line of CSV or JSON for each contact."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

import orjson
import phonenumbers

from scrapersky.destinations.contact_columns import CONTACT_COLUMNS
from scrapersky.extract.text.formula_cells import safe_cell

FileFormat = Literal["csv", "jsonl", "xlsx", "parquet"]


@dataclass(frozen=True, slots=True)
class ExportOptions:
    """How a file is written; everything but the format concerns CSV only.

    `excel` adds a byte order mark and writes phone numbers in a form that Excel keeps as text.
    """

    format: FileFormat = "csv"
    formula_safe: bool = True
    excel: bool = False
    separator: str = ","


def csv_line(cells: Iterable[str], *, formula_safe: bool = True, separator: str = ",") -> str:
    """One record by RFC 4180; cells that a spreadsheet would run as a formula are marked as text."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\r\n", delimiter=separator).writerow(
        [safe_cell(cell) if formula_safe else cell for cell in cells]
    )
    return text.getvalue()


def json_line(
    row: Mapping[str, Any],
    *,
    columns: Iterable[str] = CONTACT_COLUMNS,
    first: Mapping[str, Any] | None = None,
) -> str:
    """One object on one line with every column; `first` are fields before them."""
    values = {**(first or {}), **{name: row.get(name) for name in columns}}
    if isinstance(values.get("confidence"), float):
        values["confidence"] = round(values["confidence"], 3)
    return orjson.dumps(values, default=str).decode() + "\n"


def header_line(options: ExportOptions, columns: Iterable[str] = CONTACT_COLUMNS) -> str:
    """The first line of a file, if its format has one."""
    return csv_line(columns, separator=options.separator) if options.format == "csv" else ""


def row_line(row: Mapping[str, Any], options: ExportOptions, columns: Iterable[str] = CONTACT_COLUMNS) -> str:
    """One row as a line of a file."""
    if options.format != "csv":
        return json_line(row, columns=columns)
    if options.excel and (number := row.get("phone_number")):
        row = {**row, "phone_number": excel_phone(str(number))}
    cells = text_cells(row, columns)
    return csv_line(cells, formula_safe=options.formula_safe, separator=options.separator)


def text_cells(row: Mapping[str, Any], columns: Iterable[str] = CONTACT_COLUMNS) -> list[str]:
    return [_text(row.get(name)) for name in columns]


def typed_cells(row: Mapping[str, Any], columns: Iterable[str] = CONTACT_COLUMNS) -> list[Any]:
    """The cells for a format with numbers: numbers stay numbers, everything else is text."""
    return [_value(row.get(name)) for name in columns]


def _value(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, 3)
    return value if isinstance(value, int) and not isinstance(value, bool) else _text(value)


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, float):
        return f"{value:.3g}"
    if isinstance(value, Mapping):
        return orjson.dumps(value, default=str).decode() if value else ""
    if isinstance(value, list | tuple):
        return " ".join(map(str, value))
    return str(value)


def excel_phone(number: str) -> str:
    """A number in E.164 in a form that Excel leaves alone: neither 4.93E+11 nor a formula."""
    try:
        parsed = phonenumbers.parse(number)
    except phonenumbers.NumberParseException:
        return number
    text = phonenumbers.format_number(parsed, phonenumbers.PhoneNumberFormat.INTERNATIONAL)
    code, _, rest = text.partition(" ")
    return f"({code}) {rest}" if rest else f"({code})"
