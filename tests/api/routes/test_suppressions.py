"""Suppressions by HTTP."""

from __future__ import annotations

import httpx
import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from pipeline_rows import add_contact
from product import add_domain

SUPPRESSIONS = "/api/v3/suppressions"


async def test_a_suppression_is_added_listed_and_withdrawn(api: httpx.AsyncClient, db: AsyncEngine) -> None:
    domain = await add_domain(db, "firma.de")
    await add_contact(db, domain, email="anna@firma.de")
    body = {"entries": ["Anna@firma.de", "nobody"], "reason": "objected"}

    answer = (await api.post(SUPPRESSIONS, json=body)).json()

    assert (answer["new"], answer["invalid"], answer["deleted_contacts"]) == (1, 1, 1)
    assert (await api.get("/api/v3/contacts")).json()["items"] == []
    listed = await api.get(SUPPRESSIONS)
    [row] = listed.json()["items"]
    assert (row["kind"], row["reason"], row["all_tenants"], row["attempts"]) == (
        "email",
        "objected",
        False,
        0,
    )
    assert "anna" not in listed.text
    refused = await api.post("/api/v3/contacts", json={"domain": "firma.de", "email": "anna@firma.de"})
    assert refused.status_code == 409
    assert (await api.delete(f"{SUPPRESSIONS}/{row['id']}")).status_code == 204
    assert (await api.delete(f"{SUPPRESSIONS}/{row['id']}")).status_code == 404


async def test_an_opt_out_list_is_imported_with_a_result_per_line(api: httpx.AsyncClient) -> None:
    file = {"file": ("opt-out.csv", b"email\nanna@firma.de\nx\nbob@firma.de\n")}
    answer = (await api.post(f"{SUPPRESSIONS}/import-csv", data={"reason": "old list"}, files=file)).json()
    assert [line["status"] for line in answer["results"]] == ["new", "invalid", "new"]
    first = (await api.get(SUPPRESSIONS, params={"limit": 1})).json()
    rest = (await api.get(SUPPRESSIONS, params={"limit": 1, "before": first["next"]})).json()
    assert first["total"] == 2
    assert first["items"][0]["id"] != rest["items"][0]["id"]


@pytest.mark.parametrize(
    "body", [{"entries": [], "reason": "x"}, {"entries": ["a@b.de"]}, {"entries": ["a@b.de"], "reason": ""}]
)
async def test_a_suppression_without_entry_or_reason_is_refused(
    api: httpx.AsyncClient, body: dict[str, object]
) -> None:
    assert (await api.post(SUPPRESSIONS, json=body)).status_code == 422


async def test_an_administrator_suppresses_for_all_tenants(api: httpx.AsyncClient) -> None:
    body = {"entries": ["firma.de"], "reason": "asked us"}
    assert (await api.post(f"{SUPPRESSIONS}/all-tenants", json=body)).status_code == 201
    assert (await api.get(SUPPRESSIONS)).json()["items"][0]["all_tenants"]
