"""Contacts as text: the documented columns, and one line of CSV or JSON for each contact."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, Literal

import orjson
import phonenumbers

from scrapersky.extract.text.formula_cells import safe_cell

Format = Literal["csv", "jsonl", "xlsx"]

# Every column of an exported contact, in this order, and what it says.
COLUMNS: dict[str, str] = {
    "domain": "the website the contact was found on",
    "email": "the address, in lower case",
    "email_type": "role, person or no-reply",
    "email_relation": "own (at the website's domain), free (a mail provider) or other",
    "phone_number": "the number in E.164",
    "phone_type": "phone, mobile or fax",
    "phone_extension": "the extension behind the number",
    "name": "the person",
    "job_title": "what the person does there",
    "address": "the postal address",
    "country": "the country of the contact, two letters",
    "social_urls": "profiles of the contact by network, as JSON",
    "confidence": "how sure the reading is, 0 to 1",
    "source_url": "the page where it was read first",
    "evidence": "the very words on that page",
    "evidence_method": "how it was read there",
    "email_validation_result": "valid, invalid, catch-all, unknown or disposable",
    "email_validation_score": "0 to 100",
    "email_validation_reason": "why",
    "email_validation_suggestion": "the address that was probably meant",
    "decision": "what a person decided: New, Selected, Maybe, Rejected or Archived",
    "tags": "marks such as boilerplate, with spaces between",
    "lawful_basis": "why it may be kept",
    "first_seen_at": "when it was read first",
    "last_seen_at": "when it was read last",
    "id": "our identifier of the contact",
}


def csv_line(cells: Iterable[str], *, formula_safe: bool = True, separator: str = ",") -> str:
    """One record by RFC 4180; cells that a spreadsheet would run are marked as text."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\r\n", delimiter=separator).writerow(
        [safe_cell(cell) if formula_safe else cell for cell in cells]
    )
    return text.getvalue()


def cells_of(contact: Mapping[str, Any], columns: Iterable[str] = COLUMNS) -> list[str]:
    return [_cell(contact.get(name)) for name in columns]


def cell_values(contact: Mapping[str, Any], columns: Iterable[str] = COLUMNS) -> list[Any]:
    """The cells for a format that knows numbers: those stay numbers, everything else is text."""
    return [_typed(contact.get(name)) for name in columns]


def _typed(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, 3)
    return value if isinstance(value, int) and not isinstance(value, bool) else _cell(value)


def excel_phone(number: str) -> str:
    """A number in E.164 as Excel leaves it alone: neither 4.93E+11 nor a formula, and still readable."""
    try:
        shown = phonenumbers.format_number(
            phonenumbers.parse(number), phonenumbers.PhoneNumberFormat.INTERNATIONAL
        )
    except phonenumbers.NumberParseException:
        return number
    code, _, rest = shown.partition(" ")
    return f"({code}) {rest}" if rest else f"({code})"


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, float):
        return f"{value:.3g}"
    if isinstance(value, Mapping):
        return orjson.dumps(value, default=str).decode() if value else ""
    if isinstance(value, list | tuple):
        return " ".join(str(one) for one in value)
    return str(value)


def json_line(contact: Mapping[str, Any], *, first: Mapping[str, Any] | None = None) -> str:
    """One object on one line, with every column; `first` are fields before them."""
    values = {**(first or {}), **{name: contact.get(name) for name in COLUMNS}}
    if isinstance(values.get("confidence"), float):
        values["confidence"] = round(values["confidence"], 3)
    return orjson.dumps(values, default=str).decode() + "\n"


def heading(form: Format, *, separator: str = ",") -> str:
    """The first line of a file, if its form has one."""
    return csv_line(COLUMNS, separator=separator) if form == "csv" else ""


def line_of(
    contact: Mapping[str, Any],
    form: Format,
    *,
    formula_safe: bool = True,
    excel: bool = False,
    separator: str = ",",
) -> str:
    """One contact as a line of a file."""
    if form != "csv":
        return json_line(contact)
    if excel and (number := contact.get("phone_number")):
        contact = {**contact, "phone_number": excel_phone(str(number))}
    return csv_line(cells_of(contact), formula_safe=formula_safe, separator=separator)
