"""Sources by HTTP: which are ready, their data's date, licence and attribution."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import httpx
import pytest
from sqlalchemy import update
from sqlalchemy.ext.asyncio import AsyncEngine

from contacts_lab import add_contact
from pipeline_rows import add_business, add_place
from scrapersky import tables
from scrapersky_demo.overture_file import write_records

OpenApi = Callable[..., AbstractAsyncContextManager[httpx.AsyncClient]]


async def test_every_source_says_whether_it_is_ready(open_api: OpenApi, tmp_path: Path) -> None:
    folder = tmp_path / "2026-10-22.0"
    folder.mkdir()
    write_records(folder / "places.parquet", [])
    async with open_api(overture_path=str(folder)) as api:
        sources = {item["name"]: item for item in (await api.get("/api/v3/sources")).json()["items"]}
    assert set(sources) >= {"overture", "google_places", "csv"}
    overture = sources["overture"]
    assert (overture["is_ready"], overture["data_date"], overture["problem"]) == (True, "2026-10-22", "")
    assert "CDLA" in overture["licence"]
    assert "Overture" in overture["attribution"]
    assert sources["google_places"]["problem"] == "not configured"
    async with open_api(overture_path=str(tmp_path / "absent")) as api:
        [broken, *_] = (await api.get("/api/v3/sources")).json()["items"]
    assert not broken["is_ready"]
    assert "absent" in broken["problem"]


@pytest.mark.parametrize(
    ("source", "names"), [("google_places", "Google Maps"), ("openstreetmap", "© OpenStreetMap contributors")]
)
async def test_lists_and_rows_say_whom_to_name(
    api: httpx.AsyncClient, db: AsyncEngine, source: str, names: str
) -> None:
    """What is derived from Google's data is not Google's; what is derived from OpenStreetMap's is named."""
    await add_place(db, source=source)
    await add_business(db, source=source)
    await add_contact(db, "firma.de", email="info@firma.de", lead_source=source)
    derived = names if source == "openstreetmap" else None
    async with db.begin() as connection:
        await connection.execute(update(tables.domains).values(lead_source=source))
    paths = {"/places/staging": names, "/local-businesses": names, "/domains": derived, "/contacts": derived}
    for path, expected in paths.items():
        [row] = (await api.get(f"/api/v3{path}")).json()["items"]
        assert row["attribution"] == expected, path
        one = (await api.get(f"/api/v3{path}/{row['id']}")).json()
        assert one["attribution"] == expected, path
