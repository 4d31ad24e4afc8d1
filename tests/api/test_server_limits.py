"""What reaches the server as bytes: headers, slow and broken requests, clients that leave."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from time import perf_counter

import httpx
import pytest
from sqlalchemy import func, select, text
from sqlalchemy.ext.asyncio import AsyncEngine

from scrapersky import tables

SUBMIT = "/api/v3/domains/direct-submit"
BODY = b'{"domains": ["example.com"]}'


async def exchange(server: str, request: bytes, *, leave_early: bool = False) -> bytes:
    """Send bytes as they are and read what comes back."""
    host, port = server.removeprefix("http://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(request)
    await writer.drain()
    answer = b"" if leave_early else await asyncio.wait_for(reader.read(65_536), 5)
    writer.close()
    return answer


def post(*headers: str, body: bytes = BODY, length: int | None = None) -> bytes:
    size = len(body) if length is None else length
    lines = [f"POST {SUBMIT} HTTP/1.1", "Host: localhost", "Content-Type: application/json", *headers]
    return "\r\n".join([*lines, f"Content-Length: {size}", "Connection: close", "", ""]).encode() + body


def get(*headers: str, path: str = "/api/v3/jobs/1") -> bytes:
    return "\r\n".join([f"GET {path} HTTP/1.1", "Host: localhost", *headers, "", ""]).encode()


REQUESTS: dict[str, tuple[bytes, int | tuple[int, ...]]] = {
    "long header": (get("X-Long: " + "x" * 100_000), (400, 431)),
    "many headers": (get(*(f"X-{n}: {'y' * 50}" for n in range(2_000))), (400, 431)),
    "long address": (get(path="/api/v3/jobs/1?q=" + "x" * 1_000_000), (400, 414, 431)),
    "long key": (get("Authorization: Bearer " + "x" * 20_000), 401),
    "two lengths": (post("Content-Length: 3"), 400),
    "length and chunks": (post("Transfer-Encoding: chunked", body=b"0\r\n\r\n", length=28), 400),
    "negative length": (post(length=-1), 400),
    "huge length": (post(length=2**31), 413),
    "two hosts": (get("Host: localhost"), (400, 421)),
    "foreign host": (get().replace(b"Host: localhost", b"Host: evil.example"), 421),
    "override of the method": (get("X-HTTP-Method-Override: DELETE"), 404),
    "override of the address": (get("X-Original-URL: /api/v3/users", "X-Rewrite-URL: /api/v3/users"), 404),
    "forwarded fifty times": (get(*["X-Forwarded-For: 203.0.113.1"] * 50), (401, 404)),
    "ranges": (get("Range: bytes=" + ",".join(["0-"] * 1_000)), 404),
    "trace": (get().replace(b"GET", b"TRACE"), 405),
    "connect": (get().replace(b"GET", b"CONNECT"), (400, 405)),
    "unknown method": (get().replace(b"GET", b"FOO"), 405),
    "not HTTP": (b"\x16\x03\x01\x00\xa5\x01\x00\x00", 400),
}


@pytest.mark.timed
@pytest.mark.parametrize("name", REQUESTS)
async def test_an_odd_request_is_answered_quickly_and_plainly(
    server: str, db: AsyncEngine, name: str
) -> None:
    request, expected = REQUESTS[name]
    started = perf_counter()
    answer = await exchange(server, request)

    status = int(answer.split(b" ", 2)[1])
    assert status in (expected if isinstance(expected, tuple) else (expected,)), answer[:500]
    assert perf_counter() - started < 2
    assert b"Traceback" not in answer
    assert b"server:" not in answer.lower()
    async with db.connect() as connection:
        assert await connection.scalar(select(func.count()).select_from(tables.domains)) == 0


async def test_malformed_chunks_are_not_an_error_of_ours(
    server: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Whoever sends them could fill the log otherwise."""
    lines = ["POST /health/live HTTP/1.1", "Host: localhost", "Transfer-Encoding: chunked", "", ""]
    answer = await exchange(server, "\r\n".join([*lines, "no chunk\r\n"]).encode())
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert [record.message for record in caplog.records if record.levelname == "ERROR"] == []


async def eventually(check: Callable[[], object]) -> None:
    for _ in range(100):
        if await check():  # type: ignore[misc]
            return
        await asyncio.sleep(0.05)
    raise AssertionError("It did not happen within 5 seconds.")


async def test_a_client_that_leaves_neither_stops_its_change_nor_keeps_a_connection(
    server: str, db: AsyncEngine
) -> None:
    """API-20: every change is made whole or not at all, and the pool is as it was."""
    await asyncio.gather(*(exchange(server, post(), leave_early=True) for _ in range(20)))
    await asyncio.gather(
        *(exchange(server, post(body=BODY[:10], length=28), leave_early=True) for _ in range(20))
    )

    async def is_settled() -> bool:
        async with db.connect() as connection:
            query = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
            busy = await connection.scalar(text(f"{query} AND state <> 'idle' AND pid <> pg_backend_pid()"))
            return busy == 0

    await eventually(is_settled)
    async with httpx.AsyncClient(base_url=server) as client:
        assert (
            await client.post(SUBMIT, content=BODY, headers={"Content-Type": "application/json"})
        ).is_success
    async with db.connect() as connection:
        assert await connection.scalar(select(func.count()).select_from(tables.domains)) == 1
        assert await connection.scalar(text("SELECT current_setting('scrapersky.tenant', true)")) in (
            None,
            "",
        )
        assert await connection.scalar(text("SELECT current_user::text")) != "scrapersky_app"
