"""Adding work in the console: pasted lines, files with column mapping, searches, scans, progress, exports."""

from __future__ import annotations

import os
import re
import time
import uuid
from html import unescape
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy import select, update
from sqlalchemy.ext.asyncio import AsyncEngine

from contacts_lab import add_contact
from people import add_tenant
from product import TENANT
from scrapersky import tables
from scrapersky.maintenance import Maintenance, MaintenanceOptions
from scrapersky.sources import CSVSource
from scrapersky.sources.csv.uploads import LIFETIME_SECONDS, Uploads

ATTACK = "<script>alert(1)</script>"


async def rows_of(db: AsyncEngine, table: Any) -> list[Any]:
    async with db.connect() as connection:
        return list((await connection.execute(select(table).order_by(table.c.id))).all())


def text_of(page: httpx.Response) -> str:
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", page.text)).split())


async def upload(
    console: httpx.AsyncClient, content: bytes | str, kind: str = "domain", **fields: str
) -> httpx.Response:
    body = content.encode() if isinstance(content, str) else content
    return await console.post(
        "/add/file", data={"kind": kind, **fields}, files={"file": ("list.csv", body, "text/csv")}
    )


@pytest.mark.req("R224")
async def test_pasted_domains_have_a_result_for_each_line(
    console: httpx.AsyncClient, db: AsyncEngine
) -> None:
    assert "one per line" in text_of(await console.get("/add"))
    lines = f"one-firm.com\n\nnot a domain\nfacebook.com\nhttps://www.two-firm.com/contact\none-firm.com\n{ATTACK}"
    page = await console.post("/add", data={"lines": lines, "queue": "now"})
    assert page.status_code == 200
    stored = {row.domain: row for row in await rows_of(db, tables.domains)}
    assert set(stored) == {"one-firm.com", "two-firm.com"}
    assert {row.status for row in stored.values()} == {"pending"}
    text = text_of(page)
    assert "New 2" in text
    assert "Known 1" in text
    assert "Refused 3" in text
    assert "Queued 2" in text
    assert "the same as line 1" in text
    assert "a page on a platform" in text
    assert re.search(r"3 not a domain invalid", text)
    assert ATTACK not in page.text
    # The refused lines are there to be corrected.
    area = re.search(r"<textarea[^>]*>([^<]*)</textarea>", page.text)
    assert area
    assert unescape(area[1]).split("\n") == ["not a domain", "facebook.com", ATTACK]
    follow = re.search(r'href="(/add/progress\?domains=[^"]*)"', page.text)
    assert follow
    progress = await console.get(unescape(follow[1]))
    assert "one-firm.com" in progress.text
    assert 'hx-trigger="every 2s"' in progress.text


async def test_domains_may_wait_for_a_decision(console: httpx.AsyncClient, db: AsyncEngine) -> None:
    page = await console.post("/add", data={"lines": "one-firm.com", "queue": "later"})
    assert 'value="later" checked' in page.text, "the choice stays for the next lines"
    [row] = await rows_of(db, tables.domains)
    assert (row.status, row.sitemap_curation_status) == (None, "New")
    page = await console.get("/add/progress", params={"domains": "one-firm.com"})
    assert page.status_code == 200
    assert "hx-trigger" not in page.text
    assert (await console.get("/add/progress", params={"domains": "unknown.com"})).status_code == 404
    assert (await console.get("/add/progress")).status_code == 422


async def test_a_form_without_a_valid_line_is_refused(console: httpx.AsyncClient, db: AsyncEngine) -> None:
    for lines in ("", "  \n ", "???"):
        assert (await console.post("/add", data={"lines": lines})).status_code == 422
    assert not await rows_of(db, tables.domains)


async def test_pages_and_sitemaps_are_pasted(console: httpx.AsyncClient, db: AsyncEngine) -> None:
    await console.post("/add/pages", data={"lines": "https://one-firm.com/contact\n???", "queue": "now"})
    await console.post(
        "/add/sitemap", data={"lines": "https://one-firm.com/sitemap.xml\nhttps://one-firm.com/"}
    )
    [page], [sitemap] = await rows_of(db, tables.pages), await rows_of(db, tables.sitemap_files)
    assert page.page_processing_status == "Queued"
    assert sitemap.sitemap_import_status == "Queued"


