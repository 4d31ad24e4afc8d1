"""Exports by HTTP: every list in every format, formula-safe, streamed in constant memory."""

from __future__ import annotations

import asyncio
import csv
import io
import json
import zipfile
from pathlib import Path
from uuid import uuid4

import httpx
import pytest
from sqlalchemy import insert, text
from sqlalchemy.ext.asyncio import AsyncEngine

from contacts_lab import add_contact
from product import TENANT, add_domain, add_job, until
from scrapersky import tables
from scrapersky.api.routes.exports import PATHS
from scrapersky.destinations.contact_columns import CONTACT_COLUMNS
from scrapersky.queries.exports import ROWS_PER_CHUNK, ExportQuery, list_export
from scrapersky.queries.rows.entities import ENTITIES
from scrapersky.queries.rows.filters import Filters
from scrapersky.web.assets import load_assets

API = "/api/v3"
SITEMAP = """INSERT INTO sitemap_files (tenant_id, domain_id, url)
SELECT tenant_id, id, 'https://lune.co.uk/sitemap.xml' FROM domains"""
READERS = "FROM pg_stat_activity WHERE datname = current_database() AND query LIKE '%FROM pages%'"
FORMULA = '=HYPERLINK("http://evil","x")'


def records(answer: httpx.Response) -> list[dict[str, str]]:
    assert answer.status_code == 200, answer.text
    return list(csv.DictReader(io.StringIO(answer.text)))


async def add_pages(db: AsyncEngine, number: int) -> None:
    domain = await add_domain(db, "many.com")
    statement = """INSERT INTO pages (tenant_id, domain_id, host, url)
        SELECT :tenant, :domain, 'many.com', 'https://many.com/' || n FROM generate_series(1, :number) n"""
    async with db.begin() as connection:
        values = {"tenant": TENANT, "domain": domain, "number": number}
        await connection.execute(text(statement), values)


@pytest.mark.parametrize("name", list(PATHS))
async def test_every_list_is_exported(api: httpx.AsyncClient, db: AsyncEngine, name: str) -> None:
    contact = await add_contact(db, "lune.co.uk", email="ada@lune.co.uk")
    await add_job(db)
    async with db.begin() as connection:
        own = {"tenant_id": TENANT}
        destination = {**own, "id": uuid4(), "name": "list", "kind": "csv"}
        await connection.execute(insert(tables.destinations).values(destination))
        for table, values in (
            (tables.places_staging, {"place_id": "p", "name": "Shop"}),
            (tables.local_businesses, {"place_id": "p", "business_name": "Shop"}),
            (tables.place_searches, {"business_type": "x", "location": "y", "source": "csv"}),
            (tables.deliveries, {"contact_id": contact, "destination_id": destination["id"]}),
        ):
            await connection.execute(insert(table).values({**own, **values}))
        await connection.execute(text(SITEMAP))
    listed = (await api.get(f"{API}{PATHS[name]}")).json()["items"]
    assert listed
    for form, ids in (
        ("csv", lambda answer: [row["id"] for row in records(answer)]),
        ("jsonl", lambda answer: [str(json.loads(line)["id"]) for line in answer.text.splitlines()]),
    ):
        answer = await api.get(f"{API}{PATHS[name]}/export", params={"format": form})
        assert sorted(ids(answer)) == sorted(str(item["id"]) for item in listed)
        assert f".{form}" in answer.headers["content-disposition"]
    book = await api.get(f"{API}{PATHS[name]}/export", params={"format": "xlsx"})
    with zipfile.ZipFile(io.BytesIO(book.content)) as file:
        assert file.testzip() is None
        assert str(listed[0]["id"]) in file.read("xl/worksheets/sheet1.xml").decode()


async def test_contacts_keep_their_columns_and_formulas_are_text(
    api: httpx.AsyncClient, db: AsyncEngine
) -> None:
    await add_contact(db, "lune.co.uk", email="ada@lune.co.uk", name=FORMULA, phone_number="+442079460018")
    answer = await api.get(f"{API}/contacts/export")
    [row] = records(answer)
    assert list(row) == list(CONTACT_COLUMNS)
    assert (row["name"], row["phone_number"]) == (f"'{FORMULA}", "'+442079460018")
    assert (row["domain"], row["evidence"]) == ("lune.co.uk", "mail ada@lune.co.uk")


@pytest.mark.req("R264")
async def test_the_filters_are_those_of_the_list(api: httpx.AsyncClient, db: AsyncEngine) -> None:
    await add_contact(db, "lune.co.uk", email="ada@lune.co.uk", tags=["vip"])
    await add_contact(db, "shop.com", email="bob@shop.com", contact_curation_status="Rejected")
    for params, expected in (
        ({}, ["ada@lune.co.uk"]),
        ({"contact_curation_status": "Rejected"}, ["bob@shop.com"]),
        ({"domain": "lune"}, ["ada@lune.co.uk"]),
        ({"tag": "vip"}, ["ada@lune.co.uk"]),
        ({"q": "nobody"}, []),
    ):
        answer = await api.get(f"{API}/contacts/export", params=params)
        assert [row["email"] for row in records(answer)] == expected, params
    for bad in ({"format": "pdf"}, {"nothing": "x"}, {"contact_curation_status": "fine"}, {"limit": "5"}):
        assert (await api.get(f"{API}/contacts/export", params=bad)).status_code == 422


