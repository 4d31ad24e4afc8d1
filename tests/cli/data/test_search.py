"""`search`: add, list, show."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from click.testing import Result

from scrapersky.cli.program import program
from scrapersky.sources import CSVSource
from scrapersky_demo.overture_file import write_records

Sky = Callable[..., Result]
Told = Callable[..., Any]


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


def test_columns_are_named_once_for_all_files_with_the_same_headings(
    sky: Sky, told: Told, tmp_path: Path
) -> None:
    file = tmp_path / "places.csv"
    file.write_text("Kunde;Netz;Ort\nBlum;blum.de;Berlin\n", encoding="utf-8")
    assert sky("search", "add", "--file", str(file)).exit_code == 1, "nothing says what is the name"
    add = ("search", "add", "--file", str(file))
    for wrong, reason in (
        ("Kunde", "expected FIELD=HEADING"),
        ("surname=Kunde", "no field 'surname'"),
        ("name=Firma", "no column is called 'Firma'"),
    ):
        refused = sky(*add, "--column", wrong)
        assert (refused.exit_code, reason in refused.stderr) == (2, True), refused.stderr
    named = sky(*add, "--column", "name=Kunde", "--column", "website=netz")
    assert named.exit_code == 0
    assert "website    from Netz" in named.stderr
    assert "city       from Ort" in named.stderr, "what is not named is understood as before"
    file.write_text("Kunde;Netz;Ort\nLinde;linde.de;Bonn\n", encoding="utf-8")
    again = sky(*add)
    assert again.exit_code == 0
    assert again.stderr == named.stderr
    params = told("search", "list")[0]["params"]
    assert params["columns"] == {"name": "Kunde", "website": "Netz", "city": "Ort"}
    [place] = asyncio.run(CSVSource().search("", "", params))
    assert (place.name, place.website, place.city) == ("Linde", "linde.de", "Bonn")
    assert sky("search", "add", "bakery", "--in", "Berlin", "--column", "name=Kunde").exit_code == 2


def test_a_search_that_is_wrong_is_refused(sky: Sky, tmp_path: Path) -> None:
    file = tmp_path / "places.csv"
    file.write_text("name,website\nBlum,blum.de\n")
    country = sky("search", "add", "--file", str(file), "--country", "Atlantis")
    assert country.exit_code == 2
    assert "Invalid country 'Atlantis'; expected a code such as DE" in country.stderr
    assert sky("search", "add", "--file", str(tmp_path / "absent.csv")).exit_code == 2
    assert sky("search", "add", "--file", str(file), "--limit", "0").exit_code == 2
    assert sky("search", "list").stderr == "none\n", "nothing was queued"


def test_a_queued_search_names_the_next_command(sky: Sky, tmp_path: Path) -> None:
    file = tmp_path / "places.csv"
    file.write_text("name,website\nBlum,blum.de\n")
    added = sky("search", "add", "--file", str(file))
    assert added.stdout.startswith("Queued search ")
    assert added.stdout.endswith(f"{program()} stage run search_places\n")


def test_a_search_that_is_not_there_is_3(sky: Sky) -> None:
    assert sky("search", "show", "018f0000-0000-7000-8000-000000000000").exit_code == 3
    assert sky("search", "show", "nonsense").exit_code == 2


def test_a_kind_and_a_place_are_one_command(sky: Sky, told: Told, tmp_path: Path) -> None:
    file = tmp_path / "places.parquet"
    write_records(file, [])
    added = sky("search", "add", "bakery", "--in", "Berlin", OVERTURE_PATH=str(file))
    assert added.exit_code == 0
    assert added.stderr == "Berlin, DE in overture\n"
    [row] = [told("search", "list")]
    assert row["source"] == "overture"
    assert row["params"]["place"] == "Berlin, DE"
    assert sorted(row["params"]["box"]) == ["east", "north", "south", "west"]
    by_file = told("search", "add", "dentist", "--box", "1,2,3,4", "--file", str(file))
    assert (by_file["source"], by_file["box"]["east"]) == ("overture", 4)
    assert (
        told("search", "add", "dentist", "--near", "1,2", "--file", str(file))["place"] == "10 km around 1,2"
    )


def test_a_search_without_data_or_with_an_ambiguous_place_is_2(sky: Sky, tmp_path: Path) -> None:
    file = tmp_path / "places.parquet"
    write_records(file, [])
    nothing = sky("search", "add", "bakery", "--in", "Berlin")
    assert nothing.exit_code == 2
    assert "overturemaps download --bbox=" in nothing.stderr
    asked = sky("search", "add", "bakery", "--in", "Portland", OVERTURE_PATH=str(file))
    assert asked.exit_code == 2
    assert "Portland, Maine, US" in asked.stderr
    for wrong in (("--source", "nobody"), ("--box", "1,2"), ("--near", "x"), ("--in", "Nowhereville")):
        refused = sky("search", "add", "bakery", *wrong, OVERTURE_PATH=str(file))
        assert refused.exit_code == 2, wrong
    assert sky("search", "list").stderr == "none\n", "nothing was queued"


def test_a_file_is_read_by_a_mapping_that_has_a_name(sky: Sky, told: Told, tmp_path: Path) -> None:
    file = tmp_path / "places.csv"
    file.write_text("Kunde;Netz;Ort\nBlum;blum.de;Berlin\n", encoding="utf-8")
    assert sky("columns", "add", "Fair", "Kunde").exit_code == 2
    assert sky("columns", "add", "Fair", "surname=Kunde").exit_code == 2
    assert sky("columns", "add", "Fair", "name=Kunde", "website=Netz").exit_code == 0
    assert sky("columns", "edit", "Fair", "city=Ort", "website=", "--name", "Trade fair").exit_code == 0
    assert told("columns", "list")["columns"] == {"name": "Kunde", "city": "Ort"}
    added = sky("search", "add", "--file", str(file), "--mapping", "Trade fair", "--json")
    assert added.exit_code == 0, added.output
    assert "name       from Kunde" in added.stderr
    shown = told("search", "show", json.loads(added.stdout)["id"])
    [place] = asyncio.run(CSVSource().search("", "", shown["params"]))  # type: ignore[arg-type]
    assert (place.name, place.city, place.website) == ("Blum", "Berlin", None)
    assert sky("columns", "delete", "Trade fair").exit_code == 0
    assert sky("search", "add", "--file", str(file), "--mapping", "Trade fair").exit_code == 3
