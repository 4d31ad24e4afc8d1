"""A request that is sent twice has one effect."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from fastapi.responses import JSONResponse, StreamingResponse
from sqlalchemy import func, select, text, update
from sqlalchemy.ext.asyncio import AsyncEngine

from product import add_job
from scrapersky import tables
from scrapersky.actions.submissions import SubmissionOptions, submit_domains
from scrapersky.api import idempotency
from scrapersky.api.caller import Operator
from scrapersky.api.idempotency import MAX_ANSWER_BYTES
from scrapersky.maintenance.options import MaintenanceOptions
from scrapersky.maintenance.retention import delete_expired_rows

OpenApi = Callable[..., AbstractAsyncContextManager[httpx.AsyncClient]]
MakeWeb = Callable[..., FastAPI]
SCAN = "/api/v3/sitemap/scan"
KEY = {"Idempotency-Key": "order-7"}
CANARY = "canary-key-4711"


async def count(engine: AsyncEngine, table: Any) -> int:
    async with engine.connect() as connection:
        return (await connection.scalar(select(func.count()).select_from(table))) or 0


async def keys(engine: AsyncEngine) -> list[Any]:
    async with engine.connect() as connection:
        return list((await connection.execute(select(tables.idempotency_keys))).fetchall())


async def let_claims_expire(engine: AsyncEngine) -> None:
    async with engine.begin() as connection:
        past = func.now() - text("interval '1 second'")
        await connection.execute(update(tables.idempotency_keys).values(claimed_until=past))


def client_of(web: FastAPI) -> httpx.AsyncClient:
    transport = httpx.ASGITransport(web, raise_app_exceptions=False)
    return httpx.AsyncClient(transport=transport, base_url="http://localhost:8000")


async def test_a_repeated_request_gets_the_same_answer_and_has_no_second_effect(
    api: httpx.AsyncClient, db: AsyncEngine
) -> None:
    first = await api.post(SCAN, json={"base_url": "example.com"}, headers=KEY)
    second = await api.post(SCAN, json={"base_url": "example.com"}, headers=KEY)
    other = await api.post(SCAN, json={"base_url": "example.com"}, headers={"Idempotency-Key": "order-8"})

    assert first.status_code < 300, first.text
    assert (second.status_code, second.content) == (first.status_code, first.content)
    assert second.headers["content-type"] == first.headers["content-type"]
    assert second.headers["Idempotency-Replayed"] == "true"
    assert "Idempotency-Replayed" not in first.headers
    assert other.json()["job_id"] != first.json()["job_id"]
    assert await count(db, tables.jobs) == 2


async def test_another_request_with_the_key_is_refused(api: httpx.AsyncClient, db: AsyncEngine) -> None:
    await api.post(SCAN, json={"base_url": "example.com"}, headers=KEY)
    other_body = await api.post(SCAN, json={"base_url": "example.org"}, headers=KEY)
    other_path = await api.post(
        "/api/v3/domains/direct-submit", json={"domains": ["example.net"]}, headers=KEY
    )

    assert (other_body.status_code, other_path.status_code) == (422, 422)
    assert other_body.json()["type"] == "/docs/problems#idempotency-key-reused"
    assert await count(db, tables.jobs) == 1


async def test_requests_at_the_same_moment_have_one_effect(api: httpx.AsyncClient, db: AsyncEngine) -> None:
    answers = await asyncio.gather(
        *(api.post(SCAN, json={"base_url": "example.com"}, headers=KEY) for _ in range(10))
    )

    assert await count(db, tables.jobs) == 1
    statuses = {answer.status_code for answer in answers}
    assert statuses <= {202, 409}
    running = [answer for answer in answers if answer.status_code == 409]
    assert {answer.json()["type"] for answer in running} <= {"/docs/problems#request-still-running"}
    assert (await api.post(SCAN, json={"base_url": "example.com"}, headers=KEY)).status_code == 202


async def test_a_refused_request_can_be_corrected_under_its_key(
    api: httpx.AsyncClient, db: AsyncEngine
) -> None:
    refused = await api.post(SCAN, json={"base_url": "not a domain"}, headers=KEY)
    assert refused.status_code == 422
    assert await keys(db) == []
    assert (await api.post(SCAN, json={"base_url": "example.com"}, headers=KEY)).status_code == 202


@pytest.mark.parametrize("key", ["", "a b", "é", "x" * 256])
async def test_an_odd_key_is_refused(api: httpx.AsyncClient, db: AsyncEngine, key: str) -> None:
    headers = {"Idempotency-Key": key.encode()}
    answer = await api.post(SCAN, json={"base_url": "example.com"}, headers=headers)
    assert answer.status_code == 422
    assert await count(db, tables.jobs) == 0


async def test_two_keys_are_refused(api: httpx.AsyncClient, db: AsyncEngine) -> None:
    headers = [("Idempotency-Key", "order-7"), ("Idempotency-Key", "order-8")]
    answer = await api.post(SCAN, json={"base_url": "example.com"}, headers=headers)
    assert answer.status_code == 422
    assert await count(db, tables.jobs) == 0


def add_routes(web: FastAPI, behaviour: str) -> None:
    """A route that adds a domain and then does not answer as it should."""

    @web.post("/api/v3/odd")
    async def odd(caller: Operator) -> Any:
        if behaviour != "fails before":
            await submit_domains(caller.engine, caller.actor, ["example.com"], SubmissionOptions())
        if behaviour in ("fails before", "fails after"):
            raise RuntimeError("broken")
        if behaviour == "refuses after":
            return JSONResponse({"secret": CANARY}, status_code=409)
        if behaviour == "large":
            return StreamingResponse(iter([b"x" * 1024] * (MAX_ANSWER_BYTES // 1024 + 2)))
        return JSONResponse({"secret": CANARY})


async def test_after_an_error_without_an_effect_the_request_runs_again(
    make_web: MakeWeb, db: AsyncEngine
) -> None:
    web = make_web()
    add_routes(web, "fails before")
    async with client_of(web) as client:
        assert (await client.post("/api/v3/odd", headers=KEY)).status_code == 500
        assert await keys(db) == []
        assert (await client.post("/api/v3/odd", headers=KEY)).status_code == 500


async def test_an_effect_whose_answer_was_lost_is_not_repeated_and_that_is_said(
    make_web: MakeWeb, db: AsyncEngine
) -> None:
    web = make_web()
    add_routes(web, "fails after")
    async with client_of(web) as client:
        assert (await client.post("/api/v3/odd", headers=KEY)).status_code == 500
        again = await client.post("/api/v3/odd", headers=KEY)

    assert (again.status_code, again.json()["type"]) == (409, "/docs/problems#answer-lost")
    assert await count(db, tables.domains) == 1


async def test_an_effect_above_the_tenants_whose_answer_was_lost_is_not_repeated_either(
    api: httpx.AsyncClient, db: AsyncEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def lose(*_: Any) -> None:
        raise RuntimeError("broken")

    monkeypatch.setattr(idempotency, "store_answer", lose)
    pause = "/api/v3/stages/run_job/pause"
    assert (await api.post(pause, json={}, headers=KEY)).status_code == 500
    monkeypatch.undo()
    await let_claims_expire(db)
    again = await api.post(pause, json={}, headers=KEY)
    assert (again.status_code, again.json()["type"]) == (409, "/docs/problems#answer-lost")
    assert await count(db, tables.audit_log) == 1


async def test_a_crash_before_the_effect_frees_the_key_and_one_after_it_does_not(
    api: httpx.AsyncClient, db: AsyncEngine
) -> None:
    """What a process that was killed leaves behind: a claim without an answer."""
    await api.post(SCAN, json={"base_url": "example.com"}, headers=KEY)
    async with db.begin() as connection:
        nothing = dict.fromkeys(("status", "headers", "body"))
        await connection.execute(update(tables.idempotency_keys).values(**nothing, has_effect=False))
        await connection.execute(
            update(tables.idempotency_keys).values(claimed_until=func.now() + text("interval '1 minute'"))
        )
    running = await api.post(SCAN, json={"base_url": "example.com"}, headers=KEY)
    await let_claims_expire(db)
    taken_over = await api.post(SCAN, json={"base_url": "example.com"}, headers=KEY)
    async with db.begin() as connection:
        await connection.execute(update(tables.idempotency_keys).values(status=None, body=None))
    lost = await api.post(SCAN, json={"base_url": "example.com"}, headers=KEY)

    assert running.json()["type"] == "/docs/problems#request-still-running"
    assert taken_over.status_code == 202
    assert lost.json()["type"] == "/docs/problems#answer-lost"
    assert await count(db, tables.jobs) == 2  # One by the crash that was played, one by the take-over.


async def test_a_request_that_was_overtaken_commits_nothing(make_web: MakeWeb, db: AsyncEngine) -> None:
    """A process that was suspended for minutes wakes up after another has taken its key over."""
    web = make_web()
    is_slow, may_continue = asyncio.Event(), asyncio.Event()

    @web.post("/api/v3/slow")
    async def slow(caller: Operator) -> dict[str, str]:
        if not is_slow.is_set():
            is_slow.set()
            await may_continue.wait()
        await submit_domains(caller.engine, caller.actor, ["example.com"], SubmissionOptions())
        return {"status": "done"}

    async with client_of(web) as client:
        first = asyncio.create_task(client.post("/api/v3/slow", headers=KEY))
        await is_slow.wait()
        await let_claims_expire(db)
        second = await client.post("/api/v3/slow", headers=KEY)
        async with db.begin() as connection:
            await connection.execute(tables.domains.delete())
        may_continue.set()
        assert (second.status_code, (await first).status_code) == (200, 409)
    assert await count(db, tables.domains) == 0


async def test_answers_are_encrypted(make_web: MakeWeb, db: AsyncEngine) -> None:
    """An answer may hold a key that is shown once."""
    web = make_web()
    add_routes(web, "answers")
    async with client_of(web) as client:
        assert (await client.post("/api/v3/odd", headers=KEY)).json() == {"secret": CANARY}
        assert (await client.post("/api/v3/odd", headers=KEY)).json() == {"secret": CANARY}
    (row,) = await keys(db)
    assert CANARY.encode() not in row.body


async def test_a_refusal_after_an_effect_is_repeated(make_web: MakeWeb, db: AsyncEngine) -> None:
    web = make_web()
    add_routes(web, "refuses after")
    async with client_of(web) as client:
        await client.post("/api/v3/odd", headers=KEY)
        again = await client.post("/api/v3/odd", headers=KEY)
    assert (again.status_code, again.headers["Idempotency-Replayed"]) == (409, "true")


async def test_a_large_answer_is_streamed_and_not_kept(make_web: MakeWeb, db: AsyncEngine) -> None:
    web = make_web()
    add_routes(web, "large")
    async with client_of(web) as client:
        first = await client.post("/api/v3/odd", headers=KEY)
        again = await client.post("/api/v3/odd", headers=KEY)
    assert len(first.content) > MAX_ANSWER_BYTES
    assert again.json()["type"] == "/docs/problems#answer-lost"


async def test_keys_are_kept_for_24_hours(api: httpx.AsyncClient, db: AsyncEngine) -> None:
    await api.post(SCAN, json={"base_url": "example.com"}, headers=KEY)
    await delete_expired_rows(db, MaintenanceOptions())
    assert len(await keys(db)) == 1
    async with db.begin() as connection:
        old = func.now() - text("interval '25 hours'")
        await connection.execute(update(tables.idempotency_keys).values(created_at=old))
    await delete_expired_rows(db, MaintenanceOptions())
    assert await keys(db) == []


async def test_reading_with_a_key_changes_nothing(api: httpx.AsyncClient, db: AsyncEngine) -> None:
    job_id = await add_job(db)
    assert (await api.get(f"/api/v3/jobs/{job_id}", headers=KEY)).status_code == 200
    assert await keys(db) == []
