"""Every error is one shape of answer, and what is in it helps people without helping attackers."""

from __future__ import annotations

import asyncio
import errno
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from io import StringIO
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from pydantic import BaseModel
from sqlalchemy import text
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from scrapersky.api.problem_types import PROBLEM_TYPES
from scrapersky.errors import Conflict, InvalidInput, NotFound, Stale
from scrapersky.log import Log
from scrapersky.web.headers import HEADERS

Failure = Callable[[AsyncEngine], Awaitable[Any]]
MakeWeb = Callable[..., FastAPI]
SECRET = "canary-4711"


class Answer(BaseModel):
    number: int


async def run(engine: AsyncEngine, *statements: str) -> None:
    async with engine.begin() as connection:
        for statement in statements:
            await connection.execute(text(statement))


def raising(error: BaseException) -> Failure:
    async def fail(engine: AsyncEngine) -> None:
        raise error

    return fail


def sending(*statements: str) -> Failure:
    async def fail(engine: AsyncEngine) -> None:
        await run(engine, *statements)

    return fail


@asynccontextmanager
async def other_engine(url: Any, **options: Any) -> AsyncIterator[AsyncEngine]:
    engine = create_async_engine(url, **options)
    try:
        yield engine
    finally:
        await engine.dispose()


async def ask_a_database_that_is_gone(engine: AsyncEngine) -> None:
    async with other_engine(f"postgresql+asyncpg://{SECRET}@127.0.0.1:9/none") as gone:
        await run(gone, "SELECT 1")


async def ask_a_server_with_a_wrong_password(engine: AsyncEngine) -> None:
    async with other_engine(engine.url.set(username=SECRET, password=SECRET)) as wrong:
        await run(wrong, "SELECT 1")


async def exhaust_the_pool(engine: AsyncEngine) -> None:
    async with (
        other_engine(engine.url, pool_size=1, max_overflow=0, pool_timeout=0.05) as small,
        small.connect(),
    ):
        await run(small, "SELECT 1")


async def lose_the_connection(engine: AsyncEngine) -> None:
    async with engine.connect() as connection:
        pid = await connection.scalar(text("SELECT pg_backend_pid()"))
        await run(engine, f"SELECT pg_terminate_backend({pid})")
        await asyncio.sleep(0.05)
        await connection.execute(text("SELECT 1"))


async def answer_what_the_model_forbids(engine: AsyncEngine) -> dict[str, str]:
    return {"number": SECRET}


DIVIDE = "DO $$ BEGIN PERFORM 1 / 0; END $$"
TENANT = "INSERT INTO tenants (name) VALUES ('twice')"
FAILURES: dict[str, tuple[int, Failure]] = {
    "database gone": (503, ask_a_database_that_is_gone),
    "wrong password": (500, ask_a_server_with_a_wrong_password),
    "connection lost": (503, lose_the_connection),
    "pool exhausted": (503, exhaust_the_pool),
    "pool timeout": (503, raising(PoolTimeout(SECRET))),
    "statement timeout": (503, sending("SET LOCAL statement_timeout = 20", "SELECT pg_sleep(5)")),
    "disk full in the database": (
        503,
        sending(f"DO $$ BEGIN RAISE EXCEPTION '{SECRET}' USING ERRCODE = '53100'; END $$"),
    ),
    "disk full here": (503, raising(OSError(errno.ENOSPC, SECRET, f"/var/{SECRET}"))),
    "unknown table": (500, sending(f'SELECT 1 FROM "{SECRET}"')),
    "syntax error": (500, sending(f"SELEC {SECRET}")),
    "no rights": (500, sending("SET LOCAL ROLE scrapersky_app", "DELETE FROM tenants")),
    "duplicate row": (409, sending(TENANT, TENANT)),
    "reference to nothing": (
        409,
        sending("INSERT INTO users (tenant_id, email) VALUES (gen_random_uuid(), 'a')"),
    ),
    "too long": (422, sending("INSERT INTO tenants (name) VALUES (repeat('x', 500))")),
    "out of range": (422, sending("SELECT 99999999999::int")),
    "division by zero": (422, sending(DIVIDE)),
    "bad row": (500, answer_what_the_model_forbids),
    "programming error": (500, raising(KeyError(SECRET))),
    "deep recursion": (500, raising(RecursionError(SECRET))),
    "undecodable text": (500, raising(UnicodeDecodeError("utf-8", SECRET.encode(), 0, 1, SECRET))),
    "task group": (500, raising(ExceptionGroup(SECRET, [ValueError(SECRET)]))),
}
INSIDES = (SECRET, "Traceback", "sqlalchemy", "asyncpg", "SELECT", "INSERT", ".py", "scrapersky_app", "/var/")


