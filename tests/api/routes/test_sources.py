"""Sources by HTTP: which are ready, their data's date, licence and attribution."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import httpx

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