RANGES = ("bytes=0-10", "bytes=" + ",".join(["0-"] * 1_000), "bytes=-1", "bytes=99999999-", "lines=1-2", "x")


@pytest.mark.parametrize(
    "path", ["/api/v3/domains/export", "/api/v3/domains", load_assets().url("js/theme.js"), "/docs"]
)
async def test_ranges_are_ignored(api: httpx.AsyncClient, db: AsyncEngine, path: str) -> None:
    """API-16: many ranges of one file cost nothing."""
    await add_domain(db, "ours.com")
    whole = await api.get(path)
    for value in RANGES:
        answer = await api.get(path, headers={"Range": value})
        assert answer.status_code in (200, 416), value
        assert answer.status_code == 416 or answer.content == whole.content, value
        assert len(answer.content) <= len(whole.content) + 500


async def test_rows_of_another_tenant_are_not_exported(api: httpx.AsyncClient, db: AsyncEngine) -> None:
    other = uuid4()
    async with db.begin() as connection:
        await connection.execute(insert(tables.tenants).values(id=other, name="Other"))
    await add_domain(db, "theirs.com", tenant_id=other)
    await add_domain(db, "ours.com")
    assert [row["domain"] for row in records(await api.get(f"{API}/domains/export"))] == ["ours.com"]


async def test_a_long_list_is_read_in_chunks_without_gaps(api: httpx.AsyncClient, db: AsyncEngine) -> None:
    number = 2 * ROWS_PER_CHUNK + 1
    await add_pages(db, number)
    rows = records(await api.get(f"{API}/pages/export"))
    assert len({row["url"] for row in rows}) == len(rows) == number


async def test_an_abandoned_export_holds_no_connection(db: AsyncEngine) -> None:
    await add_pages(db, 2 * ROWS_PER_CHUNK)
    export = list_export(db, ENTITIES["page"], TENANT, Filters())
    chunks = ExportQuery(db).chunks(export)
    await anext(chunks)
    # The reader is slow: between two chunks nothing is open.
    assert db.pool.checkedout() == 0  # type: ignore[attr-defined]
    task = asyncio.ensure_future(anext(chunks))
    await asyncio.sleep(0)
    task.cancel()
    await asyncio.wait([task])
    await chunks.aclose()  # type: ignore[attr-defined]
    assert db.pool.checkedout() == 0  # type: ignore[attr-defined]


async def test_a_client_that_leaves_ends_the_export(server: str, db: AsyncEngine) -> None:
    await add_pages(db, 20 * ROWS_PER_CHUNK)
    async with httpx.AsyncClient(base_url=server) as client:
        async with client.stream("GET", f"{API}/pages/export", params={"format": "jsonl"}) as answer:
            assert answer.status_code == 200
            await anext(answer.aiter_bytes())
        # The server answers others at once, and nothing of the export is left.
        assert (await client.get(f"{API}/jobs")).status_code == 200

    busy = f"SELECT count(*) {READERS} AND state <> 'idle' AND pid <> pg_backend_pid()"

    async def is_quiet() -> bool:
        """The server process of a closed connection ends a moment after the connection."""
        if db.pool.checkedout():  # type: ignore[attr-defined]
            return False
        async with db.connect() as connection:
            return await connection.scalar(text(busy)) == 0

    await until(is_quiet)


async def test_a_client_that_leaves_while_rows_are_read_costs_no_connection(
    server: str, db: AsyncEngine, caplog: pytest.LogCaptureFixture
) -> None:
    await add_pages(db, 1)
    waiting = f"SELECT pid {READERS} AND wait_event_type = 'Lock'"
    alive = text("SELECT count(*) FROM pg_stat_activity WHERE pid = :pid")

    async def reader() -> int | None:
        async with db.connect() as connection:
            return await connection.scalar(text(waiting))

    async with db.connect() as lock, httpx.AsyncClient(base_url=server) as client:
        await lock.execute(text("LOCK TABLE pages"))
        async with client.stream("GET", f"{API}/pages/export") as answer:
            assert answer.status_code == 200
            pid = await until(reader)
        # By the time that another request is answered the server knows that the client has left.
        assert (await client.get(f"{API}/jobs")).status_code == 200
        await lock.rollback()

        async def is_returned() -> bool:
            return db.pool.checkedout() == 1  # type: ignore[attr-defined]

        await lock.scalar(alive, {"pid": pid})
        await until(is_returned)
        assert await lock.scalar(alive, {"pid": pid}) == 1
    assert [record.message for record in caplog.records if record.name.startswith("sqlalchemy")] == []


@pytest.mark.reliability
@pytest.mark.parametrize("form", ["csv", "jsonl", "xlsx"])
async def test_a_million_rows_are_exported_in_little_memory(server: str, db: AsyncEngine, form: str) -> None:
    """The server is in this process, so its memory is ours (API-22)."""
    number = 1_000_000
    await add_pages(db, number)
    async with httpx.AsyncClient(base_url=server, timeout=600) as client:
        await client.get(f"{API}/domains/export", params={"format": form})
        before, size = memory_mib(), 0
        largest = before
        async with client.stream("GET", f"{API}/pages/export", params={"format": form}) as answer:
            async for piece in answer.aiter_bytes():
                size += len(piece)
                largest = max(largest, memory_mib())
    assert size > 10 * number
    assert largest - before <= 64


def memory_mib() -> float:
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.split("VmRSS:")[1].split()[0]) / 1024