@asynccontextmanager
async def failing_api(web: FastAPI, engine: AsyncEngine) -> AsyncIterator[httpx.AsyncClient]:
    """The application with one more route, `/api/v3/fail/{name}`."""

    @web.get("/api/v3/fail/{name}", response_model=Answer)
    async def fail(name: str) -> Any:
        return await FAILURES[name][1](engine)

    transport = httpx.ASGITransport(web)
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost:8000") as client:
        yield client


async def test_unexpected_errors_say_nothing_about_the_inside_and_can_be_found_in_the_log(
    make_web: MakeWeb, db: AsyncEngine
) -> None:
    log = StringIO()
    async with failing_api(make_web(log=Log(level="debug", style="json", stream=log)), db) as client:
        answers = {name: await client.get(f"/api/v3/fail/{name}") for name in FAILURES}

    assert len(FAILURES) >= 20
    assert {name: answer.status_code for name, answer in answers.items()} == {
        name: status for name, (status, _) in FAILURES.items()
    }
    events = [json.loads(line) for line in log.getvalue().splitlines()]
    traces = {
        event["correlation_id"]: event["trace"] for event in events if event["event"] == "request_failed"
    }
    for name, answer in answers.items():
        problem = answer.json()
        assert answer.headers["content-type"] == "application/problem+json", name
        assert not [word for word in INSIDES if word in answer.text], (name, answer.text)
        assert problem["instance"] == answer.headers["X-Correlation-Id"], name
        assert "Traceback" in traces[problem["instance"]], name
        assert ("Retry-After" in answer.headers) == (answer.status_code == 503), name
        assert {header: answer.headers.get(header) for header in HEADERS} == HEADERS, name


async def test_every_type_is_explained_at_its_address(make_web: MakeWeb, db: AsyncEngine) -> None:
    async with failing_api(make_web(), db) as client:
        problem = (await client.get("/api/v3/fail/syntax error")).json()

    assert problem["type"] == "/docs/problems#internal-error"
    assert len({known.slug for known in PROBLEM_TYPES}) == len(PROBLEM_TYPES)


@pytest.mark.parametrize(
    ("error", "status", "slug"),
    [
        (NotFound("No job 7"), 404, "not-found"),
        (Conflict("Too late", expected=3, actual=4), 409, "conflict"),
        (Stale("Changed"), 412, "precondition-failed"),
        (InvalidInput("Wrong"), 422, "invalid-input"),
    ],
)
async def test_a_refused_action_answers_with_its_reason(
    make_web: MakeWeb,
    db: AsyncEngine,
    error: Exception,
    status: int,
    slug: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(FAILURES, "refused", (status, raising(error)))
    async with failing_api(make_web(), db) as client:
        answer = await client.get("/api/v3/fail/refused")

    assert answer.status_code == status
    assert answer.json() == {
        "type": f"/docs/problems#{slug}",
        "title": answer.json()["title"],
        "status": status,
        "detail": str(error),
        "instance": answer.headers["X-Correlation-Id"],
        **getattr(error, "details", {}),
    }


@pytest.mark.parametrize("method", ["TRACE", "FOO", "DELETE", "OPTIONS", "HEAD"])
async def test_a_wrong_method_gets_405_with_every_right_one(
    make_web: MakeWeb, db: AsyncEngine, method: str
) -> None:
    async with failing_api(make_web(), db) as client:
        answer = await client.request(method, "/api/v3/fail/x")
        nowhere = await client.request(method, "/api/v3/nowhere")

    assert (answer.status_code, answer.headers["Allow"]) == (405, "GET")
    assert nowhere.status_code == 404
    if method != "HEAD":
        assert answer.json()["type"] == "/docs/problems#method-not-allowed"
