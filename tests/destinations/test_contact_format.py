"""Any text survives a file: Unicode, quotes, line ends and formulas, in constant memory."""

from __future__ import annotations

import csv
import io
import json
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapersky.declarations.statuses import DESTINATION_KIND
from scrapersky.destinations import DestinationContext, make_destinations
from scrapersky.destinations.contact_columns import CONTACT_COLUMNS
from scrapersky.destinations.contact_file import open_contact_file
from scrapersky.destinations.contact_format import ExportOptions, FileFormat, header_line, row_line
from scrapersky.extract.text.formula_cells import original_cell
from scrapersky.tables import contacts

# What PostgreSQL can store: no NUL, no lone surrogates.
TEXT = st.text(st.characters(exclude_characters="\x00", exclude_categories=["Cs"]), max_size=40)


@given(st.dictionaries(st.sampled_from([*CONTACT_COLUMNS]), TEXT), st.sampled_from([",", ";", "\t"]))
def test_every_text_is_the_same_after_reading_a_csv_file(contact: dict[str, str], separator: str) -> None:
    options = ExportOptions("csv", separator=separator)
    text = header_line(options) + row_line(contact, options)
    header, cells = list(csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True))
    assert header == list(CONTACT_COLUMNS)
    assert [original_cell(cell) for cell in cells] == [contact.get(name, "") for name in CONTACT_COLUMNS]


@given(st.dictionaries(st.sampled_from([*CONTACT_COLUMNS]), TEXT))
def test_every_text_is_the_same_after_reading_a_line_of_json(contact: dict[str, str]) -> None:
    line = row_line(contact, ExportOptions("jsonl"))
    assert line.count("\n") == 1
    assert json.loads(line) == {name: contact.get(name) for name in CONTACT_COLUMNS}


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_a_large_export_takes_no_memory_for_its_rows(tmp_path: Path, form: FileFormat) -> None:
    contact: dict[str, Any] = dict.fromkeys(CONTACT_COLUMNS, "x" * 50)

    def peak(number: int) -> int:
        tracemalloc.start()
        with open_contact_file(tmp_path / f"{number}.{form}", ExportOptions(form)) as add:
            for _ in range(number):
                add(contact)
        _, bytes_used = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return bytes_used

    peak(10)
    assert peak(20_000) < peak(200) + 100_000
    with (tmp_path / f"20000.{form}").open("rb") as file:
        assert sum(1 for _ in file) == 20_000 + (form == "csv")


def test_every_column_is_one_of_the_table_or_computed() -> None:
    computed = {"domain", "decision", "first_seen_at", "evidence", "evidence_method"}
    computed |= {"lead_score_why", "attribution"}
    assert set(CONTACT_COLUMNS) - computed <= set(contacts.c.keys())


def test_each_destination_is_found_by_its_kind(tmp_path: Path) -> None:
    destinations = make_destinations(DestinationContext(tmp_path, default_tenant=None))  # type: ignore[arg-type]
    assert {kind: type(made).__name__ for kind, made in destinations.items()} == {
        "csv": "CSVFile",
        "jsonl": "JSONLFile",
        "webhook": "WebhookDestination",
        "n8n": "N8NWorkflow",
        "hubspot": "HubSpot",
        "brevo": "Brevo",
    }
    assert set(destinations) <= set(DESTINATION_KIND)
