"""Parquet files in the schema of Overture Places: the demo's businesses, or invented rows in any number."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from scrapersky_demo.businesses.business import Business

COLUMNS = {
    "id": "VARCHAR",
    "geometry": "BLOB",
    "bbox": "STRUCT(xmin FLOAT, xmax FLOAT, ymin FLOAT, ymax FLOAT)",
    "version": "INTEGER",
    "sources": "STRUCT(property VARCHAR, dataset VARCHAR, license VARCHAR, record_id VARCHAR,"
    " update_time VARCHAR, confidence DOUBLE)[]",
    "names": 'STRUCT("primary" VARCHAR, common MAP(VARCHAR, VARCHAR), rules STRUCT(variant VARCHAR,'
    " language VARCHAR, value VARCHAR)[])",
    "categories": 'STRUCT("primary" VARCHAR, alternate VARCHAR[])',
    "basic_category": "VARCHAR",
    "taxonomy": 'STRUCT("primary" VARCHAR, hierarchy VARCHAR[], alternates VARCHAR[])',
    "confidence": "DOUBLE",
    "websites": "VARCHAR[]",
    "socials": "VARCHAR[]",
    "emails": "VARCHAR[]",
    "phones": "VARCHAR[]",
    "brand": 'STRUCT(wikidata VARCHAR, names STRUCT("primary" VARCHAR))',
    "addresses": "STRUCT(freeform VARCHAR, locality VARCHAR, postcode VARCHAR, region VARCHAR,"
    " country VARCHAR)[]",
    "operating_status": "VARCHAR",
    "theme": "VARCHAR",
    "type": "VARCHAR",
}
LISTED_FIELDS = {
    "sources": ("property", "dataset", "license", "record_id", "update_time", "confidence"),
    "addresses": ("freeform", "locality", "postcode", "region", "country"),
}
# The kinds of the demo world that are called otherwise in Overture's taxonomy.
CATEGORIES = {"plumber": "plumbing", "hairdresser": "hair_salon", "garage": "automotive_repair"}


def overture_record(business: Business, **more: Any) -> dict[str, Any]:
    """A business as Overture would list it; `more` replaces single columns."""
    category = CATEGORIES.get(business.kind, business.kind)
    point = {"xmin": business.longitude, "xmax": business.longitude}
    point |= {"ymin": business.latitude, "ymax": business.latitude}
    return {
        "id": business.id,
        "bbox": point,
        "version": 1,
        "sources": [{"property": "", "dataset": "meta", "record_id": business.id}],
        "names": {"primary": business.name},
        "categories": {"primary": category, "alternate": []},
        "basic_category": category,
        "confidence": 0.9,
        "websites": [business.website] if business.website else None,
        "phones": [business.main_line.e164],
        "addresses": [
            {
                "freeform": business.street_line,
                "locality": business.city.name,
                "postcode": business.postcode,
                "country": business.locale.country,
            }
        ],
        "operating_status": "open",
        "theme": "places",
        "type": "place",
        **more,
    }


def write_records(path: Path, records: Iterable[dict[str, Any]]) -> int:
    """Write records as a file of the published schema; a column that a record lacks is empty."""
    import duckdb

    with duckdb.connect(":memory:") as connection:
        connection.execute("CREATE TABLE places (" + _definitions() + ")")
        rows = [[_complete(name, record.get(name)) for name in COLUMNS] for record in records]
        places = connection.table("places")
        for row in rows:
            places.insert(row)
        _copy(connection, "places", path)
    return len(rows)


def write_sample(path: Path, rows: int, *, seed: int = 1, row_group: int = 100_000) -> None:
    """Write invented rows, shuffled over the world, of which one in forty lies in Berlin."""
    import duckdb

    with duckdb.connect(":memory:") as connection:
        connection.execute("SELECT setseed(" + str((seed % 1000) / 1000) + ")")
        connection.execute(SAMPLE.replace("ROWS", str(int(rows))))
        _copy(connection, "places", path, row_group=row_group)


SAMPLE = """
CREATE TABLE places AS
WITH drawn AS (
  SELECT i, random() AS town, random() AS east, random() AS north, random() AS kind, random() AS sure
  FROM range(ROWS) AS numbers(i)
), placed AS (
  SELECT *, CASE WHEN town < 0.025 THEN 13.1 + east * 0.6 ELSE -180 + east * 360 END AS longitude,
    CASE WHEN town < 0.025 THEN 52.35 + north * 0.35 ELSE -60 + north * 130 END AS latitude,
    ['dentist', 'restaurant', 'bakery', 'hotel', 'lawyer', 'plumbing', 'hair_salon', 'gym', 'cafe',
     'automotive_repair', 'supermarket', 'pharmacy', 'accountant', 'florist', 'school', 'bar', 'banks',
     'real_estate_agent', 'clothing_store', 'landmark_and_historical_building'][1 + floor(kind * 20)::INTEGER]
      AS category
  FROM drawn
)
SELECT md5(i::VARCHAR) AS id, NULL::BLOB AS geometry,
  {'xmin': longitude::FLOAT, 'xmax': longitude::FLOAT, 'ymin': latitude::FLOAT, 'ymax': latitude::FLOAT}
    AS bbox,
  1 AS version,
  [{'property': '', 'dataset': 'meta', 'license': NULL::VARCHAR, 'record_id': i::VARCHAR,
    'update_time': '2026-10-01T00:00:00Z', 'confidence': NULL::DOUBLE}] AS sources,
  {'primary': 'Business ' || i, 'common': NULL::MAP(VARCHAR, VARCHAR),
   'rules': NULL::STRUCT(variant VARCHAR, language VARCHAR, value VARCHAR)[]} AS names,
  {'primary': category, 'alternate': [category || '_service']} AS categories,
  category AS basic_category,
  {'primary': category, 'hierarchy': ['services', category], 'alternates': NULL::VARCHAR[]} AS taxonomy,
  0.3 + sure * 0.7 AS confidence,
  ['https://www.business-' || i || '.example/'] AS websites,
  ['https://www.facebook.com/business' || i] AS socials,
  CASE WHEN i % 3 = 0 THEN ['info@business-' || i || '.example'] END AS emails,
  ['+4930' || (1000000 + i)] AS phones,
  NULL::STRUCT(wikidata VARCHAR, names STRUCT("primary" VARCHAR)) AS brand,
  [{'freeform': 'Street ' || (i % 300), 'locality': 'Town', 'postcode': '10115', 'region': NULL::VARCHAR,
    'country': 'DE'}] AS addresses,
  'open' AS operating_status, 'places' AS theme, 'place' AS type
FROM placed ORDER BY hash(i)
"""


def _definitions() -> str:
    return ", ".join('"' + name + '" ' + kind for name, kind in COLUMNS.items())


def _complete(column: str, value: Any) -> Any:
    """A struct names all its fields."""
    if column == "names" and value:
        return {"primary": None, "common": None, "rules": None, **value}
    if column in LISTED_FIELDS and value:
        return [{**dict.fromkeys(LISTED_FIELDS[column]), **entry} for entry in value]
    return value


def _copy(connection: Any, table: str, path: Path, *, row_group: int = 100_000) -> None:
    relation = connection.table(table)
    relation.write_parquet(str(path), compression="zstd", row_group_size=row_group)
