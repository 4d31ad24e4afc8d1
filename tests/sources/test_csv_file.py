"""A file of places as a source."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from scrapersky.errors import SourceError
from scrapersky.sources import CSVSource
from scrapersky.sources.csv_file import MAX_PLACES
from scrapersky_demo.world import World

FILE = """\ufeffFirma;Branche;Straße;PLZ;Ort;Land;Telefon;Webseite;Bewertung
Bäckerei Blum;Bäckerei;Hauptstr. 1;10115;Berlin;de;030 123456;https://blum-brot.de;4,5
Zahnarzt Dr. Weiß;Zahnarzt;Ring 2;50667;Köln;de;(+49) 0221 / 12 34 56;facebook.com/weiss;NaN
;;;;;;;;
"offen;Bäckerei;X;1;Berlin;de;1;x.de;1
Blumen Adler;Florist;Allee 3;80331;München;de;00;;infinity
Bäckerei Blum;Bäckerei;Hauptstr. 1;10115;Berlin;de;030 123456;https://blum-brot.de;4,5
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "places.csv"
    path.write_text(FILE, encoding="utf-8")
    return path


async def test_every_good_row_is_a_place(file: Path) -> None:
    bakery, dentist, florist = await CSVSource().search("", "", {"file": str(file)})
    assert (bakery.name, bakery.city, bakery.country, bakery.rating) == ("Bäckerei Blum", "Berlin", "DE", 4.5)
    assert bakery.address == "Hauptstr. 1, 10115, Berlin, de"
    assert (dentist.phone, dentist.website, dentist.rating) == (
        "(+49) 0221 / 12 34 56",
        "facebook.com/weiss",
        None,
    )
    assert (florist.website, florist.rating) == (None, None)


async def test_the_mapping_and_every_bad_line_are_reported(file: Path) -> None:
    listing = CSVSource().read(file)
    assert listing.mapping["name"] == "Firma"
    assert listing.mapping["website"] == "Webseite"
    assert (listing.delimiter, listing.encoding) == (";", "utf-8")
    assert listing.problems == [
        (4, "no name and no website"),
        (5, "a quote that is not closed"),
        (7, "the same place as on a line before"),
    ]


@pytest.mark.parametrize(
    ("kind", "location", "names"),
    [
        ("bäckerei", "", ["Bäckerei Blum"]),
        ("", "köln", ["Zahnarzt Dr. Weiß"]),
        ("", "Berlin, DE", ["Bäckerei Blum"]),
        ("florist", "Berlin", []),
    ],
)
async def test_a_search_keeps_to_its_kind_and_place(
    file: Path, kind: str, location: str, names: list[str]
) -> None:
    assert [one.name for one in await CSVSource(file).search(kind, location, {})] == names


async def test_a_row_without_an_identifier_keeps_the_same_one(file: Path) -> None:
    first = await CSVSource(file).search("", "", {})
    file.write_text("\n".join([FILE.splitlines()[0], *FILE.splitlines()[:0:-1]]), encoding="utf-8")
    again = await CSVSource(file).search("", "", {})
    assert {one.place_id for one in first} == {one.place_id for one in again}
    assert all(one.place_id.startswith("row-") for one in first)


async def test_details_are_the_row_itself_with_its_number_in_e164(file: Path) -> None:
    [found, *_] = await CSVSource(file).search("", "", {})
    details = await CSVSource(file).details(found.place_id, found.to_json())
    assert details == replace(found, phone="+4930123456")


@pytest.mark.parametrize(
    ("written", "country", "dialled"),
    [
        ("(+49) 030 / 12 34 56", "", "+4930123456"),
        ("030 123456", "Deutschland", "+4930123456"),
        ("٠٣٠ ١٢٣٤٥٦", "DE", "+4930123456"),
        ("00", "DE", None),
        ("+999999999999999999999", "DE", None),
        ("1-800-FLOWERS", "US", None),
        ("030 123456", "", None),
        ("", "DE", None),
    ],
)
async def test_a_number_is_in_e164_or_missing_and_the_place_keeps_the_original(
    tmp_path: Path, written: str, country: str, dialled: str | None
) -> None:
    """CSV-16."""
    path = tmp_path / "phones.csv"
    path.write_text(f"name;country;phone\nShop;{country};{written}\n", encoding="utf-8")
    [found] = await CSVSource(path).search("", "", {})
    assert found.phone == (written or None)
    details = await CSVSource(path).details(found.place_id, found.to_json())
    assert (details.phone, found.to_json().get("phone")) == (dialled, written or None)


