"""Contacts appended to files: each once, whole lines only, whatever crashes."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
import uuid
from pathlib import Path

import pytest

from scrapersky.destinations import DeliveryPayload, DestinationContext, make_destinations
from scrapersky.destinations.contact_columns import CONTACT_COLUMNS
from scrapersky.destinations.contact_format import ExportOptions, header_line, row_line
from scrapersky.destinations.csv_file import CSVFile
from scrapersky.destinations.jsonl_file import JSONLFile
from scrapersky.errors import DestinationError
from scrapersky.extract.text.formula_cells import original_cell

TENANT, OTHER = uuid.UUID(int=1), uuid.UUID(int=2)
KINDS = {"csv": CSVFile, "jsonl": JSONLFile}


def context(folder: Path) -> DestinationContext:
    return DestinationContext(folder, TENANT)


def payload(number: int = 0, *, kind: str = "csv", **given: object) -> DeliveryPayload:
    contact = {
        "domain": "shop.com",
        "email": f"info{number}@shop.com",
        "tags": [],
        "social_urls": {},
        **given,
    }
    return DeliveryPayload(kind, "My list", contact, uuid.UUID(int=number + 1), TENANT)


def emails(path: Path) -> list[str]:
    if path.suffix == ".jsonl":
        return [json.loads(line)["email"] for line in path.read_text().splitlines()]
    with path.open(newline="") as file:
        return [row["email"] for row in csv.DictReader(file)]


@pytest.mark.parametrize("kind", KINDS)
async def test_a_parcel_is_one_line_with_every_column(tmp_path: Path, kind: str) -> None:
    destination = make_destinations(DestinationContext(tmp_path / "exports", TENANT))[kind]
    one = payload(7, kind=kind, name="Ada", address="Main Street 1\nPortland", confidence=0.87654)
    assert await destination.deliver(one) == f"My-list.{kind}#{one.delivery_id}"
    path = tmp_path / "exports" / f"My-list.{kind}"
    assert emails(path) == ["info7@shop.com"]
    if kind == "csv":
        heading, line = path.read_text().splitlines()
        assert heading.split(",") == ["delivery_id", *CONTACT_COLUMNS]
        assert "Main Street 1 Portland" in line


@pytest.mark.parametrize("kind", KINDS)
async def test_the_same_delivery_twice_is_one_line(tmp_path: Path, kind: str) -> None:
    """A crash between the write and the commit ends in a second try by another process."""
    first, again = KINDS[kind](context(tmp_path)), KINDS[kind](context(tmp_path))
    for destination in (first, again, first, again):
        await destination.deliver(payload(1, kind=kind))
        await destination.deliver(payload(2, kind=kind))
    assert emails(tmp_path / f"My-list.{kind}") == ["info1@shop.com", "info2@shop.com"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("kept", [1, 20, 60])
async def test_a_torn_last_line_is_repaired(tmp_path: Path, kind: str, kept: int) -> None:
    path = tmp_path / f"My-list.{kind}"
    await KINDS[kind](context(tmp_path)).deliver(payload(1, kind=kind))
    whole = path.read_bytes()
    await KINDS[kind](context(tmp_path)).deliver(payload(2, kind=kind))
    path.write_bytes(path.read_bytes()[: len(whole) + kept])
    await KINDS[kind](context(tmp_path)).deliver(payload(2, kind=kind))
    await KINDS[kind](context(tmp_path)).deliver(payload(3, kind=kind))
    assert emails(path) == ["info1@shop.com", "info2@shop.com", "info3@shop.com"]


async def test_a_torn_heading_is_written_again(tmp_path: Path) -> None:
    path = tmp_path / "My-list.csv"
    path.write_bytes(b"delivery_id,dom")
    await CSVFile(context(tmp_path)).deliver(payload(1))
    assert emails(path) == ["info1@shop.com"]


@pytest.mark.parametrize("kind", KINDS)
async def test_a_file_that_was_moved_away_is_created_again(tmp_path: Path, kind: str) -> None:
    destination = KINDS[kind](context(tmp_path))
    path = tmp_path / f"My-list.{kind}"
    await destination.deliver(payload(1, kind=kind))
    path.rename(tmp_path / "taken")
    await destination.deliver(payload(2, kind=kind))
    assert emails(path) == ["info2@shop.com"]


WRITER = """
import asyncio, sys, uuid
from pathlib import Path
from scrapersky.destinations import DeliveryPayload, DestinationContext
from scrapersky.destinations.csv_file import CSVFile

