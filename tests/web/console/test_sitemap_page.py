"""One sitemap: what it lists before and after its import, and the decision about it."""

from __future__ import annotations

import uuid

import httpx
from sqlalchemy import insert, select
from sqlalchemy.ext.asyncio import AsyncEngine

from operation_lab import add_rows
from product import TENANT
from scrapersky import tables

PREVIEW = {
    "first_urls": ["https://shop.example/contact", "https://shop.example/blog/<b>"],
    "guessed_types": {"contact_root": 1, "blog": 411},
}


async def test_a_file_is_previewed_before_its_import(console: httpx.AsyncClient, db: AsyncEngine) -> None:
    [file_id] = await add_rows(db, "sitemap", 1, url_count=412, additional_json=PREVIEW)
    domain = select(tables.sitemap_files.c.domain_id).where(tables.sitemap_files.c.id == file_id)
    async with db.begin() as connection:
        page = {"tenant_id": TENANT, "url": PREVIEW["first_urls"][0], "host": "shop.example"}
        page["domain_id"] = await connection.scalar(domain)
        await connection.execute(insert(tables.pages).values(page))
    text = (await console.get(f"/sitemaps/{file_id}")).text
    assert "Guessed types" in text
    assert "411" in text
    assert "https://shop.example/contact" in text
    assert "<b>" not in text
    assert "1 of the first 2" in text
    assert f'href="/sitemaps/{file_id}"' in (await console.get("/sitemaps")).text


async def test_an_imported_file_shows_its_pages_by_type(console: httpx.AsyncClient, db: AsyncEngine) -> None:
    [file_id] = await add_rows(db, "sitemap", 1, additional_json=PREVIEW)
    pages = await add_rows(db, "page", 3, page_type="team_root")
    async with db.begin() as connection:
        listed = [{"tenant_id": TENANT, "page_id": page, "sitemap_file_id": file_id} for page in pages]
        await connection.execute(insert(tables.page_sitemaps), listed)
    text = (await console.get(f"/sitemaps/{file_id}")).text
    assert "Pages by type" in text
    assert text.count("TEAM_ROOT") == 3
    assert "shop.example/contact" not in text, "the preview is over"


async def test_a_file_is_decided_about_on_its_page(console: httpx.AsyncClient, db: AsyncEngine) -> None:
    [file_id] = await add_rows(db, "sitemap", 1)
    answer = await console.post(f"/sitemaps/{file_id}/decide", data={"value": "Selected"})
    assert (answer.status_code, answer.headers["location"]) == (303, f"/sitemaps/{file_id}")
    columns = tables.sitemap_files.c
    async with db.connect() as connection:
        query = select(columns.sitemap_curation_status, columns.sitemap_import_status)
        assert tuple((await connection.execute(query)).one()) == ("Selected", "Queued")
    assert (await console.get(f"/sitemaps/{uuid.uuid4()}")).status_code == 404
