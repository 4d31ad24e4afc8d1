"""Query parameters: known names, plain spellings."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import Annotated, Literal

import httpx
import pytest
from fastapi import APIRouter, Depends, FastAPI, Query
from pydantic import BaseModel

from scrapersky.api.models import Moment
from scrapersky.api.parameters import check_parameters

MakeWeb = Callable[..., FastAPI]
router = APIRouter(prefix="/things")


class Color(StrEnum):
    RED = "red-ish"


class Filters(BaseModel):
    text: str | None = None
    level: list[int] | None = None
    color: Color | None = None
    kind: Literal["New", "Old"] | None = None
    since: Moment | None = None


@router.get("/{name}")
async def read_things(
    name: str,
    filters: Annotated[Filters, Query()],
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    recent: bool = False,
) -> dict[str, object]:
    return {"limit": limit, "recent": recent, **filters.model_dump(mode="json", exclude_none=True)}


@pytest.fixture
def client(make_web: MakeWeb) -> httpx.AsyncClient:
    web = make_web()
    web.include_router(router, dependencies=[Depends(check_parameters)])
    return httpx.AsyncClient(transport=httpx.ASGITransport(web), base_url="http://localhost:8000/things")


GOOD = {
    "limit=200&recent=true": {"limit": 200, "recent": True},
    "level=1&level=-2": {"level": [1, -2]},
    "text=%25_%5C&color=red-ish": {"text": "%_\\", "color": "red-ish"},
    "since=2026-01-31T12:00:00Z": {"since": "2026-01-31T12:00:00Z"},
    "since=2026-01-31T12:00:00%2B02:00": {"since": "2026-01-31T12:00:00+02:00"},
}
BAD = [
    *("limit=0", "limit=-1", "limit=1000000000", "limit=abc", "limit=1e3", "limit=%EF%BC%91%EF%BC%90"),
    *(
        "limit=1_000",
        "limit=%D9%A3",
        "limit=" + "1" * 5_000,
        "limit=",
        "limit=+5",
        "limit=10.0",
        "limit=%2010",
    ),
    *("limit=1&limit=2", "recent=yes", "recent=1", "recent=TRUE", "level=1&level=x", "level=1_0"),
    *("nothing=1", "Limit=1", "limit%00=1", "filters=1", "name=x", "text=a%00b", "token=secret"),
    *("color=RED", "color=Red-ish", "color=red-ish%20", "color=0", "kind=new", "kind=NEW"),
    *("since=infinity", "since=10000-01-01", "since=0001-01-01T00:00:00%2B14:00", "since=1769860800000"),
    *("since=2024-02-30T00:00:00Z", "since=2026-01-31T12:00:00", "since=1969-12-31T23:59:59Z"),
    *("since=2200-01-01T00:00:00Z", "since=now", "since=2026-01-31"),
]


@pytest.mark.parametrize("query", GOOD)
async def test_a_plain_parameter_is_read(client: httpx.AsyncClient, query: str) -> None:
    answer = await client.get(f"/x?{query}")
    assert answer.status_code == 200, answer.text
    assert GOOD[query].items() <= answer.json().items()


@pytest.mark.parametrize("query", BAD, ids=lambda query: query[:30])
async def test_an_odd_parameter_is_named_in_a_problem(client: httpx.AsyncClient, query: str) -> None:
    answer = await client.get(f"/x?{query}")
    assert answer.status_code == 422, answer.text
    assert len(answer.text) < 2_000
    name = query.split("=")[0].replace("%00", "\0")
    assert name in {error["pointer"].split(".")[0] for error in answer.json()["errors"]}


async def test_nul_in_a_path_is_refused(client: httpx.AsyncClient) -> None:
    assert (await client.get("/a%00b")).status_code == 422


async def test_every_route_of_the_api_refuses_unknown_parameters(api: httpx.AsyncClient) -> None:
    answer = await api.get("/api/v3/jobs/1?api_key=secret")
    assert answer.status_code == 422
    assert answer.json()["errors"] == [
        {"pointer": "api_key", "detail": "Unknown parameter; known: none", "code": "extra_forbidden"}
    ]
