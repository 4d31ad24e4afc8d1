"""Files of businesses by HTTP, read by a column mapping that people name and edit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncEngine

from scrapersky import tables
from scrapersky.sources import CSVSource

IMPORT, MAPPINGS = "/api/v3/searches/import-csv", "/api/v3/column-mappings"
FILE = "Export of 3 May\nKunde;Netz;Ort\nBlum;blum.de;Berlin\n;;\nRose;rose.de;Turin\n"


async def send(api: httpx.AsyncClient, content: str, **fields: str) -> httpx.Response:
    return await api.post(IMPORT, files={"file": ("list.csv", content.encode("cp1252"))}, data=fields)


async def searched(db: AsyncEngine, search_id: str) -> list[Any]:
    async with db.connect() as connection:
        columns = tables.place_searches.c
        [row] = await connection.execute(select(tables.place_searches).where(columns.id == search_id))
    return list(await CSVSource().search(row.business_type, row.location, row.params))


@pytest.fixture
async def mapping(api: httpx.AsyncClient) -> dict[str, Any]:
    made = await api.post(MAPPINGS, json={"name": "Fair", "columns": {"name": "kunde", "website": "Netz"}})
    assert made.status_code == 201, made.text
    assert (await api.get(made.headers["location"])).json() == made.json()
    return dict(made.json())


async def test_a_file_is_read_by_a_named_mapping(
    api: httpx.AsyncClient, db: AsyncEngine, mapping: dict[str, Any]
) -> None:
    refused = await send(api, FILE)
    assert refused.status_code == 422, "nothing says what the headings mean"
    answer = await send(api, FILE, mapping="Fair", location="", country="DE")
    assert answer.status_code == 202, answer.text
    body = answer.json()
    assert (body["places"], body["columns"]) == (2, {"name": "Kunde", "website": "Netz"})
    assert [line["row_number"] for line in body["refused"]] == [4]
    places = await searched(db, body["id"])
    assert [(place.name, place.website, place.line) for place in places] == [
        ("Blum", "blum.de", 3),
        ("Rose", "rose.de", 5),
    ]
    assert (await api.get(body["status_url"])).json()["params"]["country"] == "DE"


async def test_a_mapping_is_edited_and_deleted(
    api: httpx.AsyncClient, db: AsyncEngine, mapping: dict[str, Any]
) -> None:
    path = f"{MAPPINGS}/{mapping['id']}"
    edited = await api.patch(path, json={"name": "Fair 2026", "columns": {"name": "Kunde", "city": "Ort"}})
    assert edited.json()["columns"] == {"name": "Kunde", "city": "Ort"}
    body = (await send(api, FILE, mapping=mapping["id"])).json()
    assert [place.city for place in await searched(db, body["id"])] == ["Berlin", "Turin"]
    assert [row["name"] for row in (await api.get(MAPPINGS)).json()["items"]] == ["Fair 2026"]
    assert (await api.delete(path)).status_code == 204
    assert (await api.get(path)).status_code == 404
    assert (await send(api, FILE, mapping="Fair 2026")).status_code == 404
    async with db.connect() as connection:
        verbs = await connection.scalars(
            select(tables.audit_log.c.action).where(tables.audit_log.c.table_name == "column_mappings")
        )
    assert list(verbs) == ["column_mapping.create", "column_mapping.update", "column_mapping.delete"]


async def test_columns_without_headings_have_numbers(api: httpx.AsyncClient, db: AsyncEngine) -> None:
    columns = {"name": "column 2", "website": "Column 1"}
    await api.post(MAPPINGS, json={"name": "Plain", "columns": columns})
    body = (await send(api, "blum.de;Blum\nrose.de;Rose\n", mapping="Plain")).json()
    assert body["columns"] == {"name": "column 2", "website": "column 1"}
    assert [(p.name, p.website) for p in await searched(db, body["id"])] == [
        ("Blum", "blum.de"),
        ("Rose", "rose.de"),
    ]


@pytest.mark.parametrize(
    ("columns", "reason"),
    [
        ({"surname": "Kunde"}, "no field 'surname'"),
        ({"city": "Ort"}, "name or the website"),
        ({"name": " "}, "empty"),
    ],
)
async def test_a_mapping_that_names_no_business_is_refused(
    api: httpx.AsyncClient, columns: dict[str, str], reason: str
) -> None:
    answer = await api.post(MAPPINGS, json={"name": "Fair", "columns": columns})
    assert (answer.status_code, reason in answer.text) == (422, True), answer.text


async def test_what_does_not_fit_is_refused_with_its_reason(
    api: httpx.AsyncClient, mapping: dict[str, Any]
) -> None:
    again = await api.post(MAPPINGS, json={"name": "Fair", "columns": {"name": "Kunde"}})
    assert again.status_code == 409
    wrong = await send(api, "Firma,Ort\nBlum,Berlin\n", mapping="Fair")
    assert (wrong.status_code, "no column is called 'kunde'" in wrong.text) == (422, True)
    assert (await send(api, "<html></html>", mapping="Fair")).status_code == 422
    named = await api.post("/api/v3/searches", json={"business_type": "x", "source": "csv"})
    assert "import-csv" in named.text


async def test_files_are_private_to_the_tenant(
    api: httpx.AsyncClient, db: AsyncEngine, mapping: dict[str, Any]
) -> None:
    body = (await send(api, FILE, mapping="Fair")).json()
    async with db.connect() as connection:
        row = (await connection.execute(select(tables.place_searches))).one()
    file = Path(row.params["file"])
    assert file.parent.name == str(row.tenant_id)
    assert file.stat().st_mode & 0o077 == 0
    assert body["id"] == str(row.id)
