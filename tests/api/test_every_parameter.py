"""Every parameter and every field of every route refuses what is not of its kind.

API-01, API-02, API-04, API-07, API-08 and API-11.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import httpx
import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from scrapersky.api.openapi.document import openapi_document
from scrapersky.api.openapi.examples import resolve
from webhook_lab import add_workflow, sign

RANDOM_ID = "5ca1ab1e-0000-4000-8000-000000000000"
LONG = "x" * 20_000
INTEGERS = ("abc", "1e3", "１０", "1_000", "٣", "-1", "+5", " 5", "1.0", "0x10", "9" * 5_000, "", str(2**63))
TIMES = (
    *("infinity", "-infinity", "now", "10000-01-01", "10000-01-01T00:00:00Z", "2024-02-30T00:00:00Z"),
    *(
        "0001-01-01T00:00:00+14:00",
        "1700000000",
        "1700000000000",
        "1969-12-31T23:59:59Z",
        "2200-01-01T00:00:00Z",
    ),
    *("2024-02-01T25:00:00Z", "2024-02-01T00:00:00+99:00", "2024-02-01T00:00:00", "", "NaN"),
)
UUIDS = ("abc", "0", "", "5ca1ab1e", f"{RANDOM_ID}x", "{" + RANDOM_ID + "}'", "%", "1" * 5_000)
BOOLEANS = ("yes", "1", "TRUE", "True", "on", "", " true")
TEXTS = ("a\0b", LONG)


def parameters() -> Iterator[tuple[str, dict[str, Any]]]:
    """The path and the description of every query parameter of a GET route."""
    for path, methods in openapi_document()["paths"].items():
        for parameter in methods.get("get", {}).get("parameters", []):
            if parameter["in"] == "query":
                yield path, parameter


def schema_of(parameter: dict[str, Any]) -> dict[str, Any]:
    schema = resolve(openapi_document(), parameter["schema"])
    for variant in schema.get("anyOf", ()):
        if variant.get("type") != "null":
            schema = resolve(openapi_document(), variant) | schema
    items = schema.get("items")
    return resolve(openapi_document(), items) if items else schema


def bad_values(schema: dict[str, Any]) -> Iterator[str]:
    if "enum" in schema or "const" in schema:
        for known in schema.get("enum", [schema.get("const")]):
            yield from {f"{known} ", str(known).swapcase()} - {str(known)}
        yield from ("", "0", "null")
    elif schema.get("type") == "integer":
        yield from INTEGERS
    elif schema.get("type") == "boolean":
        yield from BOOLEANS
    elif schema.get("format") == "date-time":
        yield from TIMES
    elif schema.get("format") == "uuid":
        yield from UUIDS
    else:
        yield from TEXTS


async def test_every_query_parameter_refuses_what_is_not_of_its_kind(api: httpx.AsyncClient) -> None:
    wrong, tried, seen = [], 0, set()
    for path, parameter in parameters():
        address = re.sub(r"{\w+}", RANDOM_ID, path)
        values = list(bad_values(schema_of(parameter)))
        # What several routes declare alike is tried with all values at one of them, with a few at the others.
        kind = f"{parameter['name']} {parameter['schema']}"
        for value in values[:2] if kind in seen else values:
            answer = await api.get(f"{address}?{parameter['name']}={quote(value, safe='')}")
            tried += 1
            if answer.status_code != 422 or len(answer.content) > 20_000:
                wrong.append(f"{path} {parameter['name']}={value[:40]!r}: {answer.status_code}")
        seen.add(kind)
    assert tried > 900
    assert not wrong, "\n".join(wrong)


NUMBERS = ("integer", "boolean", "number")
FOREIGN_FIELDS = ("tenant_id", "is_admin", "created_by", "__proto__", "constructor", "id", "updated_at")


def bodies() -> Iterator[tuple[str, str, dict[str, Any], dict[str, Any]]]:
    """Every JSON body: its method, path, schema and an example that is accepted."""
    for path, methods in openapi_document()["paths"].items():
        for method, operation in methods.items():
            content = operation.get("requestBody", {}).get("content", {}).get("application/json")
            if content is not None:
                named = content.get("examples", {"": {"value": content.get("example")}})
                example = next(iter(named.values()))["value"]
                yield method, path, resolve(openapi_document(), content["schema"]), example


def bad_fields(schema: dict[str, Any], example: dict[str, Any]) -> Iterator[str]:
    """Bodies that have one field of another kind, as JSON."""
    for name in FOREIGN_FIELDS:
        if name not in schema.get("properties", {}) and not schema.get("additionalProperties"):
            yield json.dumps({**example, name: "x"})
    for name, described in schema.get("properties", {}).items():
        kind, variants = schema_of({"schema": described}), described.get("anyOf", ())
        values: list[Any] = ["a\0b", "\ud800", [[]]]
        values += [] if kind.get("type") == "object" else [{"$gt": ""}]
        if "enum" in kind:
            values += [value for value in bad_values(kind) if value not in kind["enum"]]
        elif kind.get("format") in ("uuid", "date-time"):
            values += [*bad_values(kind), 7]
        elif kind.get("type") in NUMBERS and not any(kind.get("type") == "string" for kind in variants):
            values += ["7", "true", 10**30, "NaN"]
        for value in values:
            yield json.dumps({**example, name: [value] if "items" in described else value})


async def test_every_field_of_every_body_refuses_what_is_not_of_its_kind(
    api: httpx.AsyncClient, db: AsyncEngine
) -> None:
    wrong, tried, webhook_secret = [], 0, await add_workflow(db)
    for method, path, schema, example in bodies():
        for body in bad_fields(schema, example):
            headers = {"Content-Type": "application/json"}
            if "/webhooks/" in path:
                headers = sign(webhook_secret, body.encode(), message=f"message-{tried}")
            answer = await api.request(
                method, re.sub(r"{\w+}", RANDOM_ID, path), content=body, headers=headers
            )
            tried += 1
            if answer.status_code != 422:
                wrong.append(f"{method.upper()} {path} {body[:200]}: {answer.status_code}")
    assert tried > 500
    assert not wrong, "\n".join(wrong)


STATUS_FILTERS: list[tuple[str, str, dict[str, Any]]] = [
    ("PUT", "/pages/status/filtered", {"status": "Maybe", "status_filter": "new"}),
    ("PUT", "/pages/status/filtered", {"status": "Maybe", "page_processing_status": ["Queued", "queued"]}),
    ("PUT", "/domains/status/filtered", {"status": "Maybe", "sitemap_analysis_status": "Submitted"}),
    ("POST", "/pages/decisions", {"decision": "Maybe", "filter": {"curation_status": "New "}}),
    ("POST", "/pages/run", {"filter": {"page_processing_status": "COMPLETE"}}),
    ("POST", "/sitemap-files/reset", {"filter": {"status": "error"}}),
    ("POST", "/rules", {"name": "x", "entity": "page", "decision": "Maybe", "filter": {"status": "error"}}),
    ("POST", "/rules/preview", {"entity": "page", "filter": {"page_processing_status": "error"}}),
    ("POST", "/views", {"name": "x", "entity": "page", "query": {"page_curation_status": "new"}}),
    ("POST", "/contacts/validate/all", {"filters": {"contact_curation_status": "not-a-fit"}}),
]


@pytest.mark.parametrize(("method", "path", "body"), STATUS_FILTERS)
async def test_a_status_in_a_filter_is_spelled_as_it_is_stored(
    api: httpx.AsyncClient, method: str, path: str, body: dict[str, Any]
) -> None:
    """API-08: people may type a status in any case, programs may not."""
    answer = await api.request(method, f"/api/v3{path}", json=body)
    assert answer.status_code == 422, answer.text
    assert "expected one of" in answer.json()["detail"]


async def test_not_a_fit_is_a_synonym_also_in_a_filter(api: httpx.AsyncClient) -> None:
    for status, expected in (("Not a Fit", 200), ("Rejected", 200), ("not a fit", 422), ("Not_a_Fit", 422)):
        answer = await api.get("/api/v3/pages", params={"page_curation_status": status})
        assert answer.status_code == expected, status
        summary = await api.get("/api/v3/contacts/validation-summary", params={"curation_status": status})
        assert summary.status_code == expected, status
