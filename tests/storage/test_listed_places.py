"""Files of places with hostile cells, from the bytes to the stored rows (RELIABILITY 3.2)."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncEngine

from fakes import TENANT, USER, context, item
from scrapersky import tables
from scrapersky.declarations import DEEP_SCAN, EXTRACT_DOMAIN
from scrapersky.queries.contacts import ContactQuery
from scrapersky.queries.rows.entities import ENTITIES
from scrapersky.queries.rows.lists import ListQuery
from scrapersky.sources import CSVSource
from scrapersky.stages import deep_scan, extract_domain, search_places
from scrapersky.storage import save


async def imported(db: AsyncEngine, folder: Path, *lines: list[str]) -> tuple[list[Any], list[Any]]:
    """Places and businesses that a search of this file makes, in the order of the file."""
    text = io.StringIO()
    csv.writer(text).writerows(lines)
    file = folder / "places.csv"
    file.write_bytes(text.getvalue().encode())
    made = context(sources={"csv": CSVSource()})
    wanted = {"business_type": "", "location": "", "source": "csv", "params": {"file": str(file)}}
    search = item(**wanted, created_by=USER)
    done = await search_places.run(search, made)
    for row in done.rows:
        row.values["search_id"] = None
    places = await stored(db, [(search, row) for row in done.rows], tables.places_staging)
    for place in places:
        columns = {name: getattr(place, name) for name in DEEP_SCAN.reads}
        one = item(id=place.id, **columns)
        await stored(
            db, [(one, row) for row in (await deep_scan.run(one, made)).rows], tables.local_businesses
        )
    return places, await stored(db, [], tables.local_businesses)


async def stored(db: AsyncEngine, rows: list[Any], kind: Any) -> list[Any]:
    async with db.begin() as connection:
        await save(connection, rows)
        return list(await connection.execute(select(kind).order_by(kind.c.place_id)))


async def test_people_of_a_file_become_contacts_with_its_line_as_evidence(
    db: AsyncEngine, tmp_path: Path
) -> None:
    heads = ["Company", "Website", "E-mail", "Contact person", "Position", "Phone"]
    rows = [
        ["Blum", "blum.de", "Ada@blum.de", "Ada Blum", "CEO", "030 25930170"],
        ["Adler", "https://www.adler.at/x", "adler@gmx.at", "", "", ""],
        ["Celik", "celik.com.tr", "", "Can Celik", "", "+90 212 245 00 00"],
        ["Dorn", "dorn.de", "", "", "", "030 25930171"],
        ["Erle", "facebook.com/erle", "e@erle.de", "", "", ""],
    ]
    _, businesses = await imported(db, tmp_path, heads, *rows)
    made = context()
    for business in businesses:
        columns = {name: getattr(business, name) for name in EXTRACT_DOMAIN.reads}
        one = item(id=business.id, **columns)
        for _ in range(2):
            done = await extract_domain.run(one, made)
            await stored(db, [(one, row) for row in done.rows], tables.local_businesses)
    found = {contact["domain"]: contact async for contact in ContactQuery(db).stream(TENANT)}
    shown = ("email", "phone_number", "name", "job_title", "source_url", "email_relation")
    assert {name: tuple(one[column] for column in shown) for name, one in found.items()} == {
        "blum.de": ("ada@blum.de", "+493025930170", "Ada Blum", "CEO", "file:places.csv#line=2", "own"),
        "adler.at": ("adler@gmx.at", None, None, None, "file:places.csv#line=3", "free"),
        "celik.com.tr": (None, "+902122450000", "Can Celik", None, "file:places.csv#line=4", None),
    }


FORMULAS = ['=HYPERLINK("http://evil","x")', "+cmd|' /C calc'!A0", "-2+3", "@SUM(1)", "\t=1", "\r=1", "＝1+1"]


async def test_formulas_are_stored_as_they_are_written(db: AsyncEngine, tmp_path: Path) -> None:
    """CSV-14: white space around a cell is not part of it; nothing else is changed before an export."""
    lines = [[f"{at:03}", formula, formula] for at, formula in enumerate(FORMULAS)]
    places, businesses = await imported(db, tmp_path, ["id", "name", "city"], *lines)
    names = [formula.strip() for formula in FORMULAS]
    assert [place.name for place in places] == names
    assert [(one.business_name, one.city) for one in businesses] == [(name, name) for name in names]


async def test_a_place_keeps_the_written_number_and_the_business_gets_the_one_to_dial(
    db: AsyncEngine, tmp_path: Path
) -> None:
    """CSV-16."""
    written = ["(+49) 030 / 12 34 56", "00", "+999999999999999999999", "1-800-FLOWERS", "٠٣٠ ١٢٣٤٥٦"]
    lines = [[f"{at:03}", "Shop", "de", phone] for at, phone in enumerate(written)]
    places, businesses = await imported(db, tmp_path, ["id", "name", "country", "phone"], *lines)
    assert [place.phone for place in places] == [place.raw_data["phone"] for place in places] == written
    assert [one.phone for one in businesses] == ["+4930123456", None, None, None, "+4930123456"]


@pytest.mark.parametrize("value", ["31/02/2024", "10000-01-01", "infinity", "-infinity", "NaN", "1e999"])
async def test_dates_and_numbers_that_poison_later_reads_are_left_out(
    db: AsyncEngine, tmp_path: Path, value: str
) -> None:
    """CSV-22, and CSV-19: columns that are ours to fill are not taken from the file."""
    ours = ["tenant_id", "status", "created_at", "updated_at", "expires_at", "revisit_at", "deep_scan_status"]
    numbers = ["latitude", "longitude", "rating", "reviews"]
    line = ["001", "Shop", *[value] * len(ours + numbers)]
    [place], [business] = await imported(db, tmp_path, ["id", "name", *ours, *numbers], line)
    assert (place.tenant_id, place.status, place.created_by) == (TENANT, "New", USER)
    assert (place.expires_at, place.revisit_at, place.rating, place.user_ratings_total) == (None,) * 4
    assert (place.latitude, place.longitude, business.rating) == (None, None, None)
    assert place.created_at.year == place.updated_at.year < 2200
    assert value not in place.raw_data.values()
    assert len(await ListQuery(db, TENANT).list_rows(ENTITIES["place"])) == 1
