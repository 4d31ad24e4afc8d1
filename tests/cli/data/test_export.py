"""`export`: formats, filters, and files that cannot be written."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

Sky = Callable[..., Result]


def test_contacts_are_exported_with_their_evidence(sky: Sky, contact: str, tmp_path: Path) -> None:
    written = sky("export", "--to", "jsonl", "--domain", "shop.com")
    one = json.loads(written.stdout)
    assert (one["id"], one["evidence"]) == (contact, "mail info@shop.com")
    file = tmp_path / "contacts.csv"
    assert sky("export", "-o", str(file)).exit_code == 0
    with file.open(newline="", encoding="utf-8") as lines:
        [row] = csv.DictReader(lines)
    assert (row["email"], row["phone_number"]) == ("info@shop.com", "'+4930123456")
    assert "+4930123456,".join(["", ""]) in sky("export", "--raw").stdout
    assert sky("export", "-o", "all.xlsx").exit_code == 0
    assert (tmp_path / "all.xlsx").read_bytes().startswith(b"PK")
    assert sky("export", "-o", "excel.csv", "--excel", "--separator", "semicolon").exit_code == 0
    assert b"\xef\xbb\xbfdomain;email;" in (tmp_path / "excel.csv").read_bytes()
    assert sky("export", "--to", "xlsx").stdout_bytes.startswith(b"PK")


@pytest.mark.parametrize("command", [("export",), ("find", "shop.com"), ("demo",)])
@pytest.mark.parametrize("name", ["out.xls", "out.ods", "out.txt", "out", "missing/out.csv"])
def test_a_file_that_cannot_be_written_is_refused_before_any_work(
    sky: Sky, tmp_path: Path, command: tuple[str, ...], name: str
) -> None:
    result = sky(*command, "-o", name, DATABASE_URL="postgresql://nobody@127.0.0.1:9/none")
    assert result.exit_code == 2
    assert "--output" in result.stderr.splitlines()[-1]
    assert list(tmp_path.iterdir()) == []


def test_contacts_are_filtered_and_counted(sky: Sky, contact: str) -> None:
    every = sky("export", "--to", "jsonl", "--limit", "5")
    assert every.stderr == "1 contact written\n"
    sky("contact", "curate", "archived", contact)
    assert sky("export", "--to", "jsonl").stderr == "0 contacts written\n"
    named = sky("export", "--to", "jsonl", "--curation", "archived")
    assert json.loads(named.stdout)["id"] == contact
    assert sky("export", "--to", "jsonl", "--domain", "other.com", "--curation", "archived").stdout == ""


@pytest.mark.parametrize(
    "wrong",
    [("--curation", "fine"), ("--to", "pdf"), ("--limit", "0"), ("--to", "jsonl", "--excel")],
    ids=" ".join,
)
def test_wrong_options_are_refused(sky: Sky, wrong: tuple[str, ...]) -> None:
    assert sky("export", *wrong).exit_code == 2
