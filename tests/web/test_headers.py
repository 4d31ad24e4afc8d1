"""The security headers are in every answer, whatever its status (C2)."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from people import add_person
from scrapersky.api import ApiContext
from scrapersky.log import Log
from scrapersky.queries import HealthQuery, StageQuery
from scrapersky.secret_key import SecretKey
from scrapersky.settings import Settings
from scrapersky.web import create_app

EXACT = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self';"
        " font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; object-src 'none'"
    ),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
REQUESTS: list[tuple[int, str, str, dict[str, Any]]] = [
    (200, "GET", "/health/live", {}),
    (200, "GET", "/login", {}),
    (303, "GET", "/system", {"headers": {"Accept": "text/html"}}),
    (401, "GET", "/", {}),
    (401, "GET", "/docs", {}),
    (200, "GET", "/docs/problems", {}),
    (401, "GET", "/api/v3/contacts", {}),
    (401, "GET", "/api/v3/openapi.json", {}),
    (403, "POST", "/api/v3/session", {"headers": {"Origin": "https://evil.example"}, "json": {}}),
    (404, "GET", "/api/v3/nothing", {}),
    (404, "GET", "/nothing", {}),
    (405, "DELETE", "/health", {}),
    (400, "POST", "/api/v3/session", {"content": b"{", "headers": {"Content-Type": "application/json"}}),
    (413, "POST", "/api/v3/session", {"content": b"x", "headers": {"Content-Length": "99999999999"}}),
    (415, "POST", "/api/v3/session", {"content": b"x", "headers": {"Content-Type": "text/plain"}}),
    (421, "GET", "/", {"headers": {"Host": "evil.example"}}),
    (422, "POST", "/api/v3/session", {"json": {}}),
]


def make_client(engine: AsyncEngine, **settings: Any) -> httpx.AsyncClient:
    context = ApiContext(engine, Settings(**settings), Log(level="error"), SecretKey("k9J2" * 10))
    web = create_app(HealthQuery(engine, None), StageQuery(engine), api=context)
    transport = httpx.ASGITransport(web, raise_app_exceptions=False)
    return httpx.AsyncClient(transport=transport, base_url="http://localhost:8000")


def check(answer: httpx.Response) -> None:
    assert {name: answer.headers.get_list(name) for name in EXACT} == {
        name: [value] for name, value in EXACT.items()
    }
    [policy] = answer.headers.get_list("permissions-policy")
    assert all(part.endswith("=()") for part in policy.split(", "))
    assert {"camera=()", "geolocation=()", "microphone=()"} <= set(policy.split(", "))
    # Chromium warns in the console about names that it does not know in this header.
    assert not {"bluetooth=()", "web-share=()"} & set(policy.split(", "))
    assert not [name for name in answer.headers if name in ("server", "x-powered-by")]


async def test_every_kind_of_answer_has_them(db: AsyncEngine) -> None:
    await add_person(db, "ada@example.com")
    async with make_client(db) as client:
        for status, method, path, more in REQUESTS:
            answer = await client.request(method, path, **more)
            assert answer.status_code == status, f"{method} {path}: {answer.status_code} {answer.text}"
            check(answer)
            assert "strict-transport-security" not in answer.headers
        wrong = {"email": "ada@example.com", "password": "wrong"}
        for _ in range(11):
            answer = await client.post("/api/v3/session", json=wrong)
            check(answer)
        assert answer.status_code == 429


@pytest.mark.parametrize("path", ["/api/v3/contacts", "/api/v3/session"])
async def test_also_the_answer_to_a_failure(path: str) -> None:
    engine = create_async_engine("postgresql+asyncpg://nobody@127.0.0.1:9/none")
    async with make_client(engine) as client:
        answer = await client.get(path)
        assert answer.status_code == 503
        check(answer)
    await engine.dispose()


async def test_an_unexpected_error_has_them_too(db: AsyncEngine) -> None:
    async with make_client(db) as client:
        web: Any = client._transport.app  # type: ignore[attr-defined]
        web.state.login_slots = None
        answer = await client.post("/api/v3/session", json={"email": "a@example.com", "password": "x"})
        assert answer.status_code == 500
        check(answer)


async def test_behind_tls_browsers_are_told_to_stay_there(db: AsyncEngine) -> None:
    async with make_client(db, trusted_proxies="127.0.0.1") as client:
        for path in ("/health/live", "/api/v3/contacts", "/nothing"):
            answer = await client.get(path, headers={"X-Forwarded-Proto": "https"})
            check(answer)
            assert answer.headers["strict-transport-security"] == "max-age=31536000; includeSubDomains"
