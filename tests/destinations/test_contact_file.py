"""Whole files of contacts: CSV for machines and for Excel, JSON Lines, and real XLSX in constant memory."""

from __future__ import annotations

import csv
import io
import json
import re
import tracemalloc
from pathlib import Path
from typing import Any
from xml.etree import ElementTree
from zipfile import ZipFile

import pytest

from scrapersky.destinations.contact_columns import CONTACT_COLUMNS
from scrapersky.destinations.contact_file import check_output, detect_format, open_contact_file
from scrapersky.destinations.contact_format import ExportOptions
from scrapersky.destinations.xlsx_writer import MAX_CELL, XLSXWriter
from scrapersky.errors import DestinationError

MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
CONTACT: dict[str, Any] = {
    "domain": "acme.de", "email": "info@acme.de", "phone_number": "+493025930170", "name": "Jürgen 東京 😀",
    "address": "Straße 1\r\n01067 Dresden", "confidence": 0.87654, "email_validation_score": 90,
    "tags": ["a", "b"], "social_urls": {"x": "https://x.com/acme"}, "phone_extension": "007",
}  # fmt: skip
FORMULAS = ["=1+1", "+49301234", "-2", "@SUM(1)", "\t=1", "\r=1", "＝1", '=HYPERLINK("http://evil","x")']


def sheets(data: bytes) -> list[list[dict[str, Any]]]:
    """Each sheet as rows of cells by column letter, numbers as numbers; every part must be XML."""
    with ZipFile(io.BytesIO(data)) as archive:
        assert archive.testzip() is None
        parts = {name: ElementTree.fromstring(archive.read(name)) for name in archive.namelist()}
    assert {"[Content_Types].xml", "_rels/.rels", "xl/workbook.xml", "xl/styles.xml"} <= parts.keys()
    names = sorted(
        (n for n in parts if n.startswith("xl/worksheets/")), key=lambda n: int(re.sub(r"\D", "", n))
    )
    assert not any(parts[name].findall(f".//{MAIN}f") for name in names), "a formula"
    return [[_row(row) for row in parts[name].iter(f"{MAIN}row")] for name in names]


def _row(row: Any) -> dict[str, Any]:
    cells = {}
    for cell in row.iter(f"{MAIN}c"):
        value = cell.find(f"{MAIN}v")
        letters = cell.get("r").rstrip("0123456789")
        cells[letters] = float(value.text) if value is not None else cell.find(f".//{MAIN}t").text
    return cells


def xlsx(path: Path, *contacts: dict[str, Any]) -> list[dict[str, Any]]:
    with open_contact_file(path, ExportOptions("xlsx")) as add:
        for contact in contacts:
            add(contact)
    [[heads, *rows]] = sheets(path.read_bytes())
    assert list(heads.values()) == list(CONTACT_COLUMNS)
    return [{heads[letters]: value for letters, value in row.items()} for row in rows]


def test_an_xlsx_file_is_one_and_keeps_text_as_text(tmp_path: Path) -> None:
    [row] = xlsx(tmp_path / "out.xlsx", CONTACT)
    same = {name: CONTACT[name] for name in ("domain", "email", "phone_number", "name", "phone_extension")}
    assert row == {
        **same, "address": "Straße 1\n01067 Dresden", "confidence": 0.877, "email_validation_score": 90,
        "tags": "a b", "social_urls": '{"x":"https://x.com/acme"}',
    }  # fmt: skip
    assert [one.name for one in tmp_path.iterdir()] == ["out.xlsx"]


@pytest.mark.parametrize(
    "text", [*FORMULAS, '<b>&amp;"', "a\x00b\x01\x1f\ud800\ufffe", "_x0041_", "x" * 40_000, "😀" * 20_000]
)
def test_no_text_breaks_an_xlsx_file_or_becomes_a_formula(tmp_path: Path, text: str) -> None:
    [row] = xlsx(tmp_path / "out.xlsx", {"name": text})
    shown = row["name"].replace("_x005F_", "_")
    assert len(shown.encode("utf-16-le")) <= 2 * MAX_CELL
    kept = re.sub("[\x00-\x08\x1f\ud800\ufffe]", "", text.replace("\r", "\n"))
    assert kept.startswith(shown.removesuffix("…"))
    assert shown == kept or len(kept) > 10_000


def test_rows_beyond_a_sheet_go_to_the_next_one() -> None:
    stream = io.BytesIO()
    with XLSXWriter(stream, ["n"], max_rows=4) as writer:
        for number in range(7):
            writer.add([number])
    assert [[next(iter(row.values())) for row in sheet] for sheet in sheets(stream.getvalue())] == [
        ["n", 0, 1, 2], ["n", 3, 4, 5], ["n", 6],
    ]  # fmt: skip
    with ZipFile(stream) as archive:
        assert archive.read("xl/workbook.xml").count(b"<sheet ") == 3


