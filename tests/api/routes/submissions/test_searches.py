"""Searches by HTTP: queued with their box; ambiguous and unknown places are refused with what helps."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import httpx
import pytest

from scrapersky_demo.overture_file import write_records

OpenApi = Callable[..., AbstractAsyncContextManager[httpx.AsyncClient]]
BOX = {"south": 1.0, "west": 2.0, "north": 3.0, "east": 4.0}
SEARCHES = "/api/v3/searches"


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "places.parquet"
    write_records(path, [])
    return str(path)


@pytest.mark.req("R246")
async def test_a_search_is_queued_with_its_box(open_api: OpenApi, file: str) -> None:
    async with open_api(overture_path=file) as api:
        answer = await api.post(SEARCHES, json={"business_type": "bakery", "location": "Berlin"})
        assert answer.status_code == 202, answer.text
        body = answer.json()
        assert (body["source"], body["place"], body["status"]) == ("overture", "Berlin, DE", "pending")
        row = (await api.get(answer.headers["location"])).json()
        assert row["params"]["box"] == body["box"]
        assert row["business_type"] == "bakery"
        near = {"business_type": "bakery", "near": {"latitude": 1.5, "longitude": 2.5}, "radius_km": 3.0}
        assert (await api.post(SEARCHES, json=near)).json()["place"] == "3 km around 1.5,2.5"
        assert (await api.post(SEARCHES, json={"business_type": "bakery", "box": BOX})).json()["box"] == BOX


async def test_an_ambiguous_place_has_candidates_and_one_of_them_works(open_api: OpenApi, file: str) -> None:
    async with open_api(overture_path=file) as api:
        refused = await api.post(SEARCHES, json={"business_type": "bakery", "location": "Portland"})
        assert refused.status_code == 422
        first = refused.json()["candidates"][0]
        assert first["label"] == "Portland, Oregon, US"
        answer = await api.post(SEARCHES, json={"business_type": "bakery", "location": first["place"]})
        assert answer.json()["place"] == first["label"]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"source": "nobody"}, "Unknown source"),
        ({"source": "csv"}, "reads a file"),
        ({"location": "Nowhereville"}, "No city"),
        ({"business_type": "bakrey"}, "Did you mean bakery"),
        ({"country": "Atlantis"}, "Invalid country"),
        (
            {"location": "", "box": {"south": 3.0, "west": 2.0, "north": 1.0, "east": 4.0}},
            "south of its north",
        ),
        ({"params": {"file": "/etc/passwd"}}, "One value is invalid"),
    ],
)
async def test_what_cannot_be_searched_is_422(
    open_api: OpenApi, file: str, change: dict[str, object], reason: str
) -> None:
    async with open_api(overture_path=file) as api:
        body = {"business_type": "bakery", "location": "Berlin", **change}
        answer = await api.post(SEARCHES, json=body)
        assert answer.status_code == 422
        assert reason in answer.json()["detail"]
        assert (await api.get(SEARCHES)).json()["total"] == 0


async def test_without_data_the_answer_names_the_download(open_api: OpenApi) -> None:
    async with open_api() as api:
        answer = await api.post(SEARCHES, json={"business_type": "bakery", "location": "Berlin"})
        assert answer.status_code == 422
        assert "overturemaps download" in answer.json()["detail"]