async def test_a_site_is_scanned_for_sitemaps(console: httpx.AsyncClient, db: AsyncEngine) -> None:
    done = await console.post("/add/scan", data={"site": "one-firm.com", "max_pages": "25"})
    [job] = await rows_of(db, tables.jobs)
    assert (done.status_code, done.headers["location"]) == (303, f"/jobs/{job.id}")
    assert job.result_data["max_pages"] == 25
    for data, reason in (
        ({"site": "???"}, "Invalid site"),
        ({"site": "one-firm.com", "max_pages": "0"}, "Invalid number of pages"),
        ({"site": "one-firm.com", "max_pages": "many"}, "whole number"),
    ):
        answer = await console.post("/add/scan", data=data)
        assert answer.status_code == 422
        assert reason in answer.text
    assert len(await rows_of(db, tables.jobs)) == 1


@pytest.mark.req("R224")
async def test_a_file_is_previewed_mapped_and_imported(console: httpx.AsyncClient, db: AsyncEngine) -> None:
    content = f"Nr;Firma;Seite im Netz\n1;Müller;mueller-firm.de\n2;{ATTACK};???\n3;=cmd;\n".encode("cp1252")
    sent = await upload(console, content)
    assert sent.status_code == 303
    path = sent.headers["location"]
    preview = await console.get(path)
    text = text_of(preview)
    assert "semicolon between the cells" in text
    assert "cp1252" in text
    assert "Müller" in text
    assert ATTACK not in preview.text
    assert "Column 3" in preview.text
    assert not await rows_of(db, tables.domains)
    data = {"kind": "domain", "column": "3", "queue": "later", "name": "list.csv"}
    done = await console.post(path.partition("?")[0], data=data)
    assert done.status_code == 200
    assert [row.domain for row in await rows_of(db, tables.domains)] == ["mueller-firm.de"]
    link = re.search(r'href="(/add/rejected/[^"]+)"', done.text)
    assert link
    rejected = await console.get(link[1])
    assert rejected.headers["content-disposition"].startswith("attachment")
    lines = rejected.text.lstrip("\ufeff").splitlines()
    assert lines[0] == "line,value,reason"
    assert any(line.startswith("3,???,") for line in lines)
    # It is imported once; the bytes are gone.
    again = await console.post(path.partition("?")[0], data=data)
    assert again.status_code == 404
    assert "Choose it again" in again.text


async def test_a_list_of_businesses_becomes_a_search(
    console: httpx.AsyncClient, db: AsyncEngine, folder: Path
) -> None:
    content = "Kunde,Web,Ort\nStone Fitness,stone-fitness.com,Turin\n,,\nAcme,acme-firm.com,Rome\n"
    sent = await upload(console, content, "place", what="", where="Turin", country="IT")
    path = sent.headers["location"]
    preview = await console.get(path)
    assert 'name="column-0"' in preview.text
    assert "Stone Fitness" in preview.text
    fields = {"kind": "place", "where": "Turin", "country": "IT", "name": "list.csv"}
    wrong = await console.post(path.partition("?")[0], data={**fields, "column-2": "city"})
    assert wrong.status_code == 422
    assert "name or the website" in wrong.text
    twice = await console.post(
        path.partition("?")[0], data={**fields, "column-0": "name", "column-1": "name"}
    )
    assert twice.status_code == 422
    assert "Two columns" in twice.text
    columns = {"column-0": "name", "column-1": "website", "column-2": "city"}
    done = await console.post(path.partition("?")[0], data={**fields, **columns})
    assert done.status_code == 200
    assert "The search is queued" in done.text
    [search] = await rows_of(db, tables.place_searches)
    assert (search.source, search.location) == ("csv", "Turin")
    places = await CSVSource().search("", "Turin", search.params)
    assert [(place.name, place.website, place.city, place.line) for place in places] == [
        ("Stone Fitness", "stone-fitness.com", "Turin", 2)
    ]
    file = Path(search.params["file"])
    assert file.is_relative_to(folder)
    assert file.stat().st_mode & 0o077 == 0


def chosen(page: str) -> dict[str, str]:
    """The field that is selected for each column."""
    selects = re.findall(r'<select name="(column-\d+)".*?</select>', page)
    parts = re.findall(r'<select name="column-\d+".*?</select>', page)
    values = [re.search(r'<option value="([^"]+)" selected>', part) for part in parts]
    return {name: value[1] for name, value in zip(selects, values, strict=True) if value}


