"""A search in the console: the form, the choice among cities of one name, and what is refused."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from html import unescape
from pathlib import Path

import httpx
import pytest
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncEngine

from scrapersky import tables
from scrapersky_demo.overture_file import write_records

OpenConsole = Callable[..., AbstractAsyncContextManager[httpx.AsyncClient]]


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "places.parquet"
    write_records(path, [])
    return str(path)


def text_of(page: httpx.Response) -> str:
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", page.text)).split())


@pytest.mark.req("R246")
async def test_a_kind_and_a_place_become_a_search(
    open_console: OpenConsole, db: AsyncEngine, file: str
) -> None:
    async with open_console(overture_path=file) as console:
        form = await console.get("/add/search")
        assert '<option value="bakery">' in form.text
        assert "Overture Maps" in text_of(form)
        page = await console.post("/add/search", data={"what": "bakery", "where": "Berlin"})
        assert page.status_code == 200
        assert "bakery · Berlin, DE · Overture Maps" in text_of(page)
    async with db.connect() as connection:
        row = (await connection.execute(select(tables.place_searches))).one()
    assert (row.source, row.status, row.params["place"]) == ("overture", "pending", "Berlin, DE")
    assert f"/places?search_id={row.id}" in page.text


async def test_a_shared_name_is_a_choice_and_the_choice_searches(
    open_console: OpenConsole, db: AsyncEngine, file: str
) -> None:
    async with open_console(overture_path=file) as console:
        asked = await console.post("/add/search", data={"what": "bakery", "where": "Portland"})
        assert asked.status_code == 422
        assert "Which Portland?" in text_of(asked)
        choices = re.findall(r'name="where" value="(geonames:\d+)" aria-label="([^"]*)"', asked.text)
        assert [label for _, label in choices][:2] == [
            "Search in Portland, Oregon, US",
            "Search in Portland, Maine, US",
        ]
        page = await console.post("/add/search", data={"what": "bakery", "where": choices[1][0]})
        assert "Portland, Maine, US" in text_of(page)


@pytest.mark.parametrize(
    ("form", "reason"),
    [
        ({"what": "bakrey", "where": "Berlin"}, "Did you mean bakery"),
        ({"what": "bakery", "where": "<b>Nowhereville</b>"}, "No city of 15,000"),
        ({"what": "bakery", "box": "1,2"}, "expected SOUTH,WEST,NORTH,EAST"),
        ({"what": "bakery", "near": "1,2", "radius": "far"}, "Invalid radius 'far'"),
        ({"what": "bakery", "where": "Berlin", "country": "Atlantis"}, "Invalid country"),
        ({"what": "bakery", "where": "Berlin", "source": "csv"}, "Unknown source"),
    ],
)
async def test_what_is_refused_says_why_and_keeps_what_was_typed(
    open_console: OpenConsole, file: str, form: dict[str, str], reason: str
) -> None:
    async with open_console(overture_path=file) as console:
        page = await console.post("/add/search", data=form)
    assert page.status_code == 422
    assert reason in text_of(page)
    assert f'value="{form["what"]}"' in page.text
    assert "<b>" not in page.text


async def test_without_data_the_page_names_the_download(open_console: OpenConsole) -> None:
    async with open_console() as console:
        assert "overturemaps download" in text_of(await console.get("/add/search"))
        page = await console.post("/add/search", data={"what": "bakery", "where": "Berlin"})
    assert page.status_code == 422
    assert "--bbox=13.0641" in text_of(page)