async def test_the_limit_of_places_is_named_and_a_part_can_still_be_read(tmp_path: Path) -> None:
    path = tmp_path / "long.csv"
    path.write_text("name\n" + "\n".join(f"Shop {n}" for n in range(MAX_PLACES + 1)), encoding="utf-8")
    with pytest.raises(SourceError, match="more than 100,000 places"):
        CSVSource().read(path)
    assert len(CSVSource().read(path, limit=10).places) == 10


@pytest.mark.parametrize("layout", [0, 1, 2, 3])
async def test_every_layout_of_the_demo_world_is_understood(tmp_path: Path, layout: int) -> None:
    world = World(size=40)
    path = tmp_path / "demo.csv"
    path.write_text(world.places_csv(layout=layout), encoding="utf-8", newline="")
    found = await CSVSource().search("", "", {"file": path})
    assert [one.name for one in found] == [one.name for one in world.businesses]
    assert [one.website or "" for one in found] == [one.website for one in world.businesses]


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "empty"),
        (b"PK\x03\x04", "ZIP"),
        (b"foo,bar\n1,2\n", "no column is called name"),
        (b"name,name\nx,y\n", "two columns"),
        (b"name,\nx,y\n", "no heading"),
        (b",".join(b"name%d" % n for n in range(10_000)), "columns"),
    ],
)
async def test_a_file_that_is_none_is_refused_by_name(tmp_path: Path, data: bytes, reason: str) -> None:
    path = tmp_path / "bad.csv"
    path.write_bytes(data)
    with pytest.raises(SourceError, match=reason):
        await CSVSource().search("", "", {"file": path})


async def test_a_missing_file_is_said_to_be_missing(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="No such file"):
        await CSVSource().search("", "", {"file": tmp_path / "none.csv"})
    with pytest.raises(SourceError, match="needs a file"):
        await CSVSource().search("", "", {})


TITLES = [
    "Kundenliste 2024\n",
    "Kundenliste 2024;;;\n\n;;;\n",
    "Export from our CRM;01.02.2024\nCreated by Ada\n",
    '"Our customers; all of them"\n',
    "Firma\n",
]


@pytest.mark.parametrize("title", TITLES)
async def test_titles_above_the_headings_are_skipped_and_reported(tmp_path: Path, title: str) -> None:
    path = tmp_path / "places.csv"
    path.write_text(
        f"{title}Firma;Ort;Webseite\nBlum;Berlin;blum.de\nAdler;Bonn;adler.de\n", encoding="utf-8"
    )
    listing = CSVSource().read(path)
    assert [(one.name, one.city, one.website) for one in listing.places] == [
        ("Blum", "Berlin", "blum.de"), ("Adler", "Bonn", "adler.de"),
    ]  # fmt: skip
    assert (1, "above the headings, not read") in listing.notes


