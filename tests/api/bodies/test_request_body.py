"""Size, time, type and form of request bodies, before any route sees them."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from time import perf_counter
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncEngine

from scrapersky import tables

OpenApi = Callable[..., AbstractAsyncContextManager[httpx.AsyncClient]]
MakeWeb = Callable[..., FastAPI]
SUBMIT = "/api/v3/domains/direct-submit"
IMPORT = "/api/v3/domains/import-csv"
MIB = 1024 * 1024
JSON = {"Content-Type": "application/json"}


async def domains(engine: AsyncEngine) -> int:
    async with engine.connect() as connection:
        return (await connection.scalar(select(func.count()).select_from(tables.domains))) or 0


async def pieces(size: int) -> AsyncIterator[bytes]:
    for _ in range(size // 65_536 + 1):
        yield b" " * 65_536


async def test_a_body_beyond_the_limit_is_refused_however_it_is_announced(
    open_api: OpenApi, db: AsyncEngine
) -> None:
    async with open_api(max_request_body_mib=1) as client:
        announced = await client.post(SUBMIT, content=b" " * (MIB + 1), headers=JSON)
        chunked = await client.post(SUBMIT, content=pieces(MIB), headers=JSON)
        lying = await client.post(SUBMIT, content=b"{}", headers={**JSON, "Content-Length": str(2**31)})
        fitting = await client.post(SUBMIT, content=b'{"domains": ["example.com"]}'.ljust(MIB), headers=JSON)

    assert [answer.status_code for answer in (announced, chunked, lying)] == [413] * 3
    assert announced.json()["type"] == "/docs/problems#too-large"
    assert fitting.status_code == 200, fitting.text
    assert await domains(db) == 1


@pytest.mark.timed
async def test_the_limit_is_10_mib(api: httpx.AsyncClient) -> None:
    started = perf_counter()
    answer = await api.post(IMPORT, files={"file": ("a.csv", b"x" * (10 * MIB + 1))})
    assert answer.status_code == 413
    assert perf_counter() - started < 2


@pytest.mark.timed
async def test_a_slow_body_is_refused_in_time(make_web: MakeWeb) -> None:
    """One byte now and then keeps a connection busy for ever otherwise."""
    web = make_web(request_body_timeout_seconds=1)
    answer: list[Any] = []

    async def receive() -> Any:
        await asyncio.sleep(0.1)
        return {"type": "http.request", "body": b" ", "more_body": True}

    async def send(message: Any) -> None:
        answer.append(message)

    scope = {
        "type": "http",
        "scheme": "http",
        "method": "POST",
        "path": SUBMIT,
        "query_string": b"",
        "http_version": "1.1",
    }
    headers = [(b"content-type", b"application/json"), (b"transfer-encoding", b"chunked")]
    started = perf_counter()
    await web({**scope, "headers": headers, "asgi": {"version": "3.0"}}, receive, send)
    assert answer[0]["status"] == 408
    assert perf_counter() - started < 2


TYPES = {
    "": 415,
    "text/plain": 415,
    "application/x-www-form-urlencoded": 415,
    "application/xml": 415,
    "application/json; charset=utf-16": 415,
    "nonsense": 415,
    "application/json; charset=UTF-8": 200,
}


@pytest.mark.parametrize("content_type", TYPES)
async def test_only_json_and_files_are_read(api: httpx.AsyncClient, content_type: str) -> None:
    answer = await api.post(
        SUBMIT, content=b'{"domains": ["example.com"]}', headers={"Content-Type": content_type}
    )
    assert answer.status_code == TYPES[content_type], answer.text


async def test_compressed_bodies_are_refused(api: httpx.AsyncClient, db: AsyncEngine) -> None:
    body = gzip.compress(b'{"domains": ["example.com"]}')
    answer = await api.post(SUBMIT, content=body, headers={**JSON, "Content-Encoding": "gzip"})
    assert answer.status_code == 415
    assert await domains(db) == 0


async def test_an_upload_has_at_most_100_parts(api: httpx.AsyncClient, db: AsyncEngine) -> None:
    many = [("file", (f"{number}.csv", b"example.com")) for number in range(1_001)]
    answer = await api.post(IMPORT, files=many)
    assert answer.status_code == 413, answer.text
    assert await domains(db) == 0


BODIES = {
    "not JSON": (b'{"domains": [', 400),
    "array": (b'["example.com"]', 422),
    "null": (b"null", 422),
    "empty": (b"", 422),
    "a key twice": (b'{"domains": [], "domains": ["example.com"]}', 422),
    "unknown field": (b'{"domains": ["example.com"], "tenant_id": "x"}', 422),
    "prototype": (b'{"domains": ["example.com"], "__proto__": {}}', 422),
    "NUL": (b'{"domains": ["a\\u0000.example"]}', 422),
    "surrogate": (b'{"domains": ["\\ud800.example"]}', 422),
}


@pytest.mark.parametrize("name", BODIES)
async def test_a_bad_body_is_a_problem_without_an_effect(
    api: httpx.AsyncClient, db: AsyncEngine, name: str
) -> None:
    body, status = BODIES[name]
    answer = await api.post(SUBMIT, content=body, headers=JSON)

    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    assert (answer.json().get("errors") is not None) == (status == 422)
    assert await domains(db) == 0


async def test_a_problem_names_each_wrong_value(api: httpx.AsyncClient) -> None:
    answer = await api.post("/api/v3/domains/direct-submit", json={"domains": [1, "example.com"], "a/b~c": 1})
    assert [error["pointer"] for error in answer.json()["errors"]] == ["/domains/0", "/a~1b~0c"]
    assert answer.json()["errors"][1]["code"] == "extra_forbidden"


async def test_a_body_with_thousands_of_faults_gets_a_short_answer(api: httpx.AsyncClient) -> None:
    answer = await api.post("/api/v3/domains/direct-submit", json={f"k{n}": n for n in range(900)})
    assert len(answer.json()["errors"]) == 20
    assert "901 values" in answer.json()["detail"]
