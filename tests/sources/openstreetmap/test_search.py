"""OpenStreetMap: box, tags, positions and every field, the same from JSON and PBF; files that are broken."""

from __future__ import annotations

import json
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from osm_files import BAKERY, WRITERS, node, relation, way, write_json, write_pbf
from scrapersky.errors import InvalidInput, SourceError
from scrapersky.sources import ListedPlace
from scrapersky.sources.box import Box
from scrapersky.sources.kinds import kind_words, osm_kind, overture_kind
from scrapersky.sources.openstreetmap import json_cursor
from scrapersky.sources.openstreetmap.source import check_openstreetmap, openstreetmap_entry, search_files

BERLIN = Box(52.3, 13.1, 52.7, 13.8)
FORMATS = pytest.mark.parametrize("ending", list(WRITERS))


def search(path: Path, kind: str = "bakery", box: Box = BERLIN, limit: int = 0) -> list[ListedPlace]:
    return search_files(str(path), osm_kind(kind), box, limit, Event())


def names(path: Path, **options: Any) -> list[str]:
    return sorted(place.name for place in search(path, **options))


@FORMATS
def test_every_tag_that_is_a_field_arrives(tmp_path: Path, ending: str) -> None:
    tags = {
        **BAKERY,
        "name": "Bäckerei  Blum",
        "website": "https://www.facebook.com/blum",
        "contact:website": "https://blum-demo.de/",
        "email": "Info@Blum-Demo.de; shop@blum-demo.de",
        "contact:phone": "030 901820;030 901821",
        "contact:instagram": "@blum.demo",
        "contact:facebook": "https://www.facebook.com/blum",
        "addr:street": "Weg",
        "addr:housenumber": "1",
        "addr:postcode": "10115",
        "addr:city": "Berlin",
        "addr:country": "DE",
    }
    (place,) = search(WRITERS[ending](tmp_path / f"a.{ending}", [node(7, **tags)]))
    assert (place.place_id, place.name, place.category) == ("node/7", "Bäckerei Blum", "bakery")
    assert place.website == "https://blum-demo.de/", "its own site goes before a profile"
    assert (place.email, place.emails) == ("info@blum-demo.de", ("shop@blum-demo.de",))
    assert place.phone == "030 901820"
    assert place.socials == ("https://www.facebook.com/blum", "https://www.instagram.com/blum.demo")
    assert place.address == "Weg 1, 10115, Berlin, DE"
    assert (place.street, place.city, place.postcode, place.country) == ("Weg 1", "Berlin", "10115", "DE")
    assert (place.latitude, place.longitude) == (52.5, 13.4)
    assert place.record_url == "https://www.openstreetmap.org/node/7"
    assert (place.licence, place.attribution) == ("ODbL-1.0", "© OpenStreetMap contributors")
    assert place.raw == tags


@FORMATS
def test_the_box_the_kind_and_a_name_decide(tmp_path: Path, ending: str) -> None:
    file = WRITERS[ending](
        tmp_path / f"a.{ending}",
        [
            node(1, name="inside", **BAKERY),
            node(2, latitude=52.71, name="north", **BAKERY),
            node(3, name="hotel", tourism="hotel"),
            node(4, name="gone", **{"disused:shop": "bakery"}),
            node(5, **BAKERY),
            node(6, brand="chain", **BAKERY),
            node(7, name="two", shop="pastry; bakery"),
            node(8, name="pizza", amenity="restaurant", cuisine="italian;pizza"),
            node(9, name="thai", amenity="restaurant", cuisine="thai"),
        ],
    )
    assert names(file) == ["chain", "inside", "two"]
    assert names(file, kind="pizza") == ["pizza"]
    assert names(file, kind="restaurants") == ["pizza", "thai"]
    assert names(file, kind="tourism=hotel") == ["hotel"]
    assert names(file, kind="dentist") == []
    assert names(file, box=Box(52.705, 13.1, 52.8, 13.8)) == ["north"]


@FORMATS
def test_ways_and_relations_get_a_centre(tmp_path: Path, ending: str) -> None:
    corners = [node(n, latitude, longitude) for n, (latitude, longitude) in enumerate(
        [(52.50, 13.40), (52.50, 13.42), (52.54, 13.42), (52.54, 13.40)], 1)]  # fmt: skip
    file = WRITERS[ending](
        tmp_path / f"a.{ending}",
        [
            *corners,
            way(10, [1, 2, 3, 4, 1], name="house", **BAKERY),
            way(11, [1, 2]),
            way(12, [99], name="nowhere", **BAKERY),
            relation(20, [("way", 11), ("node", 3)], name="halls", **BAKERY),
        ],
    )
    found = {place.name: (place.place_id, place.latitude, place.longitude) for place in search(file)}
    assert found == {"house": ("way/10", 52.52, 13.41), "halls": ("relation/20", 52.52, 13.41)}