def test_an_xlsx_file_takes_no_memory_for_its_rows(tmp_path: Path) -> None:
    def peak(number: int) -> int:
        tracemalloc.start()
        with open_contact_file(tmp_path / f"{number}.xlsx", ExportOptions("xlsx")) as add:
            for _ in range(number):
                add(CONTACT)
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most

    peak(10)
    assert peak(6_000) < peak(600) + 300_000


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_csv_for_excel_has_a_mark_and_readable_phones(tmp_path: Path, separator: str) -> None:
    path = tmp_path / "out.csv"
    with open_contact_file(path, ExportOptions("csv", excel=True, separator=separator)) as add:
        for number in ("+493025930170", "+12025550123", "+442079460000", "+81352535111", "+39066982", None):
            add({**CONTACT, "phone_number": number})
        for payload in FORMULAS:
            add(dict.fromkeys(CONTACT_COLUMNS, payload))
    assert path.read_bytes().startswith(b"\xef\xbb\xbfdomain" + separator.encode())
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file, delimiter=separator))
    assert [row["phone_number"] for row in rows[:6]] == [
        "(+49) 30 25930170", "(+1) 202-555-0123", "(+44) 20 7946 0000", "(+81) 3-5253-5111", "(+39) 06 6982",
        "",
    ]  # fmt: skip
    assert rows[0]["name"] == CONTACT["name"]
    assert not [cell for row in rows for cell in row.values() if cell[:1] and cell[0] in "=+-@\t\r＝＋－＠"]


def test_csv_for_machines_has_neither(tmp_path: Path) -> None:
    with open_contact_file(tmp_path / "a.csv", ExportOptions("csv", formula_safe=False)) as add:
        add(CONTACT)
    text = (tmp_path / "a.csv").read_text(encoding="utf-8")
    assert text.startswith("domain,")
    assert ",+493025930170," in text


@pytest.mark.parametrize(
    ("name", "form"),
    [("a.csv", "csv"), ("A.CSV", "csv"), ("a.b.jsonl", "jsonl"), ("a.ndjson", "jsonl"), ("a.XLSX", "xlsx")],
)
def test_the_suffix_of_a_file_determines_its_format(name: str, form: str) -> None:
    assert detect_format(Path(name)) == form


@pytest.mark.parametrize("name", ["a.xls", "a.ods", "a.txt", "a.json", "a", "a.csv.gz", "a.xlsm", ".csv"])
def test_another_name_is_refused_and_says_which_are_known(name: str) -> None:
    with pytest.raises(DestinationError, match=r"expected \.csv, \.jsonl, \.xlsx or \.parquet"):
        detect_format(Path(name))
    assert detect_format(Path(name), "jsonl") == "jsonl"


@pytest.mark.parametrize(("name", "chosen"), [("a.xlsx", "csv"), ("a.csv", "xlsx"), ("a.jsonl", "csv")])
def test_a_name_that_says_another_format_is_refused(name: str, chosen: Any) -> None:
    with pytest.raises(DestinationError, match="was chosen"):
        detect_format(Path(name), chosen)


def test_a_failure_leaves_the_old_file_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "out.xlsx"
    path.write_bytes(b"old")

    def interrupted() -> None:
        with open_contact_file(path, ExportOptions("xlsx")) as add:
            add(CONTACT)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert [(one.name, one.read_bytes()) for one in tmp_path.iterdir()] == [("out.xlsx", b"old")]


def test_the_longest_name_can_be_written(tmp_path: Path) -> None:
    path = tmp_path / f"{'東' * 83}.csv"
    with open_contact_file(path, ExportOptions()) as add:
        add(CONTACT)
    assert [one.name for one in tmp_path.iterdir()] == [path.name]


def test_a_link_that_waits_for_the_unfinished_file_is_not_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("secrets.token_hex", lambda size: "0")
    (tmp_path / "precious").write_text("kept")
    (tmp_path / ".scrapersky-0.part").symlink_to(tmp_path / "precious")
    with pytest.raises(DestinationError), open_contact_file(tmp_path / "out.csv", ExportOptions()) as add:
        add(CONTACT)
    assert (tmp_path / "precious").read_text() == "kept"


@pytest.mark.parametrize("place", ["missing/out.csv", "folder", "file/out.csv"])
def test_a_place_that_cannot_be_written_is_refused_at_once(tmp_path: Path, place: str) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("x")
    with pytest.raises(DestinationError, match="folder"):
        check_output(tmp_path / place)


def test_json_lines_are_unchanged(tmp_path: Path) -> None:
    with open_contact_file(tmp_path / "a.jsonl", ExportOptions("jsonl")) as add:
        add(CONTACT)
    assert json.loads((tmp_path / "a.jsonl").read_text())["phone_number"] == "+493025930170"
