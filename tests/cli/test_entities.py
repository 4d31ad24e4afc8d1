"""Places to contacts from the command line: the successors of the seed scripts (R215 to R224)."""

from __future__ import annotations

import asyncio
import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from sqlalchemy.ext.asyncio import create_async_engine

from contacts_lab import add_contact

Sky = Callable[..., Result]
Told = Callable[..., Any]
ENTITIES = ("place", "business", "domain", "sitemap", "page", "contact")


@pytest.fixture
def contact(database_url: str) -> str:
    """A contact in the database; gives its identifier."""

    async def make() -> str:
        engine = create_async_engine(database_url)
        made = await add_contact(engine, "shop.com", email="info@shop.com", phone_number="+4930123456")
        await engine.dispose()
        return str(made)

    return asyncio.run(make())


@pytest.mark.parametrize("entity", ENTITIES)
def test_an_empty_list_is_no_error_and_a_missing_row_is_3(sky: Sky, entity: str) -> None:
    assert sky(entity, "list").exit_code == 0
    assert sky(entity, "show", "nowhere.com").exit_code == 3
    assert sky(entity, "show", "018f0000-0000-7000-8000-000000000000").exit_code == 3


@pytest.mark.req("R223", "R224")
def test_a_domain_is_added_and_shown_and_reset(sky: Sky, told: Told) -> None:
    line = told("domain", "add", "HTTPS://www.Shop.com/")
    assert (line["status"], line["queued"], line["number"]) == ("new", True, 1)
    shown = told("domain", "show", "shop.com")
    assert (shown["domain"], shown["status"], shown["error"]) == ("shop.com", "pending", None)
    assert told("domain", "curate", "rejected", "shop.com") == {"updated": 1, "queued": 0}
    assert told("domain", "reset", "shop.com")["updated"] == 1
    assert told("domain", "show", line["id"])["sitemap_curation_status"] == "New"


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


def test_a_change_of_many_rows_wants_a_yes(sky: Sky, told: Told) -> None:
    sky("page", "add", "https://b.com/contact", "https://b.com/team", "https://c.com/jobs")
    asked = sky("page", "curate", "rejected", "--domain", "b.com")
    assert asked.exit_code == 2
    assert "2 rows" in asked.stderr
    assert told("page", "curate", "rejected", "--domain", "b.com", "--dry-run") == {"would_update": 2}
    assert told("page", "curate", "rejected", "--domain", "b.com", "--yes")["updated"] == 2
    rows = told("page", "list", "--curation", "rejected")
    assert {row["domain"] for row in rows} == {"b.com"}
    assert told("page", "curate", "selected", "--current", "rejected", "--yes") == {
        "updated": 2, "queued": 2,
    }  # fmt: skip


def test_rows_or_filters_but_one_of_them(sky: Sky) -> None:
    assert sky("page", "curate", "new").exit_code == 2
    assert sky("page", "curate", "new", "x", "--all").exit_code == 2
    assert sky("page", "list", "--status", "nonsense").exit_code == 2


def test_identifiers_go_from_list_to_set(sky: Sky, told: Told) -> None:
    sky("page", "add", "https://b.com/contact", "https://b.com/team")
    ids = sky("page", "list", "--ids").stdout.split()
    assert told("page", "curate", "maybe", *ids, "--yes")["updated"] == 2


@pytest.mark.req("R165", "R221")
def test_a_scan_makes_a_job_that_can_be_shown(sky: Sky, told: Told) -> None:
    made = told("sitemap", "scan", "shop.com", "--max-pages", "50")
    job = told("job", "show", str(made["id"]))
    assert (job["job_id"], job["status"]) == (made["job_id"], "pending")
    assert job["result_data"] == {"domain": "shop.com", "max_pages": 50}
    assert sky("sitemap", "scan", "127.0.0.1").exit_code == 2
    assert sky("sitemap", "continue", "018f0000-0000-7000-8000-000000000000").exit_code == 3


def test_a_search_of_a_file_shows_how_it_is_understood(sky: Sky, told: Told, tmp_path: Path) -> None:
    file = tmp_path / "places.csv"
    file.write_text("Firma;Ort;Webseite;Chef\nBlum;Berlin;blum.de;Ada\n", encoding="utf-8")
    added = sky("search", "add", "bakery", "--in", "Berlin", "--file", str(file), "--json")
    assert added.exit_code == 0
    assert "name       from Firma" in added.stderr
    assert "not used: Chef" in added.stderr
    made = json.loads(added.stdout)["id"]
    shown = told("search", "show", made)
    assert (shown["business_type"], shown["location"], shown["status"]) == ("bakery", "Berlin", "pending")
    assert shown["params"] == {"file": str(file)}
    assert told("search", "list")["id"] == made
    file.write_bytes(b"PK\x03\x04")
    assert sky("search", "add", "--file", str(file)).exit_code == 1
    assert sky("search", "add").exit_code == 2


def test_contacts_are_exported_with_their_evidence(sky: Sky, contact: str, tmp_path: Path) -> None:
    written = sky("export", "--to", "jsonl", "--domain", "shop.com")
    one = json.loads(written.stdout)
    assert (one["id"], one["evidence"]) == (contact, "mail info@shop.com")
    file = tmp_path / "contacts.csv"
    assert sky("export", "-o", str(file)).exit_code == 0
    with file.open(newline="", encoding="utf-8") as open_database:
        [row] = csv.DictReader(open_database)
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


def test_a_contact_is_validated_again_in_this_process(sky: Sky, contact: str) -> None:
    result = sky("contact", "run", "info@shop.com", "--json", CONNECT_TO="*:80:127.0.0.1:9", HOST="127.0.0.1")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["status"] == "Complete"
    assert (
        json.loads(sky("contact", "show", contact, "--json").stdout)["email_validation_result"] == "unknown"
    )
