"""The contract server of Google Places keeps Google's rules, and its answers fit Google's own description."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp
import orjson
import pytest

from scrapersky.sources.google_places.prices import DETAILS_MASK, ID_MASK, SEARCH_MASK
from scrapersky_demo.contracts.google_city import BOX, clustered_city
from scrapersky_demo.contracts.google_places import (
    ENTERPRISE_FIELDS,
    ID_FIELDS,
    PRO_FIELDS,
    SEARCH_REQUEST,
    GooglePlacesServer,
    serve_google_places,
)

# Google's description of the API, where the shared folder is there.
DESCRIPTION = (
    Path(__file__).parents[3] / "shared" / "contracts" / "google-places" / "places.v1.discovery.json"
)
described = pytest.mark.skipif(not DESCRIPTION.exists(), reason="Google's description is not here")
AREA = {
    "rectangle": {
        "low": {"latitude": BOX["south"], "longitude": BOX["west"]},
        "high": {"latitude": BOX["north"], "longitude": BOX["east"]},
    }
}
QUERY: dict[str, Any] = {"textQuery": "bakery", "pageSize": 20, "locationRestriction": AREA}
HEADERS = {"X-Goog-Api-Key": "test-key", "X-Goog-FieldMask": ID_MASK}


@pytest.fixture
async def server() -> AsyncIterator[GooglePlacesServer]:
    async with serve_google_places(GooglePlacesServer(clustered_city(100))) as running:
        yield running


async def ask(server: GooglePlacesServer, body: Any = None, **headers: str) -> tuple[int, dict[str, Any]]:
    url = f"http://127.0.0.1:{server.port}/v1/places:searchText"
    async with (
        aiohttp.ClientSession() as session,
        session.post(url, json=QUERY | (body or {}), headers=HEADERS | headers) as answer,
    ):
        return answer.status, await answer.json()


async def test_pages_have_20_places_and_a_query_60(server: GooglePlacesServer) -> None:
    seen: list[str] = []
    token, pages = "", 0
    while True:
        status, answer = await ask(server, {"pageToken": token} if token else {})
        assert status == 200
        seen += [place["id"] for place in answer["places"]]
        pages += 1
        token = answer.get("nextPageToken", "")
        if not token:
            break
    assert (len(seen), len(set(seen)), pages) == (60, 60, 3)
    assert server.billed == {"text_search_ids": 3}


@pytest.mark.parametrize(
    ("change", "headers", "status", "message"),
    [
        ({}, {"X-Goog-FieldMask": ""}, 400, "FieldMask is a required parameter"),
        ({}, {"X-Goog-FieldMask": "places.shoeSize"}, 400, "shoeSize"),
        ({}, {"X-Goog-Api-Key": ""}, 403, "unregistered callers"),
        ({}, {"X-Goog-Api-Key": "other"}, 400, "API key not valid"),
        ({"textQuery": " "}, {}, 400, "Empty text_query"),
        ({"radius": 5}, {}, 400, 'Unknown name "radius"'),
        ({"locationBias": AREA}, {}, 400, "Only one of"),
        ({"pageToken": "made-up.20"}, {}, 400, "page token"),
        ({"pageSize": -1}, {}, 400, "page_size"),
        ({"locationRestriction": {"circle": {}}}, {}, 400, "location_restriction"),
    ],
)
async def test_a_request_that_google_would_refuse_is_refused(
    server: GooglePlacesServer, change: Any, headers: dict[str, str], status: int, message: str
) -> None:
    code, answer = await ask(server, change, **headers)
    assert (code, answer["error"]["code"]) == (status, status)
    assert message in answer["error"]["message"]
    assert not server.billed


async def test_a_page_token_belongs_to_its_query(server: GooglePlacesServer) -> None:
    _, answer = await ask(server)
    code, _ = await ask(server, {"pageToken": answer["nextPageToken"], "textQuery": "bakery shop"})
    assert code == 400


@pytest.mark.parametrize(
    ("mask", "sku"),
    [
        (ID_MASK, "text_search_ids"),
        ("places.id,places.displayName", "text_search_pro"),
        (SEARCH_MASK, "text_search_enterprise"),
    ],
)
async def test_a_call_is_billed_by_its_mask(server: GooglePlacesServer, mask: str, sku: str) -> None:
    _, answer = await ask(server, **{"X-Goog-FieldMask": mask})
    assert server.billed == {sku: 1}
    asked = {name.removeprefix("places.") for name in mask.split(",")}
    assert {name for place in answer["places"] for name in place} <= asked


@described
def test_the_fields_and_parameters_are_those_of_the_description() -> None:
    schemas = orjson.loads(DESCRIPTION.read_bytes())["schemas"]
    place = set(schemas["GoogleMapsPlacesV1Place"]["properties"])
    assert place >= ID_FIELDS | PRO_FIELDS | ENTERPRISE_FIELDS
    assert set(DETAILS_MASK.split(",")) <= place
    assert set(schemas["GoogleMapsPlacesV1SearchTextRequest"]["properties"]) >= SEARCH_REQUEST


@described
async def test_requests_and_answers_fit_the_description(server: GooglePlacesServer) -> None:
    schemas = orjson.loads(DESCRIPTION.read_bytes())["schemas"]
    _, answer = await ask(server, **{"X-Goog-FieldMask": SEARCH_MASK})
    assert not list(misfits(QUERY, "GoogleMapsPlacesV1SearchTextRequest", schemas))
    assert not list(misfits(answer, "GoogleMapsPlacesV1SearchTextResponse", schemas))
    assert list(misfits({"places": [{"rating": "5"}]}, "GoogleMapsPlacesV1SearchTextResponse", schemas))


TYPES = {"string": str, "integer": int, "number": int | float, "boolean": bool}


def misfits(value: Any, name: str, schemas: dict[str, Any]) -> Any:
    """What of a value the description does not allow."""
    properties = schemas[name]["properties"]
    for key, one in value.items():
        kind = properties.get(key)
        if kind is None:
            yield f"{name} has no {key}"
            continue
        items = one if kind.get("type") == "array" else [one]
        inner = kind.get("items", kind)
        for item in items:
            if reference := inner.get("$ref"):
                yield from misfits(item, reference, schemas)
            elif not isinstance(item, TYPES[inner["type"]]):
                yield f"{name}.{key} is {type(item).__name__}"
