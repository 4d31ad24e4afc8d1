"""Direct submission and CSV import by HTTP: every line has a result, and its row is in the database."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
from sqlalchemy import select, update
from sqlalchemy.ext.asyncio import AsyncEngine

from fakes import FakeWeb
from scrapersky import tables
from small_web import worked

API = "/api/v3"


async def rows(db: AsyncEngine, table: Any) -> list[Any]:
    async with db.connect() as connection:
        return list(await connection.execute(select(table).order_by(table.c.id)))


async def upload(api: httpx.AsyncClient, path: str, content: bytes, **form: str) -> httpx.Response:
    return await api.post(f"{API}{path}", files={"file": ("list.csv", content, "text/csv")}, data=form)


@pytest.mark.req("R119")
async def test_a_submitted_domain_waits_in_the_queue_of_the_workers(
    api: httpx.AsyncClient, db: AsyncEngine
) -> None:
    body = {"domains": ["https://www.Example.com/", "other.com"], "auto_queue": True}
    answer = await api.post(f"{API}/domains/direct-submit", json=body)
    assert answer.status_code == 200, answer.text
    result = answer.json()
    assert (result["submitted_count"], result["queued_count"]) == (2, 2)
    stored = await rows(db, tables.domains)
    assert {row.domain: row.status for row in stored} == {"example.com": "pending", "other.com": "pending"}
    assert {str(row.id) for row in stored} == set(result["ids"])
    assert all(row.created_by is not None for row in stored)


async def test_lines_without_auto_queue_wait_for_a_person(api: httpx.AsyncClient, db: AsyncEngine) -> None:
    await api.post(f"{API}/domains/direct-submit", json={"domains": ["example.com"]})
    [row] = await rows(db, tables.domains)
    assert row.status is None


async def test_duplicates_are_reported_and_never_lose_the_batch(
    api: httpx.AsyncClient, db: AsyncEngine
) -> None:
    path = f"{API}/domains/direct-submit"
    await api.post(path, json={"domains": ["known.com"]})
    body = {"domains": ["known.com", "new.com", "EXAMPLE.com ", "http://example.com/", "localhost"]}
    result = (await api.post(path, json=body)).json()
    statuses = [(line["row_number"], line["status"]) for line in result["results"]]
    assert statuses == [(1, "skipped"), (2, "success"), (3, "success"), (4, "skipped"), (5, "error")]
    assert result["results"][3]["error"] == "the same as line 3"
    assert result["results"][4]["error"]
    assert sorted(row.domain for row in await rows(db, tables.domains)) == [
        "example.com",
        "known.com",
        "new.com",
    ]


@pytest.mark.parametrize(
    "domains",
    [
        [],
        ["localhost"],
        ["127.0.0.1", "[::1]", "8.8.8.8"],
        ["co.uk"],
        ["a" * 4_097],
        ["x.com"] * 101,
        ["javascript:alert(1)"],
        "example.com",
        [1],
    ],
)
async def test_a_list_without_a_valid_line_is_refused(
    api: httpx.AsyncClient, db: AsyncEngine, domains: Any
) -> None:
    answer = await api.post(f"{API}/domains/direct-submit", json={"domains": domains})
    assert answer.status_code == 422, answer.text
    assert answer.json()["errors"][0]["pointer"].startswith("/domains")
    assert await rows(db, tables.domains) == []


async def test_sitemaps_and_pages_are_submitted_below_their_domain(
    api: httpx.AsyncClient, db: AsyncEngine
) -> None:
    sitemaps = {"sitemap_urls": ["https://example.com/sitemap.xml"], "auto_import": True}
    assert (await api.post(f"{API}/sitemaps/direct-submit", json=sitemaps)).json()["queued_count"] == 1
    pages = {"urls": ["https://example.com/team"], "auto_queue": True, "priority_level": 1}
    assert (await api.post(f"{API}/pages/direct-submit", json=pages)).json()["queued_count"] == 1
    [domain] = await rows(db, tables.domains)
    [sitemap] = await rows(db, tables.sitemap_files)
    [page] = await rows(db, tables.pages)
    assert (sitemap.domain_id, sitemap.sitemap_import_status) == (domain.id, "Queued")
    assert (page.domain_id, page.page_processing_status, page.priority_level) == (domain.id, "Queued", 1)
    bad = await api.post(f"{API}/pages/direct-submit", json={**pages, "priority_level": 5})
    assert bad.status_code == 422


async def test_a_csv_file_has_a_result_for_every_line(api: httpx.AsyncClient, db: AsyncEngine) -> None:
    content = b"\xef\xbb\xbfname;website\nAda;ada.com\nBob;localhost\nCy;ADA.com\nDee;\nEve;ev\x00e.com\n"
    answer = await upload(api, "/domains/import-csv", content, auto_queue="true")
    assert answer.status_code == 200, answer.text
    result = answer.json()
    assert (result["total_rows"], result["successful"], result["skipped"], result["failed"]) == (5, 1, 1, 3)
    assert [line["row_number"] for line in result["results"]] == [2, 3, 4, 5, 6]
    assert [line["status"] for line in result["results"]] == ["success", "error", "skipped", "error", "error"]
    assert all(line["error"] for line in result["results"][1:])
    [row] = await rows(db, tables.domains)
    assert (row.domain, row.status, row.lead_source) == ("ada.com", "pending", "csv_import")


async def test_a_csv_file_of_sitemaps_or_pages_needs_no_headings(
    api: httpx.AsyncClient, db: AsyncEngine
) -> None:
    first = await upload(api, "/sitemaps/import-csv", b"https://a.com/sitemap.xml\nhttps://a.com/x\n")
    assert (first.json()["successful"], first.json()["failed"]) == (1, 1)
    second = await upload(api, "/pages/import-csv", b"https://a.com/x\n")
    assert second.json()["successful"] == 1
    assert len(await rows(db, tables.sitemap_files)) == len(await rows(db, tables.pages)) == 1


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"PK\x03\x04" + bytes(100),
        b"<!DOCTYPE html><html></html>",
        b",".join(b"c%d" % number for number in range(10_000)) + b"\n",
        b"domain\n" + b"a.com\n" * 2_000_000,
    ],
    ids=["empty", "zip", "html", "columns", "large"],
)
async def test_a_file_that_is_no_csv_is_refused(
    api: httpx.AsyncClient, db: AsyncEngine, content: bytes
) -> None:
    answer = await upload(api, "/domains/import-csv", content)
    assert answer.status_code in (413, 415, 422), answer.text
    assert await rows(db, tables.domains) == []


async def test_a_column_that_does_not_exist_is_refused(api: httpx.AsyncClient) -> None:
    answer = await upload(api, "/domains/import-csv", b"name,site\nAda,ada.com\n", column="nothing")
    assert answer.status_code == 422
    answer = await upload(api, "/domains/import-csv", b"name,site\nAda,ada.com\n", column="site")
    assert answer.json()["successful"] == 1
    answer = await upload(api, "/domains/import-csv", b"ada.org\n", encoding="no-such")
    assert answer.status_code == 422


async def test_the_correlation_id_of_a_request_is_in_the_log_of_the_worker(
    api: httpx.AsyncClient, db: AsyncEngine
) -> None:
    """A row that is queued again later, without a request, forgets it."""
    body = {"urls": ["https://lune.co.uk/team"], "auto_queue": True}
    answer = await api.post(
        "/api/v3/pages/direct-submit", json=body, headers={"X-Correlation-Id": "from-the-desk-7"}
    )
    assert answer.status_code == 200, answer.text

    lines = await worked(db, FakeWeb({"https://lune.co.uk/team": KeyError("no such thing")}))

    items = [line for line in lines if line["event"] == "item_processed" and line["stage"] == "read_page"]
    assert [line["state"] for line in items] == ["retried"] * 3 + ["failed"]
    assert {line["correlation_id"] for line in items} == {"from-the-desk-7"}, "retries keep it"
    async with db.begin() as connection:
        await connection.execute(update(tables.pages).values(page_processing_status="Queued"))
        [row] = (await connection.execute(select(tables.pages))).all()
    assert row.page_processing_correlation_id is None
