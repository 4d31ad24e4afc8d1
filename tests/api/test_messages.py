"""Refusals in words that the reader of the documentation knows, at the place where the value is."""

from __future__ import annotations

import uuid
from typing import Any

import httpx
import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from people import add_key, add_person, bearer
from scrapersky.declarations import READ_PAGE

API = "/api/v3"


async def errors(answer: httpx.Response) -> list[tuple[str, str]]:
    assert answer.status_code == 422, answer.text
    return [(error["pointer"], error["detail"]) for error in answer.json()["errors"]]


@pytest.mark.parametrize(
    ("body", "pointer", "detail"),
    [
        ({"filter": {"page_type": []}}, "/filter/page_type", "at least 1 item"),
        ({"filter": {"page_type": {"a": 1}}}, "/filter/page_type", "valid string"),
        ({"filter": {"page_type": ["a", None]}}, "/filter/page_type", "valid string"),
        ({"filter": {"page_type": None}}, "/filter/page_type", "valid string"),
        ({"filter": {"q": "a"}, "decision": "selected"}, "/decision", "Expected one of New, Selected"),
        ({"filter": {"q": "a"}, "colour": "red"}, "/colour", "Unknown field"),
    ],
)
async def test_a_wrong_value_is_one_error_at_a_place_of_the_body(
    api: httpx.AsyncClient, body: dict[str, Any], pointer: str, detail: str
) -> None:
    answer = await api.post(f"{API}/pages/decisions", json={"decision": "Maybe", **body})
    [(place, text)] = await errors(answer)
    assert place == pointer
    assert detail in text
    assert "Value error" not in text


async def test_a_missing_body_is_named(api: httpx.AsyncClient) -> None:
    [(place, text)] = await errors(await api.post(f"{API}/pages/run"))
    assert (place, text) == ("", "The body is missing; send a JSON object")


async def test_a_stage_is_paused_without_a_body_and_tells_the_reason(api: httpx.AsyncClient) -> None:
    path = f"{API}/stages/{READ_PAGE.name}"
    assert (await api.post(f"{path}/pause")).json()["pause_reason"] is None
    assert (await api.post(f"{path}/pause", json={"reason": "lunch"})).json()["pause_reason"] == "lunch"
    assert (await api.post(f"{path}/resume")).json()["pause_reason"] is None


@pytest.mark.parametrize(
    ("fields", "pointer"),
    [
        ({"auto_queu": "true"}, "/auto_queu"),
        ({"auto_queue": "yes"}, "/auto_queue"),
        ({"column": ["1", "2"]}, "/column"),
    ],
)
async def test_a_form_is_checked_like_a_body(
    api: httpx.AsyncClient, fields: dict[str, Any], pointer: str
) -> None:
    answer = await api.post(f"{API}/domains/import-csv", files={"file": b"domain\na.com\n"}, data=fields)
    [(place, _)] = await errors(answer)
    assert place == pointer
    assert (await api.get(f"{API}/domains")).json()["total"] == 0


async def test_nothing_is_said_about_an_address_but_what_helps(api: httpx.AsyncClient) -> None:
    assert "nothing at this address" in (await api.get(f"{API}/nothing")).json()["detail"]
    assert "Allow" in (await api.put(f"{API}/contacts")).json()["detail"]


async def test_rows_that_do_not_exist_leave_no_operation(api: httpx.AsyncClient) -> None:
    unknown = str(uuid.uuid4())
    for path, body in (("status", {"page_ids": [unknown], "status": "Maybe"}), ("bulk-update", None)):
        body = body or {"page_ids": [unknown, unknown], "status": "Maybe"}
        answer = await api.put(f"{API}/pages/{path}", json=body)
        assert answer.status_code == (404 if path == "status" else 200)
    assert (answer.json()["operation_id"], answer.json()["skipped"]) == (None, {"not_found": 1})
    assert (await api.post(f"{API}/pages/{unknown}/run")).status_code == 404
    assert (await api.get(f"{API}/operations")).json()["total"] == 0


async def test_a_deleted_domain_names_its_rows_for_programs(api: httpx.AsyncClient) -> None:
    made = await api.post(f"{API}/contacts", json={"domain": "shop.com", "email": "ada@shop.com"})
    address = f"{API}/domains/{made.json()['domain_id']}"
    first = await api.delete(address)
    assert (first.status_code, first.json()["counts"]["contacts"]) == (409, 1)
    assert "1 contact;" in first.json()["detail"]
    again = await api.delete(address, params={"expected_count": first.json()["expected_count"]})
    assert again.status_code == 200


async def test_a_wrong_stage_is_a_wrong_filter(api: httpx.AsyncClient) -> None:
    assert (await api.get(f"{API}/dead-letters", params={"stage": "nope"})).status_code == 422


async def test_a_key_that_is_too_weak_is_told_its_scope(api: httpx.AsyncClient, db: AsyncEngine) -> None:
    key = await add_key(db, await add_person(db, "boss@example.com"), "read")
    refused = await api.get(f"{API}/users", headers=bearer(key))
    assert refused.status_code == 403
    assert "with the scope read" in refused.json()["detail"]


@pytest.mark.parametrize("path", ["/health", "/health/live", "/health/ready"])
async def test_probes_may_ask_with_head(api: httpx.AsyncClient, path: str) -> None:
    assert (await api.head(path)).status_code == (await api.get(path)).status_code