@pytest.mark.parametrize(
    ("headings", "row", "expected"),
    [
        (
            "company,email,contact person",
            "Blum,Info@Blum.de,Ada Blum",
            ("Blum", "info@blum.de", "Ada Blum", None),
        ),
        (
            "Firma,E-Mail,Ansprechpartner,Funktion",
            "Blum,a@b.de,Ada,Chefin",
            ("Blum", "a@b.de", "Ada", "Chefin"),
        ),
        ("Vorname,Nachname,Firma,Mail", "Ada,Blum,Blum KG,a@b.de", ("Blum KG", "a@b.de", "Ada Blum", None)),
        ("Name,Company,Position,E-mail address", "Ada,Blum,CEO,a@b.de", ("Blum", "a@b.de", "Ada", "CEO")),
        ("Nom,Entreprise,Courriel", "Ada,Blum,a@b.fr", ("Blum", "a@b.fr", "Ada", None)),
        ("name,email", "Blum,not an address", ("Blum", None, None, None)),
        ("name,email", "Blum,<Ada> a@b.de", ("Blum", "a@b.de", None, None)),
    ],
)
async def test_people_and_their_addresses_are_read(
    tmp_path: Path, headings: str, row: str, expected: tuple[str | None, ...]
) -> None:
    path = tmp_path / "people.csv"
    path.write_text(f"{headings}\n{row}\n", encoding="utf-8")
    listing = CSVSource().read(path)
    [one] = listing.places
    assert (one.name, one.email, one.person, one.job_title) == expected
    assert (one.file, one.line) == ("people.csv", 2)
    assert bool(listing.notes) is (expected[1] is None)


@pytest.mark.parametrize(
    ("headings", "row", "country", "phone"),
    [
        ("name;phone;website", "Blum;030 25930170;blum.de", "", "+493025930170"),
        ("name;phone;website", "Blum;01 5134567;https://www.blum.at/kontakt", "", "+4315134567"),
        ("name;phone;website", "Blum;020 7946 0000;blum.co.uk", "", "+442079460000"),
        ("name;phone;email", "Blum;01 42 68 53 00;info@blum.fr", "", "+33142685300"),
        ("name;phone;address", "Blum;030 25930170;Hauptstr. 1, 10115 Berlin, Germany", "", "+493025930170"),
        ("name;phone;address", "Blum;(503) 226-2811;1 Main St, Portland, OR 97204", "", "+15032262811"),
        ("name;phone;state;postcode", "Blum;(503) 226-2811;OR;97204", "", "+15032262811"),
        ("name;phone;address;state", "Blum;(503) 226-2811;1 Main St, OR 97204;OR", "", "+15032262811"),
        ("name;phone;address", "Blum;(503) 226-2811;1 Main St, Portland OR 97204 USA", "", "+15032262811"),
        ("name;phone;address", "Blum;503 226 2811;Hauptstr. 1, DE 10115 Berlin", "", None),
        ("name;phone;address", "Blum;503 226 2811;Hauptstr. 1, Berlin, DE 10115", "", None),
        ("name;phone;address", "Blum;503 226 2811;1 Rue Blum, MA 20250 Casablanca", "", None),
        ("name;phone;address", "Blum;503 226 2811;1 Rue Blum, FR 75001 Paris", "", None),
        ("name;phone;address", "Blum;020 7946 0000;1 High St, London SW1A 1AA", "", "+442079460000"),
        ("name;phone;city", "Blum;030 25930170;Berlin", "", "+493025930170"),
        ("name;phone", "Blum;030 25930170", "DE", "+493025930170"),
        ("name;phone;country", "Blum;020 7946 0000;United Kingdom", "DE", "+442079460000"),
        ("name;phone", "Blum;030 25930170", "", None),
        ("name;phone;website", "Blum;030 25930170;blum.com", "", None),
        ("name;phone", "Blum;+49 30 25930170", "", "+493025930170"),
    ],
)
async def test_a_number_is_read_by_the_rules_of_the_country_of_its_row(
    tmp_path: Path, headings: str, row: str, country: str, phone: str | None
) -> None:
    path = tmp_path / "phones.csv"
    path.write_text(f"{headings}\n{row}\n", encoding="utf-8")
    source = CSVSource(path)
    [found] = await source.search("", "", {"country": country})
    assert (await source.details(found.place_id, found.to_json())).phone == phone
    notes = source.read(path, country=country).notes
    assert [note for _, note in notes if "phone" in note] == [] if phone else notes


async def test_a_search_reads_its_file_in_the_chosen_encoding(tmp_path: Path) -> None:
    path = tmp_path / "places.csv"
    path.write_bytes("name;website\nŘezník;reznik.com\n".encode("cp1250"))
    [found] = await CSVSource().search("", "", {"file": str(path), "encoding": "windows-1250"})
    assert found.name == "Řezník"
