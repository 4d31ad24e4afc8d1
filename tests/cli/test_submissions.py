"""The verb add: arguments, files and standard input."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

Sky = Callable[..., Result]
Told = Callable[..., Any]


@pytest.mark.req("R215", "R216", "R222")
def test_a_sitemap_is_added_and_listed_for_its_domain(sky: Sky, told: Told) -> None:
    told("sitemap", "add", "https://shop.com/sitemap.xml")
    told("sitemap", "add", "https://other.com/sitemap.xml")
    row = told("sitemap", "list", "--domain", "shop.com")
    assert (row["url"], row["domain"], row["sitemap_import_status"]) == (
        "https://shop.com/sitemap.xml", "shop.com", "Queued",
    )  # fmt: skip
    assert {"id", "sitemap_type", "discovery_method", "job_id", "created_by", "created_at"} <= set(row)
    people = sky("sitemap", "list", "--domain", "shop.com").stdout
    assert "https://shop.com/sitemap.xml" in people


def test_lines_from_a_file_and_from_standard_input(sky: Sky, tmp_path: Path) -> None:
    file = tmp_path / "list.csv"
    file.write_text("name;website\nA;a.com\nB;127.0.0.1\nC;a.com\n", encoding="utf-8")
    result = sky("domain", "add", "--file", str(file), "--json")
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    assert [(line["number"], line["status"]) for line in lines] == [(2, "new"), (3, "invalid"), (4, "known")]
    assert result.exit_code == 5
    assert "1 new, 1 known, 1 invalid" in result.stderr
    piped = sky("page", "add", "-", "--no-queue", stdin="https://b.com/contact\nhttps://b.com/team\n")
    assert piped.exit_code == 0
    assert "2 new; 0 queued" in piped.stderr


def test_a_file_is_shown_before_it_is_stored_and_its_column_can_be_chosen(sky: Sky, tmp_path: Path) -> None:
    """CSV-01, CSV-04."""
    file = tmp_path / "list.csv"
    file.write_text("Blum|blum.de\nAdler|adler.de\n", encoding="utf-8")
    shown = sky("domain", "add", "--file", str(file), "--column", "2", "--dry-run", "--json")
    assert [json.loads(line)["value"] for line in shown.stdout.splitlines()] == ["blum.de", "adler.de"]
    assert "utf-8, separated by '|', read from column 2" in shown.stderr
    assert sky("domain", "list", "--json").stdout == ""
    added = sky("domain", "add", "--file", str(file), "--column", "2")
    assert (added.exit_code, "2 new" in added.stderr) == (0, True)
    assert sky("domain", "add", "--file", str(file), "--column", "5", "--dry-run").exit_code == 2
    assert sky("domain", "add", "a.com", "--dry-run").exit_code == 2


def test_nothing_good_is_wrong_input(sky: Sky) -> None:
    assert sky("domain", "add", "localhost").exit_code == 2
    assert sky("domain", "add").exit_code == 2
    assert sky("domain", "add", "--file", "missing.csv").exit_code == 1