async def main(folder, start):
    destination = CSVFile(DestinationContext(Path(folder), uuid.UUID(int=1)))
    numbers = range(start, start + 60)
    def payload(n):
        contact = {"email": f"info{n}@shop.com"}
        return DeliveryPayload("csv", "My list", contact, uuid.UUID(int=n + 1), uuid.UUID(int=1))
    payloads = [payload(n) for n in numbers]
    await asyncio.gather(*(destination.deliver(one) for one in payloads))

asyncio.run(main(sys.argv[1], int(sys.argv[2])))
"""


def test_several_processes_write_whole_lines_each_once(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path), str(start)], env=environment)
        for start in (0, 30, 60)
    ]
    assert [writer.wait(60) for writer in writers] == [0, 0, 0]
    found = emails(tmp_path / "My-list.csv")
    assert sorted(found) == sorted(f"info{n}@shop.com" for n in range(120))


FORMULAS = ['=HYPERLINK("http://evil","x")', "+cmd|' /C calc'!A0", "-2+3", "@SUM(1)", "\t=1+1", "\r=1+1",
            "＝1+1", "＋1", "－1", "＠x", "'=already"]  # fmt: skip


@pytest.mark.parametrize("formula", FORMULAS)
async def test_no_cell_of_any_column_begins_a_formula(tmp_path: Path, formula: str) -> None:
    """S15, C16: marked as text in the file, and the original value after reading it again."""
    options = ExportOptions("csv")
    text = header_line(options) + row_line(dict.fromkeys(CONTACT_COLUMNS, formula), options)
    _, cells = list(csv.reader(text.splitlines(keepends=True)))
    assert len(cells) == len(CONTACT_COLUMNS)
    assert all(cell.startswith("'") for cell in cells)
    assert {original_cell(cell) for cell in cells} == {formula}
    await CSVFile(context(tmp_path)).deliver(payload(1, **dict.fromkeys(CONTACT_COLUMNS, formula)))
    with (tmp_path / "My-list.csv").open(newline="") as file:
        _, delivered = list(csv.reader(file))
    assert not [cell for cell in delivered[1:] if cell[:1] in "=+-@\t\r\n＝＋－＠"]


async def test_formula_protection_can_be_disabled(tmp_path: Path) -> None:
    raw = DeliveryPayload(
        "csv", "raw", {"phone_number": "+49301234"}, uuid.UUID(int=9), TENANT, {"formula_safe": False}
    )
    await CSVFile(context(tmp_path)).deliver(raw)
    assert ",+49301234," in (tmp_path / "raw.csv").read_text()


@pytest.mark.parametrize("name", ["../x", "/etc/passwd", "a/b", "..", ".hidden", "a\x00b", "x" * 300])
async def test_a_file_outside_the_folder_is_refused(tmp_path: Path, name: str) -> None:
    bad = DeliveryPayload("csv", "list", {}, uuid.UUID(int=1), TENANT, {"file": name})
    with pytest.raises(DestinationError, match="Invalid file name"):
        await CSVFile(context(tmp_path / "exports")).deliver(bad)
    assert list(tmp_path.iterdir()) == []


async def test_the_destinations_name_never_leaves_the_folder(tmp_path: Path) -> None:
    odd = DeliveryPayload("csv", "../../etc/passwd", {}, uuid.UUID(int=1), TENANT)
    await CSVFile(context(tmp_path)).deliver(odd)
    assert [path.name for path in tmp_path.iterdir()] == ["etc-passwd.csv"]


async def test_a_folder_that_cannot_be_written_is_said_plainly(tmp_path: Path) -> None:
    (tmp_path / "exports").write_text("a file where a folder should be")
    with pytest.raises(DestinationError, match="Cannot write"):
        await CSVFile(context(tmp_path / "exports")).deliver(payload())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("options", [{}, {"file": "shared"}])
async def test_two_tenants_with_one_name_share_no_file(tmp_path: Path, kind: str, options: dict) -> None:
    destination = KINDS[kind](context(tmp_path))
    for number, tenant in enumerate((TENANT, OTHER)):
        contact = {"email": f"info{number}@shop.com"}
        await destination.deliver(
            DeliveryPayload(kind, "My list", contact, uuid.UUID(int=number + 1), tenant, options)
        )
    name = f"{options.get('file', 'My-list')}.{kind}"
    assert emails(tmp_path / name) == ["info0@shop.com"]
    assert emails(tmp_path / str(OTHER) / name) == ["info1@shop.com"]
    assert (tmp_path / str(OTHER)).stat().st_mode & 0o077 == 0
