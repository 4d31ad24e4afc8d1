"""One id ties a request, its answer and its log lines together."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from io import StringIO
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from fastapi.responses import StreamingResponse
from sqlalchemy.ext.asyncio import AsyncEngine

from product import add_job
from scrapersky.log import Log

MakeWeb = Callable[..., FastAPI]
HOSTILE = ("", "a b", "x" * 65, 'a"}', "a;b", "é", "-a")
PATHS = ("/health/live", "/nothing", "/api/v3/jobs/1", "/api/v3/nothing")


def json_log(stream: StringIO) -> Log:
    return Log(level="debug", style="json", stream=stream)


def client_of(web: FastAPI) -> httpx.AsyncClient:
    return httpx.AsyncClient(transport=httpx.ASGITransport(web), base_url="http://localhost:8000")


def events(log: StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in log.getvalue().splitlines()]


async def test_every_answer_has_an_id(make_web: MakeWeb) -> None:
    async with client_of(make_web()) as client:
        answers = [await client.get(path) for path in PATHS]
        refused = await client.get("/health/live", headers={"Host": "evil.example"})

    ids = {answer.headers["X-Correlation-Id"] for answer in [*answers, refused]}
    assert len(ids) == len(PATHS) + 1


async def test_a_well_formed_id_of_the_client_is_kept_and_another_is_replaced(make_web: MakeWeb) -> None:
    async with client_of(make_web()) as client:
        kept = await client.get("/health/live", headers={"X-Correlation-Id": "Order-7:part.2"})
        assert kept.headers["X-Correlation-Id"] == "Order-7:part.2"
        for value in HOSTILE:
            answer = await client.get("/health/live", headers={"X-Correlation-Id": value.encode()})
            assert len(answer.headers["X-Correlation-Id"]) == 32, value


async def test_a_request_is_one_line_of_the_log(make_web: MakeWeb, db: AsyncEngine) -> None:
    log = StringIO()
    job_id = await add_job(db)
    async with client_of(make_web(log=json_log(log))) as client:
        answer = await client.get(f"/api/v3/jobs/{job_id}")
        await client.post("/api/v3/jobs/1")

    read, changed = events(log)
    assert read.pop("milliseconds") >= 0
    assert read.pop("time")
    assert read == {
        "event": "request_served",
        "level": "debug",
        "method": "GET",
        "route": "/api/v3/jobs/{job_id}",
        "status": 200,
        "user": "local",
        "correlation_id": answer.headers["X-Correlation-Id"],
    }
    assert (changed["level"], changed["status"], changed["route"]) == ("info", 405, "/api/v3/jobs/{job_id}")


async def test_a_stream_is_passed_on_piece_by_piece(make_web: MakeWeb) -> None:
    """Nothing between the route and the client collects a stream."""
    web = make_web()
    may_continue = asyncio.Event()

    @web.get("/stream")
    async def stream() -> StreamingResponse:
        async def pieces() -> Any:
            yield b"first"
            await may_continue.wait()
            yield b"second"

        return StreamingResponse(pieces())

    received: list[bytes] = []

    async def send(message: Any) -> None:
        if body := message.get("body"):
            received.append(body)
            may_continue.set()

    async def receive() -> Any:
        await asyncio.sleep(10)

    scope = {
        "type": "http",
        "scheme": "http",
        "method": "GET",
        "path": "/stream",
        "headers": [],
        "query_string": b"",
    }
    await asyncio.wait_for(web({**scope, "asgi": {"spec_version": "2.4"}}, receive, send), 5)
    assert received == [b"first", b"second"]


async def test_a_stream_that_breaks_is_cut_and_logged(make_web: MakeWeb) -> None:
    log = StringIO()
    web = make_web(log=json_log(log))

    @web.get("/stream")
    async def stream() -> StreamingResponse:
        async def pieces() -> Any:
            yield b"first"
            raise RuntimeError("broken")

        return StreamingResponse(pieces())

    async with client_of(web) as client:
        with pytest.raises(RuntimeError, match="broken"):
            await client.get("/stream")
    assert [event["event"] for event in events(log)] == ["request_failed", "request_served"]