async def test_a_file_with_the_same_headings_has_the_columns_that_were_chosen(
    console: httpx.AsyncClient, db: AsyncEngine, folder: Path
) -> None:
    content = "Kunde,Web,Ort,Notiz\nStone Fitness,stone-fitness.com,Turin,{}\n"
    path = (await upload(console, content.format("first"), "place")).headers["location"]
    first = await console.get(path)
    assert chosen(first.text) == {"column-1": "website", "column-2": "city"}
    assert "as they were chosen" not in first.text
    columns = {"column-0": "name", "column-1": "website", "column-3": "category"}
    done = await console.post(path.partition("?")[0], data={"kind": "place", **columns})
    assert "The search is queued" in done.text

    path = (await upload(console, content.format("second"), "place")).headers["location"]
    again = await console.get(path)
    assert chosen(again.text) == columns
    assert "as they were chosen" in again.text
    corrected = {"column-0": "name", "column-2": "city"}
    assert (
        await console.post(path.partition("?")[0], data={"kind": "place", **corrected})
    ).status_code == 200
    path = (await upload(console, content.format("third"), "place")).headers["location"]
    assert chosen((await console.get(path)).text) == corrected, "the last choice holds"

    unknown = "Kunde,Netz\n{},stone-fitness.com\n"
    path = (await upload(console, unknown.format("Stone"), "place")).headers["location"]
    assert 'value="headings">' in (await console.get(path)).text, "nothing says that line 1 is no business"
    named = {"column-0": "name", "column-1": "website"}
    await console.post(path.partition("?")[0], data={"kind": "place", "first": "headings", **named})
    [*_, search] = await rows_of(db, tables.place_searches)
    assert [place.name for place in await CSVSource().search("", "", search.params)] == ["Stone"]
    path = (await upload(console, unknown.format("Acme"), "place")).headers["location"]
    again = await console.get(path)
    assert chosen(again.text) == named
    assert 'value="headings" checked>' in again.text

    other = (await upload(console, "Kunde,Web,Ort\nAcme,acme-firm.com,Rome\n", "place")).headers["location"]
    assert chosen((await console.get(other)).text) == {"column-1": "website", "column-2": "city"}
    foreign = await add_tenant(db)
    async with db.begin() as connection:
        await connection.execute(update(tables.place_searches).values(tenant_id=foreign))
    path = (await upload(console, content.format("fourth"), "place")).headers["location"]
    assert chosen((await console.get(path)).text) == {"column-1": "website", "column-2": "city"}


async def test_columns_are_saved_under_a_name_chosen_and_deleted(
    console: httpx.AsyncClient, db: AsyncEngine, folder: Path
) -> None:
    content = "Liste\nKunde,Netz\nStone,stone-fitness.com\n"
    path = (await upload(console, content, "place")).headers["location"]
    named = {"column-0": "name", "save_as": "Trade fair", "kind": "place"}
    assert "save_as" in (await console.get(path)).text
    assert (await console.post(path.partition("?")[0], data=named)).status_code == 200
    async with db.begin() as connection:
        mapping = (await connection.execute(select(tables.column_mappings))).one()
        assert (mapping.name, mapping.columns) == ("Trade fair", {"name": "column 1"})
        better = {"name": "Kunde", "website": "Netz"}
        await connection.execute(update(tables.column_mappings).values(columns=better))

    path = (await upload(console, content, "place")).headers["location"]
    shown = (await console.get(f"{path}&mapping={mapping.id}")).text
    assert chosen(shown) == {"column-0": "name", "column-1": "website"}
    assert 'name="heading" value="Kunde"' in shown
    assert 'value="headings" checked>' in shown
    fields = {"kind": "place", "heading": "Kunde", "first": "headings", "column-0": "name"}
    done = await console.post(path.partition("?")[0], data={**fields, "save_as": "Trade fair"})
    assert done.status_code == 200
    [*_, search] = await rows_of(db, tables.place_searches)
    assert [place.name for place in await CSVSource().search("", "", search.params)] == ["Stone"]
    [saved] = await rows_of(db, tables.column_mappings)
    assert saved.columns == {"name": "Kunde"}

    other = (await upload(console, "Firma,Ort\nAcme,Rome\n", "place")).headers["location"]
    assert "do not fit" in (await console.get(f"{other}&mapping={mapping.id}")).text
    page = (await console.get("/settings/sources")).text
    assert f"/settings/sources/column-mappings/{mapping.id}/delete" in page
    gone = await console.post(f"/settings/sources/column-mappings/{mapping.id}/delete")
    assert gone.status_code == 303
    assert await rows_of(db, tables.column_mappings) == []


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "Choose a file first"),
        (b"PK\x03\x04zip", "ZIP"),
        (b"<html></html>", "web page"),
        (b"\n\n", "empty"),
    ],
)
async def test_what_is_no_table_is_refused(
    console: httpx.AsyncClient, folder: Path, content: bytes, reason: str
) -> None:
    answer = await upload(console, content)
    assert answer.status_code == 422
    assert reason in answer.text
    assert not list(folder.rglob("*.csv"))