def test_overpass_gives_centres_bounds_and_geometry(tmp_path: Path) -> None:
    corners = [{"lat": 52.5, "lon": 13.4}, {"lat": 52.54, "lon": 13.42}]
    bounds = {"minlat": 52.5, "minlon": 13.4, "maxlat": 52.54, "maxlon": 13.42}
    member = {"type": "way", "ref": 1, "role": "outer", "geometry": [*corners, None]}
    shapes: list[dict[str, Any]] = [
        {"type": "way", "center": {"lat": 52.52, "lon": 13.41}},
        {"type": "way", "bounds": bounds},
        {"type": "way", "geometry": corners},
        {"type": "relation", "members": [member]},
        {"type": "node", "lat": "52.5", "lon": None},
    ]
    elements = [{**shape, "id": n, "tags": {**BAKERY, "name": f"n{n}"}} for n, shape in enumerate(shapes, 1)]
    places = search(write_json(tmp_path / "a.json", elements))
    assert sorted(place.place_id for place in places) == ["relation/4", "way/1", "way/2", "way/3"]
    assert {(place.latitude, place.longitude) for place in places} == {(52.52, 13.41)}


def test_a_limit_keeps_those_that_can_be_reached_and_overlapping_files_count_once(tmp_path: Path) -> None:
    elements = [
        node(1, name="a", **BAKERY),
        node(2, name="b", website="https://b-demo.de", **BAKERY),
        node(3, name="c", website="https://c-demo.de", phone="+4930901820", **BAKERY),
    ]
    write_json(tmp_path / "one.json", elements)
    write_pbf(tmp_path / "two.osm.pbf", elements[1:])
    assert names(tmp_path) == ["a", "b", "c"]
    assert names(tmp_path, limit=2) == ["b", "c"]


def test_a_long_file_is_read_piece_by_piece(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_cursor, "CHUNK", 7)
    elements = [node(n, name=f'Ä"{n}', **BAKERY) for n in range(1, 40)]
    assert len(search(write_json(tmp_path / "a.json", elements, osm3s={"copyright": "ODbL"}))) == 39


WHOLE = json.dumps({"version": 0.6, "elements": [node(1, name="a", **BAKERY), node(2, name="b", **BAKERY)]})


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "a.json is empty"),
        (b"PK\x03\x04", "neither an answer of Overpass in JSON nor a PBF file"),
        (b"<?xml version='1.0'?><osm/>", "XML or HTML"),
        (WHOLE[:-30].encode(), r"invalid JSON at character \d+: .*truncated"),
        (WHOLE[:-1].encode(), "the file ends too early"),
        (b'{"type": "FeatureCollection", "features": []}', "has no elements"),
        (b'{"elements": [{"type": "shop", "id": 1}]}', "expected a node, way or relation"),
        (b'{"elements": [' + b"[" * 100_000, "nested too deeply"),
        (b'{"elements": [], "remark": "runtime error: Query timed out"}', "incomplete.*timed out"),
        (b'{"elements": ["\xff"]}', "not UTF-8"),
    ],
)
def test_a_broken_file_is_refused_with_reason_and_place(tmp_path: Path, content: bytes, reason: str) -> None:
    (tmp_path / "a.json").write_bytes(content)
    with pytest.raises(SourceError, match=reason):
        search(tmp_path / "a.json")


def test_a_broken_value_is_not_read_to_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_cursor, "MAX_VALUE", 100)
    monkeypatch.setattr(json_cursor, "CHUNK", 50)
    file = write_json(tmp_path / "a.json", [node(1, name="a" * 1_000, **BAKERY)])
    with pytest.raises(SourceError, match="invalid JSON at character"):
        search(file)


@pytest.mark.parametrize("cut", [20, 100])
def test_a_truncated_pbf_file_is_refused(tmp_path: Path, cut: int) -> None:
    file = write_pbf(tmp_path / "a.osm.pbf", [node(n, name=f"n{n}", **BAKERY) for n in range(1, 500)])
    file.write_bytes(file.read_bytes()[:-cut])
    with pytest.raises(SourceError, match=r"a\.osm\.pbf cannot be read as PBF"):
        search(file)


def test_a_path_without_data_is_refused(tmp_path: Path) -> None:
    for path in ("", str(tmp_path), str(tmp_path / "missing.pbf")):
        with pytest.raises(SourceError):
            search_files(path, osm_kind("bakery"), BERLIN, 0, Event())
        assert not openstreetmap_entry(path).state().is_ready


async def test_the_check_opens_every_file(tmp_path: Path) -> None:
    write_pbf(tmp_path / "a.osm.pbf", [node(1, name="a", **BAKERY)])
    assert (await check_openstreetmap(str(tmp_path))).startswith("ok: 1 files")
    write_json(tmp_path / "b.json", [])
    with pytest.raises(SourceError, match=r"b\.json has no element with a name"):
        await check_openstreetmap(str(tmp_path))


def test_kinds_are_known_to_openstreetmap_or_refused() -> None:
    without = [word for word in kind_words() if not overture_kind(word).tags.alternatives]
    assert len(without) < len(kind_words()) / 10
    with pytest.raises(InvalidInput, match="no usual tag for videographer"):
        osm_kind("videographers")
    with pytest.raises(InvalidInput, match="Did you mean bakery"):
        osm_kind("bakrey")
