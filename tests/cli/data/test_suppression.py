"""Suppressions from the command line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

Sky = Callable[..., Result]
Told = Callable[..., Any]


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The log of suppressions is kept in the data folder."""
    monkeypatch.setenv("DATA_FOLDER", str(tmp_path / "data"))


def test_a_suppressed_contact_is_deleted_and_refused(sky: Sky, told: Told) -> None:
    assert sky("contact", "add", "firma.de", "--email", "anna@firma.de").exit_code == 0
    added = told("suppression", "add", "ANNA@firma.de", "--reason", "objected")
    assert (added["new"], added["deleted_contacts"]) == (1, 1)
    assert sky("contact", "add", "firma.de", "--email", "anna+x@firma.de").exit_code == 7
    row = told("suppression", "list")
    assert (row["kind"], row["reason"]) == ("email", "objected")
    assert sky("suppression", "delete", row["id"]).exit_code == 0
    assert sky("contact", "add", "firma.de", "--email", "anna@firma.de").exit_code == 0


def test_an_import_says_which_lines_it_refused(sky: Sky, tmp_path: Path) -> None:
    file = tmp_path / "opt-out.txt"
    file.write_text("anna@firma.de\nnobody\n+49 30 901820\n")
    result = sky("suppression", "import", str(file), "--reason", "old list")
    assert result.exit_code == 5
    assert "line 2" in result.output
    assert "2 new" in result.output
