"""What people see of a run: progress that fits, numbers that agree, the grammar of one, and local time."""

from __future__ import annotations

import csv
import json
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import CliRunner

from scrapersky.cli import main
from scrapersky.cli.output import _cell, echo_fields
from scrapersky.cli.progress import progress_line, result_line
from scrapersky.log import pluralize
from scrapersky.queries.progress import StageProgress

NAMES = ("search_places", "deep_scan", "extract_domain", "read_metadata", "submit_domain")
NAMES += ("discover_sitemaps", "import_sitemap", "read_page", "validate_email")


def counts(**some: tuple[int, int]) -> dict[str, StageProgress]:
    """Every stage through with 200 rows, but these: how many are done and how many are open."""
    every = {name: some.get(name, (200, 0)) for name in NAMES}
    return {name: StageProgress(done=done, open=left) for name, (done, left) in every.items()}


@pytest.mark.parametrize("width", [200, 120, 79, 50, 36])
def test_progress_fits_and_always_shows_the_stage_that_brings_contacts(width: int) -> None:
    line = progress_line(counts(read_page=(1_234, 567), validate_email=(10, 30)), 75.4, width)
    assert len(line) <= width
    assert "read_page 1234+567" in line
    if width >= 79:
        assert "validate_email 10+30" in line
    assert ("…" in line) == (width < 200)


def test_stages_that_are_through_make_room_for_those_that_work() -> None:
    line = progress_line(counts(read_metadata=(3, 197), read_page=(5, 0)), 1.0, 60)
    assert "read_metadata 3+197" in line
    assert "search_places" not in line
    assert progress_line(counts(), 1.0).count("200") == len(NAMES), "a log has room for all"


@pytest.mark.parametrize(
    ("number", "text"), [(0, "0 contacts"), (1, "1 contact"), (2, "2 contacts"), (1_200, "1,200 contacts")]
)
def test_one_is_singular(number: int, text: str) -> None:
    assert pluralize(number, "contact") == text
    assert pluralize(1, "business", "businesses") == "1 business"
    summary = {"contacts": number, "pages": 1, "later": 0, "seconds": 1.5, "boilerplate": 0}
    assert result_line(summary, None) == f"{text}, 1 page read in 1.5 s"


@pytest.fixture
def _kathmandu(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with monkeypatch.context() as patch:
        patch.setenv("TZ", "XYZ-5:45")
        time.tzset()
        yield
    time.tzset()


@pytest.mark.usefixtures("_kathmandu")
def test_times_are_local_and_say_their_zone(capsys: pytest.CaptureFixture[str]) -> None:
    moment = datetime(2026, 11, 16, 12, 0, tzinfo=UTC)
    assert _cell(moment) == "2026-11-16 17:45:00 XYZ"
    echo_fields({"created_at": moment})
    assert capsys.readouterr().out.split(None, 1)[1] == "2026-11-16 17:45:00 XYZ\n"


def test_the_counts_of_summary_table_and_file_agree(folder: Path) -> None:
    """The demo's sites share a provider's address; it is left out everywhere, and that is said."""
    given = {"DATA_FOLDER": str(folder / "data"), "DATABASE_URL": ""}
    command = ["demo", "--size", "12", "--quiet", "-o", str(folder / "out.csv")]
    told = CliRunner().invoke(main, command, env=given)
    assert told.exit_code == 0, told.output
    with (folder / "out.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    listed = len(told.stdout.splitlines()) - 1
    more = int(told.stderr.split("... and ")[1].split()[0]) if "... and " in told.stderr else 0
    assert listed + more == len(rows)
    assert f" {pluralize(len(rows), 'contact')}, " in told.stderr
    assert not [row for row in rows if "boilerplate" in row["tags"]]

    again = CliRunner().invoke(main, [*command, "--json"], env=given)
    summary = json.loads(again.stdout.splitlines()[-1])
    assert summary["contacts"] == len(rows)
    everything = CliRunner().invoke(
        main,
        ["export", "-o", str(folder / "all.csv")],
        env={**given, "DATA_FOLDER": str(folder / "data" / "demo")},
    )
    assert everything.stderr.startswith(f"{pluralize(len(rows) + summary['boilerplate'], 'contact')} written")
