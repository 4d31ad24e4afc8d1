"""The sources in the settings: ready or not, with date, licence, attribution and what is missing."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from html import unescape
from pathlib import Path

import httpx

from scrapersky_demo.overture_file import write_records

OpenConsole = Callable[..., AbstractAsyncContextManager[httpx.AsyncClient]]


def text_of(page: httpx.Response) -> str:
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", page.text)).split())


async def test_the_page_shows_each_source_and_what_is_missing(
    open_console: OpenConsole, tmp_path: Path
) -> None:
    async with open_console() as console:
        text = text_of(await console.get("/settings/sources"))
        assert "Overture Maps not ready" in text
        assert "overturemaps download --bbox=WEST,SOUTH,EAST,NORTH" in text
        assert "GeoNames" in text
        titles = re.findall(r"<h2[^>]*>\s*([^<]*?)\s*<", (await console.get("/settings/sources")).text)
        assert len(titles) == len(set(titles)), "each card has a title of its own"
    folder = tmp_path / "2026-10-22.0"
    folder.mkdir()
    write_records(folder / "places.parquet", [])
    async with open_console(overture_path=str(folder)) as console:
        page = await console.get("/settings/sources")
    assert "Overture Maps ready" in text_of(page)
    assert "2026-10-22" in page.text
    assert "CDLA Permissive 2.0" in page.text
    assert "/add/search?source=overture" in page.text