async def test_a_file_that_is_too_large_is_refused(console: httpx.AsyncClient) -> None:
    answer = await upload(console, b"a.com\n" * 1_900_000)
    assert answer.status_code == 413
    assert "larger than 10 MiB" in answer.text


async def test_as_much_can_be_pasted_as_the_page_promises(
    console: httpx.AsyncClient, db: AsyncEngine
) -> None:
    """Lines of more than one megabyte; the empty ones make the test fast."""
    lines = "one-firm.com" + "\n" * 400_000 + "other-firm.com"
    answer = await console.post("/add", data={"lines": lines})
    assert answer.status_code == 200, answer.text
    assert len(await rows_of(db, tables.domains)) == 2


async def test_files_whose_time_is_over_are_swept_without_another_upload(
    db: AsyncEngine, tmp_path: Path
) -> None:
    uploads = Uploads(tmp_path, TENANT)
    uploads.save(b"x")
    searched, kept = uploads.save_for_search(b"x"), uploads.save_for_search(b"y")
    for file in (*uploads.path("uploads").iterdir(), searched):
        os.utime(file, (0, 0))
    await Maintenance(db, MaintenanceOptions(data_folder=tmp_path), print).sweep_uploads()
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == [kept]


def test_an_upload_is_private_expires_and_cannot_leave_its_folder(tmp_path: Path) -> None:
    uploads = Uploads(tmp_path, TENANT)
    token = uploads.save(b"x")
    [file] = (tmp_path / "uploads" / str(TENANT)).iterdir()
    assert file.stat().st_mode & 0o077 == 0
    assert token not in file.name
    assert b"".join(uploads.chunks(token)) == b"x"
    other = Uploads(tmp_path, uuid.uuid4())
    for stranger, name in ((other, token), (uploads, "../secret-key"), (uploads, "")):
        with pytest.raises(Exception, match="no longer here"):
            stranger.chunks(name)
    old = time.time() - LIFETIME_SECONDS - 1
    os.utime(file, (old, old))
    with pytest.raises(Exception, match="no longer here"):
        uploads.chunks(token)
    uploads.save(b"y")
    assert not file.exists()


async def test_a_viewer_adds_nothing(open_console: Any, db: AsyncEngine) -> None:
    async with open_console("viewer") as browser:
        for path in ("/add", "/add/pages", "/add/sitemap", "/add/file", "/add/search", "/add/rejected/x"):
            assert (await browser.get(path)).status_code == 403, path
        for path in ("/add", "/add/pages", "/add/sitemap", "/add/scan", "/add/file", "/add/file/x"):
            assert (await browser.post(path, data={"lines": "one-firm.com"})).status_code == 403, path
    assert not await rows_of(db, tables.domains)


async def test_the_export_of_a_view_has_its_filters_and_count(
    console: httpx.AsyncClient, db: AsyncEngine
) -> None:
    await add_contact(db, "one-firm.com", email="a@one-firm.com")
    await add_contact(db, "one-firm.com", email="b@one-firm.com", contact_curation_status="Rejected")
    await add_contact(db, "two-firm.com", email="c@two-firm.com")
    page = await console.get("/export", params={"list": "contacts", "domain": "one-firm", "sort": "x"})
    assert page.status_code == 200
    assert "1 contacts match" in text_of(page)
    assert 'action="/api/v3/contacts/export"' in page.text
    assert '<input type="hidden" name="domain" value="one-firm">' in page.text
    assert 'name="sort"' not in page.text
    file = await console.get("/api/v3/contacts/export", params={"domain": "one-firm", "format": "csv"})
    assert file.text.count("@one-firm.com") >= 1
    assert "c@two-firm.com" not in file.text
    hostile = await console.get("/export", params={"list": "contacts", "domain": ATTACK})
    assert ATTACK not in hostile.text
    assert "nothing to export" in hostile.text
    assert (await console.get("/export", params={"list": "secrets"})).status_code == 404
