"""Requests that try to exhaust, confuse or deceive the server: C17, C18, C25 and bad parameters."""

from __future__ import annotations

import io
import json
import resource
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any
from urllib.parse import quote

import httpx
import pytest
from fastapi import FastAPI
from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncEngine

from scrapersky import tables
from scrapersky.log import Log

MakeWeb = Callable[..., FastAPI]
MIB = 1024 * 1024
SUBMIT = "/api/v3/domains/direct-submit"
IMPORT = "/api/v3/domains/import-csv"
LISTS = ("domains", "pages", "contacts")

BAD_QUERIES = [
    *(
        "limit=1000000000",
        "limit=0",
        "limit=-1",
        "size=1000000000",
        "page=1000000000000",
        "offset=1000000000000",
    ),
    *("limit=1_000", "limit=%D9%A3", "limit=" + "9" * 5_000, "page=9223372036854775808", "page=-1"),
    *(
        "after=forged",
        "after=" + "A" * 2_000,
        "after=%00",
        "sort=password_hash",
        "sort=id;drop",
        "sort=created_at:up",
    ),
    *("status=selected", "status=Selected%20", "created_after=infinity", "created_after=10000-01-01"),
    *(
        "created_after=2024-02-30T00:00:00Z",
        "created_after=1700000000000",
        "created_after=2024-02-01T00:00:00",
    ),
]
LITERAL_TEXTS = ["%", "_", "\\", "%_%_%_%_%", "(a+)+$", "a & ", "'; DROP TABLE domains; --", "‮", "𝒳"]


@pytest.mark.parametrize("query", BAD_QUERIES, ids=lambda query: query[:40])
async def test_a_bad_parameter_of_a_list_is_a_problem(api: httpx.AsyncClient, query: str) -> None:
    for name in LISTS:
        answer = await api.get(f"/api/v3/{name}?{query}")
        assert answer.status_code in (400, 422), (name, answer.text[:300])


async def test_text_filters_are_literal(api: httpx.AsyncClient, db: AsyncEngine) -> None:
    await api.post(SUBMIT, json={"domains": ["example.com"]})
    for text in LITERAL_TEXTS:
        answer = await api.get("/api/v3/domains", params={"q": text})
        assert answer.status_code == 200, (text, answer.text)
        assert answer.json()["total"] == 0, text
    assert (await api.get("/api/v3/domains", params={"q": "xample"})).json()["total"] == 1
    long = await api.get("/api/v3/domains", params={"q": "x" * 20_000})
    assert long.status_code in (200, 422)


BAD_BODIES: dict[str, bytes] = {
    "10,000 levels": b'{"domains":' + b"[" * 10_000 + b"]" * 10_000 + b"}",
    "100,000 keys": json.dumps({f"k{number}": 1 for number in range(100_000)}).encode(),
    "a number of 100,000 digits": b'{"domains": ' + b"9" * 100_000 + b"}",
    "a text of 9 MB": json.dumps({"domains": ["x" * 9 * MIB]}).encode(),
    "a million items": b'{"domains": [' + b"1," * 1_000_000 + b"1]}",
}


@pytest.mark.timed
@pytest.mark.parametrize("name", BAD_BODIES)
async def test_a_body_that_would_exhaust_a_parser_is_refused_quickly(
    api: httpx.AsyncClient, name: str
) -> None:
    started = perf_counter()
    headers = {"Content-Type": "application/json"}
    answer = await api.post(SUBMIT, content=BAD_BODIES[name], headers=headers)
    assert answer.status_code in (400, 422), answer.text[:300]
    assert len(answer.content) < 20_000
    assert perf_counter() - started < 3  # A second on a machine that has nothing else to do.


def zip_file() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("domains.csv", "example.com\n" * 100_000)
    return buffer.getvalue()


async def test_uploads_are_bounded_and_leave_nothing_behind(
    api: httpx.AsyncClient, db: AsyncEngine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    large = b"x" * (10 * MIB + 1)
    files: dict[str, tuple[str, bytes]] = {
        "too large": ("a.csv", large),
        "a zip file": ("a.csv", zip_file()),
        "binary": ("a.csv", bytes(range(256)) * 100),
    }
    for name, file in files.items():
        answer = await api.post(IMPORT, files={"file": file})
        assert answer.status_code in (400, 413, 415, 422), (name, answer.text[:300])
    path = await api.post(IMPORT, files={"file": ("../../etc/passwd\0.csv", b"example.com\n")})
    assert path.status_code in (200, 422), path.text
    assert list(tmp_path.iterdir()) == []
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before <= 64 * 1024
    async with db.connect() as connection:
        assert (await connection.scalar(select(func.count()).select_from(tables.domains)) or 0) <= 1


HOSTILE = 'x\r\n{"event": "forged"}\x1b[31m\u2028\x85"}\\'


async def test_no_input_can_break_a_line_of_the_log(make_web: MakeWeb, db: AsyncEngine) -> None:
    """C25: one event is one line of valid JSON, and a terminal sees no escape sequence."""
    stream = io.StringIO()
    web = make_web(log=Log(level="debug", style="json", stream=stream))

    @web.get("/api/v3/fail/{name}")
    async def fail(name: str) -> Any:
        raise RuntimeError(name)

    transport = httpx.ASGITransport(web, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost:8000") as client:
        headers = {b"User-Agent": HOSTILE.encode(), b"X-Correlation-Id": HOSTILE.encode()}
        raw = [(name, value.replace(b"\r\n", b"  ")) for name, value in headers.items()]
        await client.post(SUBMIT, json={"domains": [HOSTILE]}, headers=raw)
        await client.get("/api/v3/domains", params={"q": HOSTILE}, headers=raw)
        await client.get(f"/api/v3/fail/{quote(HOSTILE)}", headers=raw)
        await client.request("FOO", "/api/v3/" + quote(HOSTILE), headers=raw)
    lines = stream.getvalue().splitlines()
    assert len(lines) == 5  # Four requests, and the error of one of them.
    for line in lines:
        assert json.loads(line)["event"] in ("request_served", "request_failed")
        assert "\x1b" not in line


async def test_a_text_log_shows_no_escape_sequence(make_web: MakeWeb) -> None:
    stream = io.StringIO()
    Log(level="debug", style="text", stream=stream).event("request_served", user=HOSTILE, route=HOSTILE)
    assert stream.getvalue().count("\n") == 1
    assert "\x1b" not in stream.getvalue()
