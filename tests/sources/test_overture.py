"""Overture Places: box, category, every field of the schema, and files that are something else."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Any

import pytest

from scrapersky.errors import SourceError
from scrapersky.sources import ListedPlace
from scrapersky.sources.box import Box
from scrapersky.sources.overture import OvertureSource, check_overture, overture_entry
from scrapersky.sources.parquet_query import QueryLimits, query_parquet
from scrapersky_demo.overture_file import write_records, write_sample

BERLIN = Box(52.3, 13.1, 52.7, 13.8)
SCHEMA = Path(os.environ.get("CONTRACTS_FOLDER", "contracts"), "overture/schema/places-place.yaml")


def record(name: str, latitude: float = 52.5, longitude: float = 13.4, **more: Any) -> dict[str, Any]:
    return {
        "id": f"id-{name}",
        "bbox": {"xmin": longitude, "xmax": longitude, "ymin": latitude, "ymax": latitude},
        "names": {"primary": name},
        "categories": {"primary": "bakery", "alternate": None},
        "confidence": 0.8,
        **more,
    }


async def search(path: Path, kind: str = "bakery", box: Box = BERLIN, **params: Any) -> list[ListedPlace]:
    return list(await OvertureSource(str(path)).search(kind, "", {"box": box.to_json(), **params}))


async def names(path: Path, **options: Any) -> list[str]:
    return sorted(place.name for place in await search(path, **options))


async def test_every_field_of_a_record_arrives(tmp_path: Path) -> None:
    whole = record(
        "Blum",
        categories={"primary": "bakery", "alternate": ["cafe"]},
        websites=["https://www.facebook.com/blum", "https://blum-demo.de/"],
        socials=["https://www.instagram.com/blum"],
        emails=["Info@Blum-Demo.de", "shop@blum-demo.de", "nonsense"],
        phones=["030 901820"],
        addresses=[{"freeform": "Weg 1", "locality": "Berlin", "postcode": "10115", "country": "DE"}],
        sources=[
            {"property": "/properties/brand", "dataset": "other"},
            {"property": "", "dataset": "Foursquare", "record_id": "1"},
        ],
    )
    write_records(tmp_path / "places.parquet", [whole])
    (place,) = await search(tmp_path)
    assert (place.place_id, place.name, place.category) == ("id-Blum", "Blum", "bakery")
    assert place.website == "https://blum-demo.de/", "its own site goes before a profile"
    assert (place.email, place.emails) == ("info@blum-demo.de", ("shop@blum-demo.de",))
    assert place.socials == ("https://www.instagram.com/blum",)
    assert (place.city, place.postcode, place.country) == ("Berlin", "10115", "DE")
    assert place.address == "Weg 1, 10115, Berlin, DE"
    assert (place.latitude, place.longitude, place.confidence) == (52.5, 13.4, 0.8)
    assert place.licence == "Apache-2.0"
    assert place.record_url == "overture:place/id-Blum"
    details = await OvertureSource("").details(place.place_id, place.to_json())
    assert details.phone == "+4930901820"
    assert details.emails == place.emails


async def test_only_the_box_counts(tmp_path: Path) -> None:
    file = tmp_path / "places.parquet"
    write_records(
        file,
        [
            record("inside"),
            record("north", latitude=52.71),
            record("west", longitude=13.09),
            record("edge", latitude=52.69999, longitude=13.10001),
            record("fiji", latitude=-17.8, longitude=-179.95),
        ],
    )
    assert await names(file) == ["edge", "inside"]
    assert await names(file, box=Box.around(-17.8, 179.9, 50)) == ["fiji"]


async def test_the_kind_decides_and_both_columns_of_categories_count(tmp_path: Path) -> None:
    file = tmp_path / "places.parquet"
    thai = {"primary": "thai_restaurant", "alternate": None}
    taxonomy = {"primary": "bakery", "hierarchy": ["food_and_drink", "bakery"], "alternates": None}
    write_records(
        file,
        [
            record("old"),
            record("new", categories=None, taxonomy=taxonomy),
            record("thai", categories=thai),
            record("none", categories=None),
            record("also", categories={"primary": "hotel", "alternate": ["bakery"]}),
        ],
    )
    assert await names(file) == ["new", "old"]
    assert await names(file, kind="restaurants") == ["thai"]


async def test_closed_places_and_records_without_a_name_are_left_out(tmp_path: Path) -> None:
    file = tmp_path / "places.parquet"
    write_records(
        file,
        [
            record("open", operating_status="open"),
            record("gone", operating_status="permanently_closed"),
            record("never", confidence=0.0),
            record("unsure", confidence=None),
            record("pause", operating_status="temporarily_closed"),
            record("nameless", names=None),
            record("nowhere", bbox=None),
        ],
    )
    assert await names(file) == ["open", "pause", "unsure"]


async def test_a_limit_keeps_the_surest(tmp_path: Path) -> None:
    file = tmp_path / "places.parquet"
    write_records(file, [record(f"p{n}", confidence=n / 10) for n in range(1, 10)])
    assert await names(file, limit=2) == ["p8", "p9"]


async def test_a_folder_is_searched_with_all_its_files(tmp_path: Path) -> None:
    folder = tmp_path / "release" / "2026-10-22.0" / "theme=places" / "type=place"
    folder.mkdir(parents=True)
    write_records(folder / "part-1.parquet", [record("one")])
    write_records(folder / "part-2.parquet", [record("two")])
    (folder / "readme.txt").write_text("not a table")
    assert await names(tmp_path) == ["one", "two"]
    state = overture_entry(str(tmp_path)).state()
    assert (state.is_ready, str(state.data_date)) == (True, "2026-10-22")


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 not Parquet", b"PAR1" + b"\x00" * 50 + b"PAR1"])
async def test_a_file_that_is_not_parquet_is_refused_with_a_reason(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "bad.parquet").write_bytes(content)
    with pytest.raises(SourceError, match="cannot be read"):
        await search(tmp_path)


async def test_a_table_of_something_else_is_refused(tmp_path: Path) -> None:
    import duckdb

    with duckdb.connect(":memory:") as connection:
        connection.sql("SELECT 1 AS id").write_parquet(str(tmp_path / "other.parquet"))
    with pytest.raises(SourceError, match="no column name, bbox"):
        await search(tmp_path)
    with pytest.raises(SourceError, match="set OVERTURE_PATH"):
        await OvertureSource("").search("bakery", "", {"box": BERLIN.to_json()})
    absent = overture_entry(str(tmp_path / "absent")).state()
    assert not absent.is_ready
    assert "absent" in absent.problem


async def test_the_check_counts_the_places(tmp_path: Path) -> None:
    write_records(tmp_path / "places.parquet", [record("one"), record("two")])
    assert (await check_overture(str(tmp_path), QueryLimits())).startswith("ok: 2 places of 20")
    with pytest.raises(SourceError, match="absent"):
        await check_overture(str(tmp_path / "absent"), QueryLimits())


async def test_nothing_else_can_be_opened(tmp_path: Path) -> None:
    """A query reaches neither the network nor another file, and cannot load an extension."""
    file, other = tmp_path / "places.parquet", tmp_path / "other.parquet"
    for path in (file, other):
        write_records(path, [record("x")])
    for text in (
        f"SELECT * FROM '{other}'",
        "SELECT * FROM 's3://bucket/x.parquet'",
        "SELECT * FROM 'http://127.0.0.1:9/x.parquet'",
        "INSTALL httpfs",
        "SET enable_external_access = true",
        f"COPY (SELECT 1) TO '{tmp_path / 'new.csv'}'",
    ):
        with pytest.raises(SourceError):
            await query_parquet([file], lambda rows, text=text: rows.query("rows", text), QueryLimits())  # type: ignore[misc]
    assert not (tmp_path / "new.csv").exists()


@pytest.mark.timed
async def test_who_stops_waiting_interrupts_the_query(tmp_path: Path) -> None:
    file = tmp_path / "places.parquet"
    write_records(file, [record("x")])
    endless = "SELECT count(*) FROM range(100000000000) AS a(i), rows WHERE hash(i) % 7 = 3"
    work = asyncio.create_task(
        query_parquet([file], lambda rows: rows.query("rows", endless).fetchall(), QueryLimits())
    )
    await asyncio.sleep(0.5)
    work.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(work, 30)


async def test_shuffled_rows_give_the_same_as_a_plain_filter(tmp_path: Path) -> None:
    import duckdb

    file = tmp_path / "sample.parquet"
    write_sample(file, 30_000, row_group=5_000)
    with duckdb.connect(":memory:") as connection:
        rows = connection.read_parquet(str(file)).query(
            "rows",
            "SELECT id FROM rows WHERE categories.primary = 'dentist' AND bbox.xmin BETWEEN 13.2 AND 13.5"
            " AND bbox.ymin BETWEEN 52.4 AND 52.6",
        )
        expected = {row[0] for row in rows.fetchall()}
    found = await search(file, "dentist", Box(52.4, 13.2, 52.6, 13.5))
    assert {place.place_id for place in found} == expected
    assert len(expected) > 5


@pytest.mark.skipif(not SCHEMA.is_file(), reason="needs the published schema")
def test_the_generated_files_have_the_published_columns() -> None:
    import yaml

    from scrapersky_demo.overture_file import COLUMNS

    published = yaml.safe_load(SCHEMA.read_text())["properties"]["properties"]["properties"]
    assert set(published) <= set(COLUMNS)
    for name in ("categories", "taxonomy"):
        for part in published[name]["properties"]:
            assert part in COLUMNS[name]
